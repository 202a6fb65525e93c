/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of copies, affine and generated values: against the definition, on any number of threads. */
#include <check.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "contexts.h"
#include "oracle.h"
#include "rng.h"
#include "trial.h"

/* ---- lists ---------------------------------------------------------------------------------------- */

enum { ITEMS = 30 };

/* Items of mixed shapes and sizes, each with a block of its own in two arenas. */
typedef struct list {
    lmad_desc dst[ITEMS], src[ITEMS];
    lmad_many_item item[ITEMS];
    char *d, *s, *want;
    void *dsts[ITEMS];
    const void *srcs[ITEMS];
    size_t bytes;
} list;

static void list_open(list *l, int64_t edge) {
    lm_rng rng = {lm_test_seed()};
    const size_t room = (size_t)(edge * edge * 48 + 64);
    l->bytes = room * ITEMS;
    l->d = malloc(l->bytes);
    l->s = malloc(l->bytes);
    l->want = malloc(l->bytes);
    for (size_t i = 0; i < l->bytes; i++) l->s[i] = (char)lm_mix(i);
    for (int k = 0; k < ITEMS; k++) {
        static const size_t sizes[] = {1, 4, 8, 3, 16, 24};
        const int64_t n = k % 7 == 3 ? 0 : lm_rng_range(&rng, 1, edge), m = lm_rng_range(&rng, 1, edge);
        l->dst[k] = (lmad_desc){2, 0, {{n, m}, {m, 1}}};
        l->src[k] =
            k % 2 ? (lmad_desc){2, 0, {{n, 1}, {m, n}}} : (lmad_desc){2, m - 1, {{n, m + 1}, {m, -1}}};
        l->item[k] = (lmad_many_item){&l->dst[k], &l->src[k], sizes[k % 6]};
        l->dsts[k] = n ? l->d + room * (size_t)k : NULL;
        l->srcs[k] = n ? l->s + room * (size_t)k : NULL;
    }
}

static void list_close(list *l) {
    free(l->d);
    free(l->s);
    free(l->want);
}

static void list_work_out(list *l) {
    memset(l->d, 0x5a, l->bytes);
    memset(l->want, 0x5a, l->bytes);
    for (int k = 0; k < ITEMS; k++)
        if (l->dsts[k])
            lm_oracle_copy(l->want + ((char *)l->dsts[k] - l->d), &l->dst[k], l->srcs[k], &l->src[k],
                           l->item[k].elem_size);
}

START_TEST(lists) {
    static const int64_t edges[] = {3, 40, 200};
    lm_contexts contexts;
    list l;
    list_open(&l, edges[_i]);
    lm_contexts_open(&contexts);
    for (int c = 0; c < LM_CONTEXTS; c++) {
        lmad_plan *p;
        lmad_info info = {.struct_size = sizeof info};
        ck_assert_int_eq(lmad_plan_many(&p, contexts.ctx[c], ITEMS, l.item, 0), LMAD_OK);
        list_work_out(&l);
        ck_assert_int_eq(lmad_execute_many(p, l.dsts, l.srcs), LMAD_OK);
        ck_assert_int_eq(memcmp(l.d, l.want, l.bytes), 0);
        ck_assert_int_eq(lmad_plan_info(p, &info), LMAD_OK);
        ck_assert_str_eq(info.kind, "many");
        if (edges[_i] == 200 && c == 1) ck_assert_int_eq(info.threads, 5);
        lmad_plan_destroy(p);
    }
    lm_contexts_close(&contexts);
    list_close(&l);
}
END_TEST

