/* SPDX-License-Identifier: BSD-3-Clause */
/* Every candidate that the planner could choose is run and compared, not only the chosen one. */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "lib/planner.h"
#include "oracle.h"
#include "pool.h"
#include "rng.h"
#include "trial.h"

enum { CAPACITY = 40 << 20 };

static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* A problem on the rig whose candidates are being run. */
typedef struct bench {
    lm_rig *rig;
    lm_settings settings;
    int64_t seen, tried;
    uint64_t luck;
} bench;

static void complain(const lm_step *step, const char *why) {
    char text[300];
    lm_step_describe(step, text, sizeof text);
    ck_abort_msg("candidate %s: %s", text, why);
}

/* What kinds propose comes first and is run; of the grid around it, which has a thousand points, a few are. */
enum { RUN_ALL = 24, RUN_EVERY = 40 };

static bool run_candidate(void *arg, const lm_step *step) {
    bench *b = arg;
    if (b->seen++ >= RUN_ALL && lm_mix(b->luck + (uint64_t)b->seen) % RUN_EVERY != 0) return true;
    lm_rig_reset(b->rig);
    lm_step_run(step, &b->settings, b->rig->d, b->rig->s);
    const char *why = lm_rig_verdict(b->rig);
    if (why) complain(step, why);
    if (!(step->seconds >= 0)) complain(step, "predicts a time below 0");
    b->tried++;
    return true;
}

static bool find_least(void *arg, const lm_step *step) {
    double *least = arg;
    if (step->seconds < *least) *least = step->seconds;
    return true;
}

/* Candidates of a copy; the choice by estimate must be the cheapest of those that it looks at. */
static void run_all(lm_rig *rig, const lm_trial *t, int threads, uint64_t luck, pool *workers) {
    lm_problem problem;
    double least = INFINITY;
    bench b = {.rig = rig, .settings = {.threads = threads, .time_limit = -1}, .luck = luck};
    if (workers) b.settings.run = pool_run, b.settings.run_data = workers;
    lm_rig_set(rig, t);
    if (lm_problem_make(&problem, t->op, &t->dst, &t->src, t->elem_size, threads) != LMAD_OK)
        ck_abort_msg("no problem: %s", lmad_error_detail());
    lm_planner_each(&problem, LMAD_EXHAUSTIVE, run_candidate, &b);
    lm_step chosen;
    lm_planner_choose(&problem, &chosen);
    if (b.tried == 0) complain(&chosen, "not shown");
    lm_planner_each(&problem, LMAD_ESTIMATE, find_least, &least);
    if (chosen.seconds > least) complain(&chosen, "not the cheapest");
}

/* A dense array of some shape. */
static lmad_desc dense(int rank, const int64_t *n) {
    lmad_desc d;
    if (lmad_row_major(&d, rank, n) != LMAD_OK) ck_abort_msg("no descriptor");
    return d;
}

/* View axes in another order: axis k is axis perm[k] of d. */
static lmad_desc permuted(lmad_desc d, const int *perm) {
    lmad_desc p = d;
    for (int k = 0; k < d.rank; k++) p.dim[k] = d.dim[perm[k]];
    return p;
}

static void run_everywhere(lm_rig *rig, lm_trial *t, uint64_t luck, pool *workers) {
    t->op = LM_OP_COPY;
    t->dst_end = luck & 1;
    t->src_end = luck & 2;
    t->dst_slack = luck & 4 ? 0 : luck >> 8 & 63;
    t->src_slack = luck & 8 ? 0 : luck >> 16 & 63;
    run_all(rig, t, luck & 16 ? 1 : 3, luck, luck & 32 ? workers : NULL);
}

/* A family makes its problem number i of element size es; false when there is no such. */
typedef bool family(int i, lm_trial *t);

/* Extents below, at and beyond the usual tiles, with tails. */
static const int64_t odd[] = {2, 3, 5, 8, 15, 16, 17, 31, 33, 64, 65, 100, 129, 257};
enum { ODD = sizeof odd / sizeof *odd };

static bool transposes(int i, lm_trial *t) {
    if (i >= ODD * ODD) return false;
    int64_t n[2] = {odd[i / ODD], odd[i % ODD]};
    t->dst = dense(2, n);
    t->src = permuted(dense(2, (int64_t[]){n[1], n[0] + i % 3}), (int[]){1, 0});
    t->src.dim[0].n = n[0];
    return true;
}

