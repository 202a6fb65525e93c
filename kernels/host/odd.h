/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposes of tiles of runs that are no machine word: 3, 6, 12 and 24 bytes. */
#ifndef LM_ODD_H
#define LM_ODD_H

#include "blocks.h"
#include "kernel.h"

#if defined(__AVX512VBMI__)

/* Runs of three quarters of a word: 3, 6, 12 bytes. Spread into words, turned as words, and closed up again.
 */
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

/* VEC/word rows and 16/word columns; reads 16 bytes of each row; writes a whole vector a column, or with
 * `exact` only the three quarters of it that are meant. */
LM_INLINE void block_spread(char *dst, int64_t ds1, const char *src, int64_t ss0, int run, int word,
                            const vec *spread, const vec *close, bool exact) {
    const int rows = 16 / word;
    vec a[16];
    for (int k = 0; k < rows; k++) a[k] = vec_shuffle(vec_rows(src + k * ss0, rows * ss0), *spread);
    zip_rounds(a, word);
    for (int k = 0; k < rows; k++) {
        const vec closed = _mm512_permutexvar_epi8(*close, a[k]);
        if (exact)
            _mm512_mask_storeu_epi8(dst + k * ds1, ((__mmask64)1 << (VEC / word * run)) - 1, closed);
        else
            vec_store(dst + k * ds1, closed);
    }
}

/* As many columns as blocks can read without leaving their rows; returns how many, of all but the last rows.
 */
LM_INLINE int64_t spread_band(char *dst, const char *src, const lm_tile *t, int64_t n1, int run, int word) {
    const int64_t high = VEC / word, wide = 16 / word, n0 = t->n0 / high * high;
    const vec spread = spread_order(run, word), close = close_order(run, word);
    int64_t cols = 0;
    while (cols * run + 16 <= n1 * run) cols += wide;
    for (int64_t i = 0; i < n0; i += high)
        for (int64_t j = 0; j < cols; j += wide)
            block_spread(dst + j * t->ds1 + i * run, t->ds1, src + i * t->ss0 + j * run, t->ss0, run, word,
                         &spread, &close, i * run + VEC > t->n0 * run);
    return cols;
}

#else

LM_INLINE int64_t spread_band(char *dst, const char *src, const lm_tile *t, int64_t n1, int run, int word) {
    (void)dst, (void)src, (void)t, (void)n1, (void)run, (void)word;
    return 0;
}

#endif

/* A few source lines' worth of columns at a time. */
LM_INLINE void odd_runs(char *dst, const char *src, const lm_tile *t, int run, int word) {
    const bool spreads = run < 24;
    const int64_t wide = 4 * LM_LINE / run, done = spreads ? t->n0 / (VEC / word) * (VEC / word) : 0;
    for (int64_t j = 0; j < t->n1; j += wide) {
        const char *s = src + j * run;
        char *d = dst + j * t->ds1;
        const int64_t n1 = least(wide, t->n1 - j);
        if (t->ahead)
            for (int64_t i = 0; i < t->n0; i++)
                for (int64_t k = 0; k < n1 * run; k += LM_LINE)
                    __builtin_prefetch(s + t->ahead + i * t->ss0 + k, 0, 2);
        const int64_t cols = spreads ? spread_band(d, s, t, n1, run, word) : 0;
        if (cols && done < t->n0)
            block_words(d + done * run, t->ds1, s + done * t->ss0, t->ss0, t->n0 - done, cols, run, word);
        if (cols < n1)
            block_words(d + cols * t->ds1, t->ds1, s + cols * run, t->ss0, t->n0, n1 - cols, run, word);
    }
}

#endif
