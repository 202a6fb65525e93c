/* SPDX-License-Identifier: BSD-3-Clause */
/* Random views, every element followed through an operation and compared by its address. */
#include <check.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "lmad.h"
#include "oracle.h"
#include "rng.h"
#include "trial.h"

Suite *lm_suite_views(void);

static lmad_desc random_view(lm_rng *rng) {
    lmad_desc d = {(int)lm_rng_range(rng, 0, 4), lm_rng_range(rng, -50, 50), {{0, 0}}};
    for (int k = 0; k < d.rank; k++)
        d.dim[k] = (lmad_dim){lm_rng_range(rng, lm_rng_chance(rng, 10) ? 0 : 1, 5), lm_rng_range(rng, -9, 9)};
    return d;
}

static int64_t address(const lmad_desc *d, const int64_t *index) {
    int64_t at = d->offset;
    for (int k = 0; k < d->rank; k++) at += index[k] * d->dim[k].stride;
    return at;
}

/* The next index in row-major order; false after the last one. */
static bool advance(const lmad_desc *d, int64_t *index) {
    for (int k = d->rank - 1; k >= 0; k--) {
        if (++index[k] < d->dim[k].n) return true;
        index[k] = 0;
    }
    return false;
}

typedef enum op_kind { SLICE, INDEX, INSERT, PERMUTE, REVERSE, BROADCAST, OP_KINDS } op_kind;

typedef struct op {
    op_kind kind;
    int axis;
    int64_t a, b, step; /* the operation's numbers in its own order */
    int perm[8];
} op;

static op random_op(lm_rng *rng, int rank) {
    op o = {(op_kind)lm_rng_range(rng, 0, OP_KINDS - 1), 0, 0, 0, 0, {0}};
    if (rank > 0) o.axis = (int)lm_rng_range(rng, 0, o.kind == INSERT ? rank : rank - 1);
    o.a = lm_rng_range(rng, 0, 5);
    o.b = lm_rng_range(rng, -1, 5);
    o.step = lm_rng_range(rng, -4, 3);
    if (o.step >= 0) o.step++;
    lm_rng_shuffle(rng, rank, o.perm);
    return o;
}

static lmad_status apply(lmad_desc *d, const op *o) {
    switch (o->kind) {
    case SLICE: return lmad_slice(d, o->axis, o->a, o->b, o->step);
    case INDEX: return lmad_index(d, o->axis, o->a);
    case INSERT: return lmad_insert(d, o->axis, o->a);
    case PERMUTE: return lmad_permute(d, o->perm);
    case REVERSE: return lmad_reverse(d, o->axis);
    default: return lmad_broadcast(d, o->axis, o->a);
    }
}

/* The index of the old view that an index of the new one stands for. */
static void map_back(const op *o, const lmad_desc *old, const int64_t *index, int64_t *out) {
    for (int k = 0; k < old->rank; k++) {
        int shift = k >= o->axis ? (o->kind == INSERT) - (o->kind == INDEX) : 0;
        bool here = k == o->axis;
        if (o->kind == SLICE && here)
            out[k] = o->a + index[k] * o->step;
        else if (o->kind == INDEX && here)
            out[k] = o->a;
        else if (o->kind == REVERSE && here)
            out[k] = old->dim[k].n - 1 - index[k];
        else if (o->kind == BROADCAST && here)
            out[k] = 0;
        else if (o->kind == PERMUTE)
            continue;
        else
            out[k] = index[k + shift];
    }
    for (int k = 0; k < old->rank && o->kind == PERMUTE; k++) out[o->perm[k]] = index[k];
}

/* The number of elements that the new view must have, counted one by one where that is not plain. */
static int64_t expected_count(const op *o, const lmad_desc *old) {
    int64_t count = 1, n = 0;
    for (int k = 0; k < old->rank; k++)
        if (k != o->axis || (o->kind != SLICE && o->kind != INDEX)) count *= old->dim[k].n;
    if (o->kind == SLICE) {
        for (int64_t i = o->a; o->step > 0 ? i < o->b : i > o->b; i += o->step) n++;
        return count * n;
    }
    return o->kind == INSERT || o->kind == BROADCAST ? count * o->a : count;
}

