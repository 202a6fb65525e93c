/* SPDX-License-Identifier: BSD-3-Clause */
/* The streams that callers of the device API bring along: their threads' own, those of other devices, those
 * that are no more, those that are being captured. */
#include <check.h>
#include <string.h>

#include "hip_field.h"
#include "lmad-hip.h"

static const hipemu *emu;

static const lm_trial transpose = {
    .elem_size = 4, .dst = {2, 0, {{40, 30}, {30, 1}}}, .src = {2, 0, {{40, 1}, {30, 40}}}};

static const lm_field_ends within = {0, 0, DEVICE}, upwards = {0, LM_HOST, PAGEABLE},
                           downwards = {LM_HOST, 0, PAGEABLE}, across = {0, 1, DEVICE};
static const lm_field_ends *const all_ends[] = {&within, &upwards, &downwards, &across};
enum { ENDS = sizeof all_ends / sizeof *all_ends };

/* A field ready to be copied, with device 0 current, and the plan for it. */
static lmad_plan *open_planned(lm_field *f, const lm_field_ends *ends) {
    lm_field_open(f, &transpose, ends);
    lm_field_good(lm_field_hip->hipSetDevice(0));
    lmad_plan *p = lm_field_plan(&transpose, ends);
    lm_field_reset(f);
    return p;
}

/* ---- the calling thread's own ------------------------------------------------------------------------ */

static const lm_hip_stream own = LM_HIP_STREAM_PER_THREAD;

static void copy_on_own(void *to, const void *from, size_t size) {
    lm_field_good(lm_field_hip->hipMemcpyAsync(to, from, size, LM_HIP_COPY_DEFAULT, own));
}

/* After what is in it already, and before what comes then; also while an error waits, which stays. */
START_TEST(stream_of_the_thread) {
    lm_field f;
    emu = lm_field_begin(2, 64, true);
    lmad_plan *p = open_planned(&f, all_ends[_i / 2]);
    copy_on_own(f.src, f.old, f.src_size); /* of the same size */
    lm_field_good(lm_field_hip->hipStreamSynchronize(own));
    copy_on_own(f.src, f.from, f.src_size);
    const lm_hip_error mistake = _i % 2 ? lm_field_mistake() : LM_HIP_SUCCESS;
    if (lmad_execute_hip(p, f.d, f.s, own) != LMAD_OK) ck_abort_msg("%s", lmad_error_detail());
    copy_on_own(f.got, f.dst, f.dst_size);
    ck_assert_int_eq(lm_field_hip->hipGetLastError(), mistake);
    ck_assert_int_gt(emu->pending(), 0);
    lm_field_good(lm_field_hip->hipStreamSynchronize(own));
    ck_assert(memcmp(f.got, f.want, f.dst_size) == 0);
    lmad_plan_destroy(p);
    lm_field_close(&f);
    emulator_is_clean();
}
END_TEST

/* Every call of HIP that an execution makes fails once, while an error waits: it stays, but for the first two
 * calls, which are made on this thread and ask whether the stream is captured. Returns how many there were.
 */
static int fail_on_own(lm_field *f, const lmad_plan *p, int nth) {
    enum { QUESTIONS = 2 };
    lm_field_reset(f);
    const lm_hip_error mistake = lm_field_mistake();
    emu->break_call(NULL, nth, LM_HIP_ERROR_UNKNOWN);
    const lmad_status status = lmad_execute_hip(p, f->d, f->s, own);
    const int calls = emu->breakable_calls();
    emu->break_call(NULL, 0, 0);
    const lm_hip_error last = lm_field_hip->hipGetLastError();
    ck_assert_msg(last == mistake || nth <= QUESTIONS, "call %d: %d is the last error", nth, last);
    lm_field_good(emulator_more()->hipDeviceSynchronize());
    ck_assert(status != LMAD_OK || lm_field_is_right(f));
    ck_assert(status == LMAD_OK || status == LMAD_ERR_DEVICE || status == LMAD_ERR_ARGUMENT);
    return calls;
}

START_TEST(failures_on_the_stream_of_the_thread) {
    lm_field f;
    emu = lm_field_begin(2, 64, true);
    lmad_plan *p = open_planned(&f, all_ends[_i]);
    int nth = 1;
    while (fail_on_own(&f, p, nth) >= nth) nth++;
    ck_assert_int_gt(nth, 5);
    lmad_plan_destroy(p);
    lm_field_close(&f);
    emulator_is_clean();
}
END_TEST

