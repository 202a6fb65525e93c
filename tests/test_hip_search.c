/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches for copies between memory spaces: whatever may be chosen is right; what was measured is found
 * again, on devices of that kind alone; time limits hold. */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "hip_field.h"
#include "lib/device_planner.h"
#include "lib/timing.h"
#include "lmad-hip.h"
#include "wise.h"

static const hipemu *emu;

/* ---- problems: some of more than one chunk of the smallest size that is proposed --------------------- */

static const lm_trial trials[] = {
    {.elem_size = 4, .dst = {2, 0, {{400, 300}, {300, 1}}}, .src = {2, 0, {{400, 1}, {300, 400}}}},
    {.elem_size = 4, .dst = {2, 0, {{40000, 4}, {4, 1}}}, .src = {2, 1, {{40000, 5}, {4, 1}}}},
    {.elem_size = 4, .dst = {2, 0, {{40000, 5}, {3, 1}}}, .src = {2, 0, {{40000, 3}, {3, 1}}}},
    {.elem_size = 8, .dst = {2, 0, {{500, 100}, {100, 1}}}, .src = {2, 99, {{500, 100}, {100, -1}}}},
    {.elem_size = 2, .dst = {2, 0, {{300, 640}, {640, 1}}}, .src = {2, 0, {{300, 0}, {640, 1}}}},
    {.elem_size = 3,
     .dst = {3, 0, {{50, 1}, {60, 50}, {40, 3000}}},
     .src = {3, 0, {{50, 4200}, {60, 70}, {40, 1}}}},
    {.elem_size = 4,
     .dst = {3, 0, {{8, 32000}, {100, 300}, {256, 1}}},
     .src = {3, 0, {{8, 52000}, {100, 512}, {256, 1}}}},
    {.elem_size = 1, .dst = {1, 0, {{300001, 1}}}, .src = {1, 0, {{300001, 1}}}},
    {.elem_size = 16, .dst = {0, 0, {{0, 0}}}, .src = {0, 0, {{0, 0}}}},
    {.elem_size = 4, .dst = {2, 0, {{40, 30}, {30, 1}}}, .src = {2, 0, {{40, 1}, {30, 40}}}},
};
enum { TRIALS = sizeof trials / sizeof *trials };

