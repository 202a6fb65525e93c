/* SPDX-License-Identifier: BSD-3-Clause */
/* The exact tests on address sets, against sets written out in full. */
#include <check.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/lattice.h"
#include "rng.h"
#include "trial.h"

Suite *lm_suite_lattice(void);

enum { MAX_SUMS = 256, SPAN = 256 };

/* ---- The naive answers ------------------------------------------------------------------------------ */

/* All sums of a small set, in index order, last axis fastest; how many. */
static int list_sums(const lm_axis *axes, int rank, int64_t *sums) {
    int count = 1;
    sums[0] = 0;
    for (int k = 0; k < rank; k++) {
        int64_t longer[MAX_SUMS];
        int filled = 0;
        for (int i = 0; i < count; i++)
            for (int64_t x = 0; x < axes[k].n; x++) longer[filled++] = sums[i] + x * axes[k].stride;
        for (int i = 0; i < filled; i++) sums[i] = longer[i];
        count = filled;
    }
    return count;
}

static bool naive_aliases(const lm_axis *axes, int rank) {
    int64_t sums[MAX_SUMS];
    bool seen[2 * SPAN] = {false};
    int count = list_sums(axes, rank, sums);
    for (int i = 0; i < count; i++) {
        if (seen[sums[i] + SPAN]) return true;
        seen[sums[i] + SPAN] = true;
    }
    return false;
}

static bool naive_meets(const lm_byte_set *a, const lm_byte_set *b) {
    int64_t sums[MAX_SUMS];
    bool seen[2 * SPAN] = {false};
    int count = list_sums(a->axes, a->rank, sums);
    for (int i = 0; i < count; i++)
        for (int64_t u = 0; u < a->run; u++) seen[a->start + sums[i] + u + SPAN] = true;
    count = list_sums(b->axes, b->rank, sums);
    for (int i = 0; i < count; i++)
        for (int64_t u = 0; u < b->run; u++)
            if (seen[b->start + sums[i] + u + SPAN]) return true;
    return false;
}

/* Does axis k take part in some collision: do two index tuples that differ there give one sum? */
static bool takes_part(const lm_axis *axes, int rank, int k) {
    int64_t sums[MAX_SUMS];
    int count = list_sums(axes, rank, sums);
    int64_t below = 1;
    for (int j = k + 1; j < rank; j++) below *= axes[j].n;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (sums[i] == sums[j] && i / below % axes[k].n != j / below % axes[k].n) return true;
    return false;
}

/* ---- Aliases ------------------------------------------------------------------------------------------ */

static void compare_aliases(const lm_axis *axes, int rank) {
    int a = -1, b = -1;
    lm_answer got = lm_lattice_aliases(axes, rank, &a, &b);
    lm_answer want = naive_aliases(axes, rank) ? LM_YES : LM_NO;
    bool named = got != LM_YES || (a >= 0 && b >= 0 && a < rank && b < rank && takes_part(axes, rank, a) &&
                                   takes_part(axes, rank, b) && (a != b || axes[a].stride == 0));
    if (got == want && named) return;
    for (int k = 0; k < rank; k++) fprintf(stderr, "(%" PRId64 ",%" PRId64 ")", axes[k].n, axes[k].stride);
    ck_abort_msg(": answer %d, expected %d, axes %d and %d", got, want, a, b);
}

/* Every axis of extent 1..4 and stride -7..7 is a number below 60. */
static lm_axis nth_axis(int i) { return (lm_axis){i % 4 + 1, i / 4 - 7}; }

START_TEST(test_aliases_exhaustive) {
    lm_axis axes[3] = {{0, 0}};
    compare_aliases(axes, 0);
    for (int i = 0; i < 60; i++) {
        axes[0] = nth_axis(i);
        compare_aliases(axes, 1);
        for (int j = 0; j < 60; j++) {
            axes[1] = nth_axis(j);
            compare_aliases(axes, 2);
            for (int k = 0; k < 60; k++) {
                axes[2] = nth_axis(k);
                compare_aliases(axes, 3);
            }
        }
    }
}
END_TEST

