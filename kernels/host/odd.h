/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposes of tiles of runs that are no machine word, 3 to 31 bytes. */
#ifndef LM_ODD_H
#define LM_ODD_H

#include "blocks.h"
#include "kernel.h"

/* Ask for so many bytes of each of some source rows; `blocks` callers share the rows, this is number `at`. */
LM_INLINE void fetch_pieces(const char *next, int64_t ss0, int64_t rows, int64_t bytes, int64_t at,
                            int64_t blocks) {
    for (int64_t i = at; i < rows; i += blocks)
        for (int64_t k = 0; k < bytes; k += LM_LINE) __builtin_prefetch(next + i * ss0 + k, 0, 2);
}

#if defined(__AVX512VBMI__)

enum { HAS_SPREAD = 1 };

/* Runs of less than a word: spread into words, turned as words, and closed up again. */
LM_INLINE vec spread_order(int64_t run, int64_t word) {
    uint8_t order[VEC];
    for (int64_t k = 0; k < VEC; k++)
        order[k] = (uint8_t)(k % 16 / word * run + (k % word < run ? k % word : 0));
    return vec_load((const char *)order);
}
LM_INLINE vec close_order(int64_t run, int64_t word) {
    uint8_t order[VEC] = {0};
    for (int64_t k = 0; k < VEC / word * run; k++) order[k] = (uint8_t)(k / run * word + k % run);
    return vec_load((const char *)order);
}

typedef struct spreading {
    vec spread, close;
} spreading;
LM_INLINE spreading find_spreading(int run, int word) {
    return (spreading){spread_order(run, word), close_order(run, word)};
}

/* VEC/word rows and 16/word columns; reads 16 bytes of each row; writes a whole vector a column, or with
 * `exact` only the part of it that is meant. */
LM_INLINE void block_spread(char *dst, int64_t ds1, const char *src, int64_t ss0, int run, int word,
                            const spreading *o, bool exact) {
    const int rows = 16 / word;
    vec a[16];
    for (int k = 0; k < rows; k++) a[k] = vec_shuffle(vec_rows(src + k * ss0, rows * ss0), o->spread);
    zip_rounds(a, word);
    for (int k = 0; k < rows; k++) {
        const vec closed = _mm512_permutexvar_epi8(o->close, a[k]);
        if (exact)
            _mm512_mask_storeu_epi8(dst + k * ds1, ((__mmask64)1 << (VEC / word * run)) - 1, closed);
        else
            vec_store(dst + k * ds1, closed);
    }
}

/* Columns from j on, n1 of them, in whole blocks, in all but the last rows; how many columns. Blocks that would read
 * beyond the tile, 16 bytes of a row, are left out. The last one may reach into the columns that follow, which are
 * then done twice. */
LM_INLINE int64_t spread_band(char *dst, const char *src, const lm_tile *t, int64_t j, int64_t n1,
                              int64_t ahead, int run, int word, const spreading *o) {
    const int64_t high = VEC / word, wide = 16 / word, n0 = t->n0 / high * high, left = t->n1 - j;
    int64_t cols = 0;
    while (cols < n1 && cols * run + 16 <= left * run) cols += wide;
    for (int64_t i = 0; i < n0; i += high) {
        const char *s = src + i * t->ss0;
        for (int64_t k = 0; k < cols; k += wide) {
            if (ahead) fetch_pieces(s + ahead, t->ss0, high, n1 * run, k / wide, cols / wide);
            block_spread(dst + k * t->ds1 + i * run, t->ds1, s + k * run, t->ss0, run, word, o,
                         i * run + VEC > t->n0 * run);
        }
    }
    return cols;
}

#else

enum { HAS_SPREAD = 0 };

typedef struct spreading {
    int none;
} spreading;
LM_INLINE spreading find_spreading(int run, int word) {
    (void)run, (void)word;
    return (spreading){0};
}

LM_INLINE int64_t spread_band(char *dst, const char *src, const lm_tile *t, int64_t j, int64_t n1,
                              int64_t ahead, int run, int word, const spreading *o) {
    (void)dst, (void)src, (void)t, (void)j, (void)n1, (void)ahead, (void)run, (void)word, (void)o;
    return 0;
}

#endif

/* Columns run by run, by the next larger word: each store overwrites what the one before wrote too much. The last
 * row and the last column, which have no next one, are exact. `ahead` as in tiles. */
LM_INLINE void words_band(char *dst, int64_t ds1, const char *src, int64_t ss0, int64_t n0, int64_t n1,
                          int64_t ahead, int64_t run, int64_t word) {
    for (int64_t j = 0; j < n1 - 1; j++) {
        char *d = dst + j * ds1;
        const char *s = src + j * run;
        if (ahead) fetch_pieces(src + ahead, ss0, n0, n1 * run, j, n1 - 1);
        for (int64_t i = 0; i < n0 - 1; i++) memcpy(d + i * run, s + i * ss0, (size_t)word);
    }
    block_part(dst + (n0 - 1) * run, ds1, src + (n0 - 1) * ss0, ss0, 1, n1, run);
    block_part(dst + (n1 - 1) * ds1, ds1, src + (n1 - 1) * run, ss0, n0, 1, run);
}

/* A few source lines' worth of columns at a time. Few rows ask for all that comes next at once, others bit by bit. */
LM_INLINE void odd_runs(char *dst, const char *src, const lm_tile *t, int run, int word) {
    enum { FEW = 64 };
    const bool spreads = HAS_SPREAD && word <= 16, few = t->n0 < FEW;
    const int64_t wide = 4 * LM_LINE / run, done = spreads ? t->n0 / (VEC / word) * (VEC / word) : 0;
    const int64_t ahead = few ? 0 : t->ahead;
    const spreading o = find_spreading(run, word);
    for (int64_t j = 0; j < t->n1; j += wide) {
        const char *s = src + j * run;
        char *d = dst + j * t->ds1;
        const int64_t n1 = least(wide, t->n1 - j);
        if (few && t->ahead) fetch_pieces(s + t->ahead, t->ss0, t->n0, n1 * run, 0, 1);
        const int64_t cols = done ? spread_band(d, s, t, j, n1, ahead, run, word, &o) : 0;
        if (cols && done < t->n0)
            words_band(d + done * run, t->ds1, s + done * t->ss0, t->ss0, t->n0 - done, cols, ahead, run,
                       word);
        if (cols < n1)
            words_band(d + cols * t->ds1, t->ds1, s + cols * run, t->ss0, t->n0, n1 - cols, cols ? 0 : ahead,
                       run, word);
    }
}

#endif