/* The pairs of spaces; of two devices once with and once without access to each other. */
static const struct {
    lm_field_ends ends;
    bool peers;
} pairs[] = {{{0, LM_HOST, PAGEABLE}, true}, {{0, LM_HOST, PINNED}, true}, {{LM_HOST, 0, PAGEABLE}, true},
             {{LM_HOST, 0, PINNED}, true},   {{0, 1, DEVICE}, true},       {{1, 0, DEVICE}, false}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static void begin(int pair, int warp) {
    emu = lm_field_begin(2, warp, true);
    emu->set_peers(pairs[pair].peers);
}

static const lm_device *device_of(const lm_problem *p) {
    const lm_device *device;
    ck_assert_int_eq(lm_device_get(lm_problem_device(p), &device), LMAD_OK);
    return device;
}

/* ---- candidates -------------------------------------------------------------------------------------- */

typedef struct walk {
    lm_field field;
    int tried;
} walk;

static bool try_way(void *arg, const lm_device_way *way, double seconds) {
    static const lm_settings settings = {.threads = 2};
    walk *w = arg;
    lm_stage *stage;
    char name[256];
    lm_device_way_format(name, sizeof name, way);
    ck_assert_msg(way->kind == LM_WAY_STAGE, "%s", name);
    ck_assert_msg(seconds > 0, "%s takes %g s", name, seconds);
    if (lm_stage_make(&stage, &w->field.problem, NULL, &settings, &way->stage) != LMAD_OK)
        ck_abort_msg("%s: %s", name, lmad_error_detail());
    for (int again = 0; again < 2; again++) {
        lm_field_reset(&w->field);
        if (lm_stage_run(stage, w->field.d, w->field.s, NULL) != LMAD_OK)
            ck_abort_msg("%s: %s", name, lmad_error_detail());
        lm_field_good(lm_field_hip->hipStreamSynchronize(NULL));
        ck_assert_msg(lm_field_is_right(&w->field), "%s: wrong", name);
    }
    lm_stage_destroy(stage);
    w->tried++;
    return true;
}

START_TEST(every_candidate_is_right) {
    const lm_field_ends *e = &pairs[_i].ends;
    begin(_i, 64);
    for (int t = 0; t < TRIALS; t++) {
        walk w = {.tried = 0};
        lm_field_open(&w.field, &trials[t], e);
        lm_field_good(lm_field_hip->hipSetDevice(lm_problem_device(&w.field.problem)));
        lm_device_each(&w.field.problem, device_of(&w.field.problem), LMAD_EXHAUSTIVE, try_way, &w);
        ck_assert_int_ge(w.tried, 1);
        lm_field_close(&w.field);
    }
    emulator_is_clean();
}
END_TEST

/* ---- plans ------------------------------------------------------------------------------------------- */

static lmad_status plan(lmad_plan **p, lmad_ctx *ctx, const lm_trial *t, const lm_field_ends *e,
                        unsigned flags) {
    return lmad_plan_copy_hip(p, ctx, &t->dst, e->dst, &t->src, e->src, t->elem_size, flags);
}

/* Plan, execute, compare. */
static lmad_info try_plan(lmad_ctx *ctx, const lm_trial *t, const lm_field_ends *e, unsigned flags) {
    lm_field f;
    lmad_plan *p;
    lmad_info info = {.struct_size = sizeof info};
    lm_field_open(&f, t, e);
    lm_field_reset(&f);
    if (plan(&p, ctx, t, e, flags) != LMAD_OK) ck_abort_msg("%s", lmad_error_detail());
    ck_assert_int_eq(lmad_plan_info(p, &info), LMAD_OK);
    if (lmad_execute(p, f.d, f.s) != LMAD_OK) ck_abort_msg("%s", lmad_error_detail());
    ck_assert(lm_field_is_right(&f));
    lmad_plan_destroy(p);
    lm_field_close(&f);
    return info;
}

START_TEST(measured_plans_are_right) {
    const int pair = _i % PAIRS, effort = LMAD_MEASURE + _i / PAIRS;
    /* A search takes as long as it may; so a few problems do, and for the longest one a small one. */
    const int first = effort == LMAD_EXHAUSTIVE ? TRIALS - 1 : pair,
              step = effort == LMAD_MEASURE ? 3 : TRIALS;
    begin(pair, 64);
    lm_wise_clock(1); /* what a search may take is over as soon as it has enough for a verdict */
    for (int t = first; t < TRIALS; t += step) {
        lmad_ctx *ctx = lm_wise_ctx();
        const lmad_info info = try_plan(ctx, &trials[t], &pairs[pair].ends, (unsigned)effort);
        ck_assert_int_eq(info.source, LMAD_SOURCE_MEASURED);
        ck_assert_int_eq(info.effort, effort);
        ck_assert_int_ge(info.candidates, 1);
        ck_assert(info.measured_seconds > 0);
        lmad_ctx_destroy(ctx);
    }
    lm_wise_clock_end();
    emulator_is_clean();
}
END_TEST

/* ---- wisdom: written by one process, read by others -------------------------------------------------- */

static char file[] = "/tmp/lmad-wisdom-XXXXXX";
static int pair_now;

static lmad_ctx *reader(void) {
    lmad_ctx *ctx = lm_wise_ctx();
    ck_assert_int_eq(lmad_wisdom_import_file(ctx, file, NULL), LMAD_OK);
    return ctx;
}

static void write_it(void) {
    begin(pair_now, 64);
    lmad_ctx *ctx = lm_wise_ctx();
    for (int t = 0; t < 2; t++) try_plan(ctx, &trials[t], &pairs[pair_now].ends, LMAD_MEASURE);
    ck_assert_int_eq(lmad_wisdom_export_file(ctx, file), LMAD_OK);
    lmad_ctx_destroy(ctx);
}

/* Hit: the same problems; not hit: another one, and the same with the spaces exchanged. */
static void read_it(void) {
    const lm_field_ends *e = &pairs[pair_now].ends, turned = {e->src, e->dst, e->host};
    lmad_plan *p = NULL;
    begin(pair_now, 64);
    lmad_ctx *ctx = reader();
    for (int t = 0; t < 2; t++) {
        const lmad_info info = try_plan(ctx, &trials[t], e, LMAD_MEASURE | LMAD_WISDOM_ONLY);
        ck_assert_int_eq(info.source, LMAD_SOURCE_WISDOM);
        ck_assert_int_eq(info.effort, LMAD_MEASURE);
        ck_assert_int_eq(info.sibling, 0);
        ck_assert_int_eq(plan(&p, ctx, &trials[t], e, LMAD_PATIENT | LMAD_WISDOM_ONLY), LMAD_ERR_NO_WISDOM);
        /* Two devices are the same two the other way round. */
        const lmad_status other = plan(&p, ctx, &trials[t], &turned, LMAD_WISDOM_ONLY);
        ck_assert_int_eq(other, e->dst == LM_HOST || e->src == LM_HOST ? LMAD_ERR_NO_WISDOM : LMAD_OK);
        if (other == LMAD_OK) lmad_plan_destroy(p);
    }
    ck_assert_int_eq(plan(&p, ctx, &trials[2], e, LMAD_WISDOM_ONLY), LMAD_ERR_NO_WISDOM);
    lmad_ctx_destroy(ctx);
    emulator_is_clean();
}

static void read_on_another_kind(void) {
    lmad_plan *p = NULL;
    const lm_field_ends *e = &pairs[pair_now].ends;
    begin(pair_now, 32);
    lmad_ctx *ctx = reader();
    ck_assert_int_eq(plan(&p, ctx, &trials[0], e, LMAD_WISDOM_ONLY), LMAD_ERR_NO_WISDOM);
    ck_assert_int_eq(try_plan(ctx, &trials[0], e, LMAD_ESTIMATE).source, LMAD_SOURCE_ESTIMATED);
    lmad_ctx_destroy(ctx);
    emulator_is_clean();
}

START_TEST(wisdom_goes_through_files) {
    close(mkstemp(file));
    pair_now = _i;
    lm_in_child(write_it);
    lm_in_child(read_it);
    lm_in_child(read_on_another_kind);
    unlink(file);
}
END_TEST

/* ---- time limits ------------------------------------------------------------------------------------- */

START_TEST(no_time_is_enough_for_a_plan) {
    begin(_i, 64);
    lmad_ctx *ctx = lm_wise_ctx();
    lmad_ctx_set_time_limit(ctx, 0);
    for (unsigned effort = LMAD_MEASURE; effort <= LMAD_EXHAUSTIVE; effort++)
        ck_assert_int_eq(try_plan(ctx, &trials[1], &pairs[_i].ends, effort).source, LMAD_SOURCE_TIMED_OUT);
    char *text = lm_wise_text(ctx);
    ck_assert_int_eq(lm_wise_lines(text), 1); /* nothing is kept */
    free(text);
    lmad_ctx_destroy(ctx);
    emulator_is_clean();
}
END_TEST

/* Somebody else is timing, all the time that there is. */
static void *plan_meanwhile(void *arg) {
    lmad_ctx *ctx = lm_wise_ctx();
    lmad_ctx_set_time_limit(ctx, 0.05);
    *(lmad_info *)arg = try_plan(ctx, &trials[1], &pairs[0].ends, LMAD_PATIENT);
    lmad_ctx_destroy(ctx);
    return NULL;
}

START_TEST(searches_wait_for_their_turn) {
    lmad_info info;
    pthread_t other;
    begin(0, 64);
    ck_assert(lm_timing_take_turn(0));
    ck_assert_int_eq(pthread_create(&other, NULL, plan_meanwhile, &info), 0);
    pthread_join(other, NULL);
    lm_timing_leave_turn();
    ck_assert_int_eq(info.source, LMAD_SOURCE_TIMED_OUT);
    ck_assert_int_eq(info.candidates, 0);
    emulator_is_clean();
}
END_TEST

/* A device so slow that a few pieces of work take all the time that there is. */
static double dawdle(void *data, const hipemu_work *work) {
    const double seconds = 0.02;
    (void)work;
    lm_wise_pass(seconds);
    ++*(int *)data;
    return seconds * 1e9;
}

START_TEST(a_search_ends_in_the_middle) {
    int works = 0;
    lmad_plan *p;
    lmad_info info = {.struct_size = sizeof info};
    begin(_i, 64);
    lmad_ctx *ctx = lm_wise_ctx();
    lmad_ctx_set_time_limit(ctx, 0.2);
    ck_assert_int_eq(plan(&p, ctx, &trials[0], &pairs[_i].ends, LMAD_ESTIMATE), LMAD_OK); /* compiles */
    lmad_plan_destroy(p);
    emu->set_cost(dawdle, &works);
    lm_wise_clock(0);
    ck_assert_int_eq(plan(&p, ctx, &trials[0], &pairs[_i].ends, LMAD_EXHAUSTIVE), LMAD_OK);
    emu->set_cost(NULL, NULL);
    ck_assert_int_eq(lmad_plan_info(p, &info), LMAD_OK);
    ck_assert_int_eq(info.source, LMAD_SOURCE_TIMED_OUT);
    ck_assert_int_lt(works, 40); /* 10, and what was begun by then */
    lmad_plan_destroy(p);
    lmad_ctx_destroy(ctx);
    lm_wise_clock_end();
    emulator_is_clean();
}
END_TEST

Suite *lm_suite_hip_search(void) {
    Suite *suite = suite_create("hip_search");
    TCase *tc = tcase_create("search");
    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, every_candidate_is_right, 0, PAIRS);
    tcase_add_loop_test(tc, measured_plans_are_right, 0, 3 * PAIRS);
    tcase_add_loop_test(tc, wisdom_goes_through_files, 0, PAIRS);
    tcase_add_loop_test(tc, no_time_is_enough_for_a_plan, 0, PAIRS);
    tcase_add_test(tc, searches_wait_for_their_turn);
    tcase_add_loop_test(tc, a_search_ends_in_the_middle, 0, PAIRS);
    suite_add_tcase(suite, tc);
    return suite;
}