START_TEST(test_aliases_random) {
    uint64_t seed = lm_test_seed();
    lm_rng rng = {lm_mix(seed)};
    for (int round = 0; round < 100000; round++) {
        lm_axis axes[4];
        for (int k = 0; k < 4; k++)
            axes[k] = (lm_axis){lm_rng_range(&rng, 1, 4), lm_rng_range(&rng, -20, 20)};
        int a, b;
        lm_answer want = naive_aliases(axes, 4) ? LM_YES : LM_NO;
        ck_assert_msg(lm_lattice_aliases(axes, 4, &a, &b) == want, "LMAD_TEST_SEED=%" PRIu64 ", round %d",
                      seed, round);
    }
}
END_TEST

static lm_answer aliases(int rank, const lm_axis *axes) {
    int a, b;
    return lm_lattice_aliases(axes, rank, &a, &b);
}

START_TEST(test_aliases_known) {
    ck_assert_int_eq(aliases(2, (lm_axis[]){{2, 3}, {3, 2}}), LM_NO);
    ck_assert_int_eq(aliases(2, (lm_axis[]){{3, 2}, {2, 3}}), LM_NO);
    ck_assert_int_eq(aliases(2, (lm_axis[]){{2, 3}, {3, 1}}), LM_NO);
    ck_assert_int_eq(aliases(2, (lm_axis[]){{2, 2}, {3, 1}}), LM_YES);
    ck_assert_int_eq(aliases(2, (lm_axis[]){{3, 3}, {4, 2}}), LM_YES);
    /* The stride of an extent of 1, and empty sets, mean nothing. */
    ck_assert_int_eq(aliases(2, (lm_axis[]){{1, INT64_MAX}, {1, 0}}), LM_NO);
    ck_assert_int_eq(aliases(2, (lm_axis[]){{0, INT64_MAX}, {5, 0}}), LM_NO);
    /* The ends of int64. */
    ck_assert_int_eq(aliases(1, (lm_axis[]){{2, INT64_MIN}}), LM_NO);
    ck_assert_int_eq(aliases(2, (lm_axis[]){{2, INT64_MAX}, {2, 1}}), LM_NO);
    ck_assert_int_eq(aliases(1, (lm_axis[]){{INT64_MAX, 1}}), LM_NO);
    ck_assert_int_eq(aliases(1, (lm_axis[]){{INT64_MAX, 0}}), LM_YES);
    ck_assert_int_eq(aliases(2, (lm_axis[]){{INT64_C(1) << 62, 1}, {2, (INT64_C(1) << 62) - 1}}), LM_YES);
}
END_TEST

/* Sorted strides alone do not decide these. */
START_TEST(test_aliases_big) {
    /* Coprime strides: the first collision needs 1001 steps of one axis and 1000 of the other. */
    ck_assert_int_eq(aliases(2, (lm_axis[]){{1000, 1001}, {1000, 1000}}), LM_NO);
    ck_assert_int_eq(aliases(2, (lm_axis[]){{1001, 1001}, {1002, 1000}}), LM_YES);
    ck_assert_int_eq(aliases(2, (lm_axis[]){{1000000, 1000003}, {1000000, 1000000}}), LM_NO);
    ck_assert_int_eq(aliases(2, (lm_axis[]){{1000001, 1000003}, {1000004, 1000000}}), LM_YES);
    ck_assert_int_eq(aliases(2, (lm_axis[]){{3000000000, 3000000001}, {3000000000, 3000000000}}), LM_NO);
    /* 333333 and 333334 steps come within 8. */
    ck_assert_int_eq(aliases(3, (lm_axis[]){{1000000, 1000003 * 8}, {1000000, 1000000 * 8}, {8, 1}}), LM_NO);
    ck_assert_int_eq(aliases(3, (lm_axis[]){{1000000, 1000003 * 8}, {1000000, 1000000 * 8}, {9, 1}}), LM_YES);
    /* Two fields of a record of 7, rows of 1000: every other stride leaves gaps that the others fill. */
    ck_assert_int_eq(aliases(3, (lm_axis[]){{100, 7000}, {2, 3}, {1000, 7}}), LM_NO);
    ck_assert_int_eq(aliases(3, (lm_axis[]){{100, 7000}, {3, 3}, {1000, 7}}), LM_NO);
    ck_assert_int_eq(aliases(3, (lm_axis[]){{100, 6993}, {2, 3}, {1000, 7}}), LM_YES);
    /* A dense array cut into many axes of 2, given out of order. */
    lm_axis axes[32];
    for (int k = 0; k < 32; k++) axes[k] = (lm_axis){2, (k % 2 ? -1 : 1) * (INT64_C(1) << (k * 7 % 32))};
    ck_assert_int_eq(aliases(32, axes), LM_NO);
    axes[5].stride = 12345;
    ck_assert_int_eq(aliases(32, axes), LM_YES);
}
END_TEST

