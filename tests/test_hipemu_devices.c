/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated run time: copies, several devices, planted failures, the fake clock, the compiler. */
#include <check.h>
#include <string.h>

#include "planted.h"

Suite *lm_suite_hipemu_devices(void);

enum { N = PLANTED_FLOATS };

static planted *const rig = &planted_rig;

/* ---- Copies ------------------------------------------------------------------------------------- */

START_TEST(test_box_copies) {
    char from[4 * 5 * 6], to[4 * 5 * 6];
    for (size_t i = 0; i < sizeof from; i++) from[i] = (char)i, to[i] = -1;
    void *memory;
    planted_ok(rig->hip->hipMalloc(&memory, 2 * 3 * 4));
    lm_hip_copy_3d in = {.src = {from, 6, 6, 5},
                         .src_position = {1, 1, 1},
                         .dst = {memory, 4, 4, 3},
                         .extent = {4, 3, 2},
                         .kind = LM_HIP_COPY_HOST_TO_DEVICE};
    planted_ok(rig->hip->hipMemcpy3DAsync(&in, rig->stream));
    planted_ok(rig->hip->hipMemcpy2DAsync(to, 6, memory, 4, 4, 6, LM_HIP_COPY_DEVICE_TO_HOST, rig->stream));
    planted_ok(rig->hip->hipStreamSynchronize(rig->stream));
    for (int row = 0; row < 6; row++)
        for (int x = 0; x < 6; x++)
            ck_assert_int_eq(to[row * 6 + x],
                             x < 4 ? from[((1 + row / 3) * 5 + 1 + row % 3) * 6 + 1 + x] : -1);
    planted_ok(rig->hip->hipFree(memory));
}
END_TEST

/* What any HIP might refuse, this one does, and says so. */
START_TEST(test_wrong_copies) {
    char host[64];
    void *memory;
    planted_ok(rig->hip->hipMalloc(&memory, sizeof host));
    ck_assert_int_ne(
        rig->hip->hipMemcpyAsync(host, memory, sizeof host, LM_HIP_COPY_HOST_TO_DEVICE, rig->stream), 0);
    ck_assert_int_ne(
        rig->hip->hipMemcpyAsync(memory, host, sizeof host + 1, LM_HIP_COPY_DEFAULT, rig->stream), 0);
    ck_assert_int_ne(rig->hip->hipMemcpy2DAsync(memory, 8, host, 8, 9, 2, LM_HIP_COPY_DEFAULT, rig->stream),
                     0);
    ck_assert_int_ne(rig->hip->hipMemsetAsync(memory, 0, sizeof host + 1, rig->stream), 0);
    ck_assert_ptr_nonnull(strstr(rig->emu->report(), "memset of 65 bytes"));
    planted_ok(rig->hip->hipFree(memory));
    ck_assert_int_ne(rig->hip->hipFree(memory), 0);
    ck_assert_int_ne(rig->hip->hipStreamSynchronize((lm_hip_stream)host), 0);
    emulator();
}
END_TEST

/* ---- Devices, failures --------------------------------------------------------------------------- */

START_TEST(test_two_devices) {
    rig->emu->set_devices(2);
    float *here = planted_floats(rig, N, 7);
    void *there;
    planted_ok(rig->hip->hipSetDevice(1));
    planted_ok(rig->hip->hipMalloc(&there, N * sizeof(float)));
    planted_ok(rig->hip->hipMemcpyPeerAsync(there, 1, here, 0, N * sizeof(float), NULL));
    ck_assert_int_ne(rig->hip->hipMemcpyPeerAsync(there, 0, here, 1, N * sizeof(float), NULL), 0);
    planted_ok(emulator_more()->hipDeviceSynchronize());
    planted_ok(rig->hip->hipSetDevice(0));
    ck_assert_float_eq(planted_first(rig, there), 7);
    ck_assert_int_eq(rig->hip->hipSetDevice(2), LM_HIP_ERROR_INVALID_DEVICE);
    planted_ok(rig->hip->hipFree(here));
    planted_ok(rig->hip->hipFree(there));
}
END_TEST

