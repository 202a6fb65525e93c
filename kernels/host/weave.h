/* SPDX-License-Identifier: BSD-3-Clause */
/* A few long source rows woven into a dense stretch of the destination, [4][N] into [N][4]: a line of each
 * row becomes as many whole destination lines as there are rows. All bytes of a destination line come from
 * the same places of the rows' lines, whichever row, so that one order serves all of them, and masks choose.
 */
#ifndef LM_WEAVE_H
#define LM_WEAVE_H

#include "kernel.h"
#include "vec.h"

enum { WEAVE_ROWS = 8 };

#if defined(__AVX512VBMI__)

enum { HAS_WEAVE = 1, WEAVE_AHEAD = 512 }; /* bytes; hardware prefetchers stop at the end of each page */

typedef struct weaving {
    vec order[WEAVE_ROWS]; /* destination line l: from which byte of a line each byte comes */
    __mmask64 choice[WEAVE_ROWS][WEAVE_ROWS]; /* its bytes that come from row k */
} weaving;

static void find_weaving(weaving *w, int64_t rows, int64_t run) {
    char byte[WEAVE_ROWS * LM_LINE + 16], row[WEAVE_ROWS * LM_LINE + 16]; /* written 16 at a time */
    const lane iota = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int64_t at = 0;
    for (int64_t column = 0; column < LM_LINE; column += run)
        for (int64_t k = 0; k < rows; k++, at += run) {
            lane_store(byte + at, _mm_add_epi8(iota, _mm_set1_epi8((char)column)));
            lane_store(row + at, _mm_set1_epi8((char)k));
        }
    for (int64_t l = 0; l < rows; l++) {
        w->order[l] = vec_load(byte + l * LM_LINE);
        for (int64_t k = 0; k < rows; k++)
            w->choice[l][k] = _mm512_cmpeq_epi8_mask(vec_load(row + l * LM_LINE), _mm512_set1_epi8((char)k));
    }
}

LM_INLINE void weave_lines(char *dst, const char *src, int64_t ss0, int64_t lines, const weaving *w,
                           int rows) {
    for (int64_t i = 0; i < lines; i++, src += LM_LINE, dst += rows * LM_LINE) {
        vec a[WEAVE_ROWS];
#pragma GCC unroll 8
        for (int k = 0; k < rows; k++) {
            a[k] = vec_load(src + k * ss0);
            __builtin_prefetch(src + k * ss0 + WEAVE_AHEAD);
        }
#pragma GCC unroll 8
        for (int l = 0; l < rows; l++) {
            vec line = _mm512_permutexvar_epi8(w->order[l], a[0]);
#pragma GCC unroll 8
            for (int k = 1; k < rows; k++)
                line = _mm512_mask_permutexvar_epi8(line, w->choice[l][k], w->order[l], a[k]);
            vec_stream(dst + l * LM_LINE, line);
        }
    }
}

/* So many lines of each of 2 to WEAVE_ROWS rows, dst aligned to a line; runs of 1, 2, 4, 8 or 16 bytes. */
static __attribute__((noinline)) void weave(char *dst, const char *src, int64_t ss0, int64_t lines,
                                            int64_t rows, int64_t run) {
    weaving w;
    find_weaving(&w, rows, run);
    switch (rows) {
    case 2: weave_lines(dst, src, ss0, lines, &w, 2); break;
    case 3: weave_lines(dst, src, ss0, lines, &w, 3); break;
    case 4: weave_lines(dst, src, ss0, lines, &w, 4); break;
    case 5: weave_lines(dst, src, ss0, lines, &w, 5); break;
    case 6: weave_lines(dst, src, ss0, lines, &w, 6); break;
    case 7: weave_lines(dst, src, ss0, lines, &w, 7); break;
    default: weave_lines(dst, src, ss0, lines, &w, 8);
    }
}

#else

enum { HAS_WEAVE = 0 };
LM_INLINE void weave(char *dst, const char *src, int64_t ss0, int64_t lines, int64_t rows, int64_t run) {
    (void)dst, (void)src, (void)ss0, (void)lines, (void)rows, (void)run;
}

#endif

#endif
