/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows: n1 runs of n0 contiguous bytes. */
#include "kernel.h"
#include "name.h"
#include "squeeze.h"
#include "stream.h"

/* From LONG_ROW on the C library's memcpy wins where both sides are at the same place of a line, and from
 * LONGEST_ROW on it is not worse anywhere: it knows the machine's string instructions. Shorter ones it would
 * better not use, and up to SHORT_ROW it does not pay to bring stores to their alignment first. */
enum { LONGEST_ROW = 256 << 10, LONG_ROW = 15 << 10, SHORT_ROW = 2048 };

/* Compilers do not take their longest registers for memcpy everywhere. */
LM_INLINE void copy_piece(char *restrict d, const char *restrict s, size_t piece) {
    if (piece == VEC)
        vec_store(d, vec_load(s));
    else
        memcpy(d, s, piece);
}

/* Rows of at least one piece and at most `pieces`; the last piece ends where the row does and may overlap the
 * one before. */
LM_INLINE void rows_of(char *restrict d, const char *restrict s, const lm_tile *t, size_t piece, int pieces) {
    const int64_t n1 = t->n1, ds = t->ds1, ss = t->ss1, last = t->n0 - (int64_t)piece;
    for (int64_t j = 0; j < n1; j++) {
        char *to = d + j * ds;
        const char *from = s + j * ss;
        for (int k = 0; k < pieces - 1; k++)
            copy_piece(to + k * (int64_t)piece, from + k * (int64_t)piece, piece);
        copy_piece(to + last, from + last, piece);
    }
}

/* Not inlined, as those below, for their frames: rows of a few pieces do without one. */
static __attribute__((noinline)) void rows_of_any(char *restrict d, const char *restrict s,
                                                  const lm_tile *t) {
    const int64_t n = t->n0, n1 = t->n1, ds = t->ds1, ss = t->ss1;
    for (int64_t j = 0; j < n1; j++) lm_copy_short(d + j * ds, s + j * ss, n);
}

LM_INLINE void row_aligned(char *restrict d, const char *restrict s, int64_t n) {
    int64_t i = VEC - (int64_t)((uintptr_t)d & (VEC - 1));
    vec_store(d, vec_load(s));
    for (; i + 4 * VEC <= n; i += 4 * VEC) {
        const vec a = vec_load(s + i), b = vec_load(s + i + VEC);
        const vec c = vec_load(s + i + 2 * VEC), e = vec_load(s + i + 3 * VEC);
        vec_store(d + i, a);
        vec_store(d + i + VEC, b);
        vec_store(d + i + 2 * VEC, c);
        vec_store(d + i + 3 * VEC, e);
    }
    for (; i + VEC <= n; i += VEC) {
        vec_store(d + i, vec_load(s + i));
        KEEP_LOOP();
    }
    vec_store(d + n - VEC, vec_load(s + n - VEC));
}

static __attribute__((noinline)) void aligned_rows(char *d, const char *s, const lm_tile *t) {
    for (int64_t j = 0; j < t->n1; j++) row_aligned(d + j * t->ds1, s + j * t->ss1, t->n0);
}

LM_INLINE void long_row(char *d, const char *s, int64_t n) {
    if (n >= LONGEST_ROW || (((uintptr_t)d ^ (uintptr_t)s) & (LM_LINE - 1)) == 0)
        memcpy(d, s, (size_t)n);
    else
        row_aligned(d, s, n);
}

static __attribute__((noinline)) void long_rows(char *d, const char *s, const lm_tile *t) {
    for (int64_t j = 0; j < t->n1; j++) long_row(d + j * t->ds1, s + j * t->ss1, t->n0);
}

/* Three pieces of 32 bytes cost less than two of 64, which cross lines more often. */
void LM_KERNEL(rows)(char *dst, const char *src, const lm_tile *t) {
    const int64_t n = t->n0;
    if (n >= LONG_ROW)
        long_rows(dst, src, t);
    else if (n > SHORT_ROW)
        aligned_rows(dst, src, t);
    else if (n >= 32 && n <= 64)
        rows_of(dst, src, t, 32, 2);
    else if (n > 64 && n <= 96)
        rows_of(dst, src, t, 32, 3);
    else if (n > 96 && n <= 128)
        rows_of(dst, src, t, 32, 4);
    else if (n >= 16 && n <= 32)
        rows_of(dst, src, t, 16, 2);
    else if (n >= 8 && n < 16)
        rows_of(dst, src, t, 8, 2);
    else if (n >= 4 && n < 8)
        rows_of(dst, src, t, 4, 2);
    else
        rows_of_any(dst, src, t);
}

/* Long rows ask for the first lines of the next one, for a prefetcher to see where it goes. Short rows with
 * gaps that make a dense destination ask for all lines of a row 512 bytes of destination later: no line is
 * read in vain. */
enum { FETCH_LINES = 8, FETCH_BYTES = FETCH_LINES * LM_LINE };

/* Compilers know `lines` where it is constant. */
LM_INLINE void short_rows(char *dst, const char *src, const lm_tile *t, int64_t shift, int64_t lines) {
    const int64_t n = t->n0, n1 = t->n1, ds = t->ds1, ss = t->ss1;
    for (int64_t j = 0; j < n1; j++) {
        lm_fetch(src + j * ss + shift, lines);
        lm_stream_row(dst + j * ds, src + j * ss, n, false);
    }
}

static void long_rows_stream(char *dst, const char *src, const lm_tile *t) {
    for (int64_t j = 0; j < t->n1; j++) {
        const char *s = src + j * t->ss1;
        lm_fetch(s + t->ss1, FETCH_LINES);
        lm_stream_row(dst + j * t->ds1, s, t->n0, true);
    }
}

void LM_KERNEL(rows_stream)(char *dst, const char *src, const lm_tile *t) {
    /* Rows of two lines and more are faster as they are. */
    if (t->n0 < 2 * LM_LINE && t->ds1 == t->n0 && squeeze_row(dst, src, t->n1, t->n0, t->ss1)) return;
    const bool gaps = t->ds1 == t->n0 && t->ss1 > t->n0 + LM_LINE && t->ss1 < LM_PAGE;
    if (t->n0 < FETCH_BYTES && gaps)
        short_rows(dst, src, t, FETCH_BYTES / t->n0 * t->ss1, (t->n0 + LM_LINE - 1) / LM_LINE);
    else if (t->n0 < FETCH_BYTES)
        short_rows(dst, src, t, t->ss1, FETCH_LINES);
    else
        long_rows_stream(dst, src, t);
}
