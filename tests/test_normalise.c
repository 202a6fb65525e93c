/* SPDX-License-Identifier: BSD-3-Clause */
/* Canonical problems: known cases, the invariants, and that all descriptions of one problem meet in one form.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/problem.h"
#include "oracle.h"
#include "rng.h"
#include "trial.h"

static lm_problem make(const lmad_desc *dst, const lmad_desc *src, size_t elem_size) {
    lm_problem p;
    if (lm_problem_make(&p, LM_OP_COPY, dst, src, elem_size, 1) != LMAD_OK)
        ck_abort_msg("no problem: %s", lmad_error_detail());
    return p;
}

static void expect(const lm_problem *p, int64_t run, int64_t doff, int64_t soff, int rank,
                   const lm_pdim *dim) {
    ck_assert_int_eq(p->run, run);
    ck_assert_int_eq(p->doff, doff);
    ck_assert_int_eq(p->soff, soff);
    ck_assert_int_eq(p->rank, rank);
    for (int k = 0; k < rank; k++) {
        ck_assert_int_eq(p->dim[k].n, dim[k].n);
        ck_assert_int_eq(p->dim[k].ds, dim[k].ds);
        ck_assert_int_eq(p->dim[k].ss, dim[k].ss);
    }
}

START_TEST(contiguous_is_one_run) {
    lmad_desc d = {3, 5, {{4, 30}, {5, 6}, {6, 1}}}, s = {3, 0, {{4, 30}, {5, 6}, {6, 1}}};
    lm_problem p = make(&d, &s, 4);
    expect(&p, 480, 20, 0, 0, NULL);
    ck_assert_int_eq(p.count, 1);
    ck_assert_int_eq(p.payload, 480);
}
END_TEST

START_TEST(equal_spans_are_not_equal_layouts) {
    lmad_desc d = {2, 0, {{3, 1}, {4, 3}}}, s = {2, 0, {{3, 4}, {4, 1}}};
    lm_problem p = make(&d, &s, 8);
    expect(&p, 8, 0, 0, 2, (lm_pdim[]){{4, 24, 8}, {3, 8, 32}});
    ck_assert_int_eq(p.count, 12);
}
END_TEST

START_TEST(extent_one_strides_mean_nothing) {
    lmad_desc d = {4, 0, {{1, INT64_MAX}, {3, 9}, {1, INT64_MIN}, {8, 1}}};
    lmad_desc s = {4, 2, {{1, -7}, {3, 8}, {1, 0}, {8, 1}}};
    lm_problem p = make(&d, &s, 2);
    expect(&p, 16, 0, 4, 1, (lm_pdim[]){{3, 18, 16}});
}
END_TEST

START_TEST(negative_on_both_sides_is_forward) {
    lmad_desc d = {2, 19, {{4, -5}, {5, -1}}}, s = {2, 39, {{4, -5}, {5, -1}}};
    lm_problem p = make(&d, &s, 4);
    expect(&p, 80, 0, 80, 0, NULL);
}
END_TEST

START_TEST(negative_destination_turns_the_source) {
    lmad_desc d = {1, 9, {{10, -1}}}, s = {1, 0, {{10, 1}}};
    lm_problem p = make(&d, &s, 4);
    expect(&p, 4, 0, 36, 1, (lm_pdim[]){{10, 4, -4}});
}
END_TEST

START_TEST(axes_fold_where_both_sides_do) {
    lmad_desc d = {3, 0, {{6, 40}, {4, 10}, {5, 2}}}, s = {3, 0, {{6, 80}, {4, 20}, {5, 4}}};
    lm_problem p = make(&d, &s, 1);
    expect(&p, 1, 0, 0, 1, (lm_pdim[]){{120, 2, 4}});
    s.dim[0].stride = 81; /* folds in the destination only */
    p = make(&d, &s, 1);
    expect(&p, 1, 0, 0, 2, (lm_pdim[]){{6, 40, 81}, {20, 2, 4}});
}
END_TEST

START_TEST(broadcast_axes_fold_too) {
    lmad_desc d = {3, 0, {{3, 28}, {4, 7}, {7, 1}}}, s = {3, 0, {{3, 0}, {4, 0}, {7, 1}}};
    lm_problem p = make(&d, &s, 2);
    expect(&p, 14, 0, 0, 1, (lm_pdim[]){{12, 14, 0}});
}
END_TEST

