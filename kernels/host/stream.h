/* SPDX-License-Identifier: BSD-3-Clause */
/* Contiguous bytes to memory: inline copies for short rows, streaming stores for long ones, and a stage
 * that turns pieces of any length into whole destination lines. Included by kernels, compiled per ISA. */
#ifndef LM_STREAM_H
#define LM_STREAM_H

#include "vec.h"

/* Copy n bytes, 0 <= n, where n is often below a few hundred: no call, no loop below two vectors. */
LM_INLINE void lm_copy_short(char *restrict d, const char *restrict s, int64_t n) {
    if (n >= VEC) {
        int64_t i = 0;
        for (; i + 2 * VEC <= n; i += 2 * VEC) {
            vec a = vec_load(s + i), b = vec_load(s + i + VEC);
            vec_store(d + i, a);
            vec_store(d + i + VEC, b);
        }
        if (i + VEC <= n) vec_store(d + i, vec_load(s + i));
        vec_store(d + n - VEC, vec_load(s + n - VEC)); /* the rest, overlapping what is done */
        return;
    }
    if (VEC > 32 && n >= 32) {
        memcpy(d, s, 32);
        memcpy(d + n - 32, s + n - 32, 32);
    } else if (VEC > 16 && n >= 16) {
        memcpy(d, s, 16);
        memcpy(d + n - 16, s + n - 16, 16);
    } else if (n >= 8) {
        memcpy(d, s, 8);
        memcpy(d + n - 8, s + n - 8, 8);
    } else if (n >= 4) {
        memcpy(d, s, 4);
        memcpy(d + n - 4, s + n - 4, 4);
    } else {
        for (int64_t i = 0; i < n; i++) d[i] = s[i];
    }
}

/* Stream whole lines: d aligned to a line, n a multiple of it. */
LM_INLINE void lm_stream_lines(char *restrict d, const char *restrict s, int64_t n) {
    for (int64_t i = 0; i < n; i += LM_LINE)
        for (int k = 0; k < LM_LINE; k += VEC) vec_stream(d + i + k, vec_load(s + i + k));
}

/* The same by halves of lines: faster for long rows out of memory. */
LM_INLINE void lm_stream_halves(char *restrict d, const char *restrict s, int64_t n) {
    for (int64_t i = 0; i < n; i += HALF) half_stream(d + i, half_load(s + i));
}

/* Bytes from p to the next line. */
LM_INLINE int64_t lm_to_line(const char *p) { return (int64_t)(-(uintptr_t)p & (LM_LINE - 1)); }

/* Ask for lines. */
LM_INLINE void lm_fetch(const char *next, int64_t lines) {
    for (int64_t k = 0; k < lines; k++) __builtin_prefetch(next + k * LM_LINE);
}

/* Hardware prefetchers stop at the end of each page: so many lines of what comes next, for them to see where
 * it goes on. */
enum { LM_PAGE = 4096, LM_FETCH_LINES = 4 };

/* By halves of lines, page by page. */
LM_INLINE void lm_stream_pages(char *restrict d, const char *restrict s, int64_t n) {
    int64_t i = 0;
    for (; n - i > 2 * LM_PAGE; i += LM_PAGE) {
        lm_fetch(s + i + LM_PAGE, LM_FETCH_LINES);
        lm_stream_halves(d + i, s + i, LM_PAGE);
    }
    lm_stream_halves(d + i, s + i, n - i);
}

/* Copy n bytes of any alignment, whole lines past the caches; `halves`, which long rows do better by, is
 * constant. */
LM_INLINE void lm_stream_row(char *restrict d, const char *restrict s, int64_t n, bool halves) {
    const int64_t head = lm_to_line(d), body = n < head ? 0 : (n - head) & -(int64_t)LM_LINE,
                  end = head + body;
    if (!body) {
        lm_copy_short(d, s, n);
        return;
    }
    if (head) lm_copy_short(d, s, head);
    if (halves)
        lm_stream_pages(d + head, s + head, body);
    else
        lm_stream_lines(d + head, s + head, body);
    if (n > end) lm_copy_short(d + end, s + end, n - end);
}

/* A buffer in the first-level cache between a kernel that writes pieces of any length and a dense
 * destination. Byte k of the buffer belongs at address out + k, and out is line-aligned, so that whole
 * lines can be streamed whatever the alignment and length of the pieces. */
enum { LM_STAGE_BYTES = 4096 };
typedef struct lm_stage {
    _Alignas(LM_LINE) char byte[LM_STAGE_BYTES + 2 * LM_LINE]; /* the last line is only read, and not used */
    char *out;
    int64_t from, fill; /* bytes [from, fill) are waiting; from > 0 only before the first full line */
} lm_stage;

LM_INLINE void lm_stage_open(lm_stage *stage, char *dst) {
    stage->from = (LM_LINE - lm_to_line(dst)) & (LM_LINE - 1);
    stage->fill = stage->from;
    stage->out = dst - stage->from;
}

/* Room for pieces of this many bytes in all. */
LM_INLINE int64_t lm_stage_room(const lm_stage *stage) { return LM_STAGE_BYTES + LM_LINE - stage->fill; }

/* Send the whole lines on their way, keep the rest. */
static __attribute__((noinline, unused)) void lm_stage_flush(lm_stage *stage) {
    int64_t full = stage->fill / LM_LINE * LM_LINE, done = 0;
    if (!full) return;
    if (stage->from) {
        lm_copy_short(stage->out + stage->from, stage->byte + stage->from, LM_LINE - stage->from);
        stage->from = 0;
        done = LM_LINE;
    }
    lm_stream_lines(stage->out + done, stage->byte + done, full - done);
    memcpy(stage->byte, stage->byte + full, LM_LINE);
    stage->out += full;
    stage->fill -= full;
}

LM_INLINE void lm_stage_close(lm_stage *stage) {
    lm_stage_flush(stage);
    lm_copy_short(stage->out + stage->from, stage->byte + stage->from, stage->fill - stage->from);
}

#endif
