/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a few short runs that follow each other in the destination, "blue, green, red": as many of them as
 * lie within a vector on both sides are one permutation of bytes. So are some runs of a longer row, which are
 * rows of one run then.
 */
#ifndef LM_SHUFFLE_H
#define LM_SHUFFLE_H

#include <stdbool.h>

#include "kernel.h"
#include "vec.h"

#if defined(__AVX512VBMI__)

typedef struct shuffle {
    int64_t rows, row, step; /* of a group; bytes of a row; from a row to the next in the source */
    int64_t low;             /* from a group's first run to its lowest byte, in the source */
    bool long_rows;          /* are these groups the runs of one? */
    uint64_t read;           /* bytes of the source from there on, the first one lowest */
    _Alignas(LM_LINE) uint8_t order[LM_LINE];
} shuffle;

/* Runs that a permutation has to make for to be worth it, the second for words, which are copied well one by
 * one; and how many runs of a tile are worth finding one. */
enum { SHUFFLE_GROUP = 3, SHUFFLE_WORDS = 5, SHUFFLE_RUNS = 512 };

static inline int64_t bytes_below(int64_t steps, int64_t step) { return step < 0 ? steps * step : 0; }

static bool find_rows(shuffle *q, const lm_tile *t, int64_t group) {
    const bool near = t->ss0 >= -LM_LINE && t->ss0 <= LM_LINE && t->ss1 >= -LM_LINE && t->ss1 <= LM_LINE;
    if (t->n0 > LM_LINE || t->run > LM_LINE || !near || t->n1 < SHUFFLE_RUNS / t->n0) return false;
    const int64_t row = t->n0 * t->run, reach = (t->n0 - 1) * lm_magnitude(t->ss0) + t->run;
    if (t->ds1 != row || row > LM_LINE || reach > LM_LINE) return false;
    int64_t rows = LM_LINE / row;
    if (t->ss1) rows = least(rows, (LM_LINE - reach) / lm_magnitude(t->ss1) + 1);
    if (rows * t->n0 < group) return false;
    *q = (shuffle){.rows = rows, .row = row, .step = t->ss1};
    q->low = bytes_below(t->n0 - 1, t->ss0) + bytes_below(rows - 1, t->ss1);
    for (int64_t k = 0; k < rows * row; k++) {
        const int64_t in = k % row, from = k / row * t->ss1 + in / t->run * t->ss0 + in % t->run - q->low;
        q->order[k] = (uint8_t)from;
        q->read |= UINT64_C(1) << from;
    }
    return true;
}

/* False where there is none, or it does not pay; of short rows, and of any. */
static inline bool find_row_shuffle(shuffle *q, const lm_tile *t) { return find_rows(q, t, SHUFFLE_GROUP); }

static inline bool find_shuffle(shuffle *q, const lm_tile *t) {
    const lm_tile runs = {.run = t->run, .n0 = 1, .n1 = t->n0, .ds1 = t->run, .ss1 = t->ss0};
    if (find_row_shuffle(q, t)) return true;
    if (!find_rows(q, &runs, t->run % 4 ? SHUFFLE_GROUP : SHUFFLE_WORDS)) return false;
    return q->long_rows = true;
}

/* As many of n rows as are whole groups; returns how many those are. A store overwrites what the one before
 * wrote too much; those at the end are exact. */
LM_INLINE int64_t shuffle_rows(char *dst, const char *src, const shuffle *q, int64_t n) {
    const vec order = vec_load((const char *)q->order);
    const int64_t bytes = q->rows * q->row, all = n * q->row, step = q->rows * q->step;
    const uint64_t written = UINT64_MAX >> (LM_LINE - bytes);
    const char *s = src + q->low;
    int64_t at = 0;
    for (; at + LM_LINE <= all; at += bytes, s += step)
        vec_store(dst + at, _mm512_permutexvar_epi8(order, _mm512_maskz_loadu_epi8(q->read, s)));
    for (; at + bytes <= all; at += bytes, s += step)
        _mm512_mask_storeu_epi8(dst + at, written,
                                _mm512_permutexvar_epi8(order, _mm512_maskz_loadu_epi8(q->read, s)));
    return at / q->row;
}

#else

typedef struct shuffle {
    bool long_rows;
} shuffle;

static inline bool find_row_shuffle(shuffle *q, const lm_tile *t) { return (void)q, (void)t, false; }
static inline bool find_shuffle(shuffle *q, const lm_tile *t) { return (void)q, (void)t, false; }

LM_INLINE int64_t shuffle_rows(char *dst, const char *src, const shuffle *q, int64_t n) {
    return (void)dst, (void)src, (void)q, (void)n, 0;
}

#endif

#endif