/* Then the execution is captured, and the error stays all the same. */
START_TEST(capture_of_the_stream_of_the_thread) {
    lm_field f;
    emu_graph graph;
    emu_graph_exec exec;
    emu = lm_field_begin(1, 64, true);
    const emulator_calls *more = emulator_more();
    lmad_plan *p = open_planned(&f, &within);
    lm_field_good(more->hipStreamBeginCapture(own, 0));
    const lm_hip_error mistake = lm_field_mistake();
    ck_assert_int_eq(lmad_execute_hip(p, f.d, f.s, own), LMAD_OK);
    ck_assert_int_eq(lm_field_hip->hipGetLastError(), mistake);
    lm_field_good(more->hipStreamEndCapture(own, &graph));
    ck_assert(!lm_field_is_right(&f)); /* nothing has been done yet */
    lm_field_good(more->hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    lm_field_good(more->hipGraphLaunch(exec, own));
    lm_field_good(lm_field_hip->hipStreamSynchronize(own));
    ck_assert(lm_field_is_right(&f));
    lm_field_good(more->hipGraphExecDestroy(exec));
    lm_field_good(more->hipGraphDestroy(graph));
    lmad_plan_destroy(p);
    lm_field_close(&f);
    emulator_is_clean();
}
END_TEST

/* ---- others ------------------------------------------------------------------------------------------ */

/* NULL is the default stream of the plan's device, whichever is the current one. */
START_TEST(no_stream_on_another_device) {
    const lm_field_ends there = {1, 1, DEVICE}, to = {1, LM_HOST, PINNED}, from = {LM_HOST, 1, PINNED};
    const lm_field_ends *const ends[] = {&there, &to, &from};
    emu = lm_field_begin(3, 64, true);
    for (int k = 0; k < 3; k++) {
        int current;
        lm_field f;
        lm_field_open(&f, &transpose, ends[k]);
        lmad_plan *p = lm_field_plan(&transpose, ends[k]);
        lm_field_reset(&f);
        lm_field_good(lm_field_hip->hipSetDevice(2));
        ck_assert_int_eq(lmad_execute_hip(p, f.d, f.s, NULL), LMAD_OK);
        lm_field_good(lm_field_hip->hipGetDevice(&current));
        ck_assert_int_eq(current, 2);
        lm_field_good(lm_field_hip->hipSetDevice(1));
        lm_field_good(lm_field_hip->hipStreamSynchronize(NULL));
        ck_assert(lm_field_is_right(&f));
        lmad_plan_destroy(p);
        lm_field_close(&f);
    }
    emulator_is_clean();
}
END_TEST

/* Of another device, or destroyed: a code; nothing is lost by it, and the next execution works. */
START_TEST(streams_that_cannot_be) {
    emu = lm_field_begin(2, 64, true);
    lm_hip_stream gone = lm_field_stream(0), there = lm_field_stream(1);
    lm_field_good(lm_field_hip->hipStreamDestroy(gone));
    lm_field_good(lm_field_hip->hipSetDevice(0));
    for (int k = 0; k < ENDS; k++) {
        lm_field f;
        lmad_plan *p = open_planned(&f, all_ends[k]);
        lm_field_expect(lmad_execute_hip(p, f.d, f.s, gone), LMAD_ERR_DEVICE, "hipErrorInvalidHandle");
        lm_field_expect(lmad_execute_hip(p, f.d, f.s, there), LMAD_ERR_DEVICE, "hipErrorInvalidHandle");
        ck_assert_int_eq(lm_field_hip->hipPeekAtLastError(), LM_HIP_SUCCESS);
        ck_assert_int_eq(lmad_execute(p, f.d, f.s), LMAD_OK);
        ck_assert(lm_field_is_right(&f));
        lmad_plan_destroy(p);
        lm_field_close(&f);
    }
    lm_field_good(lm_field_hip->hipStreamDestroy(there));
}
END_TEST

/* ---- captures ---------------------------------------------------------------------------------------- */

/* A copy between spaces has no place in a graph; the capture goes on as if nothing had been. */
START_TEST(captures_are_refused) {
    const lm_field_ends *const ends[] = {&upwards, &downwards, &across};
    emu = lm_field_begin(2, 64, true);
    const emulator_calls *more = emulator_more();
    lm_hip_stream stream = lm_field_stream(0);
    for (int k = 0; k < 3; k++) {
        lm_field f;
        emu_graph graph;
        lm_field_open(&f, &transpose, ends[k]);
        lmad_plan *p = lm_field_plan(&transpose, ends[k]);
        lm_field_good(more->hipStreamBeginCapture(stream, 0));
        lm_field_expect(lmad_execute_hip(p, f.d, f.s, stream), LMAD_ERR_ARGUMENT, "captured");
        lm_field_good(more->hipStreamEndCapture(stream, &graph));
        lm_field_good(more->hipGraphDestroy(graph));
        lmad_plan_destroy(p);
        lm_field_close(&f);
    }
    lm_field_good(lm_field_hip->hipStreamDestroy(stream));
    emulator_is_clean();
}
END_TEST

Suite *lm_suite_hip_streams(void) {
    Suite *suite = suite_create("hip_streams");
    TCase *tc = tcase_create("streams");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, stream_of_the_thread, 0, 2 * ENDS);
    tcase_add_loop_test(tc, failures_on_the_stream_of_the_thread, 0, ENDS);
    tcase_add_test(tc, capture_of_the_stream_of_the_thread);
    tcase_add_test(tc, no_stream_on_another_device);
    tcase_add_test(tc, streams_that_cannot_be);
    tcase_add_test(tc, captures_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
