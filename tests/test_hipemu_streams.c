/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated run time: when work is done, and capture. */
#include <check.h>
#include <pthread.h>

#include "planted.h"

Suite *lm_suite_hipemu_streams(void);

enum { N = PLANTED_FLOATS };

static planted *const rig = &planted_rig;

static lm_hip_stream make_stream(unsigned flags) {
    lm_hip_stream stream;
    planted_ok(rig->hip->hipStreamCreateWithFlags(&stream, flags));
    return stream;
}

/* ---- Order of work ------------------------------------------------------------------------------- */

START_TEST(test_lazy_until_synchronised) {
    rig->emu->set_lazy(true);
    float *memory = planted_floats(rig, N, 0), back = -1;
    planted_increment(rig, rig->stream, memory);
    planted_ok(rig->hip->hipMemcpyAsync(&back, memory, sizeof back, LM_HIP_COPY_DEFAULT, rig->stream));
    ck_assert_int_eq(rig->emu->pending(), 2);
    ck_assert_float_eq(back, -1);
    planted_ok(rig->hip->hipStreamSynchronize(rig->stream));
    ck_assert_float_eq(back, 1);
    planted_ok(rig->hip->hipFree(memory));
}
END_TEST

START_TEST(test_eager) {
    float *memory = planted_floats(rig, N, 0), back = -1;
    planted_ok(rig->hip->hipMemcpyAsync(&back, memory, sizeof back, LM_HIP_COPY_DEFAULT, rig->stream));
    ck_assert_float_eq(back, 0);
    planted_ok(rig->hip->hipFree(memory));
}
END_TEST

/* Nothing but an event orders two streams. */
START_TEST(test_events_order_streams) {
    rig->emu->set_lazy(true);
    lm_hip_stream other = make_stream(LM_HIP_STREAM_NON_BLOCKING);
    lm_hip_event event = planted_event(rig);
    float *memory = planted_floats(rig, N, 0);
    planted_increment(rig, other, memory);
    ck_assert_float_eq(planted_first(rig, memory), 0);
    planted_ok(rig->hip->hipEventRecord(event, other));
    planted_increment(rig, other, memory); /* after the event: still nobody waits for it */
    planted_ok(rig->hip->hipStreamWaitEvent(rig->stream, event, 0));
    ck_assert_float_eq(planted_first(rig, memory), 1);
    planted_ok(rig->hip->hipStreamSynchronize(other));
    ck_assert_float_eq(planted_first(rig, memory), 2);
    planted_ok(rig->hip->hipEventDestroy(event));
    planted_ok(rig->hip->hipStreamDestroy(other));
    planted_ok(rig->hip->hipFree(memory));
}
END_TEST

/* The null stream waits for streams, and they for it, unless they are made not to. */
START_TEST(test_null_stream) {
    rig->emu->set_lazy(true);
    lm_hip_stream blocking = make_stream(0);
    float *memory = planted_floats(rig, N, 0);
    planted_increment(rig, blocking, memory);
    planted_increment(rig, NULL, memory);
    planted_increment(rig, rig->stream, memory);
    planted_ok(rig->hip->hipStreamSynchronize(NULL));
    ck_assert_int_eq(rig->emu->pending(), 1);
    planted_increment(rig, NULL, memory);
    planted_increment(rig, blocking, memory);
    planted_ok(rig->hip->hipStreamSynchronize(blocking));
    ck_assert_int_eq(rig->emu->pending(), 1);
    ck_assert_float_eq(planted_first(rig, memory), 5);
    planted_ok(rig->hip->hipStreamDestroy(blocking));
    planted_ok(rig->hip->hipFree(memory));
}
END_TEST

START_TEST(test_query_comes_to_an_end) {
    rig->emu->set_lazy(true);
    const emulator_calls *more = emulator_more();
    lm_hip_event event = planted_event(rig);
    float *memory = planted_floats(rig, N, 0);
    ck_assert_int_eq(more->hipEventQuery(event), LM_HIP_SUCCESS); /* never recorded */
    for (int i = 0; i < 3; i++) planted_increment(rig, rig->stream, memory);
    planted_ok(rig->hip->hipEventRecord(event, rig->stream));
    int asked = 0;
    for (; more->hipEventQuery(event) == LM_HIP_ERROR_NOT_READY; asked++) ck_assert_int_lt(asked, 10);
    ck_assert_int_eq(asked, 3);
    planted_ok(rig->hip->hipEventDestroy(event));
    planted_ok(rig->hip->hipFree(memory));
}
END_TEST

static void note(void *data) { *(int *)data += 1; }

static void count_stream(lm_hip_stream stream, lm_hip_error status, void *data) {
    if (stream == rig->stream && status == LM_HIP_SUCCESS) note(data);
}

START_TEST(test_host_functions) {
    rig->emu->set_lazy(true);
    int called = 0;
    planted_ok(rig->hip->hipLaunchHostFunc(rig->stream, note, &called));
    planted_ok(rig->hip->hipStreamAddCallback(rig->stream, count_stream, &called, 0));
    ck_assert_int_eq(called, 0);
    planted_ok(rig->hip->hipStreamSynchronize(rig->stream));
    ck_assert_int_eq(called, 2);
}
END_TEST

