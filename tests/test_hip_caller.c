/* SPDX-License-Identifier: BSD-3-Clause */
/* Callers of the device API who do what they may, or what they must not: their state stays theirs, and
 * whatever HIP can tell to be wrong is a code. */
#include <check.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "child.h"
#include "hip_field.h"
#include "lmad-hip.h"

static const hipemu *emu;

static const lm_trial transpose = {
    .elem_size = 4, .dst = {2, 0, {{40, 30}, {30, 1}}}, .src = {2, 0, {{40, 1}, {30, 40}}}};
static const lm_trial shift = {
    .op = LM_OP_MOVE, .elem_size = 4, .dst = {1, 5, {{999, 1}}}, .src = {1, 0, {{999, 1}}}};

static const lm_field_ends within = {0, 0, DEVICE}, upwards = {0, LM_HOST, PAGEABLE},
                           downwards = {LM_HOST, 0, PAGEABLE}, across = {0, 1, DEVICE};

static void *device_memory(int device, size_t bytes) {
    void *p;
    int before;
    lm_field_good(lm_field_hip->hipGetDevice(&before));
    lm_field_good(lm_field_hip->hipSetDevice(device));
    lm_field_good(lm_field_hip->hipMalloc(&p, bytes));
    lm_field_good(lm_field_hip->hipSetDevice(before));
    return p;
}

/* ---- an error that waits ----------------------------------------------------------------------------- */

/* As few threads as there are: root may have as many as it likes, so somebody else tries. */
static void allow_threads(bool allowed) {
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_NPROC, &limit), 0);
    limit.rlim_cur = allowed ? limit.rlim_max : 0;
    if (geteuid() == 0) ck_assert_int_eq(setuid(65534), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &limit), 0);
}

static void without_threads(void) {
    const lm_field_ends *const ends[] = {&within, &upwards};
    emu = lm_field_begin(1, 64, true);
    lm_field f[2];
    lmad_plan *p[2], *none = NULL;
    for (int k = 0; k < 2; k++) {
        lm_field_open(&f[k], &transpose, ends[k]);
        lm_field_reset(&f[k]);
        p[k] = lm_field_plan(&transpose, ends[k]);
    }
    allow_threads(false);
    const lm_hip_error mistake = lm_field_mistake();
    for (int k = 0; k < 2; k++)
        lm_field_expect(lmad_execute_hip(p[k], f[k].d, f[k].s, NULL), LMAD_ERR_NO_MEMORY, "no thread");
    lm_field_expect(lmad_hip_warm(NULL, 0), LMAD_ERR_NO_MEMORY, "no thread");
    lm_field_expect(lmad_plan_fill_hip(&none, NULL, &transpose.dst, 0, 4, 0), LMAD_ERR_NO_MEMORY,
                    "no thread");
    ck_assert_int_eq(lm_field_hip->hipGetLastError(), mistake);
    for (int k = 0; k < 2; k++)
        ck_assert_int_eq(lmad_execute(p[k], f[k].d, f[k].s), LMAD_OK); /* none waits now */
    lm_field_mistake();
    for (int k = 0; k < 2; k++) lmad_plan_destroy(p[k]);
    ck_assert_int_eq(lm_field_hip->hipGetLastError(), mistake);
    allow_threads(true);
    for (int k = 0; k < 2; k++) {
        ck_assert(lm_field_is_right(&f[k]));
        lm_field_close(&f[k]);
    }
    emulator_is_clean();
}

/* In a child, for there is no way back from another user. */
START_TEST(an_error_waits_and_there_is_no_thread) { lm_in_child(without_threads); }
END_TEST

/* Nothing is lost either where HIP is loaded, without a device, by the call. */
START_TEST(an_error_waits_and_there_is_no_device) {
    lmad_plan *p;
    emu = emulator();
    emu->set_devices(0);
    void *memory;
    ck_assert_int_ne(emulator_more()->hipMallocManaged(&memory, 8, 1), LM_HIP_SUCCESS);
    lm_field_expect(lmad_plan_fill_hip(&p, NULL, &transpose.dst, 0, 4, 0), LMAD_ERR_NO_DEVICE,
                    "finds no GPU");
    lm_hip_error (*last)(void);
    void *symbol = dlsym(dlopen(emulator_path(), RTLD_NOW | RTLD_NOLOAD), "hipGetLastError");
    ck_assert_ptr_nonnull(symbol);
    memcpy(&last, &symbol, sizeof last);
    ck_assert_int_eq(last(), LM_HIP_ERROR_NO_DEVICE);
}
END_TEST

/* ---- pointers ---------------------------------------------------------------------------------------- */

