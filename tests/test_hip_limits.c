/* SPDX-License-Identifier: BSD-3-Clause */
/* The widest words, and the limits of launches: both sides move 16 bytes at a time wherever the problem lets
 * them; offsets have 64 bits where 32 do not do; no grid is larger than a device takes, whatever the size of
 * the problem. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip_bench.h"
#include "hip_field.h"
#include "hip_rig.h"
#include "kernels/hip/index.h"
#include "lib/device_code.h"
#include "lmad-hip.h"
#include "plans/hip.h"

static const int widths[] = {32, 64};

static void blame(const lm_trial *t, const lm_launch *l, const char *why) {
    char text[1024];
    lm_trial_format(text, sizeof text, t);
    ck_abort_msg("%s: kernel %d, words of %d and %d bytes, grid %u x %u: %s", text, (int)l->variant.kernel,
                 l->variant.word[LM_DST], l->variant.word[LM_SRC], l->grid[0], l->grid[1], why);
}

/* ---- words ------------------------------------------------------------------------------------------- */

/* As many bytes an access as a warp of such words has: traced, where no tile has an edge. Rows of elements
 * whose size is no power of two may leave some threads idle. */
static void check_words(const lm_trial *t, int word) {
    lm_hip_params params;
    lm_hip_bench b;
    lm_launch l;
    hipemu_trace trace;
    lm_bench_open(&b, t, (unsigned)word & 15);
    ck_assert_int_ge(lm_hip_propose(&b.problem, lm_bench_device, LMAD_ESTIMATE, &params, 1), 1);
    lm_hip_make(&b.problem, lm_bench_device, &params, b.align, &l);
    const char *why = lm_bench_run(&b, &l, &trace);
    const double fewest = (double)b.problem.payload / (word * lm_bench_device->wave),
                 most = fewest * (t->elem_size & (t->elem_size - 1) ? 1.4 : 1.02);
    if (why) blame(t, &l, why);
    if (l.variant.word[LM_DST] < word || l.variant.word[LM_SRC] < word) blame(t, &l, "narrower words");
    if (trace.accesses[0] > most || trace.accesses[1] > most) blame(t, &l, "more accesses");
    lm_bench_close(&b);
}

static const size_t sizes[] = {1, 2, 4, 8, 16, 3, 5, 6, 7, 10, 12, 20, 24, 28, 32, 48};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* From one size to the next: accesses are the same under sanitizers, where counting them takes long. */
static int size_step(void) { return lm_test_scale() > 1 ? 5 : 1; }

/* Rows with gaps, rows backwards, rows that are broadcast: whole words long, a multiple of words apart. */
START_TEST(rows_move_whole_words) {
    lm_bench_begin(widths[_i]);
    for (int k = 0; k < SIZES; k += size_step()) {
        const size_t size = sizes[k];
        const lm_trial gaps = {.elem_size = size,
                               .dst = {2, 0, {{64, 512}, {512, 1}}},
                               .src = {2, 16, {{64, 528}, {512, 1}}}},
                       again = {.elem_size = size,
                                .dst = {2, 0, {{64, 512}, {512, 1}}},
                                .src = {2, 0, {{64, 0}, {512, 1}}}},
                       back = {.elem_size = size,
                               .dst = {2, 0, {{64, 512}, {512, 1}}},
                               .src = {2, 511, {{64, 512}, {512, -1}}}};
        check_words(&gaps, 16);
        check_words(&again, 16);
        if (size <= 8 && (size & (size - 1)) == 0) check_words(&back, 16);
        for (int word = 8; word >= (int)size && size % 2 == 0; word /= 2) check_words(&gaps, word);
    }
}
END_TEST

/* Transposes, alone and in a batch, and of blocks of three axes. */
START_TEST(transposes_move_whole_words) {
    lm_bench_begin(widths[_i]);
    for (int k = 0; k < SIZES; k += size_step()) {
        const size_t size = sizes[k];
        const lm_trial plane = {.elem_size = size,
                                .dst = {2, 0, {{256, 512}, {512, 1}}},
                                .src = {2, 0, {{256, 1}, {512, 256}}}},
                       batch = {.elem_size = size,
                                .dst = {3, 0, {{2, 128 * 256 + 64}, {128, 256}, {256, 1}}},
                                .src = {3, 0, {{2, 128 * 256}, {128, 1}, {256, 128}}}};
        check_words(&plane, 16);
        check_words(&batch, 16);
    }
}
END_TEST

