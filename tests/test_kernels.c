/* SPDX-License-Identifier: BSD-3-Clause */
/* Each kernel that this CPU runs, against the loop that defines kernels, on tiles of any extent, stride and
 * alignment that its pattern allows, with operands that end at unmapped pages. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "kernels/host/kernel.h"
#include "lib/cpu.h"
#include "rng.h"
#include "trial.h"

enum { TILES = 1000, CAPACITY = 24 << 20 };

/* Buffers of the test of one kernel. */
typedef struct bench {
    lm_guard dst, src;
    char *want, *noise;
} bench;

static void bench_open(bench *b) {
    lm_guard_open(&b->dst, CAPACITY);
    lm_guard_open(&b->src, CAPACITY);
    b->want = malloc(CAPACITY);
    b->noise = malloc(CAPACITY + 8);
    if (!b->want || !b->noise) abort();
    for (uint64_t i = 0; i < CAPACITY; i += 8) memcpy(b->noise + i, &(uint64_t){lm_mix(i)}, 8);
}

static void bench_close(bench *b) {
    lm_guard_close(&b->dst);
    lm_guard_close(&b->src);
    free(b->want);
    free(b->noise);
}

/* The definition. */
static void plain_loop(char *dst, const char *src, const lm_tile *t) {
    for (int64_t j = 0; j < t->n1; j++)
        for (int64_t i = 0; i < t->n0; i++)
            memcpy(dst + j * t->ds1 + i * t->ds0, src + j * t->ss1 + i * t->ss0, (size_t)t->run);
}

/* ---- Tiles ---- */

static int64_t any_extent(lm_rng *rng) {
    switch (lm_rng_range(rng, 0, 7)) {
    case 0: return 1;
    case 1: return lm_rng_range(rng, 1, 4);
    case 2: return INT64_C(1) << lm_rng_range(rng, 0, 6);
    case 3: return lm_rng_range(rng, 70, 300) | 1;
    default: return lm_rng_range(rng, 1, 70);
    }
}

static int64_t any_run(lm_rng *rng) {
    static const int64_t usual[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64};
    if (lm_rng_chance(rng, 10)) return lm_rng_range(rng, 65, 400);
    if (lm_rng_chance(rng, 5)) return lm_rng_range(rng, 1, 64);
    return usual[lm_rng_range(rng, 0, 13)];
}

static int64_t any_sign(lm_rng *rng, int64_t stride) { return lm_rng_chance(rng, 3) ? -stride : stride; }

/* A stride that clears `span` bytes: tight, with a gap, or rounded up so that rows keep an alignment. */
static int64_t clear_of(lm_rng *rng, int64_t span, int64_t run) {
    switch (lm_rng_range(rng, 0, 4)) {
    case 0: return span;
    case 1: return (span + 63) / 64 * 64;
    case 2: return (span / 4096 + 1) * 4096;
    case 3: return span + run * lm_rng_range(rng, 1, 5);
    default: return span + lm_rng_range(rng, 1, 130);
    }
}

/* A source may repeat and overlap itself. */
static int64_t any_source_stride(lm_rng *rng, int64_t span, int64_t run) {
    if (lm_rng_chance(rng, 10)) return 0;
    if (lm_rng_chance(rng, 8)) return any_sign(rng, lm_rng_range(rng, 1, span));
    return any_sign(rng, clear_of(rng, span, run));
}

/* Strides of a tile's destination: axis 1 around axis 0, or the other way round where both are free. */
static void any_dst(lm_rng *rng, lm_pattern pattern, lm_tile *t) {
    bool is_free = pattern == LM_STRIDED || pattern == LM_SCATTER;
    t->ds0 = t->run;
    if (is_free && lm_rng_chance(rng, 2)) {
        t->ds1 = clear_of(rng, t->run, t->run);
        t->ds0 = any_sign(rng, clear_of(rng, t->ds1 * t->n1, t->run));
        t->ds1 = any_sign(rng, t->ds1);
        return;
    }
    if (is_free) t->ds0 = clear_of(rng, t->run, t->run);
    t->ds1 = any_sign(rng, clear_of(rng, t->ds0 * t->n0, t->run));
    if (is_free) t->ds0 = any_sign(rng, t->ds0);
}

static void any_src(lm_rng *rng, lm_pattern pattern, lm_tile *t) {
    bool inside_out = lm_rng_chance(rng, 2);
    t->ss0 = any_source_stride(rng, inside_out ? t->run * t->n1 : t->run, t->run);
    if (pattern == LM_ROWS || pattern == LM_SCATTER) t->ss0 = t->run;
    if (pattern == LM_REVERSE) t->ss0 = -t->run;
    if (pattern == LM_FILL) t->ss0 = 0;
    t->ss1 = any_source_stride(rng, t->ss0 ? llabs(t->ss0) * t->n0 : t->run, t->run);
    if (pattern == LM_TRANSPOSE) t->ss1 = any_sign(rng, t->run);
}

static lm_tile any_tile(lm_rng *rng, const lm_kernel *k) {
    lm_tile t = {.run = k->run ? k->run : any_run(rng), .n0 = any_extent(rng), .n1 = any_extent(rng)};
    if (k->pattern == LM_ROWS)
        t.run = 1, t.n0 = lm_rng_chance(rng, 3) ? lm_rng_range(rng, 1, 20000) : t.n0 * 3;
    any_dst(rng, k->pattern, &t);
    any_src(rng, k->pattern, &t);
    if (t.n1 == 1 && k->pattern != LM_TRANSPOSE && lm_rng_chance(rng, 2)) t.ds1 = t.ss1 = 0;
    return t;
}

