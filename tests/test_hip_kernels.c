/* SPDX-License-Identifier: BSD-3-Clause */
/* Device kernels on the emulated run time: right at both warp widths for all candidates, whatever the
 * problem; and how many memory segments and LDS cycles they take, traced, against the fewest possible and
 * against the estimate. These are counts, not times. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "any.h"
#include "hip_bench.h"
#include "oracle.h"
#include "tune/suites.h"

static const int widths[] = {32, 64};

static void fail_with(const lm_trial *t, const lm_hip_params *params, const char *why) {
    char text[1024], way[128];
    lm_trial_format(text, sizeof text, t);
    lm_hip_params_format(way, sizeof way, params);
    ck_abort_msg("%s: %s: %s", text, way, why);
}

/* ---- right -------------------------------------------------------------------------------------------- */

/* Every candidate, also where offsets have 64 bits and where the grid must be folded. */
static void try_all(const lm_trial *t, unsigned misaligned, bool wide, int most) {
    lm_hip_params params[LM_HIP_PROPOSALS];
    lm_device narrow = *lm_bench_device;
    lm_hip_bench b;
    narrow.max_grid[0] = 3;
    lm_bench_open(&b, t, misaligned);
    const int count = lm_hip_propose(&b.problem, lm_bench_device, LMAD_MEASURE, params, most);
    ck_assert_int_ge(count, 1);
    for (int k = 0; k < count; k++) {
        lm_launch launch;
        ck_assert(lm_hip_allows(&b.problem, lm_bench_device, &params[k]));
        lm_hip_make(&b.problem, wide ? &narrow : lm_bench_device, &params[k], b.align, &launch);
        if (wide) launch.variant.index = 64;
        launch.variant.stream = false; /* a hint, nothing else */
        const char *why = lm_bench_run(&b, &launch, NULL);
        if (why) fail_with(t, &params[k], why);
    }
    lm_bench_close(&b);
}

START_TEST(test_random) {
    static const lm_op copy = LM_OP_COPY;
    enum { PROBLEMS = 60, ROOM = 1 << 20 };
    lm_rng rng = {lm_test_seed()};
    lm_rig rig;
    lm_bench_begin(widths[_i]);
    lm_rig_open(&rig, ROOM);
    for (int k = 0; k < PROBLEMS; k++) {
        lm_trial t;
        lm_any_trial(&rng, &t, &rig, &copy, 1, 1 << 16);
        if (k % lm_test_scale() || lm_oracle_empty(&t.dst)) continue;
        try_all(&t, lm_rng_chance(&rng, 4) ? (unsigned)t.elem_size & 15 : 0, lm_rng_chance(&rng, 5), 4);
    }
    lm_rig_close(&rig);
    emulator_is_clean();
}
END_TEST

/* Extents that tiles do not divide, rows that end anywhere, ranks beyond those in registers. */
START_TEST(test_edges) {
    static const lm_trial trials[] = {
        {.elem_size = 4, .dst = {2, 0, {{100, 132}, {132, 1}}}, .src = {2, 0, {{100, 1}, {132, 100}}}},
        {.elem_size = 4, .dst = {2, 0, {{77, 133}, {133, 1}}}, .src = {2, 76, {{77, -1}, {133, 77}}}},
        {.elem_size = 1, .dst = {2, 0, {{144, 304}, {304, 1}}}, .src = {2, 143, {{144, -1}, {304, 144}}}},
        {.elem_size = 2, .dst = {2, 5, {{72, 90}, {90, 1}}}, .src = {2, 3, {{72, 1}, {90, 72}}}},
        {.elem_size = 1, .dst = {2, 0, {{1000, 4}, {4, 1}}}, .src = {2, 0, {{1000, 1}, {4, 1000}}}},
        {.elem_size = 12, .dst = {2, 0, {{50, 70}, {70, 1}}}, .src = {2, 0, {{50, 1}, {70, 50}}}},
        {.elem_size = 3, .dst = {2, 0, {{50, 70}, {70, 1}}}, .src = {2, 0, {{50, 1}, {70, 50}}}},
        {.elem_size = 5, .dst = {2, 3, {{67, 141}, {140, 1}}}, .src = {2, 1, {{67, 1}, {140, 70}}}},
        {.elem_size = 6,
         .dst = {3, 0, {{3, 4000}, {33, 120}, {101, 1}}},
         .src = {3, 0, {{3, 1}, {33, 320}, {101, 3}}}},
        {.elem_size = 10, .dst = {2, 0, {{64, 96}, {96, 1}}}, .src = {2, 0, {{64, 1}, {96, 64}}}},
        {.elem_size = 24, .dst = {2, 0, {{50, 30}, {30, 1}}}, .src = {2, 0, {{50, 1}, {30, 50}}}},
        {.elem_size = 28, .dst = {2, 0, {{50, 70}, {70, 1}}}, .src = {2, 0, {{50, 1}, {70, 50}}}},
        {.elem_size = 1, .dst = {1, 3, {{5000, 1}}}, .src = {1, 5012, {{5000, -1}}}},
        {.elem_size = 8,
         .dst = {7, 0, {{3, 729}, {3, 243}, {3, 81}, {3, 27}, {3, 9}, {3, 3}, {3, 1}}},
         .src = {7, 0, {{3, 1}, {3, 3}, {3, 9}, {3, 27}, {3, 81}, {3, 243}, {3, 729}}}},
        {.elem_size = 4,
         .dst = {6, 0, {{3, 11664}, {4, 2916}, {3, 972}, {4, 162}, {6, 27}, {9, 1}}},
         .src = {6, 0, {{3, 9000}, {4, 20}, {3, 2500}, {4, 100}, {6, 410}, {9, 2}}}},
    };
    lm_bench_begin(widths[_i]);
    for (size_t k = 0; k < sizeof trials / sizeof *trials; k++) {
        try_all(&trials[k], 0, false, 3);
        try_all(&trials[k], 0, true, 1);
    }
    emulator_is_clean();
}
END_TEST