START_TEST(reach_is_in_bytes) {
    lmad_desc d = {2, 10, {{3, -4}, {2, 1}}}, s = {2, -3, {{3, 0}, {2, 5}}};
    lm_problem p = make(&d, &s, 3);
    ck_assert_int_eq(p.dlo, 6);
    ck_assert_int_eq(p.dhi, 36);
    ck_assert_int_eq(p.slo, -9);
    ck_assert_int_eq(p.shi, 9);
}
END_TEST

START_TEST(empty_has_no_runs) {
    lmad_desc d = {2, INT64_MAX, {{INT64_MAX, INT64_MAX}, {0, 1}}}, s = {2, 0, {{INT64_MAX, 0}, {0, 0}}};
    lm_problem p = make(&d, &s, SIZE_MAX / 2);
    ck_assert_int_eq(p.count, 0);
}
END_TEST

START_TEST(the_problem_knows_its_circumstances) {
    lmad_desc d = {1, 0, {{7, 2}}};
    lm_problem p;
    ck_assert_int_eq(lm_problem_make(&p, LM_OP_FILL, &d, NULL, 4, 3), LMAD_OK);
    ck_assert_int_eq(p.op, LM_OP_FILL);
    ck_assert_int_eq(p.threads, 3);
    ck_assert_int_eq(p.dst_space, LM_HOST);
    ck_assert_int_eq(p.src_space, LM_HOST);
    ck_assert_int_eq(lm_problem_make(&p, LM_OP_MOVE, &d, &d, 4, 1), LMAD_OK);
    ck_assert_int_eq(p.op, LM_OP_MOVE);
}
END_TEST

/* ---- Random problems ---- */

/* A copy whose destination is injective: nested axes in any order, some flipped. */
static void any_copy(lm_rng *rng, lmad_desc *d, lmad_desc *s) {
    int rank = (int)lm_rng_range(rng, 0, 6);
    *d = (lmad_desc){.rank = rank, .offset = lm_rng_range(rng, -9, 9)};
    *s = (lmad_desc){.rank = rank, .offset = lm_rng_range(rng, -9, 9)};
    int64_t dense = 1, sdense = 1;
    for (int k = 0; k < rank; k++) {
        int64_t n = lm_rng_range(rng, 1, 4), ds = dense + (lm_rng_chance(rng, 3) ? 1 : 0);
        int64_t ss = lm_rng_chance(rng, 2) ? sdense : lm_rng_range(rng, -6, 6);
        dense = ds * n;
        if (ss == sdense) sdense *= n;
        int flip = lm_rng_chance(rng, 3) ? -1 : 1;
        d->dim[k] = (lmad_dim){n, flip * ds};
        s->dim[k] = (lmad_dim){n, (lm_rng_chance(rng, 3) ? -1 : 1) * flip * ss};
    }
}

static void swap_axes(lmad_desc *d, int i, int k) {
    lmad_dim axis = d->dim[i];
    d->dim[i] = d->dim[k];
    d->dim[k] = axis;
}

static void flip(lmad_desc *d, int k) {
    if (d->dim[k].n < 2) return;
    d->offset += (d->dim[k].n - 1) * d->dim[k].stride;
    d->dim[k].stride *= -1;
}

/* Split axis k into inner ones of extent n/part, where that divides. */
static void split(lmad_desc *d, int k, int64_t part) {
    int64_t inner = d->dim[k].n / part;
    memmove(&d->dim[k + 1], &d->dim[k], (size_t)(d->rank - k) * sizeof *d->dim);
    d->rank++;
    d->dim[k].n = part;
    d->dim[k].stride *= inner;
    d->dim[k + 1].n = inner;
}

static void insert_one(lmad_desc *d, int k, int64_t stride) {
    memmove(&d->dim[k + 1], &d->dim[k], (size_t)(d->rank - k) * sizeof *d->dim);
    d->rank++;
    d->dim[k] = (lmad_dim){1, stride};
}

/* The same copy told differently. */
static void retell(lm_rng *rng, lmad_desc *d, lmad_desc *s) {
    for (int step = 0; step < 6; step++) {
        int what = (int)lm_rng_range(rng, 0, 3), k = (int)lm_rng_range(rng, 0, d->rank);
        if (what == 0) insert_one(d, k, lm_rng_range(rng, -99, 99)), insert_one(s, k, INT64_MAX);
        if (k == d->rank) continue;
        int other = (int)lm_rng_range(rng, 0, d->rank - 1);
        if (what == 1) swap_axes(d, k, other), swap_axes(s, k, other);
        if (what == 2) flip(d, k), flip(s, k);
        if (what == 3 && d->dim[k].n % 2 == 0) split(d, k, 2), split(s, k, 2);
    }
}