/* ---- offsets ----------------------------------------------------------------------------------------- */

static int index_of(int64_t dst_reach, int64_t src_reach) {
    const lm_trial t = {.elem_size = 1,
                        .dst = {2, 0, {{2, dst_reach - 16}, {16, 1}}},
                        .src = {2, 0, {{2, src_reach - 16}, {16, 1}}}};
    lm_problem p;
    lm_launch l;
    lm_hip_params params;
    ck_assert_int_eq(lm_problem_make(&p, LM_OP_COPY, &t.dst, &t.src, 1, 1), LMAD_OK);
    ck_assert_int_ge(lm_hip_propose(&p, lm_bench_device, LMAD_ESTIMATE, &params, 1), 1);
    lm_hip_make(&p, lm_bench_device, &params, 16, &l);
    return l.variant.index;
}

START_TEST(offsets_are_as_wide_as_they_must) {
    const int64_t limit = INT64_C(1) << 32;
    lm_bench_begin(64);
    ck_assert_int_eq(index_of(limit - 1, limit - 1), 32);
    ck_assert_int_eq(index_of(limit, 64), 64);
    ck_assert_int_eq(index_of(64, limit), 64);
    ck_assert_int_eq(index_of(limit << 20, limit << 24), 64);
}
END_TEST

/* ---- grids ------------------------------------------------------------------------------------------- */

/* Up to 2^41 bytes, of which there is no memory. */
static const lm_trial giants[] = {
    {.elem_size = 1, .dst = {1, 0, {{INT64_C(1) << 41, 1}}}, .src = {1, 0, {{INT64_C(1) << 41, 1}}}},
    {.elem_size = 1,
     .dst = {1, 0, {{(INT64_C(1) << 33) + 7, 1}}},
     .src = {1, (INT64_C(1) << 33) + 6, {{(INT64_C(1) << 33) + 7, -1}}}},
    {.elem_size = 4,
     .dst = {2, 0, {{INT64_C(1) << 33, 4}, {3, 1}}},
     .src = {2, 1, {{INT64_C(1) << 33, 5}, {3, 1}}}},
    {.elem_size = 4,
     .dst = {2, 0, {{INT64_C(1) << 20, INT64_C(1) << 19}, {INT64_C(1) << 19, 1}}},
     .src = {2, 0, {{INT64_C(1) << 20, 1}, {INT64_C(1) << 19, INT64_C(1) << 20}}}},
    {.elem_size = 3,
     .dst = {2, 0, {{99991, 65537}, {65537, 1}}},
     .src = {2, 0, {{99991, 1}, {65537, 99991}}}},
    {.elem_size = 16,
     .dst = {2, 0, {{5, INT64_C(1) << 34}, {INT64_C(1) << 34, 1}}},
     .src = {2, 0, {{5, 1}, {INT64_C(1) << 34, 5}}}},
    {.elem_size = 2,
     .dst = {3, 0, {{9000, 81000000}, {9000, 9000}, {9000, 1}}},
     .src = {3, 0, {{9000, 1}, {9000, 9000}, {9000, 81000000}}}},
};
enum { GIANTS = sizeof giants / sizeof *giants };

static void check_grid(const lm_trial *t, const lm_device *device, const lm_launch *l) {
    const uint64_t row = l->grid[0], rows = l->grid[1], tiles = l->args.tiles;
    uint64_t threads = 1;
    for (int k = 0; k < 3; k++) {
        if (l->grid[k] < 1 || l->grid[k] > device->max_grid[k]) blame(t, l, "grid beyond the limit");
        if ((uint64_t)l->grid[k] * l->block[k] > UINT32_MAX) blame(t, l, "too many work-items");
        threads *= l->block[k];
    }
    if (threads > (uint64_t)device->max_threads) blame(t, l, "block beyond the limit");
    if (l->args.grid != row || row * rows < tiles || row * (rows - 1) >= tiles)
        blame(t, l, "tiles not covered");
}