/* ---- One try ---- */

/* The bytes that one side of a tile spans: the lowest, relative to its pointer, and how many. */
static int64_t span_of(const lm_tile *t, int64_t stride0, int64_t stride1, int64_t *lo) {
    int64_t a = (t->n0 - 1) * stride0, b = (t->n1 - 1) * stride1;
    *lo = (a < 0 ? a : 0) + (b < 0 ? b : 0);
    return llabs(a) + llabs(b) + t->run;
}

static const char *verdict(const bench *b) {
    long where;
    if (memcmp(b->dst.block, b->want, b->dst.size)) return "wrong bytes";
    if (!lm_guard_intact(&b->dst, &where)) return "a write outside of the destination";
    if (!lm_guard_intact(&b->src, &where) || memcmp(b->src.block, b->noise, b->src.size))
        return "the source changed";
    return NULL;
}

static size_t any_slack(lm_rng *rng) { return lm_rng_chance(rng, 2) ? 0 : (size_t)lm_rng_range(rng, 0, 63); }

static const char *try_tile(bench *b, const lm_kernel *k, const lm_tile *t, lm_rng *rng) {
    int64_t dst_lo, src_lo, dst_size = span_of(t, t->ds0, t->ds1, &dst_lo);
    int64_t src_size = span_of(t, t->ss0, t->ss1, &src_lo);
    if (dst_size > CAPACITY / 2 || src_size > CAPACITY / 2) return NULL;
    char *dst = lm_guard_place(&b->dst, (size_t)dst_size, lm_rng_chance(rng, 2), any_slack(rng));
    char *src = lm_guard_place(&b->src, (size_t)src_size, lm_rng_chance(rng, 2), any_slack(rng));
    memcpy(src, b->noise, (size_t)src_size);
    memcpy(dst, b->noise + 4321, (size_t)dst_size);
    memcpy(b->want, b->noise + 4321, (size_t)dst_size);
    plain_loop(b->want - dst_lo, src - src_lo, t);
    k->fn(dst - dst_lo, src - src_lo, t);
    lm_kernel_fence();
    return verdict(b);
}

static void describe(char *text, size_t size, const lm_kernel *k, const lm_tile *t) {
    snprintf(text, size, "%s (%s): run %lld, axis 0 (%lld,%lld,%lld), axis 1 (%lld,%lld,%lld)", k->name,
             lm_isa_name(k->isa), (long long)t->run, (long long)t->n0, (long long)t->ds0, (long long)t->ss0,
             (long long)t->n1, (long long)t->ds1, (long long)t->ss1);
}

START_TEST(agrees_with_the_plain_loop) {
    int count;
    const lm_kernel *k = &lm_kernel_list(&count)[_i];
    if (!lm_isa_supported(k->isa)) return;
    bench b;
    bench_open(&b);
    for (uint64_t i = 0; i < TILES; i += (uint64_t)lm_test_scale()) {
        lm_rng rng = {lm_mix(lm_test_seed() + i)};
        lm_tile t = any_tile(&rng, k);
        char text[300];
        describe(text, sizeof text, k, &t);
        lm_blame(text);
        const char *why = try_tile(&b, k, &t, &rng);
        if (why)
            ck_abort_msg("LMAD_TEST_SEED=%llu %s: %s", (unsigned long long)(lm_test_seed() + i), why, text);
    }
    lm_blame(NULL);
    bench_close(&b);
}
END_TEST

/* What is asked for is what is found. */
START_TEST(find_gives_what_was_asked_for) {
    static const int64_t runs[] = {1, 2, 3, 4, 7, 8, 12, 16, 32, 100};
    for (int i = 0; i < LM_PATTERN_COUNT * 10 * 2 * LM_ISA_COUNT; i++) {
        lm_pattern pattern = (lm_pattern)(i % LM_PATTERN_COUNT);
        lm_isa isa = (lm_isa)(i / LM_PATTERN_COUNT / 20);
        bool stream = i / LM_PATTERN_COUNT % 2;
        int64_t run = pattern == LM_ROWS ? 1 : runs[i / LM_PATTERN_COUNT / 2 % 10];
        const lm_kernel *k = lm_kernel_find(pattern, run, stream, isa);
        ck_assert_ptr_nonnull(k);
        ck_assert_int_eq(k->pattern, pattern);
        ck_assert(k->run == 0 || k->run == run);
        ck_assert_int_le(k->isa, isa);
        ck_assert(!k->stream || stream);
    }
}
END_TEST

/* Names are how people and wisdom tell kernels apart. */
START_TEST(names_are_unique_in_an_isa) {
    int count;
    const lm_kernel *list = lm_kernel_list(&count);
    ck_assert_int_gt(count, 0);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            ck_assert(list[i].isa != list[k].isa || strcmp(list[i].name, list[k].name) != 0);
}
END_TEST

Suite *lm_suite_kernels(void) {
    int count;
    lm_kernel_list(&count);
    Suite *suite = suite_create("kernels");
    TCase *tiles = tcase_create("tiles"), *list = tcase_create("list");
    tcase_set_timeout(tiles, 120);
    tcase_add_loop_test(tiles, agrees_with_the_plain_loop, 0, count);
    tcase_add_test(list, find_gives_what_was_asked_for);
    tcase_add_test(list, names_are_unique_in_an_isa);
    suite_add_tcase(suite, list);
    suite_add_tcase(suite, tiles);
    return suite;
}
