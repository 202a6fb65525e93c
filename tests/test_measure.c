/* SPDX-License-Identifier: BSD-3-Clause */
/* Planning by measurement: scaled problems, the race, time limits, what plans say of themselves. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/candidate.h"
#include "lib/log.h"
#include "lib/scale.h"
#include "lib/search.h"
#include "lib/timing.h"
#include "rng.h"
#include "trial.h"
#include "wise.h"

Suite *lm_suite_measure(void);

/* ---- Scaling ---- */

enum { CAP = 1 << 20 };

static void check_scaled(const lm_problem *p, const lm_problem *s) {
    int64_t payload = s->run;
    ck_assert_int_le(s->dhi - s->dlo, CAP);
    ck_assert_int_le(s->shi - s->slo, CAP);
    ck_assert_int_ge(s->dlo, 0);
    ck_assert_int_ge(s->slo, 0);
    ck_assert_int_eq((s->dlo - p->dlo) % 4096, 0);
    ck_assert_int_eq((s->slo - p->slo) % 4096, 0);
    ck_assert_int_eq(s->rank, p->rank);
    for (int k = 0; k < p->rank; k++) {
        const lm_pdim *a = &p->dim[k], *b = &s->dim[k];
        payload *= b->n;
        ck_assert_int_ge(b->n, 1);
        ck_assert_int_le(b->n, a->n);
        ck_assert_int_eq((a->ds - b->ds) % (b->ds >= 16384 ? 4096 : 64), 0);
        ck_assert_int_eq((a->ss - b->ss) % (lm_magnitude(b->ss) >= 16384 ? 4096 : 64), 0);
        ck_assert_int_eq(a->ss > 0, b->ss > 0);
        ck_assert_int_le(lm_magnitude(b->ss), lm_magnitude(a->ss));
    }
    ck_assert_int_eq(payload, s->payload);
    ck_assert_int_eq(s->count * s->run, s->payload);
}

static const lm_trial large[] = {
    {.elem_size = 4, .dst = {2, 0, {{2048, 2048}, {2048, 1}}}, .src = {2, 0, {{2048, 1}, {2048, 2048}}}},
    {.elem_size = 4, .dst = {2, 3, {{3001, 2049}, {2049, 1}}}, .src = {2, 1, {{3001, 1}, {2049, 3001}}}},
    {.elem_size = 4, .dst = {2, 0, {{900000, 4}, {4, 1}}}, .src = {2, 7, {{900000, 5}, {4, 1}}}},
    {.elem_size = 1, .dst = {1, 5, {{9000001, 1}}}, .src = {1, 17, {{9000001, 1}}}},
    {.elem_size = 8, .dst = {2, 0, {{700, 1000}, {1000, 1}}}, .src = {2, 699999, {{700, -1000}, {1000, -1}}}},
    {.elem_size = 2,
     .dst = {2, 9999, {{900, 2000}, {1000, 2}}},
     .src = {2, 900999, {{900, -1}, {1000, 900}}}},
    {.elem_size = 4, .dst = {2, 0, {{1000, 1000}, {1000, 1}}}, .src = {2, 0, {{1000, 0}, {1000, 1}}}},
    {.elem_size = 4, .dst = {2, 0, {{1000, 1000}, {1000, 1}}}, .src = {2, 0, {{1000, 1}, {1000, 1}}}},
    {.elem_size = 4,
     .dst = {4, 0, {{33, 27225}, {33, 825}, {25, 33}, {33, 1}}},
     .src = {4, 0, {{33, 1}, {33, 33}, {25, 1089}, {33, 27225}}}},
    {.elem_size = 4,
     .dst = {3, 0, {{60, 6400}, {80, 80}, {80, 1}}},
     .src = {3, 0, {{60, 1000}, {80, 30}, {80, 1}}}}, /* overlapping windows */
    {.elem_size = 1 << 20, .dst = {2, 0, {{2, 100}, {3, 1}}}, .src = {2, 0, {{2, 1}, {3, 50}}}},
};

