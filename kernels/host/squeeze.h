/* SPDX-License-Identifier: BSD-3-Clause */
/* Short runs with gaps between them squeezed into a dense row, "4 of 5 floats": where gaps are no longer than
 * runs, the bytes of half a destination line lie within two vectors as long of the source, and one
 * permutation makes it.
 */
#ifndef LM_SQUEEZE_H
#define LM_SQUEEZE_H

#include <stdbool.h>

#include "stream.h"

#if defined(__AVX512VBMI__)

/* Halves of lines of a period, after which all begins anew, or of several; how many bytes each of them has to
 * make for to be worth its order. */
enum { SQUEEZE_HALVES = 16, SQUEEZE_WORTH = 4096 };

typedef struct squeezing {
    int64_t halves, step;        /* of a period; bytes of the source */
    int64_t low[SQUEEZE_HALVES]; /* where the two vectors of a half begin */
    int64_t high[SQUEEZE_HALVES];
    uint8_t order[SQUEEZE_HALVES][HALF];
} squeezing;

/* A half that begins with byte `in` of a run; false when it does not lie within two vectors. */
static bool squeeze_half(squeezing *q, int64_t half, int64_t at, int64_t in, int64_t run, int64_t ss) {
    int64_t from[HALF];
    for (int k = 0; k < (int)HALF; k++) {
        from[k] = at + in;
        if (++in == run) in = 0, at += ss;
    }
    q->low[half] = from[0];
    q->high[half] = from[HALF - 1] - (HALF - 1);
    for (int k = 0; k < (int)HALF; k++) {
        const int64_t first = from[k] - q->low[half], second = from[k] - q->high[half];
        q->order[half][k] = (uint8_t)(first < HALF ? first : HALF + second);
    }
    return q->high[half] - q->low[half] <= HALF;
}

/* Halves from byte `first` of the dense row on; no more than `most` of them. */
static bool find_squeezing(squeezing *q, int64_t run, int64_t ss, int64_t first, int64_t most) {
    const int64_t common = least(run & -run, HALF);
    q->halves = run / common;
    q->step = HALF / common * ss;
    for (; 2 * q->halves <= most; q->halves *= 2) q->step *= 2; /* long loops */
    for (int64_t h = 0; h < q->halves; h++) {
        const int64_t begin = first + h * HALF;
        if (!squeeze_half(q, h, begin / run * ss, begin % run, run, ss)) return false;
    }
    return true;
}

/* Bytes [at, end) of the dense row. */
LM_INLINE void squeeze_part(char *dst, const char *src, int64_t run, int64_t ss, int64_t at, int64_t end) {
    while (at < end) {
        const int64_t in = at % run, some = least(run - in, end - at);
        lm_copy_short(dst + at, src + at / run * ss + in, some);
        at += some;
    }
}

LM_INLINE void squeeze_period(char *dst, const char *src, const squeezing *q, int64_t halves) {
    for (int64_t h = 0; h < halves; h++) {
        const half low = half_load(src + q->low[h]), high = half_load(src + q->high[h]);
        const half order = half_load((const char *)q->order[h]);
        half_stream(dst + h * HALF, _mm256_permutex2var_epi8(low, order, high));
    }
}

LM_INLINE void squeeze_halves(char *dst, const char *src, const squeezing *q, int64_t halves) {
    const int64_t periods = LM_PAGE / q->step + 1;
    while (halves) {
        lm_fetch(src + q->low[0] + periods * q->step, LM_FETCH_LINES);
        for (int64_t i = 0, some; halves && i < periods; i++, halves -= some) {
            some = least(q->halves, halves);
            squeeze_period(dst, src, q, some);
            dst += some * HALF;
            src += q->step;
        }
    }
}

/* n runs, past the caches; false, and nothing done, where that cannot be done or does not pay. */
static bool squeeze_row(char *dst, const char *src, int64_t n, int64_t run, int64_t ss) {
    const int64_t bytes = n * run, first = lm_to_line(dst), period = run / least(run & -run, HALF);
    squeezing q;
    if (ss < run || period > SQUEEZE_HALVES || bytes < SQUEEZE_WORTH * period) return false;
    if (!find_squeezing(&q, run, ss, first, least(bytes / SQUEEZE_WORTH, SQUEEZE_HALVES))) return false;
    const int64_t lines = (bytes - first) / LM_LINE;
    squeeze_part(dst, src, run, ss, 0, first);
    squeeze_halves(dst + first, src, &q, lines * (LM_LINE / HALF));
    squeeze_part(dst, src, run, ss, first + lines * LM_LINE, bytes);
    return true;
}

#else

static inline bool squeeze_row(char *dst, const char *src, int64_t n, int64_t run, int64_t ss) {
    (void)dst, (void)src, (void)n, (void)run, (void)ss;
    return false;
}

#endif

#endif