/* ---- Meets ----------------------------------------------------------------------------------------------
 */

static lm_answer meets(int64_t start_a, int64_t run_a, int rank_a, const lm_axis *a, int64_t start_b,
                       int64_t run_b, int rank_b, const lm_axis *b) {
    lm_byte_set sa = {start_a, run_a, rank_a, a}, sb = {start_b, run_b, rank_b, b};
    lm_answer answer = lm_lattice_meets(&sa, &sb);
    ck_assert_int_eq(lm_lattice_meets(&sb, &sa), answer);
    return answer;
}

START_TEST(test_meets_exhaustive) {
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 60; j++)
            for (int64_t start = -12; start <= 12; start++)
                for (int runs = 0; runs < 9; runs++) {
                    lm_axis a = nth_axis(i), b = nth_axis(j);
                    lm_byte_set sa = {0, runs % 3 + 1, 1, &a}, sb = {start, runs / 3 + 1, 1, &b};
                    lm_answer want = naive_meets(&sa, &sb) ? LM_YES : LM_NO;
                    ck_assert_msg(lm_lattice_meets(&sa, &sb) == want,
                                  "(%" PRId64 ",%" PRId64 ") run %" PRId64 ", (%" PRId64 ",%" PRId64
                                  ")+%" PRId64 " run %" PRId64,
                                  a.n, a.stride, sa.run, b.n, b.stride, start, sb.run);
                }
}
END_TEST

static lm_byte_set random_set(lm_rng *rng, lm_axis *axes) {
    lm_byte_set set = {lm_rng_range(rng, -20, 20), lm_rng_range(rng, 1, 3), (int)lm_rng_range(rng, 0, 3),
                       axes};
    for (int k = 0; k < set.rank; k++)
        axes[k] = (lm_axis){lm_rng_range(rng, lm_rng_chance(rng, 50) ? 0 : 1, 4), lm_rng_range(rng, -14, 14)};
    return set;
}

START_TEST(test_meets_random) {
    uint64_t seed = lm_test_seed();
    lm_rng rng = {lm_mix(seed)};
    int both[2] = {0, 0};
    for (int round = 0; round < 300000; round++) {
        lm_axis axes_a[3], axes_b[3];
        lm_byte_set a = random_set(&rng, axes_a), b = random_set(&rng, axes_b);
        /* Half of them with the strides of each other: what interleaved parts of one array look like. */
        for (int k = 0; k < a.rank && k < b.rank && round % 2; k++) axes_b[k].stride = axes_a[k].stride;
        lm_answer want = naive_meets(&a, &b) ? LM_YES : LM_NO;
        ck_assert_msg(lm_lattice_meets(&a, &b) == want, "LMAD_TEST_SEED=%" PRIu64 ", round %d", seed, round);
        both[want == LM_YES]++;
    }
    ck_assert_int_gt(both[0], 1000);
    ck_assert_int_gt(both[1], 1000);
}
END_TEST