/* As far as caches and pages can tell. */
START_TEST(scaled_problems_are_like_the_whole) {
    const lm_trial *t = &large[_i];
    lm_problem p, s;
    ck_assert_int_eq(lm_problem_make(&p, LM_OP_COPY, &t->dst, &t->src, t->elem_size, 2), LMAD_OK);
    ck_assert_int_gt((p.dhi - p.dlo), CAP);
    lm_scale_problem(&p, CAP, &s);
    check_scaled(&p, &s);
    ck_assert_int_ge(s.payload, p.payload < CAP ? p.payload / 16 : CAP / 16);
}
END_TEST

START_TEST(small_problems_are_not_scaled) {
    const lm_trial *t = &large[0];
    lm_problem p, s;
    ck_assert_int_eq(lm_problem_make(&p, LM_OP_COPY, &t->dst, &t->src, t->elem_size, 2), LMAD_OK);
    lm_scale_problem(&p, 64 << 20, &s);
    ck_assert_int_eq(s.payload, p.payload);
    ck_assert_mem_eq(s.dim, p.dim, 2 * sizeof *s.dim);
}
END_TEST

/* No two places of the destination are one, however the axes lie. */
START_TEST(scaled_destinations_do_not_alias) {
    for (uint64_t i = 0; i < 300; i++) {
        lm_rng rng = {lm_mix(i)};
        lm_problem p = {.op = LM_OP_COPY, .threads = 1, .run = lm_rng_range(&rng, 1, 9), .rank = 3}, s;
        int64_t d = p.run;
        for (int k = 2; k >= 0; k--) {
            p.dim[k] = (lm_pdim){lm_rng_range(&rng, 2, 90), d + lm_rng_range(&rng, 0, 3) * 1000, p.run};
            d = p.dim[k].ds * p.dim[k].n;
        }
        p.dhi = p.run;
        for (int k = 0; k < 3; k++) p.dhi += (p.dim[k].n - 1) * p.dim[k].ds;
        lm_scale_problem(&p, 4096, &s);
        for (int k = 2, span = (int)s.run; k >= 0; k--) {
            if (s.dim[k].n == 1) continue;
            ck_assert_int_ge(s.dim[k].ds, span);
            span += (int)((s.dim[k].n - 1) * s.dim[k].ds);
        }
    }
}
END_TEST

/* ---- The race ---- */

/* Runners whose times are given. */
static void set_samples(lm_runner *r, int count, double base, double noise) {
    r->samples = count;
    r->out = false;
    for (int k = 0; k < count; k++) r->sample[k] = base * (1 + noise * ((k * 7 % 5) - 2) / 2);
}

START_TEST(the_leader_stands_unless_clearly_beaten) {
    static lm_runner r[2];
    set_samples(&r[0], 9, 1, 0);
    set_samples(&r[1], 9, 0.995, 0); /* within the least noise */
    ck_assert_int_eq(lm_timing_winner(r, 2), 0);
    set_samples(&r[1], 9, 0.9, 0);
    ck_assert_int_eq(lm_timing_winner(r, 2), 1);
    ck_assert_int_eq(lm_timing_second(r, 2, 1), 0);
    set_samples(&r[1], 9, 0.9, 0.5); /* wild: may be luck */
    ck_assert_int_eq(lm_timing_winner(r, 2), 0);
    set_samples(&r[1], 2, 0.5, 0); /* too few samples */
    ck_assert_int_eq(lm_timing_winner(r, 2), 0);
    set_samples(&r[1], 9, 0.5, 0);
    r[1].out = true;
    ck_assert_int_eq(lm_timing_winner(r, 2), 0);
}
END_TEST

/* Luck does not choose among runners that the noise does not tell apart. */
START_TEST(the_first_of_equals_wins) {
    static lm_runner r[4];
    set_samples(&r[0], 20, 1, 0);
    set_samples(&r[1], 20, 0.95, 0);
    set_samples(&r[2], 20, 0.905, 0); /* within the least noise of the fastest */
    set_samples(&r[3], 20, 0.9, 0);
    ck_assert_int_eq(lm_timing_winner(r, 4), 2);
    r[2].out = true;
    ck_assert_int_eq(lm_timing_winner(r, 4), 3);
    set_samples(&r[1], 20, 1.01, 0.9); /* may be as fast, but not as far as is known */
    ck_assert_int_eq(lm_timing_winner(r, 4), 3);
}
END_TEST

/* ---- Plans ---- */