/* A kernel is within reach of another device's memory when that was asked for, where it can be had. */
START_TEST(test_peers) {
    const emulator_calls *more = emulator_more();
    int can = -1;
    rig->emu->set_devices(2);
    float *here = planted_floats(rig, N, 0), found[N];
    planted_ok(rig->hip->hipSetDevice(1));
    float *there;
    planted_ok(rig->hip->hipMalloc((void **)&there, N * sizeof *there));
    planted_ok(rig->hip->hipMemcpyPeerAsync(there, 1, here, 0, N * sizeof *there, NULL));
    planted_ok(more->hipDeviceSynchronize());
    planted_ok(rig->hip->hipSetDevice(0));
    planted_ok(rig->hip->hipDeviceCanAccessPeer(&can, 0, 0));
    ck_assert_int_eq(can, 0);
    ck_assert_int_eq(rig->hip->hipDeviceCanAccessPeer(&can, 0, 2), LM_HIP_ERROR_INVALID_DEVICE);
    rig->emu->set_peers(false);
    planted_ok(rig->hip->hipDeviceCanAccessPeer(&can, 0, 1));
    ck_assert_int_eq(can, 0);
    ck_assert_int_eq(more->hipDeviceEnablePeerAccess(1, 0), 217);
    rig->emu->set_peers(true);
    planted_ok(rig->hip->hipDeviceCanAccessPeer(&can, 0, 1));
    ck_assert_int_eq(can, 1);
    planted_ok(more->hipDeviceEnablePeerAccess(1, 0));
    ck_assert_int_eq(more->hipDeviceEnablePeerAccess(1, 0), 704);
    ck_assert_int_eq(more->hipDeviceEnablePeerAccess(0, 0), LM_HIP_ERROR_INVALID_DEVICE);
    planted_increment(rig, rig->stream, there); /* by device 0 */
    planted_fetch(rig, found, there, N);
    for (int i = 0; i < N; i++) ck_assert_float_eq(found[i], (float)(i + 1));
    planted_ok(rig->hip->hipFree(here));
    planted_ok(rig->hip->hipFree(there));
}
END_TEST

static void note(void *data) { *(int *)data += 1; }

START_TEST(test_lost_device) {
    rig->emu->set_devices(2);
    float *memory = planted_floats(rig, N, 0);
    lm_hip_event event = planted_event(rig);
    int called = 0;
    rig->emu->set_lazy(true);
    planted_increment(rig, rig->stream, memory);
    planted_ok(rig->hip->hipLaunchHostFunc(rig->stream, note, &called));
    rig->emu->lose_device(0);
    ck_assert_int_eq(rig->hip->hipStreamSynchronize(rig->stream), LM_HIP_ERROR_CONTEXT_IS_DESTROYED);
    ck_assert_int_eq(rig->hip->hipEventRecord(event, rig->stream), LM_HIP_ERROR_CONTEXT_IS_DESTROYED);
    ck_assert_int_eq(called, 0);
    ck_assert_int_ne(rig->hip->hipFree(memory), LM_HIP_SUCCESS);
    ck_assert_int_ne(rig->hip->hipEventDestroy(event), LM_HIP_SUCCESS); /* and yet it is gone */
    void *there;
    planted_ok(rig->hip->hipSetDevice(1));
    planted_ok(rig->hip->hipMalloc(&there, 8));
    planted_ok(rig->hip->hipFree(there));
    planted_ok(rig->hip->hipSetDevice(0));
}
END_TEST

START_TEST(test_failures_on_order) {
    void *memory;
    rig->emu->break_call("hipMalloc", 2, LM_HIP_ERROR_OUT_OF_MEMORY);
    planted_ok(rig->hip->hipMalloc(&memory, 8));
    planted_ok(rig->hip->hipFree(memory));
    ck_assert_int_eq(rig->hip->hipMalloc(&memory, 8), LM_HIP_ERROR_OUT_OF_MEMORY);
    planted_ok(rig->hip->hipMalloc(&memory, 8));
    ck_assert_int_eq(rig->emu->breakable_calls(), 3);
    rig->emu->break_call(NULL, 1, LM_HIP_ERROR_UNKNOWN);
    ck_assert_int_eq(rig->hip->hipFree(memory), LM_HIP_ERROR_UNKNOWN); /* freed all the same */
    rig->emu->break_call(NULL, 0, 0);
}
END_TEST