START_TEST(test_meets_columns) {
    const int64_t n = 1000000, es = 8, ld = n * es;
    const lm_axis rows = {n, ld}, alternate[] = {{n, ld}, {n / 2, 2 * es}},
                  thirds[] = {{n, ld}, {n / 3, 3 * es}};
    ck_assert_int_eq(meets(0, es, 1, &rows, es, es, 1, &rows), LM_NO);
    ck_assert_int_eq(meets(0, es, 1, &rows, 500 * ld + es - 1, es, 1, &rows), LM_YES);
    ck_assert_int_eq(meets(0, 3 * es, 1, &rows, 3 * es, ld - 3 * es, 1, &rows), LM_NO);
    ck_assert_int_eq(meets(0, 3 * es, 1, &rows, 3 * es, ld - 3 * es + 1, 1, &rows), LM_YES);
    /* Even and odd columns; the odd ones run backwards. */
    const lm_axis odd[] = {{n / 2, -2 * es}, {n, -ld}};
    const int64_t last = n * ld - es;
    ck_assert_int_eq(meets(0, es, 2, alternate, es, es, 2, alternate), LM_NO);
    ck_assert_int_eq(meets(0, es, 2, alternate, last, es, 2, odd), LM_NO);
    ck_assert_int_eq(meets(0, es + 1, 2, alternate, last, es, 2, odd), LM_YES);
    ck_assert_int_eq(meets(0, es, 2, thirds, es, 2 * es, 2, thirds), LM_NO);
    ck_assert_int_eq(meets(0, es, 2, alternate, 3 * es, es, 2, thirds), LM_YES);
    /* Odd and even elements. */
    const lm_axis half = {n, 2 * es};
    ck_assert_int_eq(meets(0, es, 1, &half, es, es, 1, &half), LM_NO);
    ck_assert_int_eq(meets(0, es, 1, &half, es - 1, es, 1, &half), LM_YES);
}
END_TEST

START_TEST(test_meets_blocks) {
    /* Blocks of a 1000 x 1000 x 1000 array, its planes and rows padded. */
    const int64_t es = 4, row = 1003 * es, plane = 1001 * row;
    const lm_axis block[] = {{1000, plane}, {400, row}, {300, es}};
    const int64_t right = 300 * es, below = 400 * row;
    ck_assert_int_eq(meets(0, es, 3, block, right, es, 3, block), LM_NO);
    ck_assert_int_eq(meets(0, es, 3, block, below, es, 3, block), LM_NO);
    ck_assert_int_eq(meets(0, es, 3, block, right - es, es, 3, block), LM_YES);
    ck_assert_int_eq(meets(0, es, 3, block, below - row + right - es, es, 3, block), LM_YES);
    ck_assert_int_eq(meets(0, 300 * es, 2, block, 500 * plane + right, 300 * es, 2, block), LM_NO);
    ck_assert_int_eq(meets(0, 300 * es, 2, block, 500 * plane + right - 1, 300 * es, 2, block), LM_YES);
    /* Transposed: the axes of one side in another order and reversed. */
    const lm_axis turned[] = {{300, es}, {1000, -plane}, {400, row}};
    ck_assert_int_eq(meets(0, es, 3, block, 999 * plane + right, es, 3, turned), LM_NO);
    ck_assert_int_eq(meets(0, es, 3, block, 999 * plane + right - 2, es, 3, turned), LM_YES);
}
END_TEST

/* start, start + step, ... : n indices of an array axis. */
typedef struct indices {
    int64_t start, step, n;
} indices;

static indices random_indices(lm_rng *rng, int64_t extent) {
    indices out = {lm_rng_range(rng, 0, extent - 1), lm_rng_range(rng, 1, 4), 0};
    if (lm_rng_chance(rng, 3)) out.step = -out.step;
    int64_t room = out.step > 0 ? (extent - 1 - out.start) / out.step : out.start / -out.step;
    out.n = lm_rng_range(rng, lm_rng_chance(rng, 2) ? room + 1 : 1, room + 1);
    return out;
}

static bool share_index(const indices *a, const indices *b) {
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t j = 0; j < b->n; j++)
            if (a->start + i * a->step == b->start + j * b->step) return true;
    return false;
}