START_TEST(list_errors) {
    char a[64] = {0}, b[64];
    void *dst[] = {b, b + 32};
    const void *src[] = {a, a + 32};
    lmad_plan *p = NULL, *copy;
    const lmad_desc good = {1, 0, {{8, 1}}}, other = {1, 0, {{7, 1}}};
    lmad_many_item item[] = {{&good, &good, 4}, {&good, &other, 4}};
    ck_assert_int_eq(lmad_plan_many(&p, NULL, 2, item, 0), LMAD_ERR_SHAPE);
    ck_assert_ptr_nonnull(strstr(lmad_error_detail(), "item 1"));
    ck_assert_int_eq(lmad_plan_many(&p, NULL, -1, item, 0), LMAD_ERR_ARGUMENT);
    ck_assert_int_eq(lmad_plan_many(&p, NULL, 1, NULL, 0), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_plan_many(NULL, NULL, 1, item, 0), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_plan_many(&p, NULL, 1, item, 1u << 30), LMAD_ERR_FLAGS);
    ck_assert_int_eq(lmad_plan_many(&p, NULL, 1, item, LMAD_WISDOM_ONLY), LMAD_ERR_NO_WISDOM);
    ck_assert_ptr_null(p);
    item[1].src = &good;
    ck_assert_int_eq(lmad_plan_many(&p, NULL, 2, item, 0), LMAD_OK);
    ck_assert_int_eq(lmad_execute(p, b, a), LMAD_ERR_ARGUMENT);
    src[1] = b + 34;
    memset(b, 7, sizeof b);
    ck_assert_int_eq(lmad_execute_many(p, dst, src), LMAD_ERR_OVERLAP);
    ck_assert_int_eq(b[0], 7); /* nothing was written, not even the good item */
    src[1] = NULL;
    ck_assert_int_eq(lmad_execute_many(p, dst, src), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_execute_many(p, NULL, src), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_execute_many(NULL, dst, src), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_plan_copy(&copy, NULL, &good, &good, 4, 0), LMAD_OK);
    ck_assert_int_eq(lmad_execute_many(copy, dst, src), LMAD_ERR_ARGUMENT);
    lmad_plan_destroy(copy);
    lmad_plan_destroy(p);
    ck_assert_int_eq(lmad_plan_many(&p, NULL, 0, NULL, 0), LMAD_OK);
    ck_assert_int_eq(lmad_execute_many(p, NULL, NULL), LMAD_OK);
    lmad_plan_destroy(p);
}
END_TEST

/* ---- affine and generated values ------------------------------------------------------------------ */

static const lmad_desc views[] = {
    {0, 3, {{0, 0}}},
    {1, 0, {{10, 1}}},
    {1, 20, {{10, -2}}},
    {2, 0, {{5, 7}, {7, 1}}},
    {2, 2, {{5, 1}, {7, 5}}},
    {3, 1, {{4, 60}, {3, 20}, {19, 1}}},
    {3, 0, {{4, 1}, {0, 20}, {19, 1}}},
    {2, 5, {{1, INT64_MAX}, {1, -9}}},
    {2, 0, {{3, 5000}, {5000, 1}}},
    {2, 0, {{600, 1}, {700, 600}}},
    {2, 1, {{2, 1500000}, {1500000, 1}}},
};
enum { VIEWS = sizeof views / sizeof *views };

typedef union value {
    int32_t i32[4];
    int64_t i64[4];
    float f32[4];
    double f64[4];
} value;

/* Sets of base and steps. Of the floating-point ones: what is rounded and what is not, whole numbers, those
 * that are too large or too small to be counted, zeros of both signs, and what is no number. */
enum { SETS = 10 };
static const value values[4][SETS] = {
    {{.i32 = {INT32_MAX - 3, 7, -100000, 3}}, {.i32 = {0, -1, 1, INT32_MIN}}},
    {{.i64 = {-5, INT64_C(1) << 61, -3, 11}}, {.i64 = {0, INT64_MIN, 1, -1}}},
    {{.f32 = {0.1f, 0.3f, -1.7f, 1e-3f}},
     {.f32 = {1, 0.5f, 2, -3}},
     {.f32 = {1e10f, 1e-10f, 1, 1e-3f}},
     {.f32 = {16777216, 1, -1, 16777215}},
     {.f32 = {-0.0f, -0.0f, -2, 0}},
     {.f32 = {-0.0f, 0, 0, -0.0f}},
     {.f32 = {3e-45f, 1e-45f, -1e-45f, 1e-40f}},
     {.f32 = {1e38f, 1e37f, 1, 1e36f}},
     {.f32 = {(float)INFINITY, 1, -1, (float)NAN}},
     {.f32 = {-1e9f, 1.5f, 0.25f, 1024}}},
    {{.f64 = {0.1, 0.3, -1.7, 1e-3}},
     {.f64 = {1, 0.5, 2, -3}},
     {.f64 = {1e10, 1e-10, 1, 1e-3}},
     {.f64 = {9007199254740992, 1, -1, 3}},
     {.f64 = {-0.0, -0.0, -2, 0}},
     {.f64 = {-0.0, 0, 0, -0.0}},
     {.f64 = {5e-324, 1e-323, -5e-324, 1e-310}},
     {.f64 = {1e308, 1e307, 1, 1e306}},
     {.f64 = {(double)INFINITY, 1, -1, (double)NAN}},
     {.f64 = {4503599627370000, 1, 0.5, 0.25}}}};