static bool same(const lm_problem *a, const lm_problem *b) {
    return a->op == b->op && a->rank == b->rank && a->run == b->run && a->count == b->count &&
           a->payload == b->payload && a->doff == b->doff && a->soff == b->soff && a->dlo == b->dlo &&
           a->dhi == b->dhi && a->slo == b->slo && a->shi == b->shi &&
           !memcmp(a->dim, b->dim, (size_t)a->rank * sizeof *a->dim);
}

static const char *flaw(const lm_problem *p) {
    if (p->payload != p->count * p->run) return "payload is not count * run";
    int64_t count = 1;
    for (int k = 0; k < p->rank; k++) {
        const lm_pdim *a = &p->dim[k];
        count *= a->n;
        if (a->n < 2) return "extent below 2";
        if (a->ds <= 0) return "destination stride not above 0";
        if (a->ds == p->run && a->ss == p->run) return "the run could be longer";
        if (k > 0 && p->dim[k - 1].ds < a->ds) return "axes not by falling destination stride";
        for (int i = 0; i < p->rank; i++)
            if (i != k && p->dim[i].ds == a->n * a->ds && p->dim[i].ss == a->n * a->ss)
                return "two axes fold";
    }
    return count == p->count ? NULL : "count is not the product of the extents";
}

static void blame(const char *why, uint64_t seed, const lmad_desc *d, const lmad_desc *s) {
    char text[900];
    lm_trial_format(text, sizeof text, &(lm_trial){.dst = *d, .src = *s, .elem_size = 4});
    ck_abort_msg("LMAD_TEST_SEED=%llu %s: %s", (unsigned long long)seed, why, text);
}

START_TEST(invariants_and_one_form) {
    for (uint64_t i = 0; i < 200000; i += (uint64_t)lm_test_scale()) {
        lm_rng rng = {lm_mix(lm_test_seed() + i)};
        lmad_desc d, s;
        any_copy(&rng, &d, &s);
        lm_problem first = make(&d, &s, 4);
        if (flaw(&first)) blame(flaw(&first), lm_test_seed() + i, &d, &s);
        retell(&rng, &d, &s);
        lm_problem second = make(&d, &s, 4);
        if (!same(&first, &second)) blame("another form when retold", lm_test_seed() + i, &d, &s);
    }
}
END_TEST

/* One byte of a copy: where it goes, where it comes from. */
typedef struct pair {
    int64_t d, s;
} pair;

static int compare_pairs(const void *a, const void *b) {
    const pair *x = a, *y = b;
    if (x->d != y->d) return x->d < y->d ? -1 : 1;
    return x->s < y->s ? -1 : x->s > y->s;
}

static void list_pairs(const lm_problem *p, int axis, int64_t d, int64_t s, pair **out) {
    if (axis < p->rank) {
        for (int64_t i = 0; i < p->dim[axis].n; i++)
            list_pairs(p, axis + 1, d + i * p->dim[axis].ds, s + i * p->dim[axis].ss, out);
        return;
    }
    for (int64_t i = 0; i < p->run; i++) *(*out)++ = (pair){d + i, s + i};
}

static pair *pairs_of(const lm_problem *p) {
    pair *list = malloc((size_t)p->payload * sizeof *list), *end = list;
    if (!list) abort();
    list_pairs(p, 0, p->doff, p->soff, &end);
    qsort(list, (size_t)p->payload, sizeof *list, compare_pairs);
    return list;
}

/* The descriptors as they are, as a problem that nobody has normalised. */
static lm_problem literal(const lmad_desc *d, const lmad_desc *s, int64_t elem_size) {
    lm_problem p = {
        .rank = d->rank, .run = elem_size, .doff = d->offset * elem_size, .soff = s->offset * elem_size};
    p.count = 1;
    for (int k = 0; k < d->rank; k++) {
        p.dim[k] = (lm_pdim){d->dim[k].n, d->dim[k].stride * elem_size, s->dim[k].stride * elem_size};
        p.count *= d->dim[k].n;
    }
    p.payload = p.count * elem_size;
    return p;
}

START_TEST(the_copy_stays_the_same) {
    for (uint64_t i = 0; i < 3000; i += (uint64_t)lm_test_scale()) {
        lm_rng rng = {lm_mix(lm_test_seed() + i)};
        lmad_desc d, s;
        any_copy(&rng, &d, &s);
        lm_problem told = literal(&d, &s, 4), made = make(&d, &s, 4);
        pair *want = pairs_of(&told), *have = told.payload == made.payload ? pairs_of(&made) : NULL;
        if (!have || memcmp(want, have, (size_t)told.payload * sizeof *want))
            blame("not the same copy", lm_test_seed() + i, &d, &s);
        free(want);
        free(have);
    }
}
END_TEST

