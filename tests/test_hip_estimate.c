/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory segments and LDS cycles that the planner predicts, against those that the emulated run time
 * counts, on random small and middling problems: any element size, odd strides, axes that run backwards,
 * tiles that are not full. And how many conflicts layouts in LDS leave to such problems. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hip_bench.h"
#include "plans/hip.h"
#include "rng.h"
#include "tune/suites.h"

static const int widths[] = {32, 64};

/* ---- problems ---------------------------------------------------------------------------------------- */

/* A dense view in some order of axes, but for gaps; some axes run backwards. */
static void any_view(lm_rng *rng, lmad_desc *d, const int64_t *n, int rank, bool backwards) {
    int order[5];
    int64_t stride = 1;
    d->rank = rank;
    d->offset = lm_rng_range(rng, 0, 3);
    lm_rng_shuffle(rng, rank, order);
    for (int k = 0; k < rank; k++) {
        lmad_dim *dim = &d->dim[order[k]];
        *dim = (lmad_dim){n[order[k]], stride};
        stride = stride * dim->n + (lm_rng_chance(rng, 3) ? lm_rng_range(rng, 1, 5) : 0);
        if (!backwards || !lm_rng_chance(rng, 4)) continue;
        d->offset += (dim->n - 1) * dim->stride;
        dim->stride = -dim->stride;
    }
}

static void any_problem(lm_rng *rng, lm_trial *t) {
    static const size_t sizes[] = {1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13, 16, 20, 24};
    enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 1 << 17 };
    const int rank = (int)lm_rng_range(rng, 1, 5);
    int64_t n[5], room = lm_rng_range(rng, 2, MOST);
    for (int k = 0; k < rank; k++) {
        const int64_t even = (int64_t)pow((double)room, 1.0 / (rank - k)),
                      most = 3 * even < room ? 3 * even : room;
        n[k] = lm_rng_chance(rng, 4) ? lm_rng_range(rng, 1, most < 5 ? most : 5) : lm_rng_range(rng, 1, most);
        room = room / n[k] > 0 ? room / n[k] : 1;
    }
    *t = (lm_trial){.elem_size = sizes[lm_rng_range(rng, 0, SIZES - 1)]};
    any_view(rng, &t->dst, n, rank, false);
    any_view(rng, &t->src, n, rank, true);
}

/* ---- the estimate -------------------------------------------------------------------------------------- */

/* Warps of a side, with those that have nothing to do. */
static int64_t warps_of(const lm_launch *l, int side) {
    const int64_t wave = lm_bench_device->wave;
    if (l->variant.kernel == LM_HIP_COPY) return ((int64_t)l->args.words + wave - 1) / wave;
    return l->args.tiles * ((lm_hip_items(l, side) + wave - 1) / wave);
}

/* Where a side has no more warps than are looked at, each of them is: the estimate is what happens. Else it
 * is within a tenth. */
static void check(const lm_trial *t, const lm_hip_params *params, const lm_launch *l,
                  const hipemu_trace *trace) {
    enum { ALL = 1024 };
    for (int side = LM_DST; side <= LM_SRC; side++) {
        const int64_t counted = trace->segments[side == LM_DST], warps = warps_of(l, side),
                      slack = warps <= ALL ? 0 : counted / 10;
        char text[1024], way[128];
        if (llabs(l->segments[side] - counted) <= slack) continue;
        lm_trial_format(text, sizeof text, t);
        lm_hip_params_format(way, sizeof way, params);
        ck_abort_msg("%s: %s: %lld segments of side %d, %lld predicted, by %lld warps", text, way,
                     (long long)counted, side, (long long)l->segments[side], (long long)warps);
    }
}

/* Are all accesses of LDS looked at? Warps of a tile are where there are up to four, and so are accesses of
 * an item. */
