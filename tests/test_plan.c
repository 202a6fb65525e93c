/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans: what the planner chooses and says of it, and what of the context and the flags goes in. */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/planner.h"
#include "oracle.h"
#include "pool.h"
#include "rng.h"
#include "trial.h"

static lmad_desc dense2(int64_t rows, int64_t columns) {
    return (lmad_desc){2, 0, {{rows, columns}, {columns, 1}}};
}

static lmad_desc turned2(int64_t rows, int64_t columns) {
    return (lmad_desc){2, 0, {{rows, 1}, {columns, rows}}};
}

static lmad_plan *plan_copy(lmad_ctx *ctx, lmad_desc dst, lmad_desc src, size_t elem_size, unsigned flags) {
    lmad_plan *p = NULL;
    if (lmad_plan_copy(&p, ctx, &dst, &src, elem_size, flags) != LMAD_OK || !p)
        ck_abort_msg("no plan: %s", lmad_error_detail());
    return p;
}

static lmad_info info_of(const lmad_plan *p) {
    lmad_info info = {.struct_size = sizeof info};
    ck_assert_int_eq(lmad_plan_info(p, &info), LMAD_OK);
    return info;
}

/* Plan, look, destroy. */
static lmad_info info_copy(lmad_ctx *ctx, lmad_desc dst, lmad_desc src, size_t elem_size, unsigned flags) {
    lmad_plan *p = plan_copy(ctx, dst, src, elem_size, flags);
    lmad_info info = info_of(p);
    lmad_plan_destroy(p);
    return info;
}

static void describe_copy(char *text, size_t size, lmad_desc dst, lmad_desc src, size_t elem_size) {
    lmad_plan *p = plan_copy(NULL, dst, src, elem_size, LMAD_ESTIMATE);
    ck_assert_int_gt(lmad_plan_describe(p, text, size), 0);
    lmad_plan_destroy(p);
}

/* ---- Kinds ---- */

START_TEST(nothing_to_do_is_nop) {
    lmad_info info = info_copy(NULL, dense2(0, 5), dense2(0, 5), 4, 0);
    ck_assert_str_eq(info.kind, "nop");
    ck_assert_int_eq(info.payload_bytes, 0);
    ck_assert_int_eq(info.threads, 1);
}
END_TEST

/* Contiguous on both sides under whatever description. */
START_TEST(contiguous_is_memcpy) {
    lmad_desc back = {2, 11, {{3, -4}, {4, -1}}};
    ck_assert_str_eq(info_copy(NULL, dense2(3, 4), dense2(3, 4), 4, 0).kind, "memcpy");
    ck_assert_str_eq(info_copy(NULL, turned2(300, 40), turned2(300, 40), 1, 0).kind, "memcpy");
    ck_assert_str_eq(info_copy(NULL, back, back, 12, 0).kind, "memcpy");
    ck_assert_str_eq(info_copy(NULL, (lmad_desc){0}, (lmad_desc){0}, 7, 0).kind, "memcpy");
}
END_TEST

START_TEST(the_rest_is_not_memcpy) {
    lmad_desc reversed = {2, 39999, {{200, -200}, {200, -1}}}, wide = {2, 0, {{200, 230}, {200, 1}}};
    lmad_desc rows[] = {turned2(200, 200), reversed, wide};
    for (int i = 0; i < 3; i++) {
        const char *kind = info_copy(NULL, dense2(200, 200), rows[i], 4, 0).kind;
        ck_assert_str_ne(kind, "memcpy");
        ck_assert_str_ne(kind, "nop");
    }
}
END_TEST

/* A batched transpose is the transpose kind whatever its batch axes look like. */
START_TEST(transposes_are_recognised) {
    lmad_desc dst = {4, 0, {{3, 900000}, {300, 2800}, {2, 1300}, {400, 3}}};
    lmad_desc src = {4, 0, {{3, 300000}, {300, 1}, {2, 150000}, {400, 330}}};
    ck_assert_ptr_nonnull(
        strstr(info_copy(NULL, dense2(512, 512), turned2(512, 512), 4, 0).kind, "transpose"));
    dst.dim[3].stride = 1;
    ck_assert_ptr_nonnull(strstr(info_copy(NULL, dst, src, 4, 0).kind, "transpose"));
}
END_TEST

/* ---- Describe, explain ---- */

static int parentheses(const char *text) {
    int depth = 0;
    for (; *text; text++) {
        depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
        if (depth < 0) return -1;
    }
    return depth;
}