START_TEST(memory_that_cannot_be) {
    enum { BYTES = 4800 };
    emu = lm_field_begin(2, 64, true);
    char *host = calloc(2, BYTES), *here = device_memory(0, 2 * BYTES), *there = device_memory(1, BYTES);
    lmad_plan *copy = lm_field_plan(&transpose, &within), *move = lm_field_plan(&shift, &within), *fill, *up,
              *down, *both;
    ck_assert_int_eq(lmad_plan_fill_hip(&fill, NULL, &transpose.dst, 0, 4, 0), LMAD_OK);
    up = lm_field_plan(&transpose, &upwards), down = lm_field_plan(&transpose, &downwards),
    both = lm_field_plan(&transpose, &across);
    lm_field_expect(lmad_execute_hip(copy, host, here, NULL), LMAD_ERR_ARGUMENT,
                    "destination: planned as memory of device 0");
    lm_field_expect(lmad_execute(copy, here, host), LMAD_ERR_ARGUMENT,
                    "source: planned as memory of device 0, but HIP");
    lm_field_expect(lmad_execute_hip(copy, here, there, NULL), LMAD_ERR_ARGUMENT,
                    "source: planned as memory of device 0, but it");
    lm_field_expect(lmad_execute_hip(move, host, host, NULL), LMAD_ERR_ARGUMENT, "destination");
    lm_field_expect(lmad_execute_with(move, here, here, host), LMAD_ERR_ARGUMENT, "scratch");
    lm_field_expect(lmad_execute_hip(fill, there, host, NULL), LMAD_ERR_ARGUMENT, "destination");
    lm_field_expect(lmad_execute_hip(up, host, host + BYTES, NULL), LMAD_ERR_ARGUMENT, "destination");
    lm_field_expect(lmad_execute_hip(up, there, host, NULL), LMAD_ERR_ARGUMENT, "destination");
    lm_field_expect(lmad_execute_hip(down, host, host + BYTES, NULL), LMAD_ERR_ARGUMENT, "source");
    lm_field_expect(lmad_execute_hip(down, there, here, NULL), LMAD_ERR_ARGUMENT,
                    "planned as memory of the host");
    lm_field_expect(lmad_execute_hip(both, there, here, NULL), LMAD_ERR_ARGUMENT, "destination");
    lm_field_expect(lmad_execute_hip(both, here, here + BYTES, NULL), LMAD_ERR_ARGUMENT, "source");
    ck_assert_int_eq(lmad_execute_with(copy, here, here + BYTES, host), LMAD_OK); /* need no scratch */
    ck_assert_int_eq(lmad_execute_with(fill, here, host, host), LMAD_OK);
    ck_assert_int_eq(lm_field_hip->hipGetLastError(), LM_HIP_SUCCESS);
    lmad_plan *const all[] = {copy, move, fill, up, down, both};
    for (int k = 0; k < 6; k++) lmad_plan_destroy(all[k]);
    lm_field_good(lm_field_hip->hipFree(here));
    lm_field_good(lm_field_hip->hipFree(there));
    free(host);
    emulator_is_clean();
}
END_TEST

/* Pinned and managed memory may stand on either side of a plan within a device. */
START_TEST(memory_that_kernels_reach) {
    emu = lm_field_begin(1, 64, true);
    lmad_plan *p = lm_field_plan(&transpose, &within);
    for (lm_field_kind kind = PINNED; kind <= DEVICE; kind++) {
        const lm_field_ends to = {LM_HOST, 0, kind}, from = {0, LM_HOST, kind};
        for (int k = 0; k < 2; k++) {
            lm_field f;
            lm_field_open(&f, &transpose, k ? &to : &from);
            lm_field_reset(&f);
            if (lmad_execute(p, f.d, f.s) != LMAD_OK) ck_abort_msg("%s", lmad_error_detail());
            ck_assert(lm_field_is_right(&f));
            lm_field_close(&f);
        }
    }
    lmad_plan_destroy(p);
    emulator_is_clean();
}
END_TEST

/* The same whatever lies where: nothing is looked at. */
START_TEST(empty_problems_have_no_memory) {
    const lm_field_ends *const ends[] = {&within, &upwards, &downwards, &across};
    lm_trial t = transpose;
    t.dst.dim[1].n = t.src.dim[1].n = 0;
    emu = lm_field_begin(2, 64, true);
    for (int k = 0; k < 4; k++) {
        lmad_plan *p = lm_field_plan(&t, ends[k]);
        ck_assert_int_eq(lmad_execute_hip(p, NULL, NULL, (void *)&t), LMAD_OK);
        ck_assert_int_eq(lmad_execute(p, NULL, NULL), LMAD_OK);
        ck_assert_int_eq(lmad_execute_with(p, NULL, NULL, NULL), LMAD_OK);
        lmad_plan_destroy(p);
    }
    lmad_plan *p = NULL;
    ck_assert_int_eq(lmad_plan_copy_hip(&p, NULL, &t.dst, 7, &t.src, 0, 4, 0), LMAD_ERR_NO_DEVICE);
    ck_assert_int_eq(lmad_plan_copy_hip(&p, NULL, &t.dst, 0, &t.src, 7, 4, 0), LMAD_ERR_NO_DEVICE);
    ck_assert_int_eq(lmad_plan_copy_hip(&p, NULL, &t.dst, LMAD_HOST, &t.src, 7, 4, 0), LMAD_ERR_NO_DEVICE);
    ck_assert_ptr_null(p);
    emulator_is_clean();
}
END_TEST

/* Rows of floats that lie `step` apart in the wide memory, and near each other elsewhere. */
enum { ROWS = 3, ROW = 40, NEAR = 150 };