static bool all_banks_counted(const lm_launch *l) {
    enum { ALL = 4 };
    const lm_variant *v = &l->variant;
    if ((v->kernel != LM_HIP_TILE && v->kernel != LM_HIP_BLOCK) || lm_hip_turn_of(v) == LM_TURN_TWICE)
        return false;
    for (int side = LM_DST; side <= LM_SRC; side++)
        if (l->args.view[side].items > (lm_u32)(ALL * lm_bench_device->wave) || v->word[side] > ALL * v->unit)
            return false;
    return true;
}

/* Where not, the estimate is within a third. Returns whether they are. */
static bool check_banks(const lm_trial *t, const lm_launch *l, int64_t counted) {
    const bool all = all_banks_counted(l);
    char text[1024];
    lm_trial_format(text, sizeof text, t);
    ck_assert_msg(llabs(l->lds_cycles - counted) <= (all ? 0 : counted / 3),
                  "%s: %lld LDS cycles, %lld predicted", text, (long long)counted, (long long)l->lds_cycles);
    return all;
}

START_TEST(test_segments) {
    enum { PROBLEMS = 100, CANDIDATES = 2 };
    lm_rng rng = {lm_test_seed()};
    int64_t lds[2] = {0, 0}; /* cycles predicted, and counted */
    int exact = 0;
    lm_bench_begin(widths[_i]);
    for (int k = 0; k < PROBLEMS; k++) {
        lm_hip_params params[LM_HIP_PROPOSALS];
        lm_hip_bench b;
        lm_trial t;
        any_problem(&rng, &t);
        lm_bench_open(&b, &t, lm_rng_chance(&rng, 5) ? 1u << lm_rng_range(&rng, 0, 3) : 0);
        const int count = lm_hip_propose(&b.problem, lm_bench_device, LMAD_ESTIMATE, params, CANDIDATES);
        for (int c = 0; c < count; c++) {
            lm_launch launch;
            hipemu_trace trace;
            lm_hip_make(&b.problem, lm_bench_device, &params[c], b.align, &launch);
            lm_hip_estimate(lm_bench_device, b.align, &launch);
            ck_assert_ptr_null(lm_bench_run(&b, &launch, &trace));
            check(&t, &params[c], &launch, &trace);
            const int64_t cycles = trace.lds_cycles[0] + trace.lds_cycles[1];
            exact += check_banks(&t, &launch, cycles);
            lds[0] += launch.lds_cycles;
            lds[1] += cycles;
        }
        lm_bench_close(&b);
    }
    ck_assert_int_gt(exact, 0);
    ck_assert_int_gt(lds[1], 0);
    ck_assert_msg(llabs(lds[0] - lds[1]) <= lds[1] / 10, "%lld LDS cycles, %lld predicted", (long long)lds[1],
                  (long long)lds[0]);
    emulator_is_clean();
}
END_TEST

/* ---- conflicts ----------------------------------------------------------------------------------------- */

/* First choices for problems: those that go through LDS, those of them that conflicts hinder, the cycles of all. */
typedef struct survey {
    int through, over;
    int64_t taken, ideal;
} survey;

static const double hindered = 1.1;

static void look_at(survey *s, const lm_trial *t) {
    lm_hip_params params;
    lm_problem p;
    lm_launch l;
    ck_assert_int_eq(lm_problem_make(&p, LM_OP_COPY, &t->dst, &t->src, t->elem_size, 1), LMAD_OK);
    lm_hip_propose(&p, lm_bench_device, LMAD_ESTIMATE, &params, 1);
    ck_assert(lm_hip_allows(&p, lm_bench_device, &params));
    lm_hip_make(&p, lm_bench_device, &params, 16, &l);
    lm_hip_estimate(lm_bench_device, 16, &l);
    s->through += l.lds_ideal > 0;
    s->over += (double)l.lds_cycles > hindered * (double)l.lds_ideal;
    s->taken += l.lds_cycles;
    s->ideal += l.lds_ideal;
}

