/* SPDX-License-Identifier: BSD-3-Clause */
/* Short runs at any strides: gathers into dense rows, scatters from dense rows, and both sides strided.
 * One loop, specialised by the compiler for the usual run lengths and for the dense side. */
#include "kernel.h"
#include "name.h"
#include "stream.h"

/* Copy `count` runs. Called with constants for run (0 = only known at run time) and for the dense side. */
LM_INLINE void copy_runs(char *dst, const char *src, int64_t count, int64_t run, int64_t ds, int64_t ss) {
    for (int64_t i = 0; i < count; i++) memcpy(dst + i * ds, src + i * ss, (size_t)run);
}

LM_INLINE void copy_any(char *dst, const char *src, int64_t count, int64_t run, int64_t ds, int64_t ss) {
    for (int64_t i = 0; i < count; i++) lm_copy_short(dst + i * ds, src + i * ss, run);
}

/* One row of runs, the run length turned into a constant. */
LM_INLINE void copy_row(char *d, const char *s, int64_t n, int64_t run, int64_t ds, int64_t ss, lm_pattern pattern) {
#define WITH_RUN(r)                                                                                                    \
    case r:                                                                                                            \
        copy_runs(d, s, n, r, pattern == LM_GATHER ? r : ds, pattern == LM_SCATTER ? r : ss);                          \
        break
    switch (run) {
        WITH_RUN(1);
        WITH_RUN(2);
        WITH_RUN(3);
        WITH_RUN(4);
        WITH_RUN(6);
        WITH_RUN(8);
        WITH_RUN(12);
        WITH_RUN(16);
        WITH_RUN(20);
        WITH_RUN(24);
        WITH_RUN(32);
        WITH_RUN(48);
        WITH_RUN(64);
    default: copy_any(d, s, n, run, ds, ss);
    }
#undef WITH_RUN
}

LM_INLINE void copy_tile(char *dst, const char *src, const lm_tile *t, lm_pattern pattern) {
    for (int64_t j = 0; j < t->n1; j++)
        copy_row(dst + j * t->ds1, src + j * t->ss1, t->n0, t->run, t->ds0, t->ss0, pattern);
}

void LM_KERNEL(gather)(char *dst, const char *src, const lm_tile *t) { copy_tile(dst, src, t, LM_GATHER); }
void LM_KERNEL(scatter)(char *dst, const char *src, const lm_tile *t) { copy_tile(dst, src, t, LM_SCATTER); }
void LM_KERNEL(strided)(char *dst, const char *src, const lm_tile *t) { copy_tile(dst, src, t, LM_STRIDED); }

/* ---- streaming ------------------------------------------------------------------------------------ */

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Hardware prefetchers do not follow short runs at long steps: ask for those that come some KiB later, in the
 * same row, or at the same place of a later one where rows are short. */
enum { FETCH_BYTES = 2048, FETCH_LINES = 8, FETCH_STEP = 512 };

typedef struct fetch {
    int64_t shift; /* bytes of source from a run to the one to ask for; 0 = leave it to the hardware */
    int64_t lines;
} fetch;

static fetch fetch_plan(const lm_tile *t) {
    const int64_t row = t->n0 * t->run, gap = t->ss0 < 0 ? -t->ss0 : t->ss0;
    fetch f = {0, least((t->run + LM_LINE - 1) / LM_LINE, FETCH_LINES)};
    if (gap < t->run + FETCH_STEP) return f;
    f.shift = row <= 2 * FETCH_BYTES && t->n1 > 1 ? (FETCH_BYTES / row + 1) * t->ss1 : (FETCH_BYTES / t->run + 1) * t->ss0;
    return f;
}

LM_INLINE void fetch_runs(const fetch *f, const char *s, int64_t n, int64_t ss) {
    if (!f->shift) return;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < f->lines; k++) __builtin_prefetch(s + f->shift + i * ss + k * LM_LINE);
}

/* Whole lines into whole lines. */
LM_INLINE void stream_direct(char *dst, const char *src, const lm_tile *t) {
    const fetch f = fetch_plan(t);
    for (int64_t j = 0; j < t->n1; j++) {
        for (int64_t i = 0; i < t->n0; i++) {
            const char *s = src + j * t->ss1 + i * t->ss0;
            fetch_runs(&f, s, 1, 0);
            lm_stream_lines(dst + j * t->ds1 + i * t->run, s, t->run);
        }
    }
}

/* Runs too long for the stage fill lines of their own. */
LM_INLINE void stream_long(char *dst, const char *src, const lm_tile *t) {
    for (int64_t j = 0; j < t->n1; j++)
        for (int64_t i = 0; i < t->n0; i++)
            lm_stream_row(dst + j * t->ds1 + i * t->run, src + j * t->ss1 + i * t->ss0, t->run);
}

/* Rows that follow each other in the destination share the stage, so that the lines between them are whole. */
LM_INLINE void stream_staged(char *dst, const char *src, const lm_tile *t) {
    const fetch f = fetch_plan(t);
    lm_stage stage;
    lm_stage_open(&stage, dst);
    for (int64_t j = 0; j < t->n1; j++) {
        if (j && t->ds1 != t->n0 * t->run) {
            lm_stage_close(&stage);
            lm_stage_open(&stage, dst + j * t->ds1);
        }
        for (int64_t i = 0, n; i < t->n0; i += n) {
            const char *s = src + j * t->ss1 + i * t->ss0;
            n = least(lm_stage_room(&stage) / t->run, t->n0 - i);
            fetch_runs(&f, s, n, t->ss0);
            copy_row(stage.byte + stage.fill, s, n, t->run, t->run, t->ss0, LM_GATHER);
            stage.fill += n * t->run;
            lm_stage_flush(&stage);
        }
    }
    lm_stage_close(&stage);
}

/* Gather, whole lines past the caches. */
void LM_KERNEL(gather_stream)(char *dst, const char *src, const lm_tile *t) {
    if ((((uintptr_t)dst | (uintptr_t)t->run | (uintptr_t)(t->n1 > 1 ? t->ds1 : 0)) & (LM_LINE - 1)) == 0)
        stream_direct(dst, src, t);
    else if (t->run > LM_STAGE_BYTES / 2)
        stream_long(dst, src, t);
    else
        stream_staged(dst, src, t);
}
