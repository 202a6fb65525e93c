/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated run time: it runs device code right, finds mistakes that are planted, and counts what is
 * known. */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "planted.h"

Suite *lm_suite_hipemu(void);

enum { N = 1000, SIDE = 256 };

static planted *const rig = &planted_rig;

static lm_hip_error finish(void) { return rig->hip->hipStreamSynchronize(rig->stream); }

static void check_floats(const float *device, int64_t n, float first) {
    float *values = malloc((size_t)n * sizeof *values);
    planted_fetch(rig, values, device, n);
    for (int64_t i = 0; i < n; i++) ck_assert_float_eq(values[i], first + (float)i);
    free(values);
}

/* ---- Right code ---------------------------------------------------------------------------------- */

START_TEST(test_copy) {
    float *src = planted_floats(rig, N, 1), *dst = planted_floats(rig, N, 0);
    planted_ok(planted_run(rig, "copy", N, dst, src, &(planted_args){.n = N}));
    check_floats(dst, N, 1);
    planted_ok(rig->hip->hipFree(src));
    planted_ok(rig->hip->hipFree(dst));
}
END_TEST

/* Wide blocks, and those of all three dimensions. */
START_TEST(test_block_shapes) {
    static const uint32_t shape[][3] = {{1024, 1, 1}, {1, 1, 1}, {33, 3, 5}, {7, 1, 64}};
    float *src = planted_floats(rig, N, 1);
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        float *dst = planted_floats(rig, N, 0);
        uint32_t grid[] = {N / shape[i][0] + 1, 1, 1};
        planted_ok(planted_launch(rig, "copy", grid, shape[i], dst, src, &(planted_args){.n = N}));
        check_floats(dst, N, 1);
        planted_ok(rig->hip->hipFree(dst));
    }
    planted_ok(rig->hip->hipFree(src));
}
END_TEST

static void check_sizes(uint32_t gx, uint32_t gy, uint32_t bx, uint32_t by, lm_hip_error expected) {
    uint32_t grid[] = {gx, gy, 1}, block[] = {bx, by, 1};
    float *dst = planted_floats(rig, 1, 0);
    ck_assert_int_eq(planted_launch(rig, "copy", grid, block, dst, dst, &(planted_args){.n = 0}), expected);
    planted_ok(rig->hip->hipFree(dst));
}

START_TEST(test_launch_limits) {
    check_sizes(1, 1, 1024, 1, LM_HIP_SUCCESS);
    check_sizes(1, 1, 1024, 2, LM_HIP_ERROR_INVALID_CONFIGURATION);
    check_sizes(0, 1, 64, 1, LM_HIP_ERROR_INVALID_CONFIGURATION);
    check_sizes(1, 65536, 64, 1, LM_HIP_ERROR_INVALID_CONFIGURATION);
    check_sizes(1u << 22, 1, 1024, 1, LM_HIP_ERROR_INVALID_CONFIGURATION); /* 2^32 work-items */
}
END_TEST

/* ---- Counts -------------------------------------------------------------------------------------- */

static void transpose(const char *kernel, const planted_args *args, hipemu_trace *t) {
    static const uint32_t grid[] = {SIDE / 32, SIDE / 32, 1}, block[] = {32, 8, 1};
    float *src = planted_floats(rig, SIDE * SIDE, 0), *dst = planted_floats(rig, SIDE * SIDE, 0);
    float *found = malloc(SIDE * SIDE * sizeof *found);
    rig->emu->set_trace(true);
    rig->emu->clear_trace();
    planted_ok(planted_launch(rig, kernel, grid, block, dst, src, args));
    planted_fetch(rig, found, dst, SIDE * SIDE);
    rig->emu->trace(t);
    int wrong = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) wrong += found[x * SIDE + y] != (float)(y * SIDE + x);
    ck_assert_int_eq(wrong > 0, args->barrier == 0);
    free(found);
    planted_ok(rig->hip->hipFree(src));
    planted_ok(rig->hip->hipFree(dst));
}

/* 65536 floats are 4096 segments of 64 bytes, 8192 of 32. A column of floats touches a segment for each; a
 * warp of 64 has two rows of the block, and so two floats to a segment. */
