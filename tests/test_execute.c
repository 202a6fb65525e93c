/* SPDX-License-Identifier: BSD-3-Clause */
/* Executions: nothing is allocated, many threads share a plan, a child after fork and an enclosing parallel
 * region work, every thread count gives the same bytes. */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contexts.h"
#include "count_malloc.h"
#include "oracle.h"
#include "rng.h"
#include "trial.h"

/* Problems of all kinds, small and large enough for threads. */
static const lm_trial trials[] = {
    {.op = LM_OP_COPY, .elem_size = 4, .dst = {2, 0, {{8, 8}, {8, 1}}}, .src = {2, 0, {{8, 1}, {8, 8}}}},
    {.op = LM_OP_COPY,
     .elem_size = 4,
     .dst = {2, 0, {{1501, 1400}, {1400, 1}}},
     .src = {2, 0, {{1501, 1}, {1400, 1501}}}},
    {.op = LM_OP_COPY,
     .elem_size = 8,
     .dst = {2, 0, {{901, 1000}, {1000, 1}}},
     .src = {2, 999, {{901, 1024}, {1000, -1}}}},
    {.op = LM_OP_COPY, .elem_size = 1, .dst = {1, 0, {{9000001, 1}}}, .src = {1, 3, {{9000001, 1}}}},
    {.op = LM_OP_COPY,
     .elem_size = 3,
     .dst = {2, 0, {{200000, 6}, {5, 1}}},
     .src = {2, 0, {{200000, 5}, {5, 1}}}},
    {.op = LM_OP_MOVE,
     .elem_size = 4,
     .dst = {2, 0, {{1200, 1200}, {1200, 1}}},
     .src = {2, 0, {{1200, 1}, {1200, 1200}}}},
    {.op = LM_OP_MOVE, .elem_size = 2, .dst = {1, 1, {{3000000, 1}}}, .src = {1, 0, {{3000000, 1}}}},
    {.op = LM_OP_FILL, .elem_size = 12, .dst = {2, 5, {{700, 900}, {800, 1}}}},
    {.op = LM_OP_FILL, .elem_size = 5000, .dst = {1, 0, {{300, 2}}}},
    {.op = LM_OP_COPY, .elem_size = 4, .dst = {1, 0, {{0, 1}}}, .src = {1, 0, {{0, 1}}}},
};
enum { TRIALS = sizeof trials / sizeof *trials };

static lmad_plan *plan_of(const lm_trial *t, lmad_ctx *ctx, unsigned flags) {
    lmad_plan *p = NULL;
    if (lm_trial_plan(&p, ctx, t, flags) != LMAD_OK) ck_abort_msg("no plan: %s", lmad_error_detail());
    return p;
}

static void execute(const lmad_plan *p, lm_rig *rig) {
    lmad_status status = lmad_execute(p, rig->d, rig->s);
    const char *why = status == LMAD_OK ? lm_rig_verdict(rig) : lmad_error_detail();
    if (why) ck_abort_msg("%s", why);
}

/* ---- Allocation ---- */

/* The first executions may start threads; after that there must be none. */
START_TEST(nothing_is_allocated) {
    if (!lm_count_malloc_works()) return;
    lm_rig rig;
    lm_contexts contexts;
    lm_rig_open(&rig, lm_trial_room(&trials[_i]));
    lm_contexts_open(&contexts);
    for (int which = 0; which < LM_CONTEXTS; which++) {
        lmad_plan *p = plan_of(&trials[_i], contexts.ctx[which], LMAD_ESTIMATE);
        lm_rig_set(&rig, &trials[_i]);
        execute(p, &rig);
        lm_rig_reset(&rig);
        lm_count_malloc_start();
        lmad_status status = lmad_execute(p, rig.d, rig.s);
        long calls = lm_count_malloc_stop();
        ck_assert_int_eq(status, LMAD_OK);
        if (calls) ck_abort_msg("%ld allocations with %s", calls, contexts.name[which]);
        lmad_plan_destroy(p);
    }
    lm_contexts_close(&contexts);
    lm_rig_close(&rig);
}
END_TEST

START_TEST(immediate_copies_allocate_nothing) {
    if (!lm_count_malloc_works() || trials[_i].op != LM_OP_COPY) return;
    const lm_trial *t = &trials[_i];
    lm_rig rig;
    lm_rig_open(&rig, lm_trial_room(&trials[_i]));
    for (int round = 0; round < 2; round++) {
        lm_rig_set(&rig, t);
        lm_count_malloc_start();
        lmad_status status = lmad_copy(rig.d, &t->dst, rig.s, &t->src, t->elem_size);
        long calls = lm_count_malloc_stop();
        ck_assert_int_eq(status, LMAD_OK);
        if (round == 1) ck_assert_int_eq(calls, 0);
        ck_assert_ptr_null(lm_rig_verdict(&rig));
    }
    lm_rig_close(&rig);
}
END_TEST

