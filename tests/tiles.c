/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels on tiles in guarded buffers. Nothing here needs more than the C library. */
#include "tiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "lib/cpu.h"
#include "rng.h"

enum { TILES = 1000, CAPACITY = 24 << 20, USUAL_RUNS = 16, EDGE_TILES = 4 * USUAL_RUNS * 60 };

static const int64_t usual_run[USUAL_RUNS] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 16, 24, 28, 32, 48, 64};

struct lm_tile_rig {
    lm_guard dst, src;
    char *want, *want_src, *noise; /* want_src: noise, but for an exchange */
};

lm_tile_rig *lm_tile_rig_open(void) {
    lm_tile_rig *rig = malloc(sizeof *rig);
    if (!rig) abort();
    lm_guard_open(&rig->dst, CAPACITY);
    lm_guard_open(&rig->src, CAPACITY);
    rig->want = malloc(CAPACITY);
    rig->want_src = malloc(CAPACITY);
    rig->noise = malloc(CAPACITY + 8);
    if (!rig->want || !rig->want_src || !rig->noise) abort();
    for (uint64_t i = 0; i < CAPACITY; i += 8) memcpy(rig->noise + i, &(uint64_t){lm_mix(i)}, 8);
    memcpy(rig->want_src, rig->noise, CAPACITY);
    return rig;
}

void lm_tile_rig_close(lm_tile_rig *rig) {
    lm_guard_close(&rig->dst);
    lm_guard_close(&rig->src);
    free(rig->want);
    free(rig->want_src);
    free(rig->noise);
    free(rig);
}

/* The definition. */
static void plain_loop(char *dst, const char *src, const lm_tile *t) {
    for (int64_t j = 0; j < t->n1; j++)
        for (int64_t i = 0; i < t->n0; i++)
            memcpy(dst + j * t->ds1 + i * t->ds0, src + j * t->ss1 + i * t->ss0, (size_t)t->run);
}

/* What is different about an exchange: on a square of its own each pair is met once. */
static void plain_exchange(char *dst, char *src, const lm_tile *t) {
    char kept[400];
    for (int64_t j = 0; j < t->n1; j++)
        for (int64_t i = 0; i < t->n0; i++) {
            char *d = dst + j * t->ds1 + i * t->ds0, *s = src + j * t->ss1 + i * t->ss0;
            if (dst == src && i >= j) continue;
            memcpy(kept, d, (size_t)t->run);
            memcpy(d, s, (size_t)t->run);
            memcpy(s, kept, (size_t)t->run);
        }
}

/* ---- tiles ---------------------------------------------------------------------------------------- */

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
    if (lm_rng_chance(rng, 10)) return lm_rng_range(rng, 65, 400);
    if (lm_rng_chance(rng, 5)) return lm_rng_range(rng, 1, 64);
    return usual_run[lm_rng_range(rng, 0, USUAL_RUNS - 1)];
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
    if (pattern == LM_SWAP) t->ss0 = any_sign(rng, t->run);
    if (pattern == LM_FILL) t->ss0 = 0;
    t->ss1 = any_source_stride(rng, t->ss0 ? llabs(t->ss0) * t->n0 : t->run, t->run);
    if (pattern == LM_TRANSPOSE) t->ss1 = any_sign(rng, t->run);
    if (pattern == LM_SWAP) t->ss1 = any_sign(rng, clear_of(rng, t->run * t->n0, t->run)); /* it is written */
    if (pattern != LM_EXCHANGE) return;
    t->ss0 = any_sign(rng, clear_of(rng, t->run * t->n1, t->run)); /* it is written */
    t->ss1 = t->run;
}

/* Long enough for whole lines that are made of few rows, or of runs with short gaps. */
static void stretch(lm_rng *rng, lm_pattern pattern, lm_tile *t) {
    if (pattern == LM_TRANSPOSE) {
        t->n0 = lm_rng_range(rng, 1, 9);
        t->n1 = lm_rng_range(rng, 1, 6000);
    } else {
        t->n0 = pattern == LM_GATHER ? lm_rng_range(rng, 1, 6000) : t->n0;
        t->n1 = pattern == LM_ROWS ? lm_rng_range(rng, 1, 2000) : lm_rng_range(rng, 1, 3);
    }
}

/* Short runs, many rows of a few or a few rows of many, that follow each other in the destination and come
 * from places near each other. */
static lm_tile crowd(lm_rng *rng, lm_pattern pattern) {
    lm_tile t = {
        .run = lm_rng_range(rng, 1, 20), .n0 = lm_rng_range(rng, 1, 9), .n1 = lm_rng_range(rng, 1, 2000)};
    t.ss0 = pattern == LM_FILL ? 0 : any_sign(rng, lm_rng_range(rng, 0, 3) * t.run + lm_rng_range(rng, 0, 3));
    t.ss1 = any_sign(rng, lm_rng_chance(rng, 2) ? t.n0 * t.run : lm_rng_range(rng, 0, 70));
    if (lm_rng_chance(rng, 3)) t.n0 = lm_rng_range(rng, 1, 3000), t.n1 = lm_rng_range(rng, 1, 4);
    t.ds0 = t.run;
    t.ds1 = t.n0 * t.run;
    return t;
}