START_TEST(test_trace_of_naive_transpose) {
    const planted_args args = {.n = SIDE, .barrier = 1};
    hipemu_trace t;
    rig->emu->set_warp(_i);
    transpose("naive", &args, &t);
    int64_t segments = SIDE * SIDE * (int64_t)sizeof(float) / _i;
    ck_assert_int_eq(t.accesses[0], SIDE * SIDE / _i);
    ck_assert_int_eq(t.bytes[0], SIDE * SIDE * (int64_t)sizeof(float));
    ck_assert_int_eq(t.segments[0], segments);
    ck_assert_int_eq(t.ideal[0], segments);
    ck_assert_int_eq(t.segments[1], _i == 64 ? SIDE * SIDE / 2 : SIDE * SIDE);
    ck_assert_int_eq(t.lds_accesses[0] + t.lds_accesses[1], 0);
}
END_TEST

/* Rows on both sides. Tiles of rows that are 33 long have no bank conflicts, those of 32 have nothing else on
 * one side. */
START_TEST(test_trace_of_tiled_transpose) {
    int64_t cycles = SIDE * SIDE / 32;
    hipemu_trace t;
    rig->emu->set_warp(_i);
    for (int pitch = 32; pitch <= 33; pitch++) {
        transpose("tiled", &(planted_args){.n = SIDE, .pitch = pitch, .barrier = 1}, &t);
        for (int side = 0; side < 2; side++) {
            ck_assert_int_eq(t.segments[side], SIDE * SIDE * (int64_t)sizeof(float) / _i);
            ck_assert_int_eq(t.ideal[side], t.segments[side]);
            ck_assert_int_eq(t.lds_ideal[side], cycles);
        }
        ck_assert_int_eq(t.lds_cycles[0], pitch == 33 ? cycles : 32 * cycles);
        ck_assert_int_eq(t.lds_cycles[1], cycles);
    }
    hipemu_trace site;
    rig->emu->trace_site(4, &site);
    ck_assert_int_eq(site.lds_cycles[0], cycles);
    ck_assert_int_eq(site.segments[0], 0);
}
END_TEST

/* ---- Planted mistakes ---------------------------------------------------------------------------- */

static void check_complaint(const char *words) {
    ck_assert_msg(strstr(rig->emu->report(), words) != NULL, "no \"%s\" in \"%s\"", words,
                  rig->emu->report());
}

/* The device is lost then, and everything on it says so. */
static void check_fault(lm_hip_error expected, const char *words) {
    void *memory;
    ck_assert_int_eq(finish(), expected);
    check_complaint(words);
    ck_assert_int_eq(rig->hip->hipMalloc(&memory, 1), expected);
    emulator();
}

static void run_mistake(const char *kernel, int64_t n) {
    float *src = planted_floats(rig, N, 0), *dst = planted_floats(rig, N, 0);
    planted_ok(planted_run(rig, kernel, 64, dst, src, &(planted_args){.n = n}));
}

START_TEST(test_reads_beyond) {
    run_mistake("reads_beyond", N);
    check_fault(LM_HIP_ERROR_ILLEGAL_ADDRESS, "kernel reads_beyond, site 1: load of 4 bytes");
}
END_TEST

START_TEST(test_writes_before) {
    run_mistake("writes_before", N);
    check_fault(LM_HIP_ERROR_ILLEGAL_ADDRESS, "kernel writes_before, site 2: store of 4 bytes");
}
END_TEST

START_TEST(test_leaves_lds) {
    run_mistake("leaves_lds", 65536 / sizeof(float)); /* as many floats as LDS has */
    check_fault(LM_HIP_ERROR_ILLEGAL_ADDRESS, "outside of all LDS");
}
END_TEST

START_TEST(test_divides_at_barrier) {
    run_mistake("divides_at_barrier", 7);
    check_fault(LM_HIP_ERROR_LAUNCH_FAILURE, "block (0,0,0): 57 of 64 threads wait");
}
END_TEST

/* Two devices: one has no business in the other's memory. */
START_TEST(test_memory_of_another_device) {
    rig->emu->set_devices(2);
    float *here = planted_floats(rig, 64, 0);
    void *there;
    planted_ok(rig->hip->hipSetDevice(1));
    planted_ok(rig->hip->hipMalloc(&there, 64 * sizeof(float)));
    planted_ok(rig->hip->hipSetDevice(0));
    planted_ok(planted_run(rig, "copy", 64, here, there, &(planted_args){.n = 64}));
    check_fault(LM_HIP_ERROR_ILLEGAL_ADDRESS, "outside of all memory of the device");
}
END_TEST