/* Many threads, each with a stream of its own. */
static void *work_alone(void *arg) {
    float *memory = arg;
    lm_hip_stream stream = make_stream(LM_HIP_STREAM_NON_BLOCKING);
    int called = 0;
    for (int i = 0; i < 20; i++) {
        planted_increment(rig, stream, memory);
        planted_ok(rig->hip->hipLaunchHostFunc(stream, note, &called));
        if (i % 5 == 0) planted_ok(rig->hip->hipStreamSynchronize(stream));
    }
    planted_ok(rig->hip->hipStreamDestroy(stream));
    ck_assert_int_eq(called, 20);
    return NULL;
}

START_TEST(test_threads) {
    enum { THREADS = 8 };
    pthread_t thread[THREADS];
    float *memory[THREADS];
    rig->emu->set_lazy(true);
    for (int i = 0; i < THREADS; i++) memory[i] = planted_floats(rig, N, 0);
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, work_alone, memory[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) ck_assert_float_eq(planted_first(rig, memory[i]), 20);
    for (int i = 0; i < THREADS; i++) planted_ok(rig->hip->hipFree(memory[i]));
}
END_TEST

/* ---- Capture ------------------------------------------------------------------------------------ */

static emu_graph_exec instantiate(emu_graph graph) {
    emu_graph_exec exec;
    planted_ok(emulator_more()->hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    planted_ok(emulator_more()->hipGraphDestroy(graph));
    return exec;
}

START_TEST(test_capture) {
    const emulator_calls *more = emulator_more();
    float *memory = planted_floats(rig, N, 0);
    lm_hip_stream branch = make_stream(LM_HIP_STREAM_NON_BLOCKING);
    lm_hip_event fork = planted_event(rig), join = planted_event(rig);
    lm_hip_capture_status status;
    emu_graph graph;
    planted_ok(more->hipStreamBeginCapture(rig->stream, 0));
    planted_increment(rig, rig->stream, memory);
    planted_ok(rig->hip->hipEventRecord(fork, rig->stream));
    planted_ok(rig->hip->hipStreamWaitEvent(branch, fork, 0));
    planted_increment(rig, branch, memory);
    planted_ok(rig->hip->hipStreamIsCapturing(branch, &status));
    ck_assert_int_eq(status, LM_HIP_CAPTURE_ACTIVE);
    planted_ok(rig->hip->hipEventRecord(join, branch));
    planted_ok(rig->hip->hipStreamWaitEvent(rig->stream, join, 0));
    planted_ok(more->hipStreamEndCapture(rig->stream, &graph));
    planted_ok(rig->hip->hipStreamIsCapturing(branch, &status));
    ck_assert_int_eq(status, LM_HIP_CAPTURE_NONE);
    ck_assert_float_eq(planted_first(rig, memory), 0);
    emu_graph_exec exec = instantiate(graph);
    for (int i = 1; i <= 3; i++) {
        planted_ok(more->hipGraphLaunch(exec, rig->stream));
        ck_assert_float_eq(planted_first(rig, memory), (float)(2 * i));
    }
    planted_ok(more->hipGraphExecDestroy(exec));
    planted_ok(rig->hip->hipEventDestroy(fork));
    planted_ok(rig->hip->hipEventDestroy(join));
    planted_ok(rig->hip->hipStreamDestroy(branch));
    planted_ok(rig->hip->hipFree(memory));
}
END_TEST

/* What has no place in a capture ruins it. */
START_TEST(test_capture_forbids) {
    emu_graph graph;
    void *memory;
    const emulator_calls *more = emulator_more();
    for (int what = 0; what < 3; what++) {
        planted_ok(more->hipStreamBeginCapture(rig->stream, 0));
        lm_hip_error error = what == 0   ? rig->hip->hipMalloc(&memory, 8)
                             : what == 1 ? rig->hip->hipStreamSynchronize(rig->stream)
                                         : more->hipDeviceSynchronize();
        ck_assert_int_eq(error, LM_HIP_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        ck_assert_int_eq(more->hipStreamEndCapture(rig->stream, &graph),
                         LM_HIP_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
}
END_TEST

Suite *lm_suite_hipemu_streams(void) {
    Suite *suite = suite_create("hipemu_streams");
    TCase *order = planted_case(suite, "order");
    tcase_add_test(order, test_lazy_until_synchronised);
    tcase_add_test(order, test_eager);
    tcase_add_test(order, test_events_order_streams);
    tcase_add_test(order, test_null_stream);
    tcase_add_test(order, test_query_comes_to_an_end);
    tcase_add_test(order, test_host_functions);
    tcase_add_test(order, test_threads);
    TCase *capture = planted_case(suite, "capture");
    tcase_add_test(capture, test_capture);
    tcase_add_test(capture, test_capture_forbids);
    return suite;
}
