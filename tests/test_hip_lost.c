/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices that are lost, and devices whose memory runs out: before planning, before executing, before
 * destroying. There is a code, destroying works, and so does the device that is left. And the stack that a
 * thread is promised to do with. */
#define _GNU_SOURCE 1 /* MAP_ANONYMOUS */
#include <check.h>
#include <pthread.h>
#include <sys/mman.h>

#include "hip_forms.h"
#include "lmad-hip.h"

static const hipemu *emu;

/* ---- lost devices ------------------------------------------------------------------------------------ */

/* The device that is left works. */
static void try_device(int device) {
    lm_form here = lm_forms[0];
    lm_field field;
    here.ends.dst = here.ends.src = device;
    lm_field_open(&field, &here.trial, &here.ends);
    lm_field_reset(&field);
    lmad_plan *p = lm_field_plan(&here.trial, &here.ends);
    ck_assert_int_eq(lmad_execute(p, field.d, field.s), LMAD_OK);
    ck_assert(lm_field_is_right(&field));
    lmad_plan_destroy(p);
    lm_field_close(&field);
}

enum { BEFORE_PLANNING, BEFORE_EXECUTING, BEFORE_DESTROYING, MOMENTS };

static void lose(const lm_form *f, int device, int moment) {
    lm_field field;
    lm_formed formed;
    emu = lm_form_begin(f, true);
    lm_field_open(&field, &f->trial, &f->ends);
    lm_field_reset(&field);
    lm_form_open(&formed);
    if (moment == BEFORE_PLANNING) emu->lose_device(device);
    lmad_status status = lm_form_plan(f, &field.problem, &formed);
    if (moment == BEFORE_EXECUTING) emu->lose_device(device);
    if (status == LMAD_OK) status = lm_form_execute(f, &formed, &field);
    if (moment == BEFORE_DESTROYING) emu->lose_device(device);
    const lmad_status wanted = moment == BEFORE_DESTROYING ? LMAD_OK : LMAD_ERR_DEVICE_LOST;
    if (status != wanted) ck_abort_msg("%s: status %d: %s", f->name, status, lmad_error_detail());
    lm_form_close(&formed);
    ck_assert_int_eq(lm_field_hip->hipGetLastError(), LM_HIP_SUCCESS);
    lm_field_good(lm_field_hip->hipSetDevice((device + 1) % LM_FORM_DEVICES));
    try_device((device + 1) % LM_FORM_DEVICES);
    emu->reset();
    lm_field_abandon(&field);
}

/* Each form with each of its devices at each moment, but for what has nothing to execute. */
static struct {
    const lm_form *form;
    int device, moment;
} losses[LM_FORMS * LM_FORM_DEVICES * MOMENTS];

static int list_losses(void) {
    int count = 0;
    for (const lm_form *f = lm_forms; f < lm_forms + LM_FORMS; f++) {
        for (int k = 0; k < LM_FORM_DEVICES * MOMENTS; k++) {
            const int device = k / MOMENTS, moment = k % MOMENTS;
            if (f->ends.dst != device && f->ends.src != device) continue;
            if (f->op == WARM && moment == BEFORE_EXECUTING) continue;
            losses[count].form = f;
            losses[count].device = device;
            losses[count++].moment = moment;
        }
    }
    return count;
}

START_TEST(lost_device) { lose(losses[_i].form, losses[_i].device, losses[_i].moment); }
END_TEST

/* ---- no memory --------------------------------------------------------------------------------------- */

static int64_t memory_in_use(void) {
    hipemu_counts n;
    emu->counts(&n);
    return n.device_bytes;
}

/* A plan that owns memory of a device cannot be made without; others can. */
START_TEST(memory_runs_out) {
    const lm_form *f = &lm_forms[_i];
    lm_field field;
    lm_formed with, without;
    emu = lm_form_begin(f, true);
    lm_field_open(&field, &f->trial, &f->ends);
    const int64_t before = memory_in_use();
    lm_form_open(&with);
    ck_assert_int_eq(lm_form_plan(f, &field.problem, &with), LMAD_OK);
    const bool owns = memory_in_use() > before;
    lm_form_close(&with);
    emu->set_memory(1);
    lm_form_open(&without);
    ck_assert_int_eq(lm_form_plan(f, &field.problem, &without), owns ? LMAD_ERR_NO_MEMORY : LMAD_OK);
    lm_form_close(&without);
    lm_field_close(&field);
    emulator_is_clean();
}
END_TEST

/* ---- little stack ------------------------------------------------------------------------------------ */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
enum { STACK = 1 << 18 };
#else
enum { STACK = 1 << 16 };
#endif

typedef struct shallow {
    const lm_form *form;
    lm_field field;
    lmad_status status;
} shallow;

static void *plan_and_run(void *arg) {
    shallow *s = arg;
    lm_formed formed;
    lm_form_open(&formed);
    s->status = lm_form_plan(s->form, &s->field.problem, &formed);
    if (s->status == LMAD_OK) s->status = lm_form_execute(s->form, &formed, &s->field);
    lm_form_close(&formed);
    return NULL;
}

static void run_on_little_stack(shallow *s) {
    enum { GUARD = 1 << 16 };
    char *stack = mmap(NULL, GUARD + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t attr;
    pthread_t thread;
    ck_assert(stack != MAP_FAILED);
    ck_assert_int_eq(mprotect(stack, GUARD, PROT_NONE), 0);
    pthread_attr_init(&attr);
    ck_assert_int_eq(pthread_attr_setstack(&attr, stack + GUARD, STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &attr, plan_and_run, s), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    munmap(stack, GUARD + STACK);
}

/* HIP's compiler takes as much as it likes, so code is there already. */
START_TEST(little_stack_is_enough) {
    shallow s = {.form = &lm_forms[_i]};
    emu = lm_form_begin(s.form, true);
    lm_field_open(&s.field, &s.form->trial, &s.form->ends);
    plan_and_run(&s);
    ck_assert_int_eq(s.status, LMAD_OK);
    run_on_little_stack(&s);
    ck_assert_int_eq(s.status, LMAD_OK);
    lm_field_good(lm_field_hip->hipStreamSynchronize(NULL));
    lm_field_close(&s.field);
    emulator_is_clean();
}
END_TEST

Suite *lm_suite_hip_lost(void) {
    Suite *suite = suite_create("hip_lost");
    TCase *tc = tcase_create("lost devices");
    tcase_add_loop_test(tc, lost_device, 0, list_losses());
    tcase_add_loop_test(tc, memory_runs_out, 0, LM_FORMS);
    tcase_add_loop_test(tc, little_stack_is_enough, 0, LM_FORMS);
    suite_add_tcase(suite, tc);
    return suite;
}