static lm_tile any_tile(lm_rng *rng, const lm_kernel *k) {
    if ((k->pattern == LM_GATHER || k->pattern == LM_FILL) && lm_rng_chance(rng, 4))
        return crowd(rng, k->pattern);
    const bool is_long = k->stream && lm_rng_chance(rng, 3);
    lm_tile t = {.run = k->run ? k->run : any_run(rng), .n0 = any_extent(rng), .n1 = any_extent(rng)};
    if (k->pattern == LM_ROWS)
        t.run = 1, t.n0 = lm_rng_chance(rng, 3) ? lm_rng_range(rng, 1, 20000) : t.n0 * 3;
    if (k->pattern == LM_TRANSPOSE && lm_rng_chance(rng, 4)) t.n0 = lm_rng_range(rng, 200, 1500);
    if (is_long) stretch(rng, k->pattern, &t);
    any_dst(rng, k->pattern, &t);
    any_src(rng, k->pattern, &t);
    if (is_long && t.ds1 > 0) t.ds1 = t.n0 * t.run;
    if (is_long && k->pattern == LM_GATHER) t.ss0 = t.run + lm_rng_range(rng, 0, 3) * t.run / 2;
    if (is_long && k->pattern == LM_ROWS) t.ss1 = t.n0 + lm_rng_range(rng, 0, 4) * t.n0 / 4;
    if (t.n1 == 1 && k->pattern != LM_TRANSPOSE && lm_rng_chance(rng, 2)) t.ds1 = t.ss1 = 0;
    return t;
}

/* ---- one try -------------------------------------------------------------------------------------- */

/* Where the two blocks lie: against which end of their room, and how many bytes away from it. And how axis 0
 * is walked: in blocks of so many steps (0 = at once), from which end. */
typedef struct place {
    bool dst_end, src_end;
    size_t dst_slack, src_slack;
    int64_t step;
    bool backwards;
} place;

/* The bytes that one side of a tile spans: the lowest, relative to its pointer, and how many. */
static int64_t span_of(const lm_tile *t, int64_t stride0, int64_t stride1, int64_t *lo) {
    int64_t a = (t->n0 - 1) * stride0, b = (t->n1 - 1) * stride1;
    *lo = (a < 0 ? a : 0) + (b < 0 ? b : 0);
    return llabs(a) + llabs(b) + t->run;
}

static const char *verdict(const lm_tile_rig *rig) {
    long where;
    if (memcmp(rig->dst.block, rig->want, rig->dst.size)) return "wrong bytes";
    if (!lm_guard_intact(&rig->dst, &where)) return "a write outside of the destination";
    if (!lm_guard_intact(&rig->src, &where) || memcmp(rig->src.block, rig->want_src, rig->src.size))
        return "the source is not what it should be";
    return NULL;
}

/* As a nest walks axis 0 in blocks, but in either direction: what two blocks share may not depend on their
 * order. */
static void call_kernel(const lm_kernel *k, char *dst, const char *src, const lm_tile *t, const place *at) {
    const int64_t step = at->step ? at->step : t->n0, blocks = (t->n0 - 1) / step + 1;
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t i = (at->backwards ? blocks - 1 - b : b) * step;
        lm_tile part = *t;
        part.n0 = t->n0 - i < step ? t->n0 - i : step;
        part.before = i;
        part.after = t->n0 - i - part.n0;
        k->fn(dst + i * t->ds0, src + i * t->ss0, &part);
    }
}

static const char *try_tile(lm_tile_rig *rig, const lm_kernel *k, const lm_tile *t, const place *at) {
    int64_t dst_lo, src_lo, dst_size = span_of(t, t->ds0, t->ds1, &dst_lo);
    int64_t src_size = span_of(t, t->ss0, t->ss1, &src_lo);
    if (dst_size > CAPACITY / 2 || src_size > CAPACITY / 2) return NULL;
    char *dst = lm_guard_place(&rig->dst, (size_t)dst_size, at->dst_end, at->dst_slack);
    char *src = lm_guard_place(&rig->src, (size_t)src_size, at->src_end, at->src_slack);
    memcpy(src, rig->noise, (size_t)src_size);
    memcpy(dst, rig->noise + 4321, (size_t)dst_size);
    memcpy(rig->want, rig->noise + 4321, (size_t)dst_size);
    if (k->pattern == LM_EXCHANGE || k->pattern == LM_SWAP)
        plain_exchange(rig->want - dst_lo, rig->want_src - src_lo, t);
    else
        plain_loop(rig->want - dst_lo, src - src_lo, t);
    call_kernel(k, dst - dst_lo, src - src_lo, t, at);
    lm_kernel_fence();
    const char *why = verdict(rig);
    memcpy(rig->want_src, rig->noise, (size_t)src_size);
    return why;
}