static int sets_of(lmad_type type) { return type < LMAD_FLOAT ? 2 : SETS; }

/* The definition. */
static void affine_value(lmad_type type, const value *v, int rank, const int64_t *index, char *out) {
    uint64_t whole = 0;
    volatile double real = 0; /* each operation is rounded to double */
    for (int k = 0; k <= rank; k++) {
        const uint64_t i = k ? (uint64_t)index[k - 1] : 1;
        if (type == LMAD_INT32) whole += i * (uint64_t)v->i32[k];
        if (type == LMAD_INT64) whole += i * (uint64_t)v->i64[k];
        if (type < LMAD_FLOAT) continue;
        const volatile double term =
            (double)(int64_t)i * (type == LMAD_FLOAT ? (double)v->f32[k] : v->f64[k]);
        real = k ? real + term : term;
    }
    const float narrow = (float)real;
    const double wide = real;
    if (type == LMAD_INT32) memcpy(out, &(uint32_t){(uint32_t)whole}, 4);
    if (type == LMAD_INT64) memcpy(out, &whole, 8);
    if (type == LMAD_FLOAT) memcpy(out, &narrow, 4);
    if (type == LMAD_DOUBLE) memcpy(out, &wide, 8);
}

typedef void element_fn(void *arg, int rank, const int64_t *index, char *out);

static void each_element(char *base, const lmad_desc *d, size_t es, element_fn *fn, void *arg) {
    int64_t index[LMAD_MAX_RANK] = {0};
    if (lm_oracle_empty(d)) return;
    for (;;) {
        int64_t at = d->offset;
        for (int k = 0; k < d->rank; k++) at += index[k] ? index[k] * d->dim[k].stride : 0;
        fn(arg, d->rank, index, base + at * (int64_t)es);
        int k = d->rank - 1;
        while (k >= 0 && ++index[k] == d->dim[k].n) index[k--] = 0;
        if (k < 0) return;
    }
}

typedef struct asked {
    lmad_type type;
    const value *value;
} asked;

static void set_affine(void *arg, int rank, const int64_t *index, char *out) {
    const asked *a = arg;
    affine_value(a->type, a->value, rank, index, out);
}

/* The block of a view, `shift` bytes off any alignment, before and as it should be after. */
typedef struct block {
    char *memory, *want, *base;
    size_t size;
} block;

static void block_open(block *b, const lmad_desc *d, size_t es, size_t shift) {
    int64_t lo = 0, hi = -1;
    if (!lm_oracle_empty(d)) lm_oracle_bounds(d, &lo, &hi);
    b->size = (size_t)(hi + 1) * es + 2 * es + shift;
    b->memory = malloc(b->size);
    b->want = malloc(b->size);
    memset(b->memory, 0x33, b->size);
    memset(b->want, 0x33, b->size);
    b->base = b->memory + shift;
}

static void block_check(block *b, const char *what, int view) {
    if (memcmp(b->memory, b->want, b->size)) ck_abort_msg("%s: view %d is wrong", what, view);
    free(b->memory);
    free(b->want);
}

static void try_affine(const asked *a, lmad_ctx *ctx, int view, size_t shift) {
    const size_t es = a->type == LMAD_INT32 || a->type == LMAD_FLOAT ? 4 : 8;
    asked copy = *a;
    block b;
    lmad_plan *p;
    block_open(&b, &views[view], es, shift);
    each_element(b.want + (b.base - b.memory), &views[view], es, set_affine, &copy);
    ck_assert_int_eq(lmad_plan_affine(&p, ctx, &views[view], a->type, 0), LMAD_OK);
    ck_assert_int_eq(lmad_execute(p, b.base, a->value), LMAD_OK);
    lmad_plan_destroy(p);
    block_check(&b, "affine", view);
}

START_TEST(affine) {
    const lmad_type type = (lmad_type)_i;
    lm_contexts contexts;
    lm_contexts_open(&contexts);
    for (int v = 0; v < VIEWS; v++)
        for (int k = 0; k < sets_of(type); k++)
            for (int c = 0; c < 3; c++)
                try_affine(&(asked){type, &values[type][k]}, contexts.ctx[c], v, c == 0 ? 1 : 0);
    lm_contexts_close(&contexts);
}
END_TEST

