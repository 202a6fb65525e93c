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
#include "slab.h"

#if defined(__AVX512VBMI__)

enum { HAS_SHIFTED = 1, MOST_SHIFTED = SLAB_LINES * LM_LINE };

/* What a band of columns needs to know of each of its destination rows. */
typedef struct shifts {
    _Alignas(LM_LINE) char before[MOST_SHIFTED][LM_LINE]; /* the vector before */
    unsigned char begun[MOST_SHIFTED]; /* bytes from the beginning of the line to a vector's */
    _Alignas(LM_LINE) char iota[LM_LINE];
} shifts;

/* Rows of n columns whose vectors begin at dst, dst + ds1, ... */
LM_INLINE void find_shifts(shifts *c, const char *dst, int64_t ds1, int64_t n) {
    for (int k = 0; k < LM_LINE; k++) c->iota[k] = (char)k;
    for (int64_t k = 0; k < n; k++) {
        c->begun[k] = (unsigned char)((uintptr_t)(dst + k * ds1) & (LM_LINE - 1));
        vec_store(c->before[k], _mm512_setzero_si512());
    }
}

/* Which bytes of the vector before and of the next one make a line. */
LM_INLINE vec shift_order(const shifts *c, int64_t begun) {
    return _mm512_add_epi8(vec_load(c->iota), _mm512_set1_epi8((char)(LM_LINE - begun)));
}

typedef enum shift_step { ONLY_KEEP, FIRST, MIDDLE } shift_step;

/* The line that ends with the beginning of `now`, whose place is d. */
LM_INLINE void send_line(const shifts *c, int64_t col, char *d, vec before, vec now, shift_step step) {
    const int64_t begun = c->begun[col];
    const vec order = shift_order(c, begun);
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

/* The blocks side by side on VEC/run rows, and the same lines of the rows that are asked for ahead. */
LM_INLINE void blocks_shifted(shifts *c, char *dst, int64_t ds1, const char *src, int64_t ss0, int64_t ahead,
                              int64_t parts, int run, shift_step step) {
    const int64_t wide = 16 / run, line = LM_LINE / 16;
    for (int64_t part = 0; part < parts; part++) {
        const char *next = src + ahead + part / line * LM_LINE + LM_LINE - 1;
        if (ahead) fetch_ahead(next, ss0, VEC / run, part % line, least(line, parts - part / line * line));
        block_shifted(c, part * wide, dst + part * wide * ds1, ds1, src + part * 16, ss0, run, step);
    }
}

/* A slab of runs of 1 or 4 bytes (at 2 and 8 bytes blocks do as well), its columns from the first of the band
 * on. */
LM_INLINE void slab_shifted(shifts *c, char *dst, int64_t ds1, const char *src, int64_t ss0, int64_t ahead,
                            int run, shift_step step) {
    const int columns = slab_columns(run);
    slab s;
    for (int line = 0; line < SLAB_LINES; line++) {
        slab_turn(&s, src + line * LM_LINE, ss0, run);
        for (int col = 0; col < columns; col++) {
            const int at = line * columns + col;
            vec before = vec_load(c->before[at]);
            for (int k = 0; k < SLAB_PIECE; k += LM_LINE) {
                const vec now = vec_load(s.piece + col * SLAB_PIECE + k);
                send_line(c, at, dst + at * ds1 + k, before, now, k && step == FIRST ? MIDDLE : step);
                before = now;
            }
            vec_store(c->before[at], before);
            if (ahead) slab_fetch(src + ahead, ss0, line, col, run);
        }
    }
}

/* What is left of the last vectors, whose rows end at dst, dst + ds1, ... */
LM_INLINE void finish_rows(const shifts *c, char *dst, int64_t ds1, int64_t n) {
    for (int64_t k = 0; k < n; k++) {
        const int64_t begun = c->begun[k];
        const vec v = _mm512_permutexvar_epi8(shift_order(c, begun), vec_load(c->before[k]));
        _mm512_mask_storeu_epi8(dst + k * ds1 - begun, ((__mmask64)1 << begun) - 1, v);
    }
}

/* A band of parts * 16/run columns, n0 rows, a multiple of a block's. `head`: the first lines begin with
 * bytes of the rows before, which are not written yet. `tail`: the last lines are left to whoever comes
 * after. What is asked for ahead has a beginning like this one's. */
LM_INLINE void band_shifted(char *dst, int64_t ds1, const char *src, int64_t ss0, int64_t n0, int64_t ahead,
                            int64_t parts, int run, bool head, bool tail) {
    const int64_t high = VEC / run, cols = parts * (16 / run);
    shifts c;
    find_shifts(&c, dst, ds1, cols);
    if (head) blocks_shifted(&c, dst, ds1, src - high * ss0, ss0, ahead, parts, run, ONLY_KEEP);
    shift_step step = head ? MIDDLE : FIRST;
    int64_t i = 0;
    if (parts * 16 == SLAB_PIECE && (run == 1 || run == 4) && slab_worth(n0, run))
        for (; i + slab_rows(run) <= n0; i += slab_rows(run), step = MIDDLE)
            slab_shifted(&c, dst + i * run, ds1, src + i * ss0, ss0, ahead, run, step);
    for (; i < n0; i += high, step = MIDDLE)
        blocks_shifted(&c, dst + i * run, ds1, src + i * ss0, ss0, ahead, parts, run, step);
    if (!tail) finish_rows(&c, dst + n0 * run, ds1, cols);
}

/* n0 a multiple of VEC/run, n1 one of 16/run. */
LM_INLINE void shifted(char *dst, const char *src, const lm_tile *t, int run, bool head, bool tail) {
    const int64_t band = (run < 16 ? SLAB_LINES : 1) * LM_LINE / run, wide = 16 / run;
    int64_t j = 0;
    for (; j + band <= t->n1; j += band)
        band_shifted(dst + j * t->ds1, t->ds1, src + j * run, t->ss0, t->n0, t->ahead, band / wide, run, head,
                     tail);
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