/* An exchange on one square, or the upper rows of one: the side that reaches farther holds the other. */
static const char *try_square(lm_tile_rig *rig, const lm_kernel *k, lm_tile *t, lm_rng *rng,
                              const place *at) {
    if (t->n0 > t->n1) t->n0 = t->n1;
    t->ss0 = t->ds1 = clear_of(rng, t->run * t->n1, t->run);
    const int64_t size = (t->n1 - 1) * t->ds1 + t->n1 * t->run;
    if (size > CAPACITY / 2) return NULL;
    char *square = lm_guard_place(&rig->dst, (size_t)size, at->dst_end, at->dst_slack);
    lm_guard_place(&rig->src, 0, true, 0);
    memcpy(square, rig->noise, (size_t)size);
    memcpy(rig->want, rig->noise, (size_t)size);
    plain_exchange(rig->want, rig->want, t);
    k->fn(square, square, t);
    return verdict(rig);
}

static void describe(lm_tile_text *text, const lm_kernel *k, const lm_tile *t, const place *at) {
    snprintf(text->is, sizeof text->is,
             "%s (%s): run %lld, axis 0 (%lld,%lld,%lld), axis 1 (%lld,%lld,%lld), blocks at %s-%zu, %s-%zu, "
             "axis 0 by %lld%s",
             k->name, lm_isa_name(k->isa), (long long)t->run, (long long)t->n0, (long long)t->ds0,
             (long long)t->ss0, (long long)t->n1, (long long)t->ds1, (long long)t->ss1,
             at->dst_end ? "end" : "start", at->dst_slack, at->src_end ? "end" : "start", at->src_slack,
             (long long)at->step, at->backwards ? " backwards" : "");
}

static size_t any_slack(lm_rng *rng) { return lm_rng_chance(rng, 2) ? 0 : (size_t)lm_rng_range(rng, 0, 63); }

const char *lm_tiles_random(lm_tile_rig *rig, const lm_kernel *k, uint64_t seed, int every,
                            lm_tile_text *text) {
    for (uint64_t i = 0; i < TILES; i += (uint64_t)every) {
        lm_rng rng = {lm_mix(seed + i)};
        lm_tile t = any_tile(&rng, k);
        place at = {
            lm_rng_chance(&rng, 2), lm_rng_chance(&rng, 2), any_slack(&rng), any_slack(&rng), 0, false};
        if (lm_rng_chance(&rng, 2))
            at.step = 64 * lm_rng_range(&rng, 1, 8), at.backwards = lm_rng_chance(&rng, 2);
        describe(text, k, &t, &at);
        const bool square = k->pattern == LM_EXCHANGE && i / (uint64_t)every % 2;
        const char *why = square ? try_square(rig, k, &t, &rng, &at) : try_tile(rig, k, &t, &at);
        if (why) return why;
    }
    return NULL;
}

/* The ends that operands touch, one combination out of four. */
static place at_edges(int which) { return (place){.dst_end = which & 1, .src_end = which & 2}; }

/* About where blocks of registers end. */
static int64_t edge_extent(lm_rng *rng) {
    const int64_t n = (INT64_C(1) << lm_rng_range(rng, 0, 6)) + lm_rng_range(rng, -1, 1);
    return n > 1 ? n : 1;
}

/* No gaps, so that the last bytes of the tile are the last ones of the block. */
static void tighten(lm_tile *t, lm_pattern pattern) {
    const int64_t row = t->n0 * t->run, column = t->n1 * t->run;
    if (pattern == LM_SCATTER || pattern == LM_STRIDED)
        t->ds0 = column, t->ds1 = t->run;
    else
        t->ds1 = row;
    if (pattern == LM_GATHER || pattern == LM_TRANSPOSE || pattern == LM_EXCHANGE)
        t->ss0 = column, t->ss1 = t->run;
    else if (pattern != LM_FILL)
        t->ss1 = row;
}

/* Tile number i: rows of every length, runs of every usual one. */
static lm_tile edge_tile(lm_rng *rng, const lm_kernel *k, int i) {
    lm_tile t = {
        .run = k->run ? k->run : usual_run[i % USUAL_RUNS], .n0 = edge_extent(rng), .n1 = edge_extent(rng)};
    if (k->pattern == LM_ROWS) t.n0 = 1 + i;
    any_dst(rng, k->pattern, &t);
    any_src(rng, k->pattern, &t);
    if (!lm_rng_chance(rng, 3)) tighten(&t, k->pattern);
    return t;
}

const char *lm_tiles_at_edges(lm_tile_rig *rig, const lm_kernel *k, uint64_t seed, int every,
                              lm_tile_text *text) {
    for (int i = 0; i < EDGE_TILES; i += i % 4 == 3 ? 1 + 4 * (every - 1) : 1) {
        const place at = at_edges(i % 4);
        lm_rng rng = {lm_mix(seed + (uint64_t)i)};
        const lm_tile t = edge_tile(&rng, k, i / 4);
        describe(text, k, &t, &at);
        const char *why = try_tile(rig, k, &t, &at);
        if (why) return why;
    }
    return NULL;
}
