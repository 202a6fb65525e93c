/* SPDX-License-Identifier: BSD-3-Clause */
/* Random problems. */
#include "any.h"

/* What a side may do beyond a permuted dense array. */
typedef enum side { DESTINATION, SOURCE } side;

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
    lm_rng_shuffle(rng, rank, order);
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
    lm_rng_shuffle(rng, rank, at);
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

void lm_any_trial(lm_rng *rng, lm_trial *t, const lm_rig *rig, const lm_op *ops, int count, int64_t most) {
    do {
        int64_t n[LMAD_MAX_RANK];
        int rank =
            (int)(lm_rng_chance(rng, 10) ? lm_rng_range(rng, 9, LMAD_MAX_RANK) : lm_rng_range(rng, 0, 8));
        int64_t payload = lm_rng_chance(rng, 12) ? most : (most >> 4) >> lm_rng_range(rng, 0, 16);
        *t = (lm_trial){.op = ops[lm_rng_range(rng, 0, count - 1)], .elem_size = any_elem_size(rng)};
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
