/* SPDX-License-Identifier: BSD-3-Clause */
/* Long elements on the emulated run time, as rows through LDS: random problems of up to five axes, which run backwards or
 * have gaps, as the case may be. They are copied right; no two threads want different words of one bank; and what is
 * predicted is what is counted. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "hip_bench.h"
#include "plans/hip.h"
#include "rng.h"

static const int widths[] = {32, 64};

enum { MOST_RANK = 5 };

/* ---- problems ---------------------------------------------------------------------------------------- */

/* In some order of axes, with rows that are multiples of a few elements, so that words have several bytes. */
static void any_view(lm_rng *rng, lmad_desc *d, const int64_t *n, int rank, bool backwards) {
    int order[MOST_RANK];
    const int64_t multiple = INT64_C(1) << lm_rng_range(rng, 2, 4);
    int64_t stride = 1;
    d->rank = rank;
    d->offset = multiple * lm_rng_range(rng, 0, 2);
    lm_rng_shuffle(rng, rank, order);
    for (int k = 0; k < rank; k++) {
        lmad_dim *dim = &d->dim[order[k]];
        *dim = (lmad_dim){n[order[k]], stride};
        stride *= dim->n;
        if (lm_rng_chance(rng, 2)) stride = (stride + multiple - 1) / multiple * multiple;
        if (!backwards || !lm_rng_chance(rng, 3)) continue;
        d->offset += (dim->n - 1) * dim->stride;
        dim->stride = -dim->stride;
    }
}

/* Mostly even extents. */
static void any_problem(lm_rng *rng, lm_trial *t, int64_t most_bytes) {
    const int rank = (int)lm_rng_range(rng, 2, MOST_RANK);
    int64_t n[MOST_RANK], room;
    *t = (lm_trial){.elem_size = (size_t)lm_rng_range(rng, 9, lm_rng_chance(rng, 4) ? 700 : 80)};
    room = most_bytes / (int64_t)t->elem_size;
    for (int k = 0; k < rank; k++) {
        const int64_t even = lm_rng_chance(rng, 3) ? 1 : INT64_C(1) << lm_rng_range(rng, 1, 4),
                      most = room / even < 1           ? 1
                             : room / even < 80 / even ? room / even
                                                       : 80 / even;
        n[k] = lm_rng_range(rng, 1, most) * (room < even ? 1 : even);
        room = room / n[k] > 0 ? room / n[k] : 1;
    }
    any_view(rng, &t->dst, n, rank, false);
    any_view(rng, &t->src, n, rank, true);
}

/* ---- tests -------------------------------------------------------------------------------------------- */

static void fail_with(const lm_trial *t, const lm_launch *l, const char *why) {
    char text[1024], options[256];
    lm_trial_format(text, sizeof text, t);
    lm_variant_options(&l->variant, options, sizeof options);
    ck_abort_msg("%s: %s: %s", text, options, why);
}

/* Are all rows of the destination alike where segments are concerned? */
static bool is_even(const lm_problem *p) {
    enum { SEGMENT = 64 };
    int64_t bits = p->doff;
    for (int k = 0; k < p->rank; k++) bits |= p->dim[k].n > 1 ? p->dim[k].ds : 0;
    return bits % SEGMENT == 0;
}

static bool all_warps_counted(const lm_launch *l, int side) {
    enum { ALL = 1024 };
    const int64_t wave = lm_bench_device->wave;
    return l->args.tiles * ((lm_hip_items(l, side) + wave - 1) / wave) <= ALL;
}

static void check_counts(const lm_trial *t, const lm_problem *p, const lm_launch *l,
                         const hipemu_trace *trace) {
    const int64_t cycles = trace->lds_cycles[0] + trace->lds_cycles[1];
    char why[160];
    snprintf(why, sizeof why,
             "%lld and %lld segments, %lld and %lld predicted; %lld LDS cycles of %lld, %lld",
             (long long)trace->segments[1], (long long)trace->segments[0], (long long)l->segments[LM_DST],
             (long long)l->segments[LM_SRC], (long long)cycles,
             (long long)(trace->lds_ideal[0] + trace->lds_ideal[1]), (long long)l->lds_cycles);
    if (cycles != trace->lds_ideal[0] + trace->lds_ideal[1]) fail_with(t, l, why);
    if (llabs(cycles - l->lds_cycles) > (is_even(p) ? 0 : cycles / 5)) fail_with(t, l, why);
    for (int side = LM_DST; side <= LM_SRC; side++) {
        const int64_t counted = trace->segments[side == LM_DST];
        const int64_t slack = all_warps_counted(l, side) ? 0 : counted / 10;
        if (llabs(counted - l->segments[side]) > slack) fail_with(t, l, why);
    }
}

/* Returns whether the candidate is one of the kernel. */
static bool try_one(lm_hip_bench *b, const lm_trial *t, const lm_hip_params *params, bool wide) {
    lm_device narrow = *lm_bench_device;
    lm_launch launch;
    hipemu_trace trace;
    narrow.max_grid[0] = 3;
    lm_hip_make(&b->problem, wide ? &narrow : lm_bench_device, params, b->align, &launch);
    if (launch.variant.kernel != LM_HIP_FUNNEL) return false;
    if (wide) launch.variant.index = 64;
    launch.variant.stream = false; /* a hint, nothing else */
    lm_hip_estimate(lm_bench_device, b->align, &launch);
    const char *why = lm_bench_run(b, &launch, &trace);
    if (why) fail_with(t, &launch, why);
    check_counts(t, &b->problem, &launch, &trace);
    return true;
}

START_TEST(test_random) {
    enum { PROBLEMS = 400, MOST = 1 << 18, PARTS = 20 };
    lm_rng rng = {lm_test_seed()};
    int tried = 0;
    lm_bench_begin(widths[_i]);
    for (int k = 0; k < PROBLEMS; k++) {
        lm_hip_params params[LM_HIP_PROPOSALS];
        lm_hip_bench b;
        lm_trial t;
        any_problem(&rng, &t, MOST);
        if (k % ((lm_test_scale() + PARTS - 1) / PARTS)) continue;
        lm_bench_open(&b, &t, lm_rng_chance(&rng, 4) ? 1u << lm_rng_range(&rng, 0, 3) : 0);
        const int count = b.problem.count == 0 ? 0
                                               : lm_hip_propose(&b.problem, lm_bench_device, LMAD_EXHAUSTIVE,
                                                                params, LM_HIP_PROPOSALS);
        const bool wide = lm_rng_chance(&rng, 4);
        for (int c = 0; c < count; c++)
            if (params[c].kernel == LM_HIP_FUNNEL) tried += try_one(&b, &t, &params[c], wide);
        lm_bench_close(&b);
    }
    ck_assert_int_gt(tried, PROBLEMS / 10);
    emulator_is_clean();
}
END_TEST

Suite *lm_suite_hip_funnel(void) {
    Suite *s = suite_create("hip_funnel");
    TCase *c = tcase_create("hip_funnel");
    tcase_set_timeout(c, 900);
    tcase_add_loop_test(c, test_random, 0, sizeof widths / sizeof *widths);
    suite_add_tcase(s, c);
    return s;
}