/* A counter that counts nothing would find nothing. */
START_TEST(the_counter_counts) {
    if (!lm_count_malloc_works()) return;
    lm_count_malloc_start();
    void *volatile p = malloc(10), *volatile q = calloc(2, 20);
    free(p);
    free(q);
    ck_assert_int_eq(lm_count_malloc_stop(), 2);
    lmad_plan *plan;
    lm_count_malloc_start();
    lmad_status status = lm_trial_plan(&plan, NULL, &trials[5], 0);
    ck_assert_int_ge(lm_count_malloc_stop(), 1);
    ck_assert_int_eq(status, LMAD_OK);
    lmad_plan_destroy(plan);
}
END_TEST

/* ---- Concurrency ---- */

enum { THREADS = 8 };

/* One of many threads with one plan: its own buffers, the same problem. */
typedef struct worker {
    const lmad_plan *plan;
    const lm_trial *trial;
    int rounds;
    pthread_barrier_t *start;
    const char *why;
    lm_rig rig;
} worker;

static void *work(void *arg) {
    worker *w = arg;
    pthread_barrier_wait(w->start);
    for (int round = 0; round < w->rounds && !w->why; round++) {
        lm_rig_reset(&w->rig);
        if (lmad_execute(w->plan, w->rig.d, w->rig.s) != LMAD_OK) w->why = "refused";
        if (!w->why) w->why = lm_rig_verdict(&w->rig);
    }
    return NULL;
}

static void execute_from_threads(const lmad_plan *p, const lm_trial *t, int rounds) {
    worker *w = calloc(THREADS, sizeof *w);
    pthread_t thread[THREADS];
    pthread_barrier_t start;
    ck_assert_ptr_nonnull(w);
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        w[i] = (worker){.plan = p, .trial = t, .rounds = rounds, .start = &start};
        lm_rig_open(&w[i].rig, lm_trial_room(t));
        lm_rig_set(&w[i].rig, t);
    }
    for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &w[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        if (w[i].why) ck_abort_msg("thread %d: %s", i, w[i].why);
        lm_rig_close(&w[i].rig);
    }
    pthread_barrier_destroy(&start);
    free(w);
}

START_TEST(a_plan_is_shared_by_threads) {
    lm_contexts contexts;
    lm_contexts_open(&contexts);
    for (int which = 0; which < 3; which++) {
        lmad_plan *p = plan_of(&trials[_i], contexts.ctx[which], LMAD_ESTIMATE);
        execute_from_threads(p, &trials[_i], lm_test_scale() > 1 ? 2 : 6);
        lmad_plan_destroy(p);
    }
    lm_contexts_close(&contexts);
}
END_TEST

START_TEST(plans_outlive_their_context) {
    lm_rig rig;
    lmad_ctx *ctx;
    lm_rig_open(&rig, lm_trial_room(&trials[_i]));
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 2), LMAD_OK);
    lmad_plan *p = plan_of(&trials[_i], ctx, LMAD_ESTIMATE);
    lmad_ctx_destroy(ctx);
    char text[400];
    ck_assert_int_gt(lmad_plan_explain(p, text, sizeof text), 0);
    lm_rig_set(&rig, &trials[_i]);
    execute(p, &rig);
    lmad_plan_destroy(p);
    lm_rig_close(&rig);
}
END_TEST

/* The oracle is the same for all, so all thread counts give the same bytes. */
START_TEST(thread_counts_agree) {
    lm_rig rig;
    lm_rig_open(&rig, lm_trial_room(&trials[_i]));
    lm_rig_set(&rig, &trials[_i]);
    for (int threads = 1; threads <= 17; threads += threads < 4 ? 1 : 4) {
        lmad_ctx *ctx;
        ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
        ck_assert_int_eq(lmad_ctx_set_threads(ctx, threads), LMAD_OK);
        for (int serial = 0; serial < 2; serial++) {
            lmad_plan *p = plan_of(&trials[_i], ctx, serial ? LMAD_SERIAL : 0);
            lm_rig_reset(&rig);
            execute(p, &rig);
            lmad_plan_destroy(p);
        }
        lmad_ctx_destroy(ctx);
    }
    lm_rig_close(&rig);
}
END_TEST

