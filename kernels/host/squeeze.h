/* SPDX-License-Identifier: BSD-3-Clause */
/* Short runs with gaps between them squeezed into a dense row, "4 of 5 floats": where gaps are no longer than
 * runs, the bytes of a destination line lie within two vectors of the source, and one permutation makes it.
 */
#ifndef LM_SQUEEZE_H
#define LM_SQUEEZE_H

#include <stdbool.h>

#include "stream.h"

#if defined(__AVX512VBMI__)

/* Lines of a period, after which all begins anew; how far ahead the source is asked for; how many bytes a
 * period's line has to make for to be worth its order. */
enum { SQUEEZE_LINES = 16, SQUEEZE_AHEAD = 2048, SQUEEZE_WORTH = 4096 };

typedef struct squeezing {
    int64_t lines, step;        /* of a period; bytes of the source */
    int64_t low[SQUEEZE_LINES]; /* where the two vectors of a line begin */
    int64_t high[SQUEEZE_LINES];
    uint8_t order[SQUEEZE_LINES][LM_LINE];
} squeezing;

/* A line that begins with byte `in` of a run; false when it does not lie within two vectors. */
static bool squeeze_line(squeezing *q, int64_t line, int64_t at, int64_t in, int64_t run, int64_t ss) {
    int64_t from[LM_LINE];
    for (int k = 0; k < LM_LINE; k++) {
        from[k] = at + in;
        if (++in == run) in = 0, at += ss;
    }
    q->low[line] = from[0];
    q->high[line] = from[LM_LINE - 1] - (LM_LINE - 1);
    for (int k = 0; k < LM_LINE; k++) {
        const int64_t first = from[k] - q->low[line], second = from[k] - q->high[line];
        q->order[line][k] = (uint8_t)(first < LM_LINE ? first : LM_LINE + second);
    }
    return q->high[line] - q->low[line] <= LM_LINE;
}

/* Lines from byte `first` of the dense row on. */
static bool find_squeezing(squeezing *q, int64_t run, int64_t ss, int64_t first) {
    const int64_t common = least(run & -run, LM_LINE);
    q->lines = run / common;
    q->step = LM_LINE / common * ss;
    for (int64_t l = 0; l < q->lines; l++) {
        const int64_t begin = first + l * LM_LINE;
        if (!squeeze_line(q, l, begin / run * ss, begin % run, run, ss)) return false;
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

LM_INLINE void squeeze_lines(char *dst, const char *src, const squeezing *q, int64_t lines) {
    for (int64_t i = 0, l = 0; i < lines; i++) {
        const char *low = src + q->low[l], *high = src + q->high[l];
        __builtin_prefetch(low + SQUEEZE_AHEAD);
        __builtin_prefetch(high + SQUEEZE_AHEAD + LM_LINE - 1);
        vec_stream(
            dst + i * LM_LINE,
            _mm512_permutex2var_epi8(vec_load(low), vec_load((const char *)q->order[l]), vec_load(high)));
        if (++l == q->lines) l = 0, src += q->step;
    }
}

/* n runs, past the caches; false, and nothing done, where that cannot be done or does not pay. */
static bool squeeze_row(char *dst, const char *src, int64_t n, int64_t run, int64_t ss) {
    const int64_t bytes = n * run, first = lm_to_line(dst), period = run / least(run & -run, LM_LINE);
    squeezing q;
    if (ss < run || period > SQUEEZE_LINES || bytes < SQUEEZE_WORTH * period) return false;
    if (!find_squeezing(&q, run, ss, first)) return false;
    const int64_t lines = (bytes - first) / LM_LINE;
    squeeze_part(dst, src, run, ss, 0, first);
    squeeze_lines(dst + first, src, &q, lines);
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