START_TEST(describe_is_an_s_expression) {
    char text[600];
    lmad_desc d = dense2(64, 64), s = turned2(64, 64);
    lmad_plan *p[3];
    static const char *const starts[] = {"(copy ", "(move ", "(fill "};
    ck_assert_int_eq(lmad_plan_copy(&p[0], NULL, &d, &s, 4, 0), LMAD_OK);
    ck_assert_int_eq(lmad_plan_move(&p[1], NULL, &d, &s, 4, 0), LMAD_OK);
    ck_assert_int_eq(lmad_plan_fill(&p[2], NULL, &d, 4, 0), LMAD_OK);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(lmad_plan_describe(p[i], text, sizeof text), (int)strlen(text));
        ck_assert_msg(!strncmp(text, starts[i], strlen(starts[i])), "%s", text);
        ck_assert_int_eq(parentheses(text), 0);
        lmad_plan_destroy(p[i]);
    }
}
END_TEST

START_TEST(equal_problems_have_equal_plans) {
    char first[600], second[600];
    lmad_desc d = {3, 0, {{20, 600}, {30, 20}, {20, 1}}}, s = {3, 0, {{20, 1}, {30, 20}, {20, 600}}};
    lmad_desc d2 = {4, 19, {{30, 20}, {20, -1}, {1, 77}, {20, 600}}};
    lmad_desc s2 = {4, 11400, {{30, 20}, {20, -600}, {1, 0}, {20, 1}}};
    describe_copy(first, sizeof first, d, s, 4);
    describe_copy(second, sizeof second, d2, s2, 4);
    ck_assert_str_eq(first, second);
    describe_copy(second, sizeof second, d, s, 4);
    ck_assert_str_eq(first, second);
}
END_TEST

typedef struct listing {
    char *text;
    int seen, found;
} listing;

static bool find_candidate(void *arg, const lm_step *step) {
    listing *l = arg;
    char text[300];
    lm_step_describe(step, text, sizeof text);
    l->seen++;
    if (strstr(l->text, text)) l->found++;
    return true;
}

static bool stop_at_second(void *arg, const lm_step *step) {
    (void)step;
    return ++*(int *)arg < 2;
}

START_TEST(explain_lists_every_candidate) {
    lmad_desc d = dense2(512, 600), s = turned2(512, 600);
    char *text = malloc(1 << 16);
    ck_assert_ptr_nonnull(text);
    lmad_plan *p = plan_copy(NULL, d, s, 4, LMAD_SERIAL);
    ck_assert_int_lt(lmad_plan_explain(p, text, 1 << 16), 1 << 16);
    lm_problem problem;
    ck_assert_int_eq(lm_problem_make(&problem, LM_OP_COPY, &d, &s, 4, 1), LMAD_OK);
    listing l = {.text = text};
    lm_planner_each(&problem, LMAD_ESTIMATE, find_candidate, &l);
    ck_assert_int_gt(l.seen, 1);
    ck_assert_int_eq(l.found, l.seen);
    lmad_plan_destroy(p);
    free(text);
}
END_TEST

START_TEST(each_stops_when_told) {
    lmad_desc d = dense2(512, 600), s = turned2(512, 600);
    lm_problem problem;
    int seen = 0;
    ck_assert_int_eq(lm_problem_make(&problem, LM_OP_COPY, &d, &s, 4, 1), LMAD_OK);
    lm_planner_each(&problem, LMAD_ESTIMATE, stop_at_second, &seen);
    ck_assert_int_eq(seen, 2);
}
END_TEST

/* ---- Contexts and flags ---- */

enum { BIG = 3000 }; /* rows and columns of a copy that is worth several threads */

START_TEST(threads_are_bounded_by_the_context) {
    lmad_ctx *ctx;
    pool *workers = pool_create(0); /* with OpenMP or without */
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_parallel(ctx, pool_run, workers), LMAD_OK);
    for (int n = 1; n <= 7; n += 2) {
        ck_assert_int_eq(lmad_ctx_set_threads(ctx, n), LMAD_OK);
        int threads = info_copy(ctx, dense2(BIG, BIG), turned2(BIG, BIG), 4, 0).threads;
        ck_assert_int_le(threads, n);
        if (n > 1) ck_assert_int_gt(threads, 1);
        ck_assert_int_eq(info_copy(ctx, dense2(BIG, BIG), turned2(BIG, BIG), 4, LMAD_SERIAL).threads, 1);
        ck_assert_int_eq(info_copy(ctx, dense2(8, 8), turned2(8, 8), 4, 0).threads, 1);
    }
    lmad_ctx_destroy(ctx);
    pool_destroy(workers);
}
END_TEST