START_TEST(test_memory_is_limited) {
    void *memory[3];
    size_t available, total;
    rig->emu->set_memory(1 << 20);
    planted_ok(rig->hip->hipMalloc(&memory[0], 600 << 10));
    planted_ok(rig->hip->hipMemGetInfo(&available, &total));
    ck_assert_uint_eq(available, 424 << 10);
    ck_assert_uint_eq(total, 1 << 20);
    ck_assert_int_eq(rig->hip->hipMalloc(&memory[1], 600 << 10), LM_HIP_ERROR_OUT_OF_MEMORY);
    planted_ok(rig->hip->hipHostMalloc(&memory[2], 600 << 10, 0));
    hipemu_counts counts;
    rig->emu->counts(&counts);
    ck_assert_int_eq(counts.device_memory, 1);
    ck_assert_int_eq(counts.host_bytes, 600 << 10);
    planted_ok(rig->hip->hipFree(memory[0]));
    planted_ok(rig->hip->hipHostFree(memory[2]));
}
END_TEST

/* ---- Clock and compiler -------------------------------------------------------------------------- */

static double cost(void *data, const hipemu_work *work) {
    ck_assert_ptr_eq(data, rig);
    ck_assert_str_eq(work->kernel, "increment");
    ck_assert_int_eq(work->bytes, 2 * N * (int64_t)sizeof(float));
    ck_assert_int_eq(work->grid[0], 16);
    return 5e6;
}

START_TEST(test_clock) {
    lm_hip_event start = planted_event(rig), stop = planted_event(rig);
    float *memory = planted_floats(rig, N, 0), ms;
    for (int i = 0; i < 2; i++) {
        rig->emu->set_clock(1e6, 1e3);
        if (i == 1) rig->emu->set_cost(cost, rig);
        planted_ok(rig->hip->hipEventRecord(start, rig->stream));
        planted_increment(rig, rig->stream, memory);
        planted_ok(rig->hip->hipEventRecord(stop, rig->stream));
        planted_ok(rig->hip->hipEventElapsedTime(&ms, start, stop));
        ck_assert_float_eq_tol(ms, i == 0 ? 9.f : 5.f, 1e-4f);
    }
    rig->emu->set_cost(NULL, NULL);
    planted_ok(rig->hip->hipEventDestroy(start));
    planted_ok(rig->hip->hipEventDestroy(stop));
    planted_ok(rig->hip->hipFree(memory));
}
END_TEST

START_TEST(test_compile_error) {
    static const char *const header[] = {"enum { ANSWER = 42 };\n"}, *const name[] = {"deep/answer.h"};
    static const char *const option[] = {"-DWRONG=1", "--offload-arch=gfx90a"};
    const char *source = "#include \"deep/answer.h\"\nint a = ANSWER;\n#if WRONG\nint a(\n#endif\n";
    for (int wrong = 0; wrong < 2; wrong++) {
        lm_hiprtc_program program;
        size_t size;
        char log[4096];
        planted_ok(rig->hip->hiprtcCreateProgram(&program, source, "p", 1, (const char **)header,
                                                 (const char **)name));
        ck_assert_int_eq(rig->hip->hiprtcCompileProgram(program, 2 * wrong, (const char **)option) != 0,
                         wrong);
        planted_ok(rig->hip->hiprtcGetProgramLogSize(program, &size));
        ck_assert_uint_lt(size, sizeof log);
        planted_ok(rig->hip->hiprtcGetProgramLog(program, log));
        ck_assert_int_eq(strstr(log, "program.hip:4") != NULL, wrong);
        planted_ok(rig->hip->hiprtcDestroyProgram(&program));
    }
}
END_TEST

START_TEST(test_bad_image) {
    lm_hip_module module;
    char image[4096] = "no code at all";
    ck_assert_int_eq(rig->hip->hipModuleLoadData(&module, image), LM_HIP_ERROR_INVALID_IMAGE);
    lm_hip_function function;
    ck_assert_int_eq(rig->hip->hipModuleGetFunction(&function, rig->module, "nothing"),
                     LM_HIP_ERROR_NOT_FOUND);
}
END_TEST

Suite *lm_suite_hipemu_devices(void) {
    Suite *suite = suite_create("hipemu_devices");
    TCase *copies = planted_case(suite, "copies");
    tcase_add_test(copies, test_box_copies);
    tcase_add_test(copies, test_wrong_copies);
    TCase *devices = planted_case(suite, "devices");
    tcase_add_test(devices, test_two_devices);
    tcase_add_test(devices, test_peers);
    tcase_add_test(devices, test_lost_device);
    tcase_add_test(devices, test_failures_on_order);
    tcase_add_test(devices, test_memory_is_limited);
    TCase *rest = planted_case(suite, "rest");
    tcase_add_test(rest, test_clock);
    tcase_add_test(rest, test_compile_error);
    tcase_add_test(rest, test_bad_image);
    return suite;
}