/* lm_normalise() by itself, from axes in any state. */
START_TEST(normalise_alone) {
    lm_problem p = {.rank = 4, .run = 4, .doff = 100, .soff = 200};
    p.dim[0] = (lm_pdim){5, 4, 4};
    p.dim[1] = (lm_pdim){1, INT64_MIN, INT64_MAX};
    p.dim[2] = (lm_pdim){3, -100, 60};
    p.dim[3] = (lm_pdim){2, 20, 20};
    lm_normalise(&p);
    expect(&p, 40, -100, 320, 1, (lm_pdim[]){{3, 100, -60}});
}
END_TEST

/* ---- Layouts that only look wrong ---- */

/* Extents of 1 with strides that would overflow, alias or misalign if anybody used them. */
START_TEST(strides_of_extent_one_are_fine) {
    static const int64_t odd[] = {INT64_MAX, 0, -7, INT64_MIN, 1, 3};
    lm_rig rig;
    lm_rig_open(&rig, 1 << 12);
    for (int i = 0; i < 6 * 6 * 6 * 2; i++) {
        int64_t a = odd[i % 6], b = odd[i / 6 % 6], c = odd[i / 36 % 6];
        lm_trial t = {.op = i % 5 == 0 ? LM_OP_MOVE : i % 7 == 0 ? LM_OP_FILL : LM_OP_COPY, .elem_size = 8};
        t.dst = (lmad_desc){4, -1, {{1, a}, {3, 5}, {1, b}, {5, 1}}};
        t.src = (lmad_desc){4, 4, {{1, c}, {3, i < 216 ? 5 : 1}, {1, a}, {5, i < 216 ? -1 : 3}}};
        const char *why = lm_rig_try(&rig, &t, NULL, 0);
        if (why) ck_abort_msg("%s", why);
    }
    lm_trial one = {.elem_size = 3, .dst = {1, 2, {{1, INT64_MIN}}}, .src = {1, -2, {{1, INT64_MAX}}}};
    const char *why = lm_rig_try(&rig, &one, NULL, 0);
    if (why) ck_abort_msg("%s", why);
    lm_rig_close(&rig);
}
END_TEST

/* Destinations that sorted strides would refuse and a look at all pairs would not. */
START_TEST(injective_destinations_are_fine) {
    static const lmad_desc fine[] = {
        {2, 0, {{2, 3}, {3, 2}}}, {2, 0, {{3, 2}, {2, 3}}},           {2, 0, {{2, -3}, {3, 2}}},
        {2, 0, {{5, 7}, {7, 5}}}, {3, 0, {{2, 15}, {3, 10}, {5, 6}}}, {2, 0, {{1000, 1001}, {1001, 1000}}},
    };
    for (int i = 0; i < (int)(sizeof fine / sizeof *fine); i++) {
        lmad_plan *p = NULL;
        ck_assert(!lm_oracle_aliases(&fine[i]));
        ck_assert_int_eq(lmad_plan_copy(&p, NULL, &fine[i], &fine[i], 4, 0), LMAD_OK);
        lmad_plan_destroy(p);
    }
}
END_TEST

Suite *lm_suite_normalise(void) {
    Suite *suite = suite_create("normalise");
    TCase *known = tcase_create("known forms"), *random = tcase_create("random problems");
    TCase *odd = tcase_create("odd layouts");
    tcase_add_test(known, contiguous_is_one_run);
    tcase_add_test(known, equal_spans_are_not_equal_layouts);
    tcase_add_test(known, extent_one_strides_mean_nothing);
    tcase_add_test(known, negative_on_both_sides_is_forward);
    tcase_add_test(known, negative_destination_turns_the_source);
    tcase_add_test(known, axes_fold_where_both_sides_do);
    tcase_add_test(known, broadcast_axes_fold_too);
    tcase_add_test(known, reach_is_in_bytes);
    tcase_add_test(known, empty_has_no_runs);
    tcase_add_test(known, the_problem_knows_its_circumstances);
    tcase_add_test(known, normalise_alone);
    tcase_add_test(odd, strides_of_extent_one_are_fine);
    tcase_add_test(odd, injective_destinations_are_fine);
    tcase_set_timeout(random, 300);
    tcase_add_test(random, invariants_and_one_form);
    tcase_add_test(random, the_copy_stays_the_same);
    suite_add_tcase(suite, known);
    suite_add_tcase(suite, odd);
    suite_add_tcase(suite, random);
    return suite;
}
