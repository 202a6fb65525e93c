/* SPDX-License-Identifier: BSD-3-Clause */
/* Square transposes in place: the runs of two tiles change places across the diagonal. Blocks as many runs
 * square as make up a line are read from both sides, whole lines at a time, before either is written; so no
 * more memory is needed than fits on the stack. Where rows are powers of two apart their lines share few sets
 * of the first cache: each line is touched once to be read, and once to be written. */
#include "kernel.h"
#include "name.h"
#include "stream.h"
#include "words.h"

/* Columns are taken so many lines at a time, while those that come next are on their way into the second
 * cache: of more lines fewer would still be there when they are needed. */
enum { TILE_LINES = 8 };

/* A block: lines side by side. */
typedef struct packed {
    _Alignas(LM_LINE) char byte[LM_LINE * LM_LINE];
} packed;

/* Turn a packed block into lines `pitch` bytes apart. */
LM_INLINE void unpack_turned(char *to, int64_t pitch, const packed *block, int run) {
    const int64_t side = LM_LINE / run, wide = 16 / run, high = VEC / run;
    for (int64_t j = 0; j < side; j += wide)
        for (int64_t i = 0; i < side; i += high)
            block_high(to + j * pitch + i * run, pitch, block->byte + i * LM_LINE + j * run, LM_LINE, wide,
                       run, NULL, STORE);
}

/* Whole lines turned in registers, but for those that would be overwritten. */
LM_INLINE void exchange_lines(char *dst, int64_t ds1, char *src, int64_t ss0, int run) {
    packed from_dst;
    pack_lines(from_dst.byte, dst, ds1, LM_LINE / run);
    block_line(dst, ds1, src, ss0, run);
    block_line(src, ss0, from_dst.byte, LM_LINE, run);
}

LM_INLINE void exchange_whole(char *dst, int64_t ds1, char *src, int64_t ss0, int run) {
    packed from_src, from_dst;
    if (VEC_HALVES && (run == 4 || run == 8)) {
        exchange_lines(dst, ds1, src, ss0, run);
        return;
    }
    pack_lines(from_src.byte, src, ss0, LM_LINE / run);
    pack_lines(from_dst.byte, dst, ds1, LM_LINE / run);
    unpack_turned(dst, ds1, &from_src, run);
    unpack_turned(src, ss0, &from_dst, run);
}

/* Parts of lines, `bytes` of each, to or from a packed block. */
LM_INLINE void copy_parts(char *to, int64_t to_pitch, const char *from, int64_t from_pitch, int64_t lines,
                          int64_t bytes) {
    for (int64_t k = 0; k < lines; k++) lm_copy_short(to + k * to_pitch, from + k * from_pitch, bytes);
}

/* A block of n0 source rows and n1 columns that ends at an edge. */
static __attribute__((noinline)) void exchange_part(char *dst, char *src, const lm_tile *t, int run) {
    packed from_src = {{0}}, from_dst = {{0}}, turned;
    copy_parts(from_src.byte, LM_LINE, src, t->ss0, t->n0, t->n1 * run);
    copy_parts(from_dst.byte, LM_LINE, dst, t->ds1, t->n1, t->n0 * run);
    unpack_turned(turned.byte, LM_LINE, &from_src, run);
    copy_parts(dst, t->ds1, turned.byte, LM_LINE, t->n1, t->n0 * run);
    unpack_turned(turned.byte, LM_LINE, &from_dst, run);
    copy_parts(src, t->ss0, turned.byte, LM_LINE, t->n0, t->n1 * run);
}

/* Ask for the share of block number `block` of the lines of a tile, row by row, so that few pages are open.
 */
LM_INLINE void fetch_share(const char *tile, int64_t pitch, int64_t block, int64_t side) {
    for (int64_t k = block * side; k < (block + 1) * side; k++)
        __builtin_prefetch(tile + k / TILE_LINES * pitch + k % TILE_LINES * LM_LINE, 0, 2);
}

/* Where the lines begin that are wanted after the columns [first, next): those that follow, or else the next
 * tile; NULL when that is not known. */
LM_INLINE const char *wanted(const char *side, int64_t step, int64_t next, int64_t n, int64_t ahead) {
    if (next < n) return side + next * step;
    return ahead ? side + ahead : NULL;
}

/* Columns [first, first + TILE_LINES lines); `same`: both sides are one square, of which one half is walked.
 */
LM_INLINE void exchange_tile(char *dst, char *src, const lm_tile *t, int64_t first, bool same, int run) {
    const int64_t side = LM_LINE / run, next = first + TILE_LINES * side, last = least(next, t->n1);
    const char *later_src = wanted(src, run, next, t->n1, t->ahead);
    const char *later_dst = wanted(dst, t->ds1, next, t->n1, t->before);
    int64_t block = 0;
    for (int64_t i = 0; i < t->n0; i += side) {
        for (int64_t j = same && i > first ? i : first; j < last; j += side, block++) {
            char *d = dst + j * t->ds1 + i * run, *s = src + i * t->ss0 + j * run;
            if (later_src) fetch_share(later_src, t->ss0, block, side);
            if (later_dst) fetch_share(later_dst, t->ds1, block, side);
            if (t->n0 - i >= side && last - j >= side) {
                exchange_whole(d, t->ds1, s, t->ss0, run);
                continue;
            }
            lm_tile part = *t;
            part.n0 = least(side, t->n0 - i);
            part.n1 = least(side, last - j);
            exchange_part(d, s, &part, run);
        }
    }
}

LM_INLINE void exchange_words(char *dst, char *src, const lm_tile *t, int run) {
    for (int64_t j = 0; j < t->n1; j += TILE_LINES * (LM_LINE / run))
        exchange_tile(dst, src, t, j, dst == src, run);
}

/* Runs that are no word, one by one, in pieces. */
LM_INLINE void exchange_runs(char *dst, char *src, const lm_tile *t) {
    char a[LM_LINE], b[LM_LINE];
    for (int64_t i = 0; i < t->n0; i++)
        for (int64_t j = dst == src ? i + 1 : 0; j < t->n1; j++)
            for (int64_t k = 0; k < t->run; k += LM_LINE) {
                char *d = dst + j * t->ds1 + i * t->run + k, *s = src + i * t->ss0 + j * t->run + k;
                const int64_t n = least(LM_LINE, t->run - k);
                lm_copy_short(a, d, n);
                lm_copy_short(b, s, n);
                lm_copy_short(d, b, n);
                lm_copy_short(s, a, n);
            }
}

void LM_KERNEL(exchange)(char *dst, const char *src, const lm_tile *t) {
    char *other = (char *)src; /* written, too */
    switch (t->run) {
    case 1: exchange_words(dst, other, t, 1); break;
    case 2: exchange_words(dst, other, t, 2); break;
    case 4: exchange_words(dst, other, t, 4); break;
    case 8: exchange_words(dst, other, t, 8); break;
    case 16: exchange_words(dst, other, t, 16); break;
    default: exchange_runs(dst, other, t);
    }
}
