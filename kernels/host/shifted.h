/* SPDX-License-Identifier: BSD-3-Clause */
/* Streaming transposes into destination rows of any alignment. Vectors come out of a block at the row's own
 * alignment, lines go to memory at theirs: the vector before is kept for each row, and a line is permuted out
 * of the two. So reads and writes alternate finely and overlap, which they do not when a tile is staged and
 * then sent. A line that is written in two parts costs as much as many whole ones, so where the axis goes on
 * beyond the tile, a line that lies across the border belongs to the later tile, which reads the source rows
 * before its own once more. */
#ifndef LM_SHIFTED_H
#define LM_SHIFTED_H

#include "blocks.h"
#include "kernel.h"

#if defined(__AVX512VBMI__)

enum { HAS_SHIFTED = 1 };

/* What a band of columns needs to know of each of its destination rows. */
typedef struct shifts {
    _Alignas(LM_LINE) char before[LM_LINE][LM_LINE]; /* the vector before */
    char order[LM_LINE][LM_LINE];                    /* which bytes of the two make a line */
    unsigned char begun[LM_LINE];                    /* bytes from the beginning of the line to a vector's */
} shifts;

/* Rows of n columns whose vectors begin at dst, dst + ds1, ... */
LM_INLINE void find_shifts(shifts *c, const char *dst, int64_t ds1, int64_t n) {
    char iota[LM_LINE];
    for (int k = 0; k < LM_LINE; k++) iota[k] = (char)k;
    for (int64_t k = 0; k < n; k++) {
        const int begun = (int)((uintptr_t)(dst + k * ds1) & (LM_LINE - 1));
        c->begun[k] = (unsigned char)begun;
        vec_store(c->order[k], _mm512_add_epi8(vec_load(iota), _mm512_set1_epi8((char)(LM_LINE - begun))));
    }
}

typedef enum shift_step { ONLY_KEEP, FIRST, MIDDLE } shift_step;

/* The line that ends with the beginning of `now`, whose place is d. */
LM_INLINE void send_line(const shifts *c, int64_t col, char *d, vec before, vec now, shift_step step) {
    const int64_t begun = c->begun[col];
    const vec order = vec_load(c->order[col]);
    if (step == MIDDLE)
        vec_stream(d - begun, _mm512_permutex2var_epi8(before, order, now));
    else if (step == FIRST)
        _mm512_mask_storeu_epi8(d - begun, ~(__mmask64)0 << begun, _mm512_permutexvar_epi8(order, now));
}

/* A high block, the columns from `col` of the band on. */
LM_INLINE void block_shifted(shifts *c, int64_t col, char *dst, int64_t ds1, const char *src, int64_t ss0,
                             int run, shift_step step) {
    const int rows = 16 / run;
    vec a[16];
#pragma GCC unroll 16
    for (int k = 0; k < rows; k++) a[k] = vec_rows(src + k * ss0, rows * ss0);
    zip_rounds(a, run);
#pragma GCC unroll 16
    for (int k = 0; k < rows; k++) {
        send_line(c, col + k, dst + k * ds1, vec_load(c->before[col + k]), a[k], step);
        vec_store(c->before[col + k], a[k]);
    }
}

/* The blocks side by side on VEC/run rows. */
LM_INLINE void blocks_shifted(shifts *c, char *dst, int64_t ds1, const char *src, int64_t ss0, int64_t ahead,
                              int64_t parts, int run, shift_step step) {
    const int64_t wide = 16 / run;
    for (int64_t part = 0; part < parts; part++) {
        if (ahead) fetch_ahead(src + ahead, ss0, VEC / run, part, parts);
        block_shifted(c, part * wide, dst + part * wide * ds1, ds1, src + part * 16, ss0, run, step);
    }
}

/* What is left of the last vectors, whose rows end at dst, dst + ds1, ... */
LM_INLINE void finish_rows(const shifts *c, char *dst, int64_t ds1, int64_t n) {
    for (int64_t k = 0; k < n; k++) {
        const int64_t begun = c->begun[k];
        const vec v = _mm512_permutexvar_epi8(vec_load(c->order[k]), vec_load(c->before[k]));
        _mm512_mask_storeu_epi8(dst + k * ds1 - begun, ((__mmask64)1 << begun) - 1, v);
    }
}

/* A band of parts * 16/run columns, n0 rows, a multiple of a block's. `head`: the first lines begin with
 * bytes of the rows before, which are not written yet. `tail`: the last lines are left to whoever comes
 * after. */
LM_INLINE void band_shifted(char *dst, int64_t ds1, const char *src, int64_t ss0, int64_t n0, int64_t ahead,
                            int64_t parts, int run, bool head, bool tail) {
    const int64_t high = VEC / run, cols = parts * (16 / run);
    shifts c;
    find_shifts(&c, dst, ds1, cols);
    if (head) blocks_shifted(&c, dst, ds1, src - high * ss0, ss0, 0, parts, run, ONLY_KEEP);
    blocks_shifted(&c, dst, ds1, src, ss0, ahead, parts, run, head ? MIDDLE : FIRST);
    for (int64_t i = high; i < n0; i += high)
        blocks_shifted(&c, dst + i * run, ds1, src + i * ss0, ss0, ahead, parts, run, MIDDLE);
    if (!tail) finish_rows(&c, dst + n0 * run, ds1, cols);
}

/* n0 a multiple of VEC/run, n1 one of 16/run. */
LM_INLINE void shifted(char *dst, const char *src, const lm_tile *t, int run, bool head, bool tail) {
    const int64_t line = LM_LINE / run, wide = 16 / run;
    int64_t j = 0;
    for (; j + line <= t->n1; j += line)
        band_shifted(dst + j * t->ds1, t->ds1, src + j * run, t->ss0, t->n0, t->ahead, LM_LINE / 16, run,
                     head, tail);
    if (j < t->n1)
        band_shifted(dst + j * t->ds1, t->ds1, src + j * run, t->ss0, t->n0, t->ahead, (t->n1 - j) / wide,
                     run, head, tail);
}

#else

enum { HAS_SHIFTED = 0 };
LM_INLINE void shifted(char *dst, const char *src, const lm_tile *t, int run, bool head, bool tail) {
    (void)dst, (void)src, (void)t, (void)run, (void)head, (void)tail;
}

#endif

#endif