/* All candidates, on devices that take as much as any does, and on one that takes little. */
START_TEST(grids_are_within_limits) {
    int made = 0;
    lm_bench_begin(widths[_i % 2]);
    lm_device device = *lm_bench_device;
    if (_i / 2) device.max_grid[0] = 1 << 20;
    for (int g = 0; g < GIANTS; g++) {
        const lm_trial *t = &giants[g];
        lm_hip_params params[LM_HIP_PROPOSALS];
        lm_problem p;
        ck_assert_int_eq(lm_problem_make(&p, LM_OP_COPY, &t->dst, &t->src, t->elem_size, 1), LMAD_OK);
        const int count = lm_hip_propose(&p, &device, LMAD_EXHAUSTIVE, params, LM_HIP_PROPOSALS);
        ck_assert_int_ge(count, 1);
        for (int k = 0; k < count; k++) {
            if (!lm_hip_allows(&p, &device, &params[k])) continue; /* not for all pointers */
            for (unsigned align = 16; align; align /= 4) {
                lm_launch l;
                lm_hip_make(&p, &device, &params[k], align, &l);
                ck_assert_int_eq(l.variant.index, 64);
                check_grid(t, &device, &l);
                made++;
            }
        }
    }
    ck_assert_int_ge(made, 3 * GIANTS);
}
END_TEST

/* Devices whose blocks have few threads, or little LDS: what would take more is not
 * made. */
START_TEST(blocks_are_within_limits) {
    static const struct {
        int threads, lds;
    } limits[] = {{1024, 65536}, {128, 65536}, {1024, LM_HIP_LDS}, {1024, LM_HIP_LDS - 1}, {128, 16384}};
    static const size_t elements[] = {3, 4, 5, 12};
    int made = 0, refused = 0;
    lm_bench_begin(64);
    lm_device device = *lm_bench_device;
    device.max_threads = limits[_i].threads;
    device.lds_bytes = limits[_i].lds;
    for (int e = 0; e < 4; e++) {
        const lm_trial t = {
            .elem_size = elements[e], .dst = {2, 0, {{80, 40}, {40, 1}}}, .src = {2, 0, {{80, 1}, {40, 80}}}};
        lm_hip_params params[LM_HIP_PROPOSALS];
        lm_problem p;
        ck_assert_int_eq(lm_problem_make(&p, LM_OP_COPY, &t.dst, &t.src, t.elem_size, 1), LMAD_OK);
        const int count = lm_hip_propose(&p, lm_bench_device, LMAD_EXHAUSTIVE, params, LM_HIP_PROPOSALS);
        for (int k = 0; k < count; k++) {
            lm_launch l;
            lm_hip_make(&p, &device, &params[k], 16, &l);
            refused += l.grid[0] == 0;
            if (l.grid[0] == 0) continue;
            made++;
            check_grid(&t, &device, &l);
            if (lm_hip_lds(&l) > device.lds_bytes) blame(&t, &l, "LDS beyond the limit");
        }
    }
    ck_assert_int_eq(refused > 0, _i > 0);
    ck_assert(made > 0 || device.max_threads < LM_HIP_THREADS);
    emulator_is_clean();
}
END_TEST

/* What no launch can do is refused, and nothing goes wrong on the way. */
START_TEST(more_than_a_launch_can_do) {
    const int64_t n = INT64_C(1) << (46 + 4 * _i), side = INT64_C(1) << (23 + 2 * _i);
    const lm_trial back = {.op = LM_OP_COPY,
                           .elem_size = 1,
                           .dst = {1, 0, {{n, 1}}},
                           .src = {1, n - 1, {{n, -1}}}},
                   turned = {.op = LM_OP_COPY,
                             .elem_size = 1,
                             .dst = {2, 0, {{side, side}, {side, 1}}},
                             .src = {2, 0, {{side, 1}, {side, side}}}},
                   fill = {.op = LM_OP_FILL, .elem_size = 1, .dst = turned.dst},
                   all = {.op = LM_OP_FILL, .elem_size = 1, .dst = {1, 0, {{INT64_MAX, 1}}}};
    const lm_trial *const trials[] = {&back, &turned, &fill, &all};
    lmad_plan *p = NULL;
    lm_field_begin(1, 64, true);
    for (int k = 0; k < 4; k++)
        for (unsigned effort = LMAD_ESTIMATE; effort <= LMAD_MEASURE; effort++)
            lm_field_expect(lm_hip_rig_plan(&p, trials[k], 0, NULL, effort), LMAD_ERR_NO_CODE,
                            "bytes on device 0");
    lm_field_expect(lmad_plan_affine_hip(&p, NULL, &turned.dst, 0, LMAD_INT32, 0), LMAD_ERR_NO_CODE,
                    "bytes on device 0");
    ck_assert_ptr_null(p);
    emulator_is_clean();
}
END_TEST