/* ---- Fork and OpenMP ---- */

/* In the child: the plan of the parent, and one of its own. */
static void child(const lmad_plan *p, lm_rig *rig, lmad_ctx *ctx) {
    alarm(20);
    lm_rig_reset(rig);
    if (lmad_execute(p, rig->d, rig->s) != LMAD_OK || lm_rig_verdict(rig)) _exit(1);
    lm_rig_reset(rig);
    lmad_plan *own;
    if (lm_trial_plan(&own, ctx, rig->trial, 0) != LMAD_OK) _exit(2);
    if (lmad_execute(own, rig->d, rig->s) != LMAD_OK || lm_rig_verdict(rig)) _exit(3);
    _exit(0);
}

START_TEST(a_child_works) {
    lm_rig rig;
    lmad_ctx *ctx;
    lm_rig_open(&rig, lm_trial_room(&trials[_i]));
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 3), LMAD_OK);
    lmad_plan *p = plan_of(&trials[_i], ctx, LMAD_ESTIMATE);
    lm_rig_set(&rig, &trials[_i]);
    execute(p, &rig); /* now there are threads that the child will not have */
    pid_t pid = fork();
    if (pid == 0) child(p, &rig, ctx);
    int status = -1;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with status %#x",
                  (unsigned)status);
    lm_rig_reset(&rig);
    execute(p, &rig);
    lmad_plan_destroy(p);
    lmad_ctx_destroy(ctx);
    lm_rig_close(&rig);
}
END_TEST

#ifdef _OPENMP
START_TEST(inside_of_a_parallel_region) {
    enum { TEAM = 3 };
    static lm_rig rig[TEAM];
    const char *why[TEAM] = {NULL};
    lmad_ctx *ctx;
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 4), LMAD_OK);
    lmad_plan *p = plan_of(&trials[_i], ctx, LMAD_ESTIMATE);
    for (int i = 0; i < TEAM; i++) {
        lm_rig_open(&rig[i], lm_trial_room(&trials[_i]));
        lm_rig_set(&rig[i], &trials[_i]);
    }
#pragma omp parallel for num_threads(TEAM) schedule(static, 1)
    for (int i = 0; i < TEAM; i++) {
        lmad_plan *own;
        if (lmad_execute(p, rig[i].d, rig[i].s) != LMAD_OK) why[i] = "refused";
        if (!why[i]) why[i] = lm_rig_verdict(&rig[i]);
        lm_rig_reset(&rig[i]);
        if (lm_trial_plan(&own, ctx, &trials[_i], 0) != LMAD_OK) why[i] = "not planned";
        if (!why[i] && lmad_execute(own, rig[i].d, rig[i].s) != LMAD_OK) why[i] = "own plan refused";
        if (!why[i]) why[i] = lm_rig_verdict(&rig[i]);
        lmad_plan_destroy(own);
    }
    for (int i = 0; i < TEAM; i++) {
        if (why[i]) ck_abort_msg("%s", why[i]);
        lm_rig_close(&rig[i]);
    }
    lmad_plan_destroy(p);
    lmad_ctx_destroy(ctx);
}
END_TEST
#endif

/* ---- Fills and moves ---- */

/* The element may be any of those that are overwritten, or lie across two of them. */
static void fill_from_inside(const lmad_plan *p, size_t es, int n, size_t at) {
    size_t size = 2 * (size_t)n * es;
    char *buffer = malloc(size), *value = malloc(es);
    ck_assert(buffer && value);
    for (size_t i = 0; i < size; i++) buffer[i] = (char)lm_mix(i + at);
    memcpy(value, buffer + at, es);
    ck_assert_int_eq(lmad_execute(p, buffer, buffer + at), LMAD_OK);
    for (size_t i = 0; i < size; i += 2 * es) ck_assert_mem_eq(buffer + i, value, es);
    for (size_t i = es; i < size; i += i % (2 * es) == 2 * es - 1 ? es + 1 : 1)
        if (buffer[i] != (char)lm_mix(i + at)) ck_abort_msg("byte %zu in a gap was written", i);
    free(buffer);
    free(value);
}

START_TEST(a_fill_may_read_its_destination) {
    static const size_t sizes[] = {1, 3, 4, 8, 16, 4096, 4097, 9000};
    enum { N = 40 };
    size_t es = sizes[_i];
    lmad_plan *p;
    lmad_desc d = {1, 0, {{N, 2}}};
    ck_assert_int_eq(lmad_plan_fill(&p, NULL, &d, es, 0), LMAD_OK);
    for (size_t k = 0; k < N; k += 13) {
        fill_from_inside(p, es, N, 2 * k * es);
        fill_from_inside(p, es, N, 2 * k * es + es / 2);
    }
    lmad_plan_destroy(p);
}
END_TEST

