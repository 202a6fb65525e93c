/* SPDX-License-Identifier: BSD-3-Clause */
/* Immediate forms, allocations, and all operations on other people's threads. */
#include <check.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "count_malloc.h"
#include "lib/work.h"
#include "oracle.h"
#include "rng.h"
#include "trial.h"

static const lmad_desc views[] = {
    {0, 3, {{0, 0}}},
    {1, 0, {{10, 1}}},
    {1, 20, {{10, -2}}},
    {1, 0, {{100, 1}}},
    {2, 0, {{5, 7}, {7, 1}}},
    {2, 2, {{5, 1}, {7, 5}}},
    {2, 0, {{70, 90}, {80, 1}}},
    {2, 3, {{50, 9}, {3, 2}}},
    {3, 1, {{4, 60}, {3, 20}, {19, 1}}},
    {3, 0, {{4, 1}, {0, 20}, {19, 1}}},
    {2, 5, {{1, INT64_MAX}, {1, -9}}},
    {2, 0, {{150, 1}, {700, 150}}},
};
enum { VIEWS = sizeof views / sizeof *views };

/* Counts the elements that it is asked for, and writes them. */
static void count_run(void *data, const int64_t *index, int axis, int64_t n, void *run) {
    (void)index, (void)axis;
    memset(run, 1, (size_t)n * 4);
    atomic_fetch_add((atomic_long *)data, n);
}

/* ---- immediate forms ------------------------------------------------------------------------------ */

START_TEST(immediate_fills) {
    static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 17, 40};
    for (int v = 0; v < VIEWS; v++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            enum { ROOM = 105000 * 40 + 64 };
            static char got[ROOM], want[ROOM];
            char value[64];
            memset(got, 0x33, ROOM);
            memset(want, 0x33, ROOM);
            for (size_t i = 0; i < sizes[k]; i++) got[i + 1] = want[i + 1] = value[i] = (char)i;
            lm_oracle_fill(want + 1, &views[v], value, sizes[k]);
            ck_assert_int_eq(lmad_fill(got + 1, &views[v], got + 1, sizes[k]),
                             LMAD_OK); /* the value is inside */
            if (memcmp(got, want, ROOM)) ck_abort_msg("view %d, %zu bytes", v, sizes[k]);
        }
}
END_TEST

/* The pointers of a move may differ by any number of bytes. */
START_TEST(immediate_moves_of_two_pointers) {
    for (int shift = -40; shift <= 40; shift++)
        for (int n = 1; n < 400; n += 57) {
            char got[4096], want[4096], old[4096];
            const lmad_desc d = {2, 0, {{3, 200}, {n, 1}}}, s = {2, 1, {{3, 200}, {n, 1}}};
            for (int i = 0; i < 4096; i++) got[i] = want[i] = old[i] = (char)lm_mix((uint64_t)i);
            lm_oracle_copy(want + 1000, &d, old + 1000 + shift, &s, 2);
            if (lm_oracle_aliases(&d)) continue;
            ck_assert_int_eq(lmad_move(got + 1000, &d, got + 1000 + shift, &s, 2), LMAD_OK);
            ck_assert_int_eq(memcmp(got, want, sizeof got), 0);
        }
}
END_TEST

/* The same where the order matters: reversals, transposes, elements that no word holds, and scratch for all
 * of it. */
START_TEST(immediate_moves_of_two_pointers_in_any_order) {
    const lmad_desc pairs[][2] = {{{1, 0, {{4, 1}}}, {1, 3, {{4, -1}}}},
                                  {{1, 0, {{2, 1}}}, {1, 0, {{2, 1}}}},
                                  {{2, 0, {{2, 2}, {2, 1}}}, {2, 0, {{2, 1}, {2, 2}}}},
                                  {{2, 0, {{9, 9}, {9, 1}}}, {2, 0, {{9, 1}, {9, 9}}}},
                                  {{2, 0, {{20, 30}, {30, 1}}}, {2, 7, {{20, 1}, {30, 21}}}},
                                  {{3, 0, {{3, 20}, {4, 5}, {5, 1}}}, {3, 0, {{3, 1}, {4, 3}, {5, 12}}}}};
    static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 17, 24};
    static char got[20000], want[20000], old[20000];
    for (size_t i = 0; i < sizeof old; i++) old[i] = (char)lm_mix(i);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        for (size_t e = 0; e < sizeof sizes / sizeof *sizes; e++)
            for (int shift = -50; shift <= 50; shift++) {
                const lmad_desc *d = &pairs[k][0], *s = &pairs[k][1];
                memcpy(got, old, sizeof got);
                memcpy(want, old, sizeof want);
                lm_oracle_copy(want + 100, d, old + 100 + shift, s, sizes[e]);
                ck_assert_int_eq(lmad_move(got + 100, d, got + 100 + shift, s, sizes[e]), LMAD_OK);
                ck_assert_msg(memcmp(got, want, sizeof got) == 0, "pair %zu, %zu bytes, %d apart", k,
                              sizes[e], shift);
            }
}
END_TEST

