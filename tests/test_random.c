/* SPDX-License-Identifier: BSD-3-Clause */
/* Random problems: any rank, element size, layout, operation, thread count and placement. A failure names
 * the LMAD_TEST_SEED that makes it the first problem of its test. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>

#include "contexts.h"
#include "oracle.h"
#include "rng.h"
#include "trial.h"

enum { CAPACITY = 8 << 20, BIG_CAPACITY = 112 << 20, PROBLEMS = 6000 };

/* What a side may do beyond a permuted dense array. */
typedef enum side { DESTINATION, SOURCE } side;

static void shuffle(lm_rng *rng, int n, int *order) {
    for (int i = 0; i < n; i++) {
        int k = (int)lm_rng_range(rng, 0, i);
        order[i] = order[k];
        order[k] = i;
    }
}

/* The stride of an axis that lies outside of `dense` elements. */
static int64_t any_stride(lm_rng *rng, int64_t dense, side of) {
    if (of == SOURCE && lm_rng_chance(rng, 10)) return 0;
    if (of == SOURCE && lm_rng_chance(rng, 12)) return lm_rng_range(rng, 1, dense);
    if (lm_rng_chance(rng, 5)) return dense + lm_rng_range(rng, 1, 9);
    if (lm_rng_chance(rng, 12)) return dense * lm_rng_range(rng, 2, 3);
    return dense;
}

/* A view of shape n: axes in any order, some of them reversed, with gaps; a source may also repeat. */
static lmad_desc any_view(lm_rng *rng, int rank, const int64_t *n, side of) {
    int order[LMAD_MAX_RANK];
    lmad_desc d = {.rank = rank, .offset = lm_rng_range(rng, -50, 1000)};
    shuffle(rng, rank, order);
    if (lm_rng_chance(rng, 3)) /* memory order = index order: long runs */
        for (int i = 0; i < rank; i++) order[i] = rank - 1 - i;
    int64_t dense = 1;
    for (int i = 0; i < rank; i++) {
        int k = order[i];
        int64_t stride = any_stride(rng, dense, of);
        if (n[k] > 1 && stride * n[k] > dense) dense = stride * n[k];
        bool back = lm_rng_chance(rng, 4);
        d.dim[k] = (lmad_dim){n[k], back ? -stride : stride};
        if (n[k] == 1 && lm_rng_chance(rng, 3)) d.dim[k].stride = (int64_t)lm_rng_next(rng);
    }
    return d;
}

/* Extents whose product is about `budget`; now and then an empty axis. */
static void any_shape(lm_rng *rng, int rank, int64_t budget, int64_t *n) {
    int at[LMAD_MAX_RANK];
    shuffle(rng, rank, at);
    for (int i = 0; i < rank; i++) {
        int64_t most = i == rank - 1 ? budget : lm_rng_range(rng, 1, 2 + budget);
        if (rank > 8 && most > 4) most = 4;
        if (most > 200 && !lm_rng_chance(rng, 4)) most = 200;
        n[at[i]] = lm_rng_range(rng, 1, most < budget && most > 0 ? most : budget);
        budget /= n[at[i]];
    }
    if (rank > 0 && lm_rng_chance(rng, 60)) n[at[0]] = 0;
}

static size_t any_elem_size(lm_rng *rng) {
    static const size_t usual[] = {1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 12, 16, 24, 32, 48};
    if (lm_rng_chance(rng, 40)) return (size_t)lm_rng_range(rng, 1000, 9000);
    if (lm_rng_chance(rng, 8)) return (size_t)lm_rng_range(rng, 1, 130);
    return usual[lm_rng_range(rng, 0, sizeof usual / sizeof *usual - 1)];
}