START_TEST(settings_are_read_when_planning) {
    lmad_ctx *ctx;
    pool *workers = pool_create(2);
    char *src = calloc(BIG, BIG), *dst = calloc(BIG, BIG);
    ck_assert(workers && src && dst);
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 3), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_parallel(ctx, pool_run, workers), LMAD_OK);
    lmad_plan *on_pool = plan_copy(ctx, dense2(BIG, BIG), turned2(BIG, BIG), 1, 0);
    ck_assert_int_eq(lmad_ctx_set_parallel(ctx, NULL, NULL), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 1), LMAD_OK);
    lmad_plan *alone = plan_copy(ctx, dense2(BIG, BIG), turned2(BIG, BIG), 1, 0);
    lmad_ctx_destroy(ctx);
    ck_assert_int_eq(lmad_execute(alone, dst, src), LMAD_OK);
    ck_assert_int_eq(pool_runs(workers), 0);
    ck_assert_int_eq(lmad_execute(on_pool, dst, src), LMAD_OK);
    ck_assert_int_eq(pool_runs(workers), 1);
    ck_assert_int_eq(info_of(alone).threads, 1);
    lmad_plan_destroy(on_pool);
    lmad_plan_destroy(alone);
    pool_destroy(workers);
    free(src);
    free(dst);
}
END_TEST

START_TEST(every_effort_plans) {
    for (unsigned effort = LMAD_ESTIMATE; effort <= LMAD_EXHAUSTIVE; effort++) {
        lmad_info info = info_copy(NULL, dense2(9, 7), turned2(9, 7), 4, effort | LMAD_SERIAL);
        ck_assert_int_eq(info.payload_bytes, 252);
    }
}
END_TEST

START_TEST(descriptors_are_copied) {
    lmad_desc d = dense2(2, 3), s = turned2(2, 3);
    lmad_plan *p = NULL;
    ck_assert_int_eq(lmad_plan_copy(&p, NULL, &d, &s, 1, 0), LMAD_OK);
    memset(&d, 0xff, sizeof d);
    memset(&s, 0xff, sizeof s);
    char out[7] = "......";
    ck_assert_int_eq(lmad_execute(p, out, "abcdef"), LMAD_OK);
    ck_assert_str_eq(out, "acebdf");
    lmad_plan_destroy(p);
}
END_TEST

/* Only dim[0 .. rank-1] are read: the rest may be unmapped. */
START_TEST(only_the_first_dims_are_read) {
    lm_guard g;
    size_t size = offsetof(lmad_desc, dim) + 2 * sizeof(lmad_dim);
    lmad_desc d = dense2(2, 3), s = turned2(2, 3);
    lmad_plan *p = NULL;
    lm_guard_open(&g, size);
    lmad_desc *cut = (lmad_desc *)(void *)lm_guard_place(&g, size, true, 0);
    memcpy(cut, &s, size);
    ck_assert_int_eq(lmad_plan_copy(&p, NULL, &d, cut, 1, 0), LMAD_OK);
    lmad_plan_destroy(p);
    memcpy(cut, &d, size);
    ck_assert_int_eq(lmad_plan_move(&p, NULL, cut, &s, 1, 0), LMAD_OK);
    lmad_plan_destroy(p);
    ck_assert_int_eq(lmad_plan_fill(&p, NULL, cut, 1, 0), LMAD_OK);
    lmad_plan_destroy(p);
    lm_guard_close(&g);
}
END_TEST

/* One plan serves every window and alignment. */
START_TEST(pointers_may_shift) {
    lmad_desc d = dense2(33, 70), s = turned2(33, 70);
    lmad_plan *p = plan_copy(NULL, d, s, 2, 0);
    lm_rig rig;
    lm_rig_open(&rig, 1 << 14);
    for (int shift = 0; shift < 64 * 64; shift += 1 + 30 * (lm_test_scale() > 1)) {
        lm_trial t = {.op = LM_OP_COPY, .elem_size = 2, .dst = d, .src = s, .dst_end = true, .src_end = true};
        t.dst_slack = (size_t)(shift % 64);
        t.src_slack = (size_t)(shift / 64);
        lm_rig_set(&rig, &t);
        ck_assert_int_eq(lmad_execute(p, rig.d, rig.s), LMAD_OK);
        const char *why = lm_rig_verdict(&rig);
        if (why) ck_abort_msg("%s", why);
    }
    lm_rig_close(&rig);
    lmad_plan_destroy(p);
}
END_TEST