/* Plans on a device whose grids have three blocks in a row: it would refuse others. */
START_TEST(small_grids_do_all) {
    static const lm_trial trials[] = {
        {.op = LM_OP_COPY,
         .elem_size = 4,
         .dst = {2, 0, {{200, 300}, {300, 1}}},
         .src = {2, 0, {{200, 1}, {300, 200}}}},
        {.op = LM_OP_COPY,
         .elem_size = 4,
         .dst = {2, 0, {{9000, 4}, {4, 1}}},
         .src = {2, 1, {{9000, 5}, {4, 1}}}},
        {.op = LM_OP_COPY,
         .elem_size = 3,
         .dst = {2, 0, {{90, 210}, {210, 1}}},
         .src = {2, 0, {{90, 1}, {210, 90}}}},
        {.op = LM_OP_MOVE, .elem_size = 8, .dst = {1, 5, {{9999, 1}}}, .src = {1, 0, {{9999, 1}}}},
        {.op = LM_OP_FILL, .elem_size = 12, .dst = {2, 0, {{500, 50}, {40, 1}}}},
    };
    const hipemu *emu = emulator();
    emu->set_grid(3, 65535);
    emu->set_warp(widths[_i]);
    lm_field_hip = lm_hip_get();
    for (size_t k = 0; k < sizeof trials / sizeof *trials; k++) {
        const char *why = lm_hip_rig_try(&trials[k], 0, NULL, LMAD_ESTIMATE);
        ck_assert_msg(why == NULL, "problem %zu: %s", k, why);
    }
    emulator_is_clean();
}
END_TEST

/* ---- far tiles --------------------------------------------------------------------------------------- */

/* Both sides of a problem of more than 2^32 elements: there is only as much memory as is touched. */
typedef struct far {
    lm_problem problem;
    lm_launch launch;
    char *block[2];
    lm_hip_function function;
} far;

static bool open_far(far *f, const lm_trial *t, lm_hip_kernel kernel) {
    lm_hip_params params[LM_HIP_PROPOSALS];
    int k = 0;
    void *memory[2] = {NULL, NULL};
    lm_problem *p = &f->problem;
    ck_assert_int_eq(lm_problem_make(p, LM_OP_COPY, &t->dst, &t->src, t->elem_size, 1), LMAD_OK);
    const int count = lm_hip_propose(p, lm_bench_device, LMAD_PATIENT, params, LM_HIP_PROPOSALS);
    while (k < count && params[k].kernel != kernel) k++;
    ck_assert_int_lt(k, count);
    lm_hip_make(p, lm_bench_device, &params[k], 16, &f->launch);
    ck_assert_int_eq(lm_device_code_get(lm_bench_device, &f->launch.variant, &f->function), LMAD_OK);
    lm_bench_emu->set_memory(INT64_C(1) << 46);
    const bool there = lm_field_hip->hipMalloc(&memory[0], (size_t)(p->dhi - p->dlo)) == LM_HIP_SUCCESS &&
                       lm_field_hip->hipMalloc(&memory[1], (size_t)(p->shi - p->slo)) == LM_HIP_SUCCESS;
    for (int side = 0; side < 2; side++) f->block[side] = memory[side];
    return there;
}

static void close_far(far *f) {
    for (int side = 0; side < 2; side++) lm_field_good(lm_field_hip->hipFree(f->block[side]));
}