START_TEST(immediate_errors) {
    char a[64] = {0};
    const lmad_desc good = {1, 0, {{8, 1}}}, twice = {1, 0, {{8, 0}}}, none = {1, 0, {{0, 1}}};
    ck_assert_int_eq(lmad_move(a, &twice, a, &good, 4), LMAD_ERR_DST_ALIAS);
    ck_assert_int_eq(lmad_move(NULL, &good, a, &good, 4), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_move(a, &good, NULL, &good, 4), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_move(NULL, &none, NULL, &none, 4), LMAD_OK);
    ck_assert_int_eq(lmad_fill(a, &twice, a, 4), LMAD_ERR_DST_ALIAS);
    ck_assert_int_eq(lmad_fill(a, &good, NULL, 4), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_fill(a, &good, a, 0), LMAD_ERR_ELEM_SIZE);
    ck_assert_int_eq(lmad_fill(NULL, &none, NULL, 4), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_fill(NULL, a, &good, a, 4, 1u << 29), LMAD_ERR_FLAGS);
    ck_assert_int_eq(lmad_copy(a, &good, a + 4, &good, 4), LMAD_ERR_OVERLAP);
}
END_TEST

/* ---- allocations ---------------------------------------------------------------------------------- */

/* Executions, and immediate forms, of everything: none; a move with large scratch: one. */
START_TEST(no_allocation) {
    if (!lm_count_malloc_works()) return;
    enum { N = 300 };
    static float a[N * N], b[N * N];
    const lmad_desc row = {2, 0, {{N, N}, {N, 1}}}, col = {2, 0, {{N, 1}, {N, N}}}, some = {1, 5, {{9, 3}}};
    /* Nothing is known for these but a copy of the payload. */
    const lmad_desc odd = {2, 0, {{200, 150}, {150, 1}}}, odd_t = {2, 7, {{200, 1}, {150, 203}}};
    const int32_t steps[] = {1, 2, 3};
    atomic_long asked = 0;
    lmad_plan *copy, *move, *odd_move, *fill, *affine_plan, *generate, *many;
    const lmad_many_item item[] = {{&row, &col, 4}, {&some, &some, 4}};
    void *dst[] = {a, a};
    const void *src[] = {b, b};
    ck_assert_int_eq(lmad_plan_copy(&copy, NULL, &row, &col, 4, 0), LMAD_OK);
    ck_assert_int_eq(lmad_plan_move(&move, NULL, &row, &col, 4, 0), LMAD_OK);
    ck_assert_int_eq(lmad_plan_move(&odd_move, NULL, &odd, &odd_t, 4, 0), LMAD_OK);
    ck_assert_uint_gt(lmad_work_size(odd_move), LM_WORK_ON_STACK);
    ck_assert_int_eq(lmad_plan_fill(&fill, NULL, &row, 4, 0), LMAD_OK);
    ck_assert_int_eq(lmad_plan_affine(&affine_plan, NULL, &row, LMAD_INT32, 0), LMAD_OK);
    ck_assert_int_eq(lmad_plan_generate(&generate, NULL, &row, 4, count_run, &asked, 0), LMAD_OK);
    ck_assert_int_eq(lmad_plan_many(&many, NULL, 1, item, 0), LMAD_OK);
    for (int round = 0; round < 2; round++) { /* the first may start threads */
        lm_count_malloc_start();
        lmad_execute(copy, a, b);
        lmad_execute(move, a, a);
        lmad_execute(odd_move, a, a);
        lmad_execute(fill, a, b);
        lmad_execute(affine_plan, a, steps);
        lmad_execute(generate, a, NULL);
        lmad_execute_many(many, dst, src);
        lmad_copy(a, &row, b, &col, 4);
        lmad_copy(a, &some, b, &some, 4);
        lmad_fill(a, &row, b, 4);
        lmad_fill(a, &some, b, 4);
        lmad_move(a, &some, a + 1, &some, 4);
        const long calls = lm_count_malloc_stop();
        if (round) ck_assert_int_eq(calls, 0);
    }
    lm_count_malloc_start();
    lmad_move(a, &row, a, &col, 4); /* a square */
    ck_assert_int_eq(lm_count_malloc_stop(), 0);
    lm_count_malloc_start();
    lmad_move(a, &odd, a, &odd_t, 4);
    ck_assert_int_eq(lm_count_malloc_stop(), 1);
    lmad_plan *all[] = {copy, move, odd_move, fill, affine_plan, generate, many};
    for (int k = 0; k < 7; k++) lmad_plan_destroy(all[k]);
}
END_TEST

/* ---- other people's threads ----------------------------------------------------------------------- */

/* A parallel-for that counts how often it is called, and whether ever while it is at work. */
typedef struct counted {
    int calls, inside, nested;
} counted;

static void run_counted(void *data, int count, void (*body)(void *arg, int i), void *arg) {
    counted *c = data;
    c->calls++;
    c->nested += c->inside++;
    for (int i = count - 1; i >= 0; i--) body(arg, i);
    c->inside--;
}