/* ---- what they touch ---------------------------------------------------------------------------------- */

typedef struct touched {
    hipemu_trace trace;
    lm_launch launch;
    lm_hip_params params;
} touched;

/* The first choice for a problem on this device. */
static void touch_on(const lm_device *device, const lm_trial *t, touched *out) {
    lm_hip_bench b;
    lm_bench_open(&b, t, 0);
    ck_assert_int_ge(lm_hip_propose(&b.problem, device, LMAD_ESTIMATE, &out->params, 1), 1);
    lm_hip_make(&b.problem, device, &out->params, b.align, &out->launch);
    lm_hip_estimate(device, b.align, &out->launch);
    const char *why = lm_bench_run(&b, &out->launch, &out->trace);
    if (why) fail_with(t, &out->params, why);
    lm_bench_close(&b);
}

static void touch(const lm_trial *t, touched *out) { touch_on(lm_bench_device, t, out); }

static double touched_ratio(const touched *t) { return lm_bench_ratio(t->trace.segments, t->trace.ideal); }

static double lds_ratio(const touched *t) { return lm_bench_ratio(t->trace.lds_cycles, t->trace.lds_ideal); }

static void check_estimate(const lm_trial *t, const touched *of) {
    const double ratio = lm_bench_ratio(of->launch.segments, of->trace.segments);
    char why[100];
    snprintf(why, sizeof why, "estimated %.3f of the traced segments", ratio);
    if (ratio < 0.9 || ratio > 1.1) fail_with(t, &of->params, why);
}

static void check_touched_on(const lm_device *device, const lm_trial *t, double most_segments,
                             double most_lds) {
    touched of;
    char why[160];
    touch_on(device, t, &of);
    check_estimate(t, &of);
    snprintf(why, sizeof why, "segments %.3f of the fewest, LDS cycles %.3f", touched_ratio(&of),
             lds_ratio(&of));
    if (touched_ratio(&of) > most_segments || lds_ratio(&of) > most_lds) fail_with(t, &of.params, why);
}

static void check_touched(const lm_trial *t, double most_segments, double most_lds) {
    check_touched_on(lm_bench_device, t, most_segments, most_lds);
}

START_TEST(test_rows) {
    static const lm_trial trials[] = {
        {.elem_size = 4, .dst = {1, 0, {{100000, 1}}}, .src = {1, 0, {{100000, 1}}}},
        {.elem_size = 4, .dst = {2, 0, {{64, 2048}, {2048, 1}}}, .src = {2, 1, {{64, 2049}, {2048, 1}}}},
        {.elem_size = 4, .dst = {2, 0, {{1000, 64}, {64, 1}}}, .src = {2, 1, {{1000, 65}, {64, 1}}}},
        {.elem_size = 4, .dst = {2, 0, {{16384, 4}, {4, 1}}}, .src = {2, 1, {{16384, 5}, {4, 1}}}},
        {.elem_size = 4,
         .dst = {3, 0, {{64, 1024}, {32, 32}, {32, 1}}},
         .src = {3, 1, {{64, 1056}, {32, 33}, {32, 1}}}},
        {.elem_size = 4, .dst = {2, 0, {{64, 1024}, {1024, 1}}}, .src = {2, 1023, {{64, 1024}, {1024, -1}}}},
        {.elem_size = 4, .dst = {2, 0, {{16384, 4}, {4, 1}}}, .src = {2, 3, {{16384, 4}, {4, -1}}}},
        {.elem_size = 1, .dst = {1, 0, {{65536, 1}}}, .src = {1, 65535, {{65536, -1}}}},
        {.elem_size = 8, .dst = {1, 0, {{65536, 1}}}, .src = {1, 65535, {{65536, -1}}}},
    };
    lm_bench_begin(widths[_i]);
    for (size_t k = 0; k < sizeof trials / sizeof *trials; k++) check_touched(&trials[k], 1.05, 1.1);
}
END_TEST