START_TEST(test_random_views) {
    uint64_t seed = lm_test_seed();
    lm_rng rng = {lm_mix(seed)};
    int followed[OP_KINDS] = {0};
    for (int round = 0; round < 100000; round++) {
        lmad_desc old = random_view(&rng), d = old;
        op o = random_op(&rng, old.rank);
        if (apply(&d, &o) != LMAD_OK) {
            ck_assert_msg(lm_oracle_same(&d, &old), "LMAD_TEST_SEED=%" PRIu64 ", round %d", seed, round);
            continue;
        }
        int64_t index[8] = {0}, before[8], count, lo, hi, seen = 0;
        ck_assert_int_eq(lmad_bounds(&d, &count, &lo, &hi), LMAD_OK);
        bool right = count == expected_count(&o, &old);
        for (bool more = count > 0; more; more = advance(&d, index), seen++) {
            map_back(&o, &old, index, before);
            int64_t at = address(&d, index);
            right = right && at == address(&old, before) && at >= lo && at <= hi;
        }
        ck_assert_msg(right && seen == count, "LMAD_TEST_SEED=%" PRIu64 ", round %d, operation %d", seed,
                      round, o.kind);
        followed[o.kind]++;
    }
    for (int kind = 0; kind < OP_KINDS; kind++) ck_assert_int_gt(followed[kind], 1000);
}
END_TEST

/* Can strides say what the addresses of a list of elements say? They can only be what the elements one step
 * away from index 0 say. Gives the view if so. */
static bool naive_reshape(const lmad_desc *old, lmad_desc *d) {
    int64_t list[1024], index[8] = {0}, weight = 1;
    int count = 0;
    do list[count++] = address(old, index);
    while (advance(old, index));
    d->offset = list[0];
    for (int k = d->rank - 1; k >= 0; k--) {
        d->dim[k].stride = d->dim[k].n > 1 ? list[weight] - list[0] : 0;
        weight *= d->dim[k].n;
    }
    memset(index, 0, sizeof index);
    for (int i = 0; i < count; i++, advance(d, index))
        if (address(d, index) != list[i]) return false;
    return true;
}

/* A random shape with this many elements; how many axes. */
static int random_shape(lm_rng *rng, int64_t count, int64_t *shape) {
    int rank = 0;
    while (rank < 5 || count > 1) {
        int64_t n = rank < 7 ? lm_rng_range(rng, 1, 6) : count;
        if (count % n != 0) continue;
        shape[rank++] = n;
        count /= n;
        if (count == 1 && lm_rng_chance(rng, 2)) break;
    }
    return rank;
}

START_TEST(test_random_reshapes) {
    uint64_t seed = lm_test_seed();
    lm_rng rng = {lm_mix(seed)};
    int outcomes[2] = {0, 0};
    for (int round = 0; round < 100000; round++) {
        lmad_desc old = random_view(&rng), want;
        /* Mostly views whose axes fold somewhere. */
        for (int k = old.rank - 2; k >= 0; k--)
            if (!lm_rng_chance(&rng, 4)) old.dim[k].stride = old.dim[k + 1].n * old.dim[k + 1].stride;
        int64_t count, shape[8];
        if (lmad_bounds(&old, &count, NULL, NULL) != LMAD_OK || count == 0) continue;
        want.rank = random_shape(&rng, count, shape);
        for (int k = 0; k < want.rank; k++) want.dim[k].n = shape[k];
        bool possible = naive_reshape(&old, &want);
        lmad_desc d = old;
        lmad_status status = lmad_reshape(&d, want.rank, shape);
        bool right =
            status == (possible ? LMAD_OK : LMAD_ERR_LAYOUT) && (!possible || d.offset == want.offset);
        for (int k = 0; k < want.rank && possible; k++)
            right =
                right && d.dim[k].n == shape[k] && (shape[k] == 1 || d.dim[k].stride == want.dim[k].stride);
        ck_assert_msg(right, "LMAD_TEST_SEED=%" PRIu64 ", round %d, status %d", seed, round, status);
        outcomes[possible]++;
    }
    ck_assert_int_gt(outcomes[0], 1000);
    ck_assert_int_gt(outcomes[1], 1000);
}
END_TEST

Suite *lm_suite_views(void) {
    Suite *suite = suite_create("views");
    TCase *tests = tcase_create("random views");
    tcase_add_test(tests, test_random_views);
    tcase_add_test(tests, test_random_reshapes);
    suite_add_tcase(suite, tests);
    return suite;
}