/* Two views of one array share an element when their indices agree on every axis. All must be decided. */
START_TEST(test_meets_subviews) {
    uint64_t seed = lm_test_seed();
    lm_rng rng = {lm_mix(seed)};
    for (int round = 0; round < 20000; round++) {
        lm_axis axes_a[6], axes_b[6];
        int64_t run = lm_rng_range(&rng, 1, 16), stride = run;
        int rank = (int)lm_rng_range(&rng, 1, 6);
        lm_byte_set a = {0, run, rank, axes_a}, b = {0, run, rank, axes_b};
        bool want = true;
        for (int k = 0; k < rank; k++) {
            int64_t extent = lm_rng_range(&rng, 1, 40);
            indices ia = random_indices(&rng, extent), ib = random_indices(&rng, extent);
            want = want && share_index(&ia, &ib);
            axes_a[k] = (lm_axis){ia.n, ia.step * stride};
            axes_b[rank - 1 - k] = (lm_axis){ib.n, ib.step * stride};
            a.start += ia.start * stride;
            b.start += ib.start * stride;
            stride *= extent + (lm_rng_chance(&rng, 3) ? lm_rng_range(&rng, 0, 5) : 0);
        }
        ck_assert_msg(lm_lattice_meets(&a, &b) == (want ? LM_YES : LM_NO),
                      "LMAD_TEST_SEED=%" PRIu64 ", round %d", seed, round);
    }
}
END_TEST

START_TEST(test_meets_edges) {
    const lm_axis none = {0, 1}, one = {1, INT64_MAX}, still = {5, 0}, wide = {2, INT64_MAX - 8};
    ck_assert_int_eq(meets(0, 4, 0, NULL, 3, 4, 0, NULL), LM_YES);
    ck_assert_int_eq(meets(0, 4, 0, NULL, 4, 4, 0, NULL), LM_NO);
    ck_assert_int_eq(meets(0, 4, 1, &none, 0, 4, 0, NULL), LM_NO);
    ck_assert_int_eq(meets(0, 4, 1, &one, 3, 4, 1, &still), LM_YES);
    ck_assert_int_eq(meets(0, 8, 1, &wide, 8, 8, 1, &wide), LM_NO);
    ck_assert_int_eq(meets(0, 8, 1, &wide, 7, 8, 1, &wide), LM_YES);
    ck_assert_int_eq(meets(INT64_MIN, 8, 0, NULL, INT64_MAX - 8, 8, 0, NULL), LM_NO);
}
END_TEST

/* Whatever is asked, the answer comes within the work limit: this test would run into the time limit. */
START_TEST(test_work_limit) {
    uint64_t seed = lm_test_seed();
    lm_rng rng = {lm_mix(seed)};
    for (int round = 0; round < 100; round++) {
        lm_axis axes[32];
        for (int k = 0; k < 32; k++) axes[k] = (lm_axis){2, lm_rng_range(&rng, 1, INT64_C(1) << 58)};
        aliases(32, axes);
        meets(0, 1, 16, axes, 1, 1, 16, axes + 16);
    }
}
END_TEST

Suite *lm_suite_lattice(void) {
    Suite *suite = suite_create("lattice");
    TCase *tests = tcase_create("aliases");
    tcase_add_test(tests, test_aliases_exhaustive);
    tcase_add_test(tests, test_aliases_random);
    tcase_add_test(tests, test_aliases_known);
    tcase_add_test(tests, test_aliases_big);
    suite_add_tcase(suite, tests);
    tests = tcase_create("meets");
    tcase_add_test(tests, test_meets_exhaustive);
    tcase_add_test(tests, test_meets_random);
    tcase_add_test(tests, test_meets_columns);
    tcase_add_test(tests, test_meets_blocks);
    tcase_add_test(tests, test_meets_subviews);
    tcase_add_test(tests, test_meets_edges);
    tcase_add_test(tests, test_work_limit);
    suite_add_tcase(suite, tests);
    return suite;
}