/* A move onto itself and one between disjoint parts need no scratch. */
START_TEST(scratch_only_where_needed) {
    static const struct {
        lmad_desc dst, src;
        bool scratch;
    } moves[] = {
        {{1, 0, {{1000, 1}}}, {1, 0, {{1000, 1}}}, false},
        {{1, 1000, {{1000, 1}}}, {1, 0, {{1000, 1}}}, false},
        {{1, 1, {{1000, 2}}}, {1, 0, {{1000, 2}}}, false},
        {{1, -1999, {{1000, 2}}}, {1, -2000, {{1000, 2}}}, false},
        {{1, 1, {{1000, 1}}}, {1, 0, {{1000, 1}}}, false},
        {{2, 0, {{20, 30}, {30, 1}}}, {2, 0, {{20, 1}, {30, 20}}}, true},
        {{2, -600, {{20, 30}, {30, 1}}}, {2, -600, {{20, 1}, {30, 20}}}, true},
    };
    for (int i = 0; i < (int)(sizeof moves / sizeof *moves); i++) {
        lmad_plan *p;
        lmad_info info = {.struct_size = sizeof info};
        ck_assert_int_eq(lmad_plan_move(&p, NULL, &moves[i].dst, &moves[i].src, 4, 0), LMAD_OK);
        ck_assert_int_eq(lmad_plan_info(p, &info), LMAD_OK);
        ck_assert_int_eq(info.work_size > 0, moves[i].scratch);
        lmad_plan_destroy(p);
    }
}
END_TEST

/* ---- Texts as snprintf ---- */

typedef int writer(const lmad_plan *p, char *buf, size_t size);

static void check_writer(writer *write_text, const lmad_plan *p) {
    char whole[8192], cut[8192];
    int length = write_text(p, NULL, 0);
    ck_assert_int_gt(length, 0);
    ck_assert_int_lt(length, (int)sizeof whole);
    ck_assert_int_eq(write_text(p, whole, sizeof whole), length);
    ck_assert_uint_eq(strlen(whole), (size_t)length);
    for (size_t size = 0; size <= (size_t)length + 1; size += 1 + size / 9) {
        memset(cut, '#', sizeof cut);
        ck_assert_int_eq(write_text(p, cut, size), length);
        ck_assert_int_eq(cut[size], '#');
        if (size == 0) continue;
        ck_assert_int_eq(cut[size - 1], '\0');
        ck_assert_int_eq(strncmp(cut, whole, size - 1), 0);
    }
}

START_TEST(texts_are_cut_as_by_snprintf) {
    lmad_plan *p = plan_of(&trials[_i], NULL, LMAD_ESTIMATE);
    check_writer(lmad_plan_describe, p);
    check_writer(lmad_plan_explain, p);
    lmad_plan_destroy(p);
}
END_TEST

Suite *lm_suite_execute(void) {
    Suite *suite = suite_create("execute");
    TCase *memory = tcase_create("memory"), *threads = tcase_create("threads"),
          *words = tcase_create("words");
    tcase_set_timeout(threads, 200);
    tcase_set_timeout(memory, 60);
    tcase_add_test(memory, the_counter_counts);
    tcase_add_loop_test(memory, nothing_is_allocated, 0, TRIALS);
    tcase_add_loop_test(memory, immediate_copies_allocate_nothing, 0, TRIALS);
    tcase_add_loop_test(memory, a_fill_may_read_its_destination, 0, 8);
    tcase_add_test(memory, scratch_only_where_needed);
    tcase_add_loop_test(threads, a_plan_is_shared_by_threads, 0, TRIALS);
    tcase_add_loop_test(threads, plans_outlive_their_context, 0, TRIALS);
    tcase_add_loop_test(threads, thread_counts_agree, 0, TRIALS);
    tcase_add_loop_test(threads, a_child_works, 0, TRIALS);
#ifdef _OPENMP
    tcase_add_loop_test(threads, inside_of_a_parallel_region, 0, TRIALS);
#endif
    tcase_add_loop_test(words, texts_are_cut_as_by_snprintf, 0, TRIALS);
    suite_add_tcase(suite, memory);
    suite_add_tcase(suite, threads);
    suite_add_tcase(suite, words);
    return suite;
}