START_TEST(candidates_have_one_spelling) {
    static const char *const good[] = {
        "transpose inner=1 outer=0 tile=256x64 order=dst store=stream threads=2",
        "rows inner=run outer=none tile=4096x1 order=src store=plain threads=1"};
    static const char *const bad[] = {
        "",
        "transpose",
        "transpose inner=1 outer=0 tile=256x64 order=dst store=stream",
        "transpose inner=01 outer=0 tile=256x64 order=dst store=stream threads=2",
        "transpose inner=1 outer=0 tile=256x64 order=dst store=stream threads=2 ",
        "transpose inner=1 outer=0 tile=-1x64 order=dst store=stream threads=2",
        "transpose inner=1 outer=0 tile=9999999999999999999x1 order=dst store=plain threads=1",
        "transpose inner=32 outer=0 tile=1x1 order=dst store=plain threads=1",
        "transpose inner=1 outer=0 tile=1x1 order=up store=plain threads=1",
        "transpose inner=1 outer=0 tile=1x1 order=dst store=plain threads=0",
        "fold inner=1 outer=0 tile=1x1 order=dst store=plain threads=1"};
    char text[256];
    lm_candidate c;
    for (int k = 0; k < 2; k++) {
        ck_assert(lm_candidate_parse(&c, good[k]));
        lm_candidate_format(text, sizeof text, c.kind, &c.params);
        ck_assert_str_eq(text, good[k]);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        ck_assert_msg(!lm_candidate_parse(&c, bad[k]), "%s", bad[k]);
}
END_TEST

static bool count_step(void *arg, const lm_step *step) {
    (void)step;
    ++*(int *)arg;
    return true;
}

/* Permutations of rank 3 and more have something to search. */
START_TEST(there_is_a_choice) {
    static const int perm[][4] = {{3, 2, 1, 0}, {1, 0, 2, 3}, {2, 0, 1, 3}, {0, 2, 1, 3}, {0, 3, 2, 1}};
    const int64_t n[4] = {20, 30, 40, 50};
    for (size_t k = 0; k < sizeof perm / sizeof *perm; k++) {
        lmad_desc s, d;
        int64_t shape[4];
        int count = 0;
        lm_problem p;
        ck_assert_int_eq(lmad_row_major(&s, 4, n), LMAD_OK);
        ck_assert_int_eq(lmad_permute(&s, perm[k]), LMAD_OK);
        for (int i = 0; i < 4; i++) shape[i] = s.dim[i].n;
        ck_assert_int_eq(lmad_row_major(&d, 4, shape), LMAD_OK);
        ck_assert_int_eq(lm_problem_make(&p, LM_OP_COPY, &d, &s, 4, 1), LMAD_OK);
        lm_planner_each(&p, LMAD_EXHAUSTIVE, count_step, &count);
        ck_assert_msg(count >= 50, "permutation %zu: %d candidates", k, count);
    }
}
END_TEST

START_TEST(measured_plans_say_so) {
    char text[4096];
    lmad_plan *p;
    lmad_ctx *ctx = lm_wise_ctx();
    for (unsigned effort = LMAD_MEASURE; effort <= LMAD_EXHAUSTIVE; effort++) {
        ck_assert_int_eq(lm_wise_make(&p, ctx, 130, 110, effort | LMAD_SERIAL), LMAD_OK);
        lmad_info info = {.struct_size = sizeof info};
        ck_assert_int_eq(lmad_plan_info(p, &info), LMAD_OK);
        ck_assert_int_eq(info.source, LMAD_SOURCE_MEASURED);
        ck_assert_int_eq(info.effort, (int)effort);
        ck_assert(info.measured_seconds > 0 && info.measured_seconds < 0.1);
        ck_assert(info.predicted_seconds > 0);
        lmad_plan_explain(p, text, sizeof text);
        ck_assert_ptr_nonnull(strstr(text, "choice: measured"));
        lmad_plan_destroy(p);
    }
    ck_assert_int_eq(lm_wise_make(&p, ctx, 130, 110, LMAD_SERIAL), LMAD_OK);
    lmad_plan_explain(p, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "choice: from wisdom (effort exhaustive)"));
    ck_assert_ptr_nonnull(strstr(text, "\n* "));
    lmad_plan_destroy(p);
    lmad_ctx_destroy(ctx);
}
END_TEST