static bool batched(int i, lm_trial *t) {
    if (i >= 4 * 16) return false;
    int64_t n[4] = {3, odd[i % 16 % ODD], 2, odd[(i / 4 + 5) % ODD]};
    t->dst = dense(4, n);
    t->src = permuted(dense(4, (int64_t[]){n[0], n[3], n[2] + 1, n[1]}), (int[]){0, 3, 2, 1});
    t->src.dim[2].n = n[2];
    if (i % 4 == 1) t->src.offset += (n[1] - 1) * t->src.dim[1].stride, t->src.dim[1].stride *= -1;
    if (i % 4 == 2) t->src.offset += (n[3] - 1) * t->src.dim[3].stride, t->src.dim[3].stride *= -1;
    if (i % 4 == 3) t->dst.dim[0].stride += 5;
    return true;
}

static bool permutations(int i, lm_trial *t) {
    if (i >= 24 * 2) return false;
    static const int64_t shapes[2][4] = {{7, 12, 5, 33}, {18, 3, 20, 4}};
    int perm[4], left[4] = {0, 1, 2, 3}, number = i / 2;
    for (int k = 4; k > 0; number /= k, k--) {
        perm[4 - k] = left[number % k];
        for (int m = number % k; m + 1 < k; m++) left[m] = left[m + 1];
    }
    t->src = permuted(dense(4, shapes[i % 2]), perm);
    int64_t n[4];
    for (int k = 0; k < 4; k++) n[k] = t->src.dim[k].n;
    t->dst = dense(4, n);
    return true;
}

/* Rows cut out of wider ones, on either side or both. */
static bool slices(int i, lm_trial *t) {
    if (i >= ODD * 3) return false;
    int64_t n[3] = {6, 41, odd[i / 3]};
    t->dst = t->src = dense(3, n);
    if (i % 3 != 0) t->src = dense(3, (int64_t[]){6, 43, n[2] + 1 + i % 4});
    if (i % 3 != 1) t->dst = dense(3, (int64_t[]){6, 42, n[2] + 2});
    for (int k = 0; k < 3; k++) t->src.dim[k].n = t->dst.dim[k].n = n[k];
    return true;
}

/* One side has a stride inside; reversed on one side or on both. */
static bool reversed(int i, lm_trial *t) {
    if (i >= ODD * 6) return false;
    int64_t n[2] = {37, odd[i / 6]};
    t->dst = t->src = dense(2, n);
    for (int k = 0; k < 2; k++) {
        lmad_desc *d = i % 6 < 3 ? &t->src : &t->dst;
        if (((i % 3 + 1) >> k & 1) == 0) continue;
        d->offset += (n[k] - 1) * d->dim[k].stride;
        d->dim[k].stride *= -1;
    }
    if (i % 12 < 6) t->src = t->dst; /* both ways: as if forward */
    return true;
}

static bool strided(int i, lm_trial *t) {
    if (i >= ODD * 6) return false;
    int64_t n[2] = {odd[(i / 6 * 5) % ODD], odd[i / 6]};
    t->dst = t->src = dense(2, n);
    lmad_desc *d = i % 2 ? &t->src : &t->dst;
    for (int k = 0; k < 2; k++) d->dim[k].stride *= 2 + i % 3;
    if (i % 6 == 5) t->dst.dim[0].stride = 7 * n[1], t->dst.dim[1].stride = 7;
    return true;
}

static bool broadcasts(int i, lm_trial *t) {
    if (i >= ODD * 4) return false;
    int64_t n[3] = {5, odd[i / 4], 37};
    t->dst = t->src = dense(3, n);
    if (i % 4 == 3) t->src = permuted(dense(3, (int64_t[]){37, n[1], 5}), (int[]){2, 1, 0});
    t->src.dim[i % 4 % 3].stride = 0;
    if (i % 4 == 2) t->src.dim[1].stride = 1;
    return true;
}

static family *const families[] = {transposes, batched, permutations, slices, reversed, strided, broadcasts};
enum { FAMILIES = sizeof families / sizeof *families };