/* ---- The cut among threads ---- */

/* A rig, how many nests were seen, and how many cut on it: all that kinds propose first, some of the grid. */
typedef struct cutting {
    lm_rig rig;
    int seen, cut;
} cutting;

/* A step that is a nest, run in uneven pieces and from the last to the first. */
static bool run_in_pieces(void *arg, const lm_step *step) {
    cutting *c = arg;
    lm_rig *rig = &c->rig;
    if (c->seen++ >= 24 && lm_mix((uint64_t)c->seen) % 60 != 0) return true;
    int64_t units = step->kernel ? lm_nest_units(&step->nest) : 0;
    if (units < 2) return true;
    lm_rng rng = {(uint64_t)units};
    lm_rig_reset(rig);
    for (int64_t last = units, first; last > 0; last = first) {
        first = lm_rng_range(&rng, 0, last - 1);
        if (units > 40 && first < last - units / 7) first = last - units / 7;
        lm_nest_run(&step->nest, step->kernel->fn, rig->d, rig->s, first, last);
    }
    lm_kernel_fence();
    c->cut++;
    const char *why = lm_rig_verdict(rig);
    if (why) ck_abort_msg("in pieces: %s", why);
    return true;
}

/* Large enough that the planner means them to be cut. */
static const lm_trial cuts[] = {
    {.elem_size = 4, .dst = {2, 0, {{1303, 1257}, {1257, 1}}}, .src = {2, 0, {{1303, 1}, {1257, 1303}}}},
    {.elem_size = 1,
     .dst = {3, 0, {{90, 40000}, {100, 400}, {333, 1}}},
     .src = {3, 0, {{90, 1}, {100, 90}, {333, 9000}}}},
    {.elem_size = 3, .dst = {2, 0, {{1500, 640}, {600, 1}}}, .src = {2, 599, {{1500, 600}, {600, -1}}}},
    {.elem_size = 8, .dst = {2, 0, {{770, 2100}, {1000, 2}}}, .src = {2, 0, {{770, 1000}, {1000, 1}}}},
    {.elem_size = 16, .dst = {2, 0, {{70001, 6}, {5, 1}}}, .src = {2, 0, {{70001, 7}, {5, 1}}}},
    {.elem_size = 1, .dst = {1, 0, {{9000001, 1}}}, .src = {1, 0, {{9000001, 1}}}},
};

START_TEST(nests_can_be_cut_anywhere) {
    cutting c = {.cut = 0};
    const lm_trial *t = &cuts[_i];
    lm_problem problem;
    lm_rig_open(&c.rig, lm_trial_room(t));
    lm_rig_set(&c.rig, t);
    ck_assert_int_eq(lm_problem_make(&problem, LM_OP_COPY, &t->dst, &t->src, t->elem_size, 4), LMAD_OK);
    lm_planner_each(&problem, LMAD_EXHAUSTIVE, run_in_pieces, &c);
    ck_assert_int_gt(c.cut, 0);
    lm_rig_close(&c.rig);
}
END_TEST

Suite *lm_suite_plan(void) {
    Suite *suite = suite_create("plan");
    TCase *kinds = tcase_create("kinds"), *words = tcase_create("words"),
          *settings = tcase_create("settings");
    tcase_add_test(kinds, nothing_to_do_is_nop);
    tcase_add_test(kinds, contiguous_is_memcpy);
    tcase_add_test(kinds, the_rest_is_not_memcpy);
    tcase_add_test(kinds, transposes_are_recognised);
    tcase_add_loop_test(kinds, nests_can_be_cut_anywhere, 0, sizeof cuts / sizeof *cuts);
    tcase_add_test(words, describe_is_an_s_expression);
    tcase_add_test(words, equal_problems_have_equal_plans);
    tcase_add_test(words, explain_lists_every_candidate);
    tcase_add_test(words, each_stops_when_told);
    tcase_add_test(settings, threads_are_bounded_by_the_context);
    tcase_add_test(settings, settings_are_read_when_planning);
    tcase_add_test(settings, every_effort_plans);
    tcase_add_test(settings, descriptors_are_copied);
    tcase_add_test(settings, only_the_first_dims_are_read);
    tcase_add_test(settings, pointers_may_shift);
    suite_add_tcase(suite, kinds);
    suite_add_tcase(suite, words);
    suite_add_tcase(suite, settings);
    return suite;
}
