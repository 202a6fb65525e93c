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

/* Hardware prefetchers need some lines to see where a run goes: ask for the first lines of the runs that come
 * some 2 KiB later. Short steps need none, there the runs are one stream. */
enum { FETCH_BYTES = 2048, FETCH_LINES = 8, FETCH_STEP = 512 };

LM_INLINE void fetch_later(const char *s, int64_t n, int64_t run, int64_t ss) {
    const int64_t later = FETCH_BYTES / run + 1;
    for (int64_t i = later; i < n + later; i++)
        for (int64_t k = 0; k < least(run, FETCH_LINES * LM_LINE); k += LM_LINE) __builtin_prefetch(s + i * ss + k);
}

/* n runs into the stage. */
LM_INLINE void stage_runs(lm_stage *stage, const char *s, int64_t n, int64_t run, int64_t ss) {
    if (ss >= run + FETCH_STEP || ss <= -FETCH_STEP) fetch_later(s, n, run, ss);
    copy_row(stage->byte + stage->fill, s, n, run, run, ss, LM_GATHER);
    stage->fill += n * run;
    lm_stage_flush(stage);
}

/* Runs too long for the stage fill lines of their own. */
LM_INLINE void stream_long(char *dst, const char *src, const lm_tile *t) {
    for (int64_t j = 0; j < t->n1; j++)
        for (int64_t i = 0; i < t->n0; i++)
            lm_stream_row(dst + j * t->ds1 + i * t->run, src + j * t->ss1 + i * t->ss0, t->run);
}

/* Gather through the stage, whole lines past the caches. Rows that follow each other in the destination
 * share the stage, so that the lines between them are whole too. */
void LM_KERNEL(gather_stream)(char *dst, const char *src, const lm_tile *t) {
    if (t->run > LM_STAGE_BYTES / 2) {
        stream_long(dst, src, t);
        return;
    }
    lm_stage stage;
    lm_stage_open(&stage, dst);
    for (int64_t j = 0; j < t->n1; j++) {
        if (j && t->ds1 != t->n0 * t->run) {
            lm_stage_close(&stage);
            lm_stage_open(&stage, dst + j * t->ds1);
        }
        for (int64_t i = 0, n; i < t->n0; i += n) {
            n = least(lm_stage_room(&stage) / t->run, t->n0 - i);
            stage_runs(&stage, src + j * t->ss1 + i * t->ss0, n, t->run, t->ss0);
        }
    }
    lm_stage_close(&stage);
}