START_TEST(each_family) {
    lm_rig rig;
    pool *workers = pool_create(2);
    lm_rig_open(&rig, 16 << 20);
    lm_trial t = {0};
    for (int i = 0; families[_i](i, &t); i++) {
        for (int s = 0; s < SIZES; s++) {
            uint64_t luck = lm_mix((uint64_t)(i * SIZES + s));
            if ((luck >> 40) % (unsigned)lm_test_scale()) continue;
            t.elem_size = sizes[s];
            run_everywhere(&rig, &t, luck, workers);
        }
    }
    pool_destroy(workers);
    lm_rig_close(&rig);
}
END_TEST

/* Sizes at which streaming stores and threads come in. */
START_TEST(large) {
    static const size_t big_sizes[] = {1, 4, 8, 3, 16};
    lm_rig rig;
    pool *workers = pool_create(2);
    lm_rig_open(&rig, CAPACITY);
    lm_trial t = {.elem_size = big_sizes[_i % 5]};
    int64_t a = _i % 5 == 0 ? 3583 : 1701, b = 12 * 1024 * 1024 / (int64_t)t.elem_size / a;
    switch (_i / 5) {
    case 0:
        t.dst = dense(2, (int64_t[]){a, b}), t.src = permuted(dense(2, (int64_t[]){b, a}), (int[]){1, 0});
        break;
    case 1: t.dst = dense(2, (int64_t[]){a, b}), t.src = t.dst, t.src.dim[0].stride += 3; break;
    case 2: t.dst = dense(2, (int64_t[]){a, b}), t.src = t.dst, t.src.dim[1].stride = -1; break;
    case 3: t.dst = dense(2, (int64_t[]){b * a / 4, 4}), t.src = t.dst, t.src.dim[0].stride = 5; break;
    default: t.dst = dense(1, (int64_t[]){a * b}), t.src = t.dst; break;
    }
    for (int k = 0; k < (lm_test_scale() > 1 ? 1 : 3); k++)
        run_everywhere(&rig, &t, lm_mix((uint64_t)(_i * 3 + k)), workers);
    pool_destroy(workers);
    lm_rig_close(&rig);
}
END_TEST

/* Small layouts of any kind, among them those that no family has. */
static void any_small(lm_rng *rng, lm_trial *t) {
    int rank = (int)lm_rng_range(rng, 0, 6);
    *t = (lm_trial){.elem_size = sizes[lm_rng_range(rng, 0, SIZES - 1)], .dst.rank = rank, .src.rank = rank};
    int64_t d = 1, s = 1;
    for (int k = 0; k < rank; k++) {
        int64_t n = lm_rng_range(rng, 1, rank > 3 ? 4 : 11);
        int64_t ds = d + lm_rng_range(rng, 0, 1),
                ss = lm_rng_chance(rng, 6) ? 0 : s + lm_rng_range(rng, 0, 2);
        d = ds * n;
        s = ss ? ss * n : s;
        int at = (int)lm_rng_range(rng, 0,
                                   k); /* insert anywhere on both sides; the source's order is mixed below */
        for (int i = k; i > at; i--) t->dst.dim[i] = t->dst.dim[i - 1], t->src.dim[i] = t->src.dim[i - 1];
        t->dst.dim[at] = (lmad_dim){n, lm_rng_chance(rng, 4) ? -ds : ds};
        t->src.dim[at] = (lmad_dim){n, lm_rng_chance(rng, 4) ? -ss : ss};
    }
    for (int k = 1; k < rank; k++) {
        int m = (int)lm_rng_range(rng, 0, k);
        int64_t stride = t->src.dim[k].stride;
        t->src.dim[k].stride = t->src.dim[m].stride;
        t->src.dim[m].stride = stride;
    }
}

START_TEST(small) {
    lm_rig rig;
    pool *workers = pool_create(2);
    lm_rig_open(&rig, 16 << 20);
    for (uint64_t i = 0; i < 4000; i += (uint64_t)lm_test_scale()) {
        lm_rng rng = {lm_mix(lm_test_seed() + i)};
        lm_trial t;
        any_small(&rng, &t);
        if (!lm_rig_fits(&rig, &t)) continue;
        run_everywhere(&rig, &t, lm_rng_next(&rng), workers);
    }
    pool_destroy(workers);
    lm_rig_close(&rig);
}
END_TEST

Suite *lm_suite_candidates(void) {
    Suite *suite = suite_create("candidates");
    TCase *tc = tcase_create("candidates");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, each_family, 0, FAMILIES);
    tcase_add_loop_test(tc, large, 0, 25);
    tcase_add_test(tc, small);
    suite_add_tcase(suite, tc);
    return suite;
}