static void any_trial(lm_rng *rng, lm_trial *t, const lm_rig *rig) {
    static const lm_op ops[] = {LM_OP_COPY, LM_OP_COPY, LM_OP_COPY, LM_OP_MOVE, LM_OP_FILL};
    do {
        int64_t n[LMAD_MAX_RANK];
        int rank =
            (int)(lm_rng_chance(rng, 10) ? lm_rng_range(rng, 9, LMAD_MAX_RANK) : lm_rng_range(rng, 0, 8));
        int64_t payload = lm_rng_chance(rng, 12) ? 1 << 20 : INT64_C(1) << lm_rng_range(rng, 0, 16);
        *t = (lm_trial){.op = ops[lm_rng_range(rng, 0, 4)], .elem_size = any_elem_size(rng)};
        int64_t budget = payload / (int64_t)t->elem_size;
        any_shape(rng, rank, budget > 0 ? budget : 1, n);
        t->dst = any_view(rng, rank, n, DESTINATION);
        t->src = any_view(rng, rank, n, SOURCE);
        t->dst_end = lm_rng_chance(rng, 2);
        t->src_end = lm_rng_chance(rng, 2);
        t->dst_slack = (size_t)lm_rng_range(rng, 0, 63);
        t->src_slack = (size_t)lm_rng_range(rng, 0, 63);
        if (t->op == LM_OP_MOVE) t->src.offset = t->dst.offset + lm_rng_range(rng, -3, 40);
    } while (!lm_rig_fits(rig, t));
}

/* Every problem under one of the contexts. */
START_TEST(anything) {
    lm_rig rig;
    lm_contexts contexts;
    lm_rig_open(&rig, CAPACITY);
    lm_contexts_open(&contexts);
    for (uint64_t i = 0; i < PROBLEMS; i += (uint64_t)lm_test_scale()) {
        uint64_t seed = lm_test_seed() + i;
        lm_rng rng = {lm_mix(seed)};
        lm_trial t;
        any_trial(&rng, &t, &rig);
        int which = (int)lm_rng_range(&rng, 0, LM_CONTEXTS - 1);
        const char *why = lm_rig_try(&rig, &t, contexts.ctx[which], lm_rng_chance(&rng, 9) ? LMAD_SERIAL : 0);
        if (why) ck_abort_msg("LMAD_TEST_SEED=%" PRIu64 " (%s): %s", seed, contexts.name[which], why);
    }
    lm_contexts_close(&contexts);
    lm_rig_close(&rig);
}
END_TEST

/* Beyond the thresholds of threads and streaming stores: 24 MB and more. */
static const struct {
    lm_op op;
    size_t elem_size;
    lmad_desc dst, src;
} big[] = {
    {LM_OP_COPY, 4, {2, 3, {{2501, 2500}, {2500, 1}}}, {2, 1, {{2501, 1}, {2500, 2503}}}},
    {LM_OP_COPY,
     8,
     {3, 0, {{17, 1}, {600, 18}, {310, 10800}}},
     {3, 185999, {{17, 186000}, {600, 310}, {310, -1}}}},
    {LM_OP_COPY, 1, {2, 5, {{5003, 5100}, {5001, 1}}}, {2, 5000, {{5003, 5001}, {5001, -1}}}},
    {LM_OP_COPY, 3, {2, 0, {{2100001, 4}, {4, 1}}}, {2, 0, {{2100001, 5}, {4, 1}}}},
    {LM_OP_COPY, 16, {1, 1, {{1600001, 1}}}, {1, 2, {{1600001, 1}}}},
    {LM_OP_MOVE, 4, {2, 2500, {{2500, 2500}, {2500, 1}}}, {2, 0, {{2500, 1}, {2500, 2500}}}},
    {LM_OP_FILL, 12, {2, 7, {{1500, 1503}, {1500, -1}}}, {0, 0, {{0, 0}}}},
};

START_TEST(large) {
    lm_rig rig;
    lm_contexts contexts;
    lm_rig_open(&rig, BIG_CAPACITY);
    lm_contexts_open(&contexts);
    for (int which = 0; which < LM_CONTEXTS; which++) {
        lm_trial t = {
            .op = big[_i].op, .elem_size = big[_i].elem_size, .dst = big[_i].dst, .src = big[_i].src};
        t.dst_end = which & 1;
        t.src_slack = (size_t)which * 4;
        const char *why = lm_rig_try(&rig, &t, contexts.ctx[which], LMAD_ESTIMATE);
        if (why) ck_abort_msg("%s: %s", contexts.name[which], why);
        if (lm_test_scale() > 1 && which == 2) break;
    }
    lm_contexts_close(&contexts);
    lm_rig_close(&rig);
}
END_TEST

Suite *lm_suite_random(void) {
    Suite *suite = suite_create("random");
    TCase *tc = tcase_create("random");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, anything);
    tcase_add_loop_test(tc, large, 0, sizeof big / sizeof *big);
    suite_add_tcase(suite, tc);
    return suite;
}
