/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills: one source run repeated into dense destination rows. */
#include "kernel.h"
#include "name.h"
#include "shuffle.h"
#include "stream.h"

/* A block of the pattern repeated: a whole number of runs that is long enough to be copied from cheaply. */
enum { PATTERN_BYTES = 1024 };

typedef struct pattern {
    _Alignas(LM_LINE) char byte[PATTERN_BYTES];
    int64_t size; /* the whole runs in it, in bytes */
} pattern;

/* At most `want` bytes, at least one run, which must fit. */
LM_INLINE void pattern_make(pattern *p, const char *src, int64_t run, int64_t want) {
    if (want > PATTERN_BYTES) want = PATTERN_BYTES / run * run;
    memcpy(p->byte, src, (size_t)run);
    for (p->size = run; p->size < want;) {
        int64_t n = p->size < want - p->size ? p->size : want - p->size;
        memcpy(p->byte + p->size, p->byte, (size_t)n);
        p->size += n;
    }
}

LM_INLINE void fill_row(char *d, const pattern *p, int64_t n) {
    int64_t i = 0;
    for (; i + p->size <= n; i += p->size) lm_copy_short(d + i, p->byte, p->size);
    if (i < n) lm_copy_short(d + i, p->byte, n - i);
}

/* Several rows that one pattern covers: whole vectors, and one in the end that overlaps; short ones are two
 * pieces that overlap. (Of patterns beyond 1024 bytes the loop is not unrolled, and takes 20 ms for 15.) */
LM_INLINE void fill_pieces(char *d, int64_t step, int64_t rows, const char *from, int64_t n, int64_t piece) {
    char low[64], high[64];
    memcpy(low, from, (size_t)piece);
    memcpy(high, from + n - piece, (size_t)piece);
    for (int64_t j = 0; j < rows; j++, d += step) {
        memcpy(d, low, (size_t)piece);
        memcpy(d + n - piece, high, (size_t)piece);
    }
}

LM_INLINE void fill_vectors(char *d, int64_t step, int64_t rows, const char *from, int64_t n) {
    const vec last = vec_load(from + n - VEC);
    for (int64_t j = 0; j < rows; j++, d += step) {
        for (int64_t i = 0; i + VEC <= n; i += VEC) vec_store(d + i, vec_load(from + i));
        if (n % VEC) vec_store(d + n - VEC, last);
    }
}

LM_INLINE void fill_rows(char *d, int64_t step, int64_t rows, const pattern *p, int64_t n) {
    if (n < 4)
        for (int64_t j = 0; j < rows; j++) lm_copy_short(d + j * step, p->byte, n);
    else if (n < 8)
        fill_pieces(d, step, rows, p->byte, n, 4);
    else if (n < 16)
        fill_pieces(d, step, rows, p->byte, n, 8);
    else if (n <= 32)
        fill_pieces(d, step, rows, p->byte, n, 16);
    else if (n < VEC)
        fill_pieces(d, step, rows, p->byte, n, 32);
    else
        fill_vectors(d, step, rows, p->byte, n);
}

static int same_bytes(const char *s, int64_t n) {
    int64_t k = 1;
    while (k < n && s[k] == s[0]) k++;
    return k == n;
}

void LM_KERNEL(fill)(char *dst, const char *src, const lm_tile *t) {
    const int64_t row = t->n0 * t->run;
    pattern p;
    shuffle q;
    if (t->n1 > 2 && row <= PATTERN_BYTES && t->ss1 == 0) {
        pattern_make(&p, src, t->run, row);
        fill_rows(dst, t->ds1, t->n1, &p, row);
        return;
    }
    /* Only rows that differ get here in such numbers: the pattern is made for each of those that are left. */
    int64_t j = find_row_shuffle(&q, t) ? shuffle_rows(dst, src, &q, t->n1) : 0;
    for (; j < t->n1; j++) {
        char *d = dst + j * t->ds1;
        const char *s = src + j * t->ss1;
        if (t->run > PATTERN_BYTES) {
            for (int64_t i = 0; i < t->n0; i++) memcpy(d + i * t->run, s, (size_t)t->run);
        } else if (row >= PATTERN_BYTES && same_bytes(s, t->run)) {
            memset(d, s[0], (size_t)row);
        } else {
            if (j == 0 || t->ss1) pattern_make(&p, s, t->run, row);
            fill_row(d, &p, row);
        }
    }
}

/* Whole lines past the caches: the pattern is laid out so that line k of the destination is a slice of it. */
void LM_KERNEL(fill_stream)(char *dst, const char *src, const lm_tile *t) {
    const int64_t row = t->n0 * t->run;
    if (t->run > PATTERN_BYTES / 2 || row < 2 * PATTERN_BYTES) {
        LM_KERNEL(fill)(dst, src, t);
        return;
    }
    for (int64_t j = 0; j < t->n1; j++) {
        char *d = dst + j * t->ds1, *end = d + row;
        pattern p;
        pattern_make(&p, src + j * t->ss1, t->run, PATTERN_BYTES);
        int64_t head = lm_to_line(d), at = head % t->run;
        if (head) lm_copy_short(d, p.byte, head);
        for (d += head; end - d >= LM_LINE; d += LM_LINE) {
            lm_stream_lines(d, p.byte + at, LM_LINE);
            at += LM_LINE;
            if (at + LM_LINE > p.size) at %= t->run;
        }
        if (d < end) lm_copy_short(d, p.byte + at, end - d);
    }
}
