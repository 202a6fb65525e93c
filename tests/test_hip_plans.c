/* SPDX-License-Identifier: BSD-3-Clause */
/* Device plans keep their promises: what executions may do, in which order, with which errors. */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "hip_field.h"
#include "hip_rig.h"
#include "lmad-hip.h"

static lm_trial transpose(int64_t rows, int64_t columns, size_t elem_size) {
    return (lm_trial){.op = LM_OP_COPY,
                      .dst = {2, 0, {{columns, rows}, {rows, 1}}},
                      .src = {2, 0, {{columns, 1}, {rows, columns}}},
                      .elem_size = elem_size};
}

/* Views that share bytes in a way that takes scratch. */
static lm_trial shift(int64_t n) {
    return (lm_trial){.op = LM_OP_MOVE, .dst = {1, 5, {{n, 1}}}, .src = {1, 0, {{n, 1}}}, .elem_size = 4};
}

static lm_trial fill(int64_t n) {
    return (lm_trial){.op = LM_OP_FILL, .dst = {2, 0, {{n, 3}, {2, 1}}}, .elem_size = 8};
}

static lmad_plan *make(const lm_trial *t, int device, unsigned flags) {
    lmad_plan *plan = NULL;
    if (lm_hip_rig_plan(&plan, t, device, NULL, flags) != LMAD_OK) ck_abort_msg("%s", lmad_error_detail());
    return plan;
}

static void expect(const char *why) { ck_assert_msg(why == NULL, "%s", why); }

/* ---- what an execution does -------------------------------------------------------------------------- */

START_TEST(a_new_shape_compiles_nothing) {
    const hipemu *emu = lm_field_begin(1, 64, false);
    hipemu_counts first, then;
    setenv("LMAD_CACHE", "", 1);
    const lm_trial square = transpose(512, 512, 4);
    lmad_plan_destroy(make(&square, 0, LMAD_ESTIMATE));
    emu->counts(&first);
    ck_assert_int_gt(first.compiles, 0);
    for (int64_t n = 1024; n <= 4096; n += 512) {
        const lm_trial t = transpose(n, 2 * n, 4);
        lmad_plan_destroy(make(&t, 0, LMAD_ESTIMATE));
    }
    emu->counts(&then);
    ck_assert_int_eq(then.compiles, first.compiles);
    emulator_is_clean();
}
END_TEST

START_TEST(an_execution_only_enqueues) {
    const hipemu *emu = lm_field_begin(1, 64, true);
    const lm_trial trials[] = {transpose(60, 50, 4), shift(1000), fill(99)};
    lm_hip_stream stream = lm_field_stream(0);
    for (size_t k = 0; k < 3; k++) {
        hipemu_counts before, after;
        lm_hip_rig rig;
        lmad_plan *plan = make(&trials[k], 0, LMAD_ESTIMATE);
        lm_hip_rig_open(&rig, &trials[k]);
        emu->counts(&before);
        ck_assert_int_eq(lmad_execute_hip(plan, rig.d, rig.s, stream), LMAD_OK);
        emu->counts(&after);
        ck_assert_int_eq(after.device_allocations, before.device_allocations);
        ck_assert_int_eq(after.host_allocations, before.host_allocations);
        ck_assert_int_eq(after.synchronisations, before.synchronisations);
        ck_assert_int_gt(emu->pending(), 0); /* nothing has run yet */
        lmad_plan_destroy(plan);             /* in flight */
        lm_field_good(lm_field_hip->hipStreamSynchronize(stream));
        expect(lm_hip_rig_verdict(&rig));
        lm_hip_rig_close(&rig);
    }
    lm_field_good(lm_field_hip->hipStreamDestroy(stream));
    emulator_is_clean();
}
END_TEST