/* Elements of all sizes, on a device so small that few tiles are enough for it. */
START_TEST(test_transposes) {
    enum { ALL = 128, SOME = 300, EVERY = 9 };
    lm_bench_begin(widths[_i]);
    lm_device device = *lm_bench_device;
    device.units = 4;
    for (size_t size = 1; size <= SOME; size += size < ALL ? 1 : EVERY) {
        const int64_t n = size < 3 ? 512 : size < 16 ? 192 : 128, m = size < 3 ? 256 : size < 16 ? 128 : 64;
        const lm_trial square = {
            .elem_size = size, .dst = {2, 0, {{n, m}, {m, 1}}}, .src = {2, 0, {{n, 1}, {m, n}}}};
        const lm_trial batch = {.elem_size = size,
                                .dst = {3, 0, {{2, m * 128 + 64}, {128, m}, {m, 1}}},
                                .src = {3, 0, {{2, m * 128}, {128, 1}, {m, 128}}}};
        check_touched_on(&device, &square, 1.05, 1.1);
        check_touched_on(&device, &batch, 1.05, 1.1);
    }
}
END_TEST

/* Four rows or columns, and three: pixels to planes and back. */
START_TEST(test_narrow) {
    static const size_t sizes[] = {1, 2, 4, 8, 16};
    lm_bench_begin(widths[_i]);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int64_t few = 3; few <= 4; few++) {
            const int64_t n = 1 << 20 >> 2 * (k / 2);
            const lm_trial tall = {.elem_size = sizes[k],
                                   .dst = {2, 0, {{few, n}, {n, 1}}},
                                   .src = {2, 0, {{few, 1}, {n, few}}}};
            const lm_trial wide = {.elem_size = sizes[k],
                                   .dst = {2, 0, {{n, few}, {few, 1}}},
                                   .src = {2, 0, {{n, 1}, {few, n}}}};
            check_touched(&tall, 1.05, 1.1);
            check_touched(&wide, 1.05, 1.1);
        }
    }
}
END_TEST

/* The longest axis, of those that are dense on neither side if there is one with more than two indices. */
static int longest_axis(const lmad_desc *d, const lmad_desc *s) {
    int best = -1, dense = 0;
    for (int k = 0; k < d->rank; k++) {
        const bool inner = d->dim[k].stride == 1 || s->dim[k].stride == 1;
        if (!inner && d->dim[k].n > 2 && (best < 0 || d->dim[k].n > d->dim[best].n)) best = k;
        if (d->dim[k].n > d->dim[dense].n) dense = k;
    }
    return best < 0 ? dense : best;
}

static void make_dense(lmad_desc *d) {
    int64_t strides[LMAD_MAX_RANK];
    for (int k = 0; k < d->rank; k++) {
        strides[k] = 1;
        for (int j = 0; j < d->rank; j++)
            if (d->dim[j].stride < d->dim[k].stride) strides[k] *= d->dim[j].n;
    }
    for (int k = 0; k < d->rank; k++) d->dim[k].stride = strides[k];
}

/* Dense permutations with shorter axes: halved until the payload is small. */
static void shrink(lm_trial *t) {
    for (;;) {
        int64_t count = 1;
        for (int k = 0; k < t->dst.rank; k++) count *= t->dst.dim[k].n;
        if (count <= 1 << 17) break;
        const int axis = longest_axis(&t->dst, &t->src);
        t->dst.dim[axis].n = t->src.dim[axis].n = t->dst.dim[axis].n / 2;
    }
    make_dense(&t->dst);
    make_dense(&t->src);
}

