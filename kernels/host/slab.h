/* SPDX-License-Identifier: BSD-3-Clause */
/* Slabs: what streaming transposes of words move at a time where vectors are as long as lines. Two lines of
 * each source row, asked for one right after the other, become pieces of two lines of each destination row, sent
 * one right after the other: memory serves neighbouring lines faster than lines of as many pages. The pieces are
 * put together in the first cache. */
#ifndef LM_SLAB_H
#define LM_SLAB_H

#include <stdbool.h>

#include "blocks.h"

enum { SLAB_LINES = 2, SLAB_PIECE = SLAB_LINES * LM_LINE };

LM_INLINE int slab_rows(int run) { return SLAB_LINES * LM_LINE / run; }

/* Columns of a source line. */
LM_INLINE int slab_columns(int run) { return LM_LINE / run; }

/* Their pieces of destination rows. */
typedef struct slab {
    _Alignas(LM_LINE) char piece[LM_LINE * SLAB_PIECE];
} slab;

/* Do the rows of one block fight for few sets of the first cache, as they do at steps of large powers of two?
 */
LM_INLINE bool rows_collide(int64_t ss0, int64_t rows) {
    enum { WAY = 4096, WAYS = 8 };
    const int64_t common = least(ss0 & -ss0, WAY);
    return common * rows > WAY * WAYS;
}

/* One source line of each row of a block, side by side. */
LM_INLINE void pack_lines(char *packed, const char *src, int64_t ss0, int64_t rows) {
    for (int64_t k = 0; k < rows; k++)
        for (int64_t v = 0; v < LM_LINE; v += VEC)
            vec_store(packed + k * LM_LINE + v, vec_load(src + k * ss0 + v));
}

/* One source line of each row. All of it is read at once where it is a line indeed, and where rows would soon
 * drive each other out of the first cache; else in pieces, few of which lie across the border of two lines.
 */
LM_INLINE void slab_turn(slab *s, const char *src, int64_t ss0, int run) {
    const int high = VEC / run, wide = 16 / run;
    const bool whole = (((uintptr_t)src | (uintptr_t)ss0) & (LM_LINE - 1)) == 0 || rows_collide(ss0, high);
    for (int k = 0; k < SLAB_LINES; k++) {
        _Alignas(LM_LINE) char packed[VEC * LM_LINE];
        const char *from = src + k * high * ss0;
        char *to = s->piece + k * LM_LINE;
        if (run >= 4 && whole) {
            block_line(to, SLAB_PIECE, from, ss0, run);
            continue;
        }
        if (whole) pack_lines(packed, from, ss0, high);
        for (int part = 0; part < LM_LINE / 16; part++)
            block_high(to + part * wide * SLAB_PIECE, SLAB_PIECE, (whole ? packed : from) + part * 16,
                       whole ? LM_LINE : ss0, wide, run, NULL, STORE);
    }
}

/* A tile of so many rows is worth slabs: few of them do not fill the time until memory answers, unless their rows are
 * many. Runs of 16 bytes gain nothing by them. */
LM_INLINE bool slab_worth(int64_t rows, int run) {
    return run < 16 && rows >= (run > 2 ? 4 : 2) * slab_rows(run);
}

/* The share of column `col` of line `line` in the slab that is asked for ahead: for each row the last bytes
 * of its lines, which may lie in later ones, for mostly the first byte was among the last of what came
 * before. */
LM_INLINE void slab_fetch(const char *next, int64_t ss0, int line, int col, int run) {
    const char *row = next + (line * slab_columns(run) + col) * ss0 + LM_LINE - 1;
    for (int k = 0; k < SLAB_LINES; k++) __builtin_prefetch(row + k * LM_LINE, 0, 2);
}

/* A slab into destination rows aligned to lines. */
LM_INLINE void slab_direct(char *dst, int64_t ds1, const char *src, int64_t ss0, const char *next, int run) {
    const int columns = slab_columns(run);
    slab s;
    for (int line = 0; line < SLAB_LINES; line++) {
        slab_turn(&s, src + line * LM_LINE, ss0, run);
        for (int col = 0; col < columns; col++, dst += ds1) {
            for (int k = 0; k < SLAB_PIECE; k += LM_LINE)
                vec_stream(dst + k, vec_load(s.piece + col * SLAB_PIECE + k));
            if (next) slab_fetch(next, ss0, line, col, run);
        }
    }
}

#endif