START_TEST(test_missing_barrier) {
    hipemu_trace t;
    transpose("tiled", &(planted_args){.n = SIDE, .pitch = 33, .barrier = 0}, &t); /* wants it wrong */
}
END_TEST

START_TEST(test_fresh_lds) {
    float *dst = planted_floats(rig, 64, 0), found[64];
    planted_ok(planted_run(rig, "reads_fresh_lds", 64, dst, dst, &(planted_args){.n = 64}));
    planted_fetch(rig, found, dst, 64);
    ck_assert_float_eq(found[0], 1);
    for (int i = 1; i < 64; i++) ck_assert_float_lt(found[i], -1e6f);
    planted_ok(rig->hip->hipFree(dst));
}
END_TEST

START_TEST(test_fresh_memory) {
    void *memory;
    unsigned char found[100];
    planted_ok(rig->hip->hipMalloc(&memory, sizeof found));
    planted_ok(rig->hip->hipMemcpyAsync(found, memory, sizeof found, LM_HIP_COPY_DEFAULT, rig->stream));
    planted_ok(finish());
    for (size_t i = 0; i < sizeof found; i++) ck_assert_uint_eq(found[i], 0xcb);
    planted_ok(rig->hip->hipFree(memory));
}
END_TEST

static int open_nothing(void) {
    int file = open("/dev/null", O_WRONLY);
    ck_assert_int_ge(file, 0);
    return file;
}

/* How a child ends that does what must not be done; it would return 0. */
static int fate_of(void (*act)(void *arg), void *arg) {
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        dup2(open_nothing(), STDERR_FILENO);
        act(arg);
        _exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static void touch(void *arg) {
    volatile float *p = arg;
    *p = *p + 1;
}

START_TEST(test_host_touches_device_memory) {
    float *memory = planted_floats(rig, N, 0);
    ck_assert_int_ne(fate_of(touch, memory + N / 2), 0);
    planted_ok(rig->hip->hipFree(memory));
    void *pinned;
    planted_ok(rig->hip->hipHostMalloc(&pinned, 4, 0));
    touch(pinned);
    planted_ok(rig->hip->hipHostFree(pinned));
}
END_TEST

/* An end of the child for the zones' sake: the address sanitizer's own, or a failed assertion. */
static void write_unannounced(void *arg) {
    float *dst = arg;
    planted_run(rig, "writes_unannounced", 64, dst, dst, &(planted_args){.n = N});
    finish();
    if (!rig->emu->intact()) _exit(3);
}

START_TEST(test_zones) {
    float *dst = planted_floats(rig, N, 0);
    ck_assert_int_ne(fate_of(write_unannounced, dst), 0);
    ck_assert(rig->emu->intact());
    planted_ok(rig->hip->hipFree(dst));
}
END_TEST

Suite *lm_suite_hipemu(void) {
    Suite *suite = suite_create("hipemu");
    TCase *right = planted_case(suite, "right");
    tcase_add_test(right, test_copy);
    tcase_add_test(right, test_block_shapes);
    tcase_add_test(right, test_launch_limits);
    TCase *traced = planted_case(suite, "traced");
    for (int warp = 32; warp <= 64; warp *= 2) {
        tcase_add_loop_test(traced, test_trace_of_naive_transpose, warp, warp + 1);
        tcase_add_loop_test(traced, test_trace_of_tiled_transpose, warp, warp + 1);
    }
    TCase *mistakes = planted_case(suite, "mistakes");
    tcase_add_test(mistakes, test_reads_beyond);
    tcase_add_test(mistakes, test_writes_before);
    tcase_add_test(mistakes, test_leaves_lds);
    tcase_add_test(mistakes, test_divides_at_barrier);
    tcase_add_test(mistakes, test_memory_of_another_device);
    tcase_add_test(mistakes, test_missing_barrier);
    tcase_add_test(mistakes, test_fresh_lds);
    tcase_add_test(mistakes, test_fresh_memory);
    tcase_add_test(mistakes, test_host_touches_device_memory);
    tcase_add_test(mistakes, test_zones);
    return suite;
}