START_TEST(test_permutations) {
    lm_cases cases = {0};
    char error[200];
    double log_sum = 0;
    int count = 0;
    lm_bench_begin(widths[_i]);
    ck_assert_msg(lm_cases_add_suite(&cases, "permutations", error, sizeof error) == 0, "%s", error);
    for (size_t k = 0; k<cases.count; k += lm_test_scale()> 1 ? 5 : 1) {
        lm_trial t = {
            .elem_size = cases.item[k].elem_size, .dst = cases.item[k].dst, .src = cases.item[k].src};
        touched of;
        shrink(&t);
        touch(&t, &of);
        check_estimate(&t, &of);
        log_sum += log(touched_ratio(&of));
        count++;
    }
    lm_cases_free(&cases);
    printf("permutations, warps of %d: segments %.3f of the fewest\n", widths[_i], exp(log_sum / count));
    ck_assert_double_le(exp(log_sum / count), 1.25);
}
END_TEST

/* The order of axes is what a copy is about: threads along the rows, or down the columns. */
START_TEST(test_stride_sort) {
    static const lm_trial slice = {
        .elem_size = 4, .dst = {2, 0, {{512, 512}, {512, 1}}}, .src = {2, 1, {{512, 513}, {512, 1}}}};
    touched sorted;
    lm_hip_bench b;
    hipemu_trace naive;
    lm_bench_begin(widths[_i]);
    touch(&slice, &sorted);
    lm_launch launch = sorted.launch;
    ck_assert_uint_eq(launch.args.rank, 2);
    launch.args.axis[0] = sorted.launch.args.axis[1];
    launch.args.axis[1] = sorted.launch.args.axis[0];
    lm_bench_open(&b, &slice, 0);
    ck_assert_ptr_null(lm_bench_run(&b, &launch, &naive));
    lm_bench_close(&b);
    const double gain = lm_bench_ratio(naive.segments, sorted.trace.segments);
    printf("slice_2d, warps of %d: %lld segments with threads down the columns, %lld sorted by stride: %.1f "
           "times fewer\n",
           widths[_i], (long long)(naive.segments[0] + naive.segments[1]),
           (long long)(sorted.trace.segments[0] + sorted.trace.segments[1]), gain);
    ck_assert_double_ge(gain, 7);
}
END_TEST

/* ---- candidates as text ------------------------------------------------------------------------------- */

START_TEST(test_text) {
    static const lm_trial t = {
        .elem_size = 4, .dst = {2, 0, {{64, 64}, {64, 1}}}, .src = {2, 0, {{64, 1}, {64, 64}}}};
    static const char *const wrong[] = {"", "hip-tile",
                                        "hip-tile word=16x16 tile=1x1 order=dst items=4 store=plain ",
                                        "hip-what word=16x16 tile=1x1 order=dst items=4 store=plain",
                                        "hip-tile word=016x16 tile=1x1 order=dst items=4 store=plain"};
    lm_hip_params params[LM_HIP_PROPOSALS], again;
    lm_problem p;
    lm_bench_begin(widths[0]);
    ck_assert_int_eq(lm_problem_make(&p, LM_OP_COPY, &t.dst, &t.src, t.elem_size, 1), LMAD_OK);
    const int count = lm_hip_propose(&p, lm_bench_device, LMAD_EXHAUSTIVE, params, LM_HIP_PROPOSALS);
    for (int k = 0; k < count; k++) {
        char text[128];
        lm_hip_params_format(text, sizeof text, &params[k]);
        ck_assert_msg(lm_hip_params_parse(&again, text), "%s", text);
        ck_assert(lm_hip_params_equal(&again, &params[k]));
    }
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        ck_assert(!lm_hip_params_parse(&again, wrong[k]));
    again = params[0];
    again.word[LM_DST] = 3;
    ck_assert(!lm_hip_allows(&p, lm_bench_device, &again));
}
END_TEST

Suite *lm_suite_hip_kernels(void) {
    Suite *s = suite_create("hip_kernels");
    TCase *c = tcase_create("hip_kernels");
    const int both = sizeof widths / sizeof *widths;
    tcase_set_timeout(c, 900);
    tcase_add_loop_test(c, test_random, 0, both);
    tcase_add_loop_test(c, test_edges, 0, both);
    tcase_add_loop_test(c, test_rows, 0, both);
    tcase_add_loop_test(c, test_transposes, 0, both);
    tcase_add_loop_test(c, test_narrow, 0, both);
    tcase_add_loop_test(c, test_permutations, 0, both);
    tcase_add_loop_test(c, test_stride_sort, 0, both);
    tcase_add_test(c, test_text);
    suite_add_tcase(s, c);
    return s;
}