/* One tile alone: a grid of two rows, so long that the second begins with it. (The first is tile 0's.) */
static void run_tile(const far *f, uint32_t tile) {
    char *dst = f->block[LM_DST] - f->problem.dlo, *src = f->block[LM_SRC] - f->problem.slo;
    lm_hip_args args = f->launch.args;
    void *parameters[] = {&dst, &src, &args};
    args.grid = tile;
    lm_field_good(lm_field_hip->hipModuleLaunchKernel(f->function, 1, 2, 1, f->launch.block[0], 1, 1,
                                                      f->launch.lds, NULL, parameters, NULL));
}

/* More than 2^33 bytes backwards: 64 of them where the tile begins. */
static void try_reversed(const far *f, uint32_t tile) {
    enum { BYTES = 64 };
    const int64_t n = f->problem.payload, d = (int64_t)tile * f->launch.args.tile_words * 16,
                  s = n - BYTES - d;
    char from[BYTES], got[BYTES];
    for (int k = 0; k < BYTES; k++) from[k] = (char)(k + 1);
    lm_field_move(f->block[LM_SRC] + s, from, BYTES);
    run_tile(f, tile);
    lm_field_move(got, f->block[LM_DST] + d, BYTES);
    for (int k = 0; k < BYTES; k++) ck_assert_msg(got[k] == from[BYTES - 1 - k], "tile %u, byte %d", tile, k);
}

/* A matrix of 70016 x 70016 elements of 4 bytes, transposed: a row of 4 of them at the corner of the tile. */
static void try_transpose(const far *f, uint32_t tile) {
    enum { SIDE = 70016 };
    const lm_tile_start at = lm_tile_at(&f->launch.args, tile);
    const int64_t i = at.doff / 4 / SIDE, j = at.doff / 4 % SIDE;
    ck_assert_int_eq(at.soff, (j * SIDE + i) * 4);
    float got[4];
    for (int k = 0; k < 4; k++)
        lm_field_move(f->block[LM_SRC] + ((j + k) * SIDE + i) * 4, &(float){(float)(k + 1)}, 4);
    run_tile(f, tile);
    lm_field_move(got, f->block[LM_DST] + (i * SIDE + j) * 4, sizeof got);
    for (int k = 0; k < 4; k++) ck_assert_msg(got[k] == (float)(k + 1), "tile %u, element %d", tile, k);
}

START_TEST(far_tiles_are_right) {
    static const lm_trial reversed = {.elem_size = 1,
                                      .dst = {1, 0, {{(INT64_C(1) << 33) + 4096, 1}}},
                                      .src = {1,
                                              (INT64_C(1) << 33) + 4095,
                                              {{(INT64_C(1) << 33) + 4096, -1}}}},
                          transpose = {.elem_size = 4,
                                       .dst = {2, 0, {{70016, 70016}, {70016, 1}}},
                                       .src = {2, 0, {{70016, 1}, {70016, 70016}}}};
    far f;
    lm_bench_begin(64);
    if (open_far(&f, _i ? &transpose : &reversed, _i ? LM_HIP_TILE : LM_HIP_COPY)) {
        const uint32_t last = f.launch.args.tiles - 1, tiles[] = {1, last / 4, last / 2 + 1, last - 1, last};
        for (int k = 0; k < 5; k++) (_i ? try_transpose : try_reversed)(&f, tiles[k]);
    } else {
        printf("far tiles: not tried, so much address space is not to be had here\n");
    }
    close_far(&f);
    emulator_is_clean();
}
END_TEST

Suite *lm_suite_hip_limits(void) {
    Suite *suite = suite_create("hip_limits");
    TCase *tc = tcase_create("limits");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, rows_move_whole_words, 0, 2);
    tcase_add_loop_test(tc, transposes_move_whole_words, 0, 2);
    tcase_add_test(tc, offsets_are_as_wide_as_they_must);
    tcase_add_loop_test(tc, grids_are_within_limits, 0, 4);
    tcase_add_loop_test(tc, blocks_are_within_limits, 0, 5);
    tcase_add_loop_test(tc, more_than_a_launch_can_do, 0, 4);
    tcase_add_loop_test(tc, small_grids_do_all, 0, 2);
    tcase_add_loop_test(tc, far_tiles_are_right, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}