/* A generator that has something copied for each run. */
typedef struct copier {
    const lmad_plan *plan;
    float *to, *from;
} copier;

static void copy_and_fill(void *data, const int64_t *index, int axis, int64_t n, void *run) {
    const copier *c = data;
    (void)index, (void)axis;
    ck_assert_int_eq(lmad_execute(c->plan, c->to, c->from), LMAD_OK);
    memset(run, 1, (size_t)n * 4);
}

START_TEST(serial_while_the_pool_is_busy) {
    enum { N = 1 << 19 };
    static float a[N], b[N], g[N];
    const lmad_desc row = {1, 0, {{N, 1}}};
    counted c = {0};
    lmad_ctx *ctx;
    lmad_plan *copy, *generate;
    lmad_info info = {.struct_size = sizeof info};
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 3), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_parallel(ctx, run_counted, &c), LMAD_OK);
    ck_assert_int_eq(lmad_plan_copy(&copy, ctx, &row, &row, 4, 0), LMAD_OK);
    copier data = {copy, a, b};
    ck_assert_int_eq(lmad_plan_generate(&generate, ctx, &row, 4, copy_and_fill, &data, 0), LMAD_OK);
    ck_assert_int_eq(lmad_plan_info(generate, &info), LMAD_OK);
    ck_assert_int_gt(info.threads, 1);
    memset(b, 7, sizeof b);
    ck_assert_int_eq(lmad_execute(copy, a, b), LMAD_OK);
    ck_assert_int_eq(c.calls, 1);
    memset(a, 0, sizeof a);
    ck_assert_int_eq(lmad_execute(generate, g, NULL), LMAD_OK); /* copies from inside */
    ck_assert_int_eq(c.calls, 2);
    ck_assert_int_eq(c.nested, 0);
    ck_assert_int_eq(memcmp(a, b, sizeof a), 0);
    ck_assert_int_eq(lmad_execute(copy, a, b), LMAD_OK); /* and free again */
    ck_assert_int_eq(c.calls, 3);
    lmad_plan_destroy(copy);
    lmad_plan_destroy(generate);
    lmad_ctx_destroy(ctx);
}
END_TEST

#ifdef _OPENMP

/* OpenMP tasks as a parallel-for. */
static void run_tasks(void *data, int count, void (*body)(void *arg, int i), void *arg) {
    (void)data;
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < count; i++) {
#pragma omp task firstprivate(i)
        body(arg, i);
    }
}

START_TEST(on_openmp_tasks) {
    lmad_ctx *ctx;
    lm_rig rig;
    lm_trial t = {.op = LM_OP_MOVE, .elem_size = 4, .dst = {2, 0, {{1024, 1024}, {1024, 1}}}};
    t.src = (lmad_desc){2, 0, {{1024, 1}, {1024, 1024}}};
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 4), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_parallel(ctx, run_tasks, NULL), LMAD_OK);
    lm_rig_open(&rig, lm_trial_room(&t));
    for (int k = 0; k < 3; k++) {
        const char *why = lm_rig_try(&rig, &t, ctx, 0);
        if (why) ck_abort_msg("%s", why);
        t.src = (lmad_desc){2, 1, {{1024, 1024}, {1023, 1}}};
        t.dst.dim[1].n = 1023;
    }
    lm_rig_close(&rig);
    lmad_ctx_destroy(ctx);
}
END_TEST

/* Inside a parallel region, also with a number of threads asked for, all of it is done by the thread itself.
 */
START_TEST(inside_a_parallel_region) {
    lmad_ctx *ctx;
    atomic_int wrong = 0;
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 4), LMAD_OK);
#pragma omp parallel num_threads(3)
    {
        const lmad_desc row = {2, 0, {{700, 700}, {700, 1}}};
        atomic_long asked = 0;
        float *a = malloc(sizeof *a * 700 * 700);
        lmad_plan *p;
        if (lmad_plan_generate(&p, ctx, &row, 4, count_run, &asked, 0) != LMAD_OK ||
            lmad_execute(p, a, NULL) != LMAD_OK)
            atomic_fetch_add(&wrong, 1);
        if (atomic_load(&asked) != 700 * 700) atomic_fetch_add(&wrong, 1);
        lmad_plan_destroy(p);
        free(a);
    }
    ck_assert_int_eq(wrong, 0);
    lmad_ctx_destroy(ctx);
}
END_TEST

#endif

Suite *lm_suite_immediate(void) {
    Suite *s = suite_create("immediate");
    TCase *tc = tcase_create("immediate");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, immediate_fills);
    tcase_add_test(tc, immediate_moves_of_two_pointers);
    tcase_add_test(tc, immediate_moves_of_two_pointers_in_any_order);
    tcase_add_test(tc, immediate_errors);
    tcase_add_test(tc, no_allocation);
    tcase_add_test(tc, serial_while_the_pool_is_busy);
#ifdef _OPENMP
    tcase_add_test(tc, on_openmp_tasks);
    tcase_add_test(tc, inside_a_parallel_region);
#endif
    suite_add_tcase(s, tc);
    return s;
}