START_TEST(executions_are_captured) {
    lm_field_begin(1, 64, true);
    const emulator_calls *more = emulator_more();
    const lm_trial trials[] = {transpose(60, 50, 4), shift(1000), fill(99)};
    lm_hip_stream stream = lm_field_stream(0);
    for (size_t k = 0; k < 3; k++) {
        lm_hip_rig rig;
        emu_graph graph;
        emu_graph_exec exec;
        lmad_plan *plan = make(&trials[k], 0, LMAD_ESTIMATE);
        lm_hip_rig_open(&rig, &trials[k]);
        lm_field_good(more->hipStreamBeginCapture(stream, 0));
        ck_assert_int_eq(lmad_execute_hip(plan, rig.d, rig.s, stream), LMAD_OK);
        lm_field_good(more->hipStreamEndCapture(stream, &graph));
        lm_field_good(more->hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
        for (int i = 0; i < 2; i++) {
            lm_hip_rig_reset(&rig);
            lm_field_good(more->hipGraphLaunch(exec, stream));
            lm_field_good(lm_field_hip->hipStreamSynchronize(stream));
            expect(lm_hip_rig_verdict(&rig));
        }
        lm_field_good(more->hipGraphExecDestroy(exec));
        lm_field_good(more->hipGraphDestroy(graph));
        lmad_plan_destroy(plan);
        lm_hip_rig_close(&rig);
    }
    lm_field_good(lm_field_hip->hipStreamDestroy(stream));
    emulator_is_clean();
}
END_TEST

/* Two moves through one plan's scratch, enqueued at once. */
START_TEST(streams_take_turns_in_scratch) {
    lm_field_begin(1, 64, true);
    const lm_trial t = shift(3000);
    lmad_plan *plan = make(&t, 0, LMAD_ESTIMATE);
    ck_assert_uint_eq(lmad_work_size(plan), 12000);
    lm_hip_stream stream[2] = {lm_field_stream(0), lm_field_stream(0)};
    lm_hip_rig rig[2];
    for (int k = 0; k < 2; k++) lm_hip_rig_open(&rig[k], &t);
    for (int k = 0; k < 2; k++)
        ck_assert_int_eq(lmad_execute_hip(plan, rig[k].d, rig[k].d, stream[k]), LMAD_OK);
    for (int k = 1; k >= 0; k--) lm_field_good(lm_field_hip->hipStreamSynchronize(stream[k]));
    lmad_plan_destroy(plan);
    for (int k = 0; k < 2; k++) {
        expect(lm_hip_rig_verdict(&rig[k]));
        lm_hip_rig_close(&rig[k]);
        lm_field_good(lm_field_hip->hipStreamDestroy(stream[k]));
    }
    emulator_is_clean();
}
END_TEST

START_TEST(scratch_may_be_the_callers) {
    lm_field_begin(1, 64, false);
    const lm_trial t = shift(3000);
    lm_hip_rig rig;
    void *work;
    lmad_plan *plan = make(&t, 0, LMAD_ESTIMATE);
    lm_hip_rig_open(&rig, &t);
    lm_field_good(lm_field_hip->hipMalloc(&work, lmad_work_size(plan)));
    ck_assert_int_eq(lmad_execute_with(plan, rig.d, rig.d, NULL), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_execute_with(plan, rig.d, rig.d, work), LMAD_OK);
    expect(lm_hip_rig_verdict(&rig));
    lm_field_good(lm_field_hip->hipFree(work));
    lmad_plan_destroy(plan);
    lm_hip_rig_close(&rig);
    emulator_is_clean();
}
END_TEST

/* ---- the caller's own state -------------------------------------------------------------------------- */

START_TEST(device_and_error_are_as_found) {
    lm_field_begin(2, 64, false);
    const lm_hip *hip = lm_field_hip;
    const lm_trial t = transpose(40, 30, 4);
    lm_hip_rig rig;
    int current;
    lm_field_good(hip->hipSetDevice(1));
    lm_hip_rig_open(&rig, &t);
    lm_field_good(hip->hipSetDevice(0));
    ck_assert_int_ne(hip->hipSetDevice(99), LM_HIP_SUCCESS); /* the caller's own mistake */
    const lm_hip_error mistake = hip->hipPeekAtLastError();
    lmad_plan *plan = make(&t, 1, LMAD_ESTIMATE);
    ck_assert_int_eq(lmad_execute(plan, rig.d, rig.s), LMAD_OK);
    lmad_plan_destroy(plan);
    ck_assert_int_eq(hip->hipGetDevice(&current), LM_HIP_SUCCESS);
    ck_assert_int_eq(current, 0);
    ck_assert_int_eq(hip->hipGetLastError(), mistake);
    expect(lm_hip_rig_verdict(&rig));
    lm_hip_rig_close(&rig);
    emulator_is_clean();
}
END_TEST

/* ---- many threads, several devices ------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 12 };

static void *work_on(void *arg) {
    const int me = (int)(intptr_t)arg;
    for (int round = 0; round < ROUNDS; round++) {
        const lm_trial t = round % 3 == 2 ? shift(100 + 7 * me) : transpose(20 + me, 30 + round, 4);
        const char *why = lm_hip_rig_try(&t, (me + round) % 2, NULL, LMAD_ESTIMATE);
        if (why) return (void *)why;
    }
    return NULL;
}

START_TEST(threads_and_devices) {
    pthread_t thread[THREADS];
    lm_field_begin(2, 64, true);
    for (int k = 0; k < THREADS; k++)
        ck_assert_int_eq(pthread_create(&thread[k], NULL, work_on, (void *)(intptr_t)k), 0);
    for (int k = 0; k < THREADS; k++) {
        void *why;
        pthread_join(thread[k], &why);
        expect(why);
    }
    emulator_is_clean();
}
END_TEST

/* Plans between spaces, each executed by all threads, each thread on streams of its own. */
static const lm_field_ends crossings[] = {
    {0, LM_HOST, PAGEABLE}, {LM_HOST, 1, PAGEABLE}, {2, 3, DEVICE}, {3, 0, DEVICE}};
enum { CROSSINGS = sizeof crossings / sizeof *crossings };
static lm_trial crossing_trial;
static lmad_plan *crossing_plan[CROSSINGS];

static void *cross(void *arg) {
    const int me = (int)(intptr_t)arg;
    const char *why = NULL;
    for (int round = 0; round < ROUNDS && !why; round++) {
        const int k = (me + round) % CROSSINGS;
        const lm_field_ends *e = &crossings[k];
        lm_field f;
        lm_field_open(&f, &crossing_trial, e);
        lm_field_reset(&f);
        lm_hip_stream stream = lm_field_stream(e->dst == LM_HOST ? e->src : e->dst);
        if (lmad_execute_hip(crossing_plan[k], f.d, f.s, stream) != LMAD_OK) why = "an execution fails";
        lm_field_good(lm_field_hip->hipStreamSynchronize(stream));
        if (!lm_field_is_right(&f)) why = "wrong";
        lm_field_good(lm_field_hip->hipStreamDestroy(stream));
        lm_field_close(&f);
    }
    return (void *)why;
}

START_TEST(threads_and_spaces) {
    pthread_t thread[THREADS];
    const hipemu *emu = lm_field_begin(4, 64, true);
    emu->set_peers(_i / 2);
    crossing_trial = _i % 2 ? transpose(40, 30, 4) : transpose(400, 300, 4); /* in one chunk; in many */
    const lm_trial *t = &crossing_trial;
    for (int k = 0; k < CROSSINGS; k++)
        ck_assert_int_eq(lmad_plan_copy_hip(&crossing_plan[k], NULL, &t->dst, crossings[k].dst, &t->src,
                                            crossings[k].src, t->elem_size, 0),
                         LMAD_OK);
    for (int k = 0; k < THREADS; k++)
        ck_assert_int_eq(pthread_create(&thread[k], NULL, cross, (void *)(intptr_t)k), 0);
    for (int k = 0; k < THREADS; k++) {
        void *why;
        pthread_join(thread[k], &why);
        expect(why);
    }
    for (int k = 0; k < CROSSINGS; k++) lmad_plan_destroy(crossing_plan[k]);
    emulator_is_clean();
}
END_TEST

/* ---- refusals ---------------------------------------------------------------------------------------- */

START_TEST(what_is_wrong_is_said) {
    lm_field_begin(1, 64, false);
    const lm_trial t = transpose(40, 30, 4);
    lmad_plan *plan = NULL, *host;
    lm_hip_rig rig;
    ck_assert_int_eq(lm_hip_rig_plan(&plan, &t, 1, NULL, 0), LMAD_ERR_NO_DEVICE);
    ck_assert_ptr_nonnull(strstr(lmad_error_detail(), "device 1"));
    ck_assert_int_eq(lm_hip_rig_plan(&plan, &t, -2, NULL, 0), LMAD_ERR_NO_DEVICE);
    lm_field_expect(lmad_plan_fill_hip(&plan, NULL, &t.dst, LMAD_HOST, 4, 0), LMAD_ERR_NO_DEVICE,
                    "LMAD_HOST");
    ck_assert_int_eq(lm_hip_rig_plan(&plan, &t, 0, NULL, 1u << 20), LMAD_ERR_FLAGS);
    ck_assert_int_eq(lm_hip_rig_plan(&plan, &t, 0, NULL, LMAD_WISDOM_ONLY), LMAD_ERR_NO_WISDOM);
    ck_assert_int_eq(lmad_plan_copy_hip(NULL, NULL, &t.dst, 0, &t.src, 0, 4, 0), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_plan_affine_hip(&plan, NULL, &t.dst, 0, (lmad_type)9, 0), LMAD_ERR_ARGUMENT);
    ck_assert_int_eq(lmad_execute_hip(NULL, NULL, NULL, NULL), LMAD_ERR_NULL);
    ck_assert_ptr_null(plan);

    ck_assert_int_eq(lmad_plan_copy_hip(&host, NULL, &t.dst, LMAD_HOST, &t.src, LMAD_HOST, 4, 0), LMAD_OK);
    ck_assert_int_eq(lmad_execute_hip(host, &rig, &rig, NULL), LMAD_ERR_ARGUMENT);
    lmad_plan_destroy(host);

    plan = make(&t, 0, LMAD_ESTIMATE);
    lm_hip_rig_open(&rig, &t);
    ck_assert_int_eq(lmad_execute_hip(plan, NULL, rig.s, NULL), LMAD_ERR_NULL);
    lm_field_expect(lmad_execute_hip(plan, rig.d, rig.d + 4, NULL), LMAD_ERR_OVERLAP, "lmad_plan_move_hip()");
    ck_assert_int_eq(lmad_execute_many(plan, NULL, NULL), LMAD_ERR_ARGUMENT);
    lmad_plan_destroy(plan);
    lm_hip_rig_close(&rig);
    emulator_is_clean();
}
END_TEST

START_TEST(an_empty_plan_looks_at_nothing) {
    lm_field_begin(1, 64, false);
    lm_trial t = transpose(40, 0, 4);
    lmad_plan *plan = make(&t, 0, LMAD_MEASURE);
    ck_assert_int_eq(lmad_execute_hip(plan, NULL, NULL, NULL), LMAD_OK);
    ck_assert_int_eq(lmad_execute(plan, NULL, NULL), LMAD_OK);
    lmad_plan_destroy(plan);
    emulator_is_clean();
}
END_TEST

START_TEST(memory_and_devices_run_out) {
    const hipemu *emu = lm_field_begin(1, 64, false);
    const lm_trial large = shift(1 << 20), small = shift(500), copy = transpose(9, 9, 4);
    lmad_plan *plan = NULL;
    emu->set_memory(1 << 20);
    ck_assert_int_eq(lm_hip_rig_plan(&plan, &large, 0, NULL, 0), LMAD_ERR_NO_MEMORY);
    ck_assert_ptr_null(plan);
    lmad_plan *before = make(&small, 0, LMAD_ESTIMATE), *other = make(&copy, 0, LMAD_ESTIMATE);
    emu->lose_device(0);
    char *somewhere = (char *)4096;
    ck_assert_int_eq(lmad_execute(before, somewhere, somewhere), LMAD_ERR_DEVICE_LOST);
    ck_assert_int_eq(lmad_execute_hip(other, somewhere, somewhere + 4096, NULL), LMAD_ERR_DEVICE_LOST);
    ck_assert_int_eq(lm_hip_rig_plan(&plan, &small, 0, NULL, 0), LMAD_ERR_DEVICE_LOST);
    lmad_plan_destroy(before);
    lmad_plan_destroy(other);
}
END_TEST

/* ---- words ------------------------------------------------------------------------------------------- */

static void expect_words(lmad_plan *plan, const char *words, int64_t launches) {
    char text[8192];
    lmad_info info = {.struct_size = sizeof info};
    ck_assert_int_gt(lmad_plan_describe(plan, text, sizeof text), 0);
    ck_assert_msg(strncmp(text, words, strlen(words)) == 0, "%s", text);
    ck_assert_int_gt(lmad_plan_explain(plan, text, sizeof text), 50);
    ck_assert_ptr_nonnull(strstr(text, "emulated"));
    ck_assert_int_eq(lmad_plan_info(plan, &info), LMAD_OK);
    ck_assert_int_eq(info.device, 0);
    ck_assert(info.launches == launches || (launches == 0 && info.launches > 0));
    lmad_plan_destroy(plan);
}

START_TEST(plans_tell_about_themselves) {
    lm_field_begin(2, 64, false);
    const lm_trial t = transpose(400, 300, 4), move = shift(1000), small = fill(99);
    const lm_trial large = {.op = LM_OP_FILL, .dst = {1, 0, {{9, 1}}}, .elem_size = 99};
    lmad_plan *up, *down, *across, *affine;
    ck_assert_int_eq(lmad_plan_copy_hip(&up, NULL, &t.dst, 0, &t.src, LMAD_HOST, 4, 0), LMAD_OK);
    ck_assert_int_eq(lmad_plan_copy_hip(&down, NULL, &t.dst, LMAD_HOST, &t.src, 0, 4, LMAD_MEASURE), LMAD_OK);
    ck_assert_int_eq(lmad_plan_copy_hip(&across, NULL, &t.dst, 0, &t.src, 1, 4, 0), LMAD_OK);
    ck_assert_int_eq(lmad_plan_affine_hip(&affine, NULL, &t.dst, 0, LMAD_INT32, 0), LMAD_OK);
    expect_words(make(&t, 0, LMAD_ESTIMATE), "(copy hip:0 (hip-", 1);
    expect_words(make(&move, 0, LMAD_ESTIMATE), "(move hip:0 (buffer 4000 (hip-", 2);
    expect_words(make(&small, 0, LMAD_ESTIMATE), "(fill hip:0 (hip-fill", 1);
    expect_words(make(&large, 0, LMAD_ESTIMATE), "(fill hip:0 (hip-", 2);
    expect_words(up, "(copy hip:0<-host (stage ", 2);
    expect_words(down, "(copy host<-hip:0 (stage ", 0); /* in so many chunks */
    expect_words(across, "(copy hip:0<-hip:1 (stage ", 2);
    expect_words(affine, "(affine hip:0 (hip-affine)", 1);
    emulator_is_clean();
}
END_TEST

START_TEST(warming_up_is_enough) {
    const hipemu *emu = lm_field_begin(1, 64, false);
    hipemu_counts warm;
    setenv("LMAD_CACHE", "", 1);
    ck_assert_int_eq(lmad_hip_warm(NULL, 0), LMAD_OK);
    ck_assert_int_eq(lmad_hip_warm(NULL, 7), LMAD_ERR_NO_DEVICE);
    emu->counts(&warm);
    ck_assert_int_gt(warm.compiles, 0);
    setenv("HIPEMU_CXX", "false", 1); /* from here on there is no compiler */
    const lm_trial t = transpose(100, 70, 4);
    expect(lm_hip_rig_try(&t, 0, NULL, LMAD_ESTIMATE));
    emulator_is_clean();
}
END_TEST

Suite *lm_suite_hip_plans(void) {
    Suite *suite = suite_create("hip_plans");
    TCase *tc = tcase_create("plans");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_new_shape_compiles_nothing);
    tcase_add_test(tc, an_execution_only_enqueues);
    tcase_add_test(tc, executions_are_captured);
    tcase_add_test(tc, streams_take_turns_in_scratch);
    tcase_add_test(tc, scratch_may_be_the_callers);
    tcase_add_test(tc, device_and_error_are_as_found);
    tcase_add_test(tc, threads_and_devices);
    tcase_add_loop_test(tc, threads_and_spaces, 0, 4);
    tcase_add_test(tc, what_is_wrong_is_said);
    tcase_add_test(tc, an_empty_plan_looks_at_nothing);
    tcase_add_test(tc, memory_and_devices_run_out);
    tcase_add_test(tc, plans_tell_about_themselves);
    tcase_add_test(tc, warming_up_is_enough);
    suite_add_tcase(suite, tc);
    return suite;
}