/* A value that tells the index, in elements of any size. */
static void tell(size_t es, int rank, const int64_t *index, char *out) {
    uint64_t hash = 1;
    for (int k = 0; k < rank; k++) hash = lm_mix(hash + (uint64_t)index[k]);
    for (size_t i = 0; i < es; i++) out[i] = (char)(hash >> (i % 8 * 8));
}

typedef struct teller {
    size_t es;
    int rank;
    atomic_long asked;
} teller;

static void tell_run(void *data, const int64_t *index, int axis, int64_t n, void *run) {
    teller *t = data;
    int64_t at[LMAD_MAX_RANK];
    for (int k = 0; k < t->rank; k++) at[k] = index[k];
    for (int64_t i = 0; i < n; i++) {
        tell(t->es, t->rank, at, (char *)run + i * (int64_t)t->es);
        if (axis >= 0) at[axis]++;
    }
    atomic_fetch_add(&t->asked, n);
}

static void set_told(void *arg, int rank, const int64_t *index, char *out) {
    teller *t = arg;
    tell(t->es, rank, index, out);
    atomic_fetch_add(&t->asked, -1);
}

START_TEST(generated) {
    static const size_t sizes[] = {1, 4, 12, 16, 5000};
    lm_contexts contexts;
    lm_contexts_open(&contexts);
    for (int v = 0; v < (_i == 4 ? 6 : VIEWS); v++)
        for (int c = 0; c < 3; c++) {
            block b;
            lmad_plan *p;
            teller t = {.es = sizes[_i], .rank = views[v].rank};
            block_open(&b, &views[v], t.es, 3);
            each_element(b.want + 3, &views[v], t.es, set_told, &t);
            ck_assert_int_eq(lmad_plan_generate(&p, contexts.ctx[c], &views[v], t.es, tell_run, &t, 0),
                             LMAD_OK);
            ck_assert_int_eq(lmad_execute(p, b.base, NULL), LMAD_OK);
            ck_assert_int_eq(atomic_load(&t.asked), 0); /* each element once */
            lmad_plan_destroy(p);
            block_check(&b, "generated", v);
        }
    lm_contexts_close(&contexts);
}
END_TEST

START_TEST(run_errors) {
    lmad_plan *p = NULL;
    char text[200];
    const lmad_desc good = {1, 0, {{8, 1}}}, twice = {1, 0, {{8, 0}}};
    ck_assert_int_eq(lmad_plan_affine(&p, NULL, &good, (lmad_type)9, 0), LMAD_ERR_ARGUMENT);
    ck_assert_int_eq(lmad_plan_affine(&p, NULL, &twice, LMAD_FLOAT, 0), LMAD_ERR_DST_ALIAS);
    ck_assert_int_eq(lmad_plan_affine(&p, NULL, NULL, LMAD_FLOAT, 0), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_plan_generate(&p, NULL, &good, 4, NULL, NULL, 0), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_plan_generate(&p, NULL, &good, 0, tell_run, NULL, 0), LMAD_ERR_ELEM_SIZE);
    ck_assert_int_eq(lmad_plan_generate(&p, NULL, &good, 4, tell_run, NULL, LMAD_WISDOM_ONLY),
                     LMAD_ERR_NO_WISDOM);
    ck_assert_ptr_null(p);
    ck_assert_int_eq(lmad_plan_affine(&p, NULL, &good, LMAD_INT32, 0), LMAD_OK);
    ck_assert_int_eq(lmad_execute(p, text, NULL), LMAD_ERR_NULL);
    ck_assert_int_gt(lmad_plan_describe(p, text, sizeof text), 0);
    ck_assert_ptr_nonnull(strstr(text, "(affine (runs"));
    ck_assert_int_gt(lmad_plan_explain(p, text, sizeof text), 0);
    lmad_plan_destroy(p);
}
END_TEST

Suite *lm_suite_ops(void) {
    Suite *s = suite_create("ops");
    TCase *tc = tcase_create("ops");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, lists, 0, 3);
    tcase_add_test(tc, list_errors);
    tcase_add_loop_test(tc, affine, 0, 4);
    tcase_add_loop_test(tc, generated, 0, 5);
    tcase_add_test(tc, run_errors);
    suite_add_tcase(s, tc);
    return s;
}
