/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices that are lost, and devices whose memory runs out: before planning, before executing, before
 * destroying. There is a code, destroying works, and so does the device that is left. */
#include <check.h>

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
    lm_field_good(lm_field_hip->hipSetDevice(1 - device));
    try_device(1 - device);
    emu->reset();
    lm_field_abandon(&field);
}

START_TEST(lost_device) {
    const lm_form *f = &lm_forms[_i / MOMENTS % LM_FORMS];
    const int device = _i / MOMENTS / LM_FORMS, moment = _i % MOMENTS;
    const bool concerned = f->ends.dst == device || f->ends.src == device;
    if (concerned && !(f->op == WARM && moment == BEFORE_EXECUTING)) lose(f, device, moment);
}
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

Suite *lm_suite_hip_lost(void) {
    Suite *suite = suite_create("hip_lost");
    TCase *tc = tcase_create("lost devices");
    tcase_add_loop_test(tc, lost_device, 0, 2 * LM_FORMS * MOMENTS);
    tcase_add_loop_test(tc, memory_runs_out, 0, LM_FORMS);
    suite_add_tcase(suite, tc);
    return suite;
}