static void check_survey(const survey *s, const char *what, int problems, int most_percent, double most) {
    printf(
        "%s, warps of %d: %d of %d go through LDS, %d of them take more than %.1f of the cycles without conflicts, "
        "all of them %.3f\n",
        what, lm_bench_device->wave, s->through, problems, s->over, hindered,
        (double)s->taken / (double)s->ideal);
    ck_assert_int_ge(s->through, problems / 4);
    ck_assert_int_le(100 * s->over, s->through * most_percent);
    ck_assert_double_le((double)s->taken, most * (double)s->ideal);
}

/* The same problems each time: what holds for all but a few of them is a matter of how they are chosen.
 * (Seeds 1000003 and 500000000 stay within the bounds, too.) */
START_TEST(test_conflicts) {
    enum { PROBLEMS = 1000, MOST = 6 };
    lm_rng rng = {1};
    survey s = {0};
    lm_bench_begin(widths[_i]);
    for (int k = 0; k < PROBLEMS; k++) {
        lm_trial t;
        any_problem(&rng, &t);
        look_at(&s, &t);
    }
    check_survey(&s, "random problems", PROBLEMS, MOST, 1.02);
}
END_TEST

/* A few elements that are dense on one side, and far apart on the other: pixels to planes, and back. */
static void narrow_problem(int64_t few, int64_t size, bool back, lm_trial *t) {
    enum { BYTES = 1 << 20, WHOLE = 16 };
    const int64_t n = BYTES / (few * size) / WHOLE * WHOLE;
    const lmad_desc planes = {2, 0, {{few, n}, {n, 1}}}, pixels = {2, 0, {{few, 1}, {n, few}}};
    *t = (lm_trial){.elem_size = (size_t)size, .dst = back ? pixels : planes, .src = back ? planes : pixels};
}

START_TEST(test_narrow_conflicts) {
    enum { FEW = 19, SIZES = 64, EVERY = 11, MOST = 12 };
    survey s = {0};
    int count = 0;
    lm_bench_begin(widths[_i]);
    for (int k = 0; k < 2 * FEW * SIZES; k += EVERY, count++) {
        lm_trial t;
        narrow_problem(2 + k / 2 % FEW, 1 + k / 2 / FEW, k % 2, &t);
        look_at(&s, &t);
    }
    check_survey(&s, "narrow sides", count, MOST, 1.1);
}
END_TEST

/* Copies of the built-in suites, as large as they are. */
START_TEST(test_suites_conflicts) {
    survey s = {0};
    int count = 0;
    lm_bench_begin(widths[_i]);
    for (const lm_suite *suite = lm_suites; suite->name; suite++) {
        lm_cases cases = {0};
        char error[256];
        ck_assert_int_eq(lm_cases_add_suite(&cases, suite->name, error, sizeof error), 0);
        for (size_t k = 0; k < cases.count; k++) {
            const lm_case *c = &cases.item[k];
            const lm_trial t = {.elem_size = c->elem_size, .dst = c->dst, .src = c->src};
            if (c->op != LM_OP_COPY) continue;
            look_at(&s, &t);
            count++;
        }
        lm_cases_free(&cases);
    }
    check_survey(&s, "suites", count, 0, 1.05);
}
END_TEST

Suite *lm_suite_hip_estimate(void) {
    Suite *s = suite_create("hip_estimate");
    TCase *c = tcase_create("hip_estimate");
    tcase_set_timeout(c, 900);
    tcase_add_loop_test(c, test_segments, 0, sizeof widths / sizeof *widths);
    tcase_add_loop_test(c, test_conflicts, 0, sizeof widths / sizeof *widths);
    tcase_add_loop_test(c, test_narrow_conflicts, 0, sizeof widths / sizeof *widths);
    tcase_add_loop_test(c, test_suites_conflicts, 0, sizeof widths / sizeof *widths);
    suite_add_tcase(s, c);
    return s;
}