/* A move through scratch memory has two steps, each with its own choice. */
START_TEST(moves_and_fills_are_measured) {
    lmad_ctx *ctx = lm_wise_ctx();
    lmad_desc d = {3, 0, {{20, 1200}, {30, 40}, {40, 1}}}, s = {3, 0, {{20, 1}, {30, 20}, {40, 600}}};
    lmad_plan *p;
    lmad_info info = {.struct_size = sizeof info};
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(lmad_plan_move(&p, ctx, &d, &s, 4, LMAD_MEASURE | LMAD_SERIAL), LMAD_OK);
        ck_assert_int_eq(lmad_plan_info(p, &info), LMAD_OK);
        ck_assert_int_eq(info.source, k ? LMAD_SOURCE_WISDOM : LMAD_SOURCE_MEASURED);
        ck_assert(info.measured_seconds > 0);
        lmad_plan_destroy(p);
        ck_assert_int_eq(lmad_plan_fill(&p, ctx, &s, 3, LMAD_MEASURE | LMAD_SERIAL), LMAD_OK);
        ck_assert_int_eq(lmad_plan_info(p, &info), LMAD_OK);
        ck_assert_int_eq(info.source, k ? LMAD_SOURCE_WISDOM : LMAD_SOURCE_MEASURED);
        lmad_plan_destroy(p);
    }
    lmad_ctx_destroy(ctx);
}
END_TEST

/* A search looks at the clock before all that takes long; few looks after the limit it has ended. */
START_TEST(time_limits_hold) {
    enum { LOOKS = 8 };
    lmad_ctx *ctx = lm_wise_ctx();
    /* A look takes longer than the shortest sample, so that no sample is repeated until it is long enough. */
    static const double limit[] = {0, 1e-3, 0.05, 0.2}, tick = 1e-3;
    lm_wise_clock(tick);
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(lmad_ctx_set_time_limit(ctx, limit[k]), LMAD_OK);
        const double before = lm_wise_seconds();
        const lmad_info info = lm_wise_plan(ctx, 4096, 4096, LMAD_EXHAUSTIVE | LMAD_SERIAL);
        const double taken = lm_wise_seconds() - before;
        ck_assert_int_eq(info.source, LMAD_SOURCE_TIMED_OUT);
        ck_assert_msg(taken < limit[k] + LOOKS * tick, "%g s with a limit of %g s", taken, limit[k]);
    }
    ck_assert_int_eq(lm_wise_status(ctx, 4096, 4096, LMAD_WISDOM_ONLY | LMAD_SERIAL), LMAD_ERR_NO_WISDOM);
    lm_wise_clock_end();
    lmad_ctx_destroy(ctx);
}
END_TEST

static void keep_note(void *data, const char *line) { strncat(data, line, 400); }

START_TEST(notes_go_to_the_caller) {
    char notes[2000] = "";
    lmad_ctx *ctx = lm_wise_ctx();
    ck_assert_int_eq(lmad_ctx_set_log(ctx, keep_note, notes), LMAD_OK);
    lm_wise_plan(ctx, 30, 20, LMAD_MEASURE | LMAD_SERIAL);
    ck_assert_ptr_nonnull(strstr(notes, "measure ("));
    notes[0] = '\0';
    lm_wise_plan(ctx, 30, 20, LMAD_SERIAL);
    ck_assert_str_eq(notes, "");
    lmad_ctx_destroy(ctx);
}
END_TEST

Suite *lm_suite_measure(void) {
    Suite *s = suite_create("measure");
    TCase *tc = tcase_create("measure");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, scaled_problems_are_like_the_whole, 0, sizeof large / sizeof *large);
    tcase_add_test(tc, small_problems_are_not_scaled);
    tcase_add_test(tc, scaled_destinations_do_not_alias);
    tcase_add_test(tc, the_leader_stands_unless_clearly_beaten);
    tcase_add_test(tc, the_first_of_equals_wins);
    tcase_add_test(tc, candidates_have_one_spelling);
    tcase_add_test(tc, there_is_a_choice);
    tcase_add_test(tc, measured_plans_say_so);
    tcase_add_test(tc, moves_and_fills_are_measured);
    tcase_add_test(tc, time_limits_hold);
    tcase_add_test(tc, notes_go_to_the_caller);
    suite_add_tcase(s, tc);
    return s;
}