static void move_row(float *to, const float *from) { lm_field_move(to, from, ROW * sizeof *to); }

/* Where element k of the rows lies in the near memory. */
static int64_t place_of(int k, const lmad_desc *near) {
    return k / ROW * near->dim[0].stride + k % ROW * near->dim[1].stride;
}

static void copy_far(const lm_trial *t, const lmad_desc *n, int64_t step, float *wide, float *near) {
    const bool turned = n == &t->src;
    float values[NEAR], got[NEAR];
    for (int k = 0; k < NEAR; k++) values[k] = (float)k;
    lm_field_move(near, values, sizeof values);
    for (int i = 0; i < ROWS && !turned; i++) move_row(wide + i * step, values + i * ROW);
    lmad_plan *p = lm_field_plan(t, &within);
    if (lmad_execute(p, turned ? wide : near, turned ? near : wide) != LMAD_OK)
        ck_abort_msg("%s", lmad_error_detail());
    lmad_plan_destroy(p);
    if (!turned) lm_field_move(got, near, sizeof got);
    for (int i = 0; i < ROWS && turned; i++) move_row(got + i * ROW, wide + i * step);
    for (int k = 0; k < ROWS * ROW; k++)
        ck_assert_float_eq(got[turned ? k : place_of(k, n)], (float)(turned ? place_of(k, n) : k));
}

/* Elements further apart than 2^31 and 2^32 of them; there is only as much memory as is touched. */
START_TEST(problems_that_reach_far) {
    const int64_t far[] = {(INT64_C(1) << 31) + 3, (INT64_C(1) << 32) + 5}, step = far[_i % 2];
    const lmad_desc wide = {2, 0, {{ROWS, step}, {ROW, 1}}},
                    near = _i / 2 % 2 ? (lmad_desc){2, 0, {{ROWS, 1}, {ROW, ROWS}}}
                                      : (lmad_desc){2, 0, {{ROWS, 50}, {ROW, 1}}};
    const bool turned = _i / 4;
    const lm_trial t = {.elem_size = 4, .dst = turned ? wide : near, .src = turned ? near : wide};
    void *there;
    emu = lm_field_begin(1, 64, false);
    emu->set_memory(INT64_C(1) << 40);
    void *here = device_memory(0, NEAR * sizeof(float));
    if (lm_field_hip->hipMalloc(&there, (size_t)(2 * step + ROW) * 4) == LM_HIP_SUCCESS) {
        copy_far(&t, turned ? &t.src : &t.dst, step, there, here);
        lm_field_good(lm_field_hip->hipFree(there));
    } else {
        lm_field_hip->hipGetLastError(); /* not to be had on this machine */
    }
    lm_field_good(lm_field_hip->hipFree(here));
    emulator_is_clean();
}
END_TEST

/* ---- fork -------------------------------------------------------------------------------------------- */

static lmad_plan *inherited[3];

static void use_inherited(void) {
    char bytes[9600] = {1};
    lmad_plan *p = NULL;
    const lmad_desc d = {1, 0, {{8, 1}}};
    for (int k = 0; k < 3; k++) {
        lm_field_expect(lmad_execute(inherited[k], bytes, k == 1 ? bytes : bytes + 4800), LMAD_ERR_NO_DEVICE,
                        "fork");
        lmad_plan_destroy(inherited[k]);
    }
    lm_field_expect(lmad_plan_fill_hip(&p, NULL, &transpose.dst, 0, 4, 0), LMAD_ERR_NO_DEVICE, "fork");
    lm_field_expect(lmad_hip_warm(NULL, 0), LMAD_ERR_NO_DEVICE, "fork");
    ck_assert_int_eq(lmad_plan_copy_hip(&p, NULL, &d, LMAD_HOST, &d, LMAD_HOST, 1, 0), LMAD_OK);
    ck_assert_int_eq(lmad_execute(p, bytes + 8, bytes), LMAD_OK);
    ck_assert_int_eq(bytes[8], 1);
    lmad_plan_destroy(p);
}

START_TEST(children_use_no_devices) {
    emu = lm_field_begin(1, 64, true);
    inherited[0] = lm_field_plan(&transpose, &within);
    inherited[1] = lm_field_plan(&shift, &within);
    inherited[2] = lm_field_plan(&transpose, &upwards);
    lm_in_child(use_inherited);
    for (int k = 0; k < 3; k++) lmad_plan_destroy(inherited[k]);
    emulator_is_clean();
}
END_TEST

Suite *lm_suite_hip_caller(void) {
    Suite *suite = suite_create("hip_caller");
    TCase *tc = tcase_create("callers");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, an_error_waits_and_there_is_no_thread);
    tcase_add_test(tc, an_error_waits_and_there_is_no_device);
    tcase_add_test(tc, memory_that_cannot_be);
    tcase_add_test(tc, memory_that_kernels_reach);
    tcase_add_test(tc, empty_problems_have_no_memory);
    tcase_add_loop_test(tc, problems_that_reach_far, 0, 8);
    tcase_add_test(tc, children_use_no_devices);
    suite_add_tcase(suite, tc);
    return suite;
}
