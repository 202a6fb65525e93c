/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposes of tiles of machine words, 1 to 16 bytes, out of register blocks: bands of source lines where
 * both sides are long enough, and the narrow shapes. */
#ifndef LM_WORDS_H
#define LM_WORDS_H

#include "blocks.h"
#include "kernel.h"
#include "slab.h"

/* One source line of each of VEC/run rows, as four blocks side by side, and a quarter each of the lines asked
 * for ahead. */
LM_INLINE void line_blocks(char *dst, int64_t ds1, const char *src, int64_t ss0, const char *next,
                           int64_t next_ss0, int run, store_kind how) {
    const int64_t high = VEC / run, wide = 16 / run, parts = LM_LINE / 16;
    for (int64_t part = 0; part < parts; part++) {
        if (next) fetch_ahead(next, next_ss0, high, part, parts);
        block_high(dst + part * wide * ds1, ds1, src + part * 16, ss0, wide, run, NULL, how);
    }
}

/* The same for a whole number of blocks, where nothing is asked for ahead. */
LM_INLINE void resident_of(char *dst, int64_t ds1, const char *src, int64_t ss0, int64_t n0, int run) {
    const int64_t wide = LM_LINE / 2 / run;
    for (int64_t i = 0; i < n0; i += VEC / run) {
        char *d = dst + i * run;
        const char *s = src + i * ss0;
        FORGET(d);
        FORGET(s);
        block_pair(d, ds1, s, ss0, run);
        d += wide * ds1;
        s += LM_LINE / 2;
        FORGET(d);
        FORGET(s);
        block_pair(d, ds1, s, ss0, run);
    }
}

/* Not inlined, for it needs all registers. */
static __attribute__((noinline, unused)) void resident_lines(char *dst, int64_t ds1, const char *src,
                                                             int64_t ss0, int64_t n0, int run) {
    switch (run) {
    case 2: resident_of(dst, ds1, src, ss0, n0, 2); break;
    case 4: resident_of(dst, ds1, src, ss0, n0, 4); break;
    default: resident_of(dst, ds1, src, ss0, n0, 8);
    }
}

/* A source line's worth of columns, rows [from, n0) of them, n0 >= VEC/run: high blocks down the rows, so
 * that each source line is used up while it is near and few destination rows are open. The last block is
 * moved back to end at the edge, so that some runs are copied twice. All by value: no store may change what a
 * loop depends on. */
LM_INLINE void line_band(char *dst, int64_t ds1, const char *src, int64_t ss0, int64_t from, int64_t n0,
                         int64_t ahead, int run, store_kind how) {
    const int64_t high = VEC / run, whole = n0 / high * high;
    const bool pack = run <= 2 && rows_collide(ss0, high);
    const bool resident = VEC_HALVES && run >= 2 && run <= 8 && how == STORE && !ahead && !pack;
    _Alignas(LM_LINE) char packed[VEC * LM_LINE];
    if (resident) resident_lines(dst, ds1, src, ss0, whole, run);
    for (int64_t i = resident ? whole : from; i < whole; i += high) {
        const char *s = src + i * ss0, *next = ahead ? s + ahead : NULL;
        if (pack) pack_lines(packed, s, ss0, high);
        line_blocks(dst + i * run, ds1, pack ? packed : s, pack ? LM_LINE : ss0, next, ss0, run, how);
    }
    if (whole < n0)
        line_blocks(dst + (n0 - high) * run, ds1, src + (n0 - high) * ss0, ss0, NULL, 0, run, STORE);
}

/* As many columns as SLAB_LINES lines have, in slabs, and what is left of the rows. */
LM_INLINE void slab_band(char *dst, int64_t ds1, const char *src, int64_t ss0, int64_t n0, int64_t ahead,
                         int run) {
    const int64_t rows = slab_rows(run), whole = n0 / rows * rows, columns = slab_columns(run);
    for (int64_t i = 0; i < whole; i += rows) {
        const char *s = src + i * ss0;
        slab_direct(dst + i * run, ds1, s, ss0, ahead ? s + ahead : NULL, run);
    }
    if (whole == n0) return;
    for (int64_t k = 0; k < SLAB_LINES; k++)
        line_band(dst + k * columns * ds1, ds1, src + k * LM_LINE, ss0, whole, n0, ahead, run, STREAM);
}

/* Fewer columns than that, at least a block's. Short source rows need not be asked for: they follow each
 * other. */
LM_INLINE void narrow_band(char *dst, int64_t ds1, const char *src, int64_t ss0, int64_t n0, int64_t n1,
                           int64_t ahead, int run, store_kind how) {
    const int64_t high = VEC / run, wide = 16 / run, parts = (n1 + wide - 1) / wide;
    for (int64_t i = 0; i < n0; i += high) {
        const int64_t row = least(i, n0 - high);
        const char *s = src + row * ss0;
        for (int64_t part = 0; part < parts; part++) {
            const int64_t col = least(part * wide, n1 - wide);
            if (ahead) fetch_ahead(s + ahead, ss0, high, part, parts);
            block_high(dst + col * ds1 + row * run, ds1, s + col * run, ss0, wide, run, NULL,
                       row == i ? how : STORE);
        }
    }
}

/* Source rows of a line at most that follow each other need not be asked for. */
LM_INLINE void bands(char *dst, const char *src, const lm_tile *t, int run, store_kind how) {
    const int64_t line = LM_LINE / run, wide = 16 / run;
    const int64_t ahead = t->ss0 > LM_LINE || t->ss0 < -LM_LINE ? t->ahead : 0;
    int64_t j = 0;
    if (VEC == LM_LINE && how == STREAM && slab_worth(t->n0, run))
        for (; j + SLAB_LINES * line <= t->n1; j += SLAB_LINES * line)
            slab_band(dst + j * t->ds1, t->ds1, src + j * run, t->ss0, t->n0, ahead, run);
    for (; j + line <= t->n1; j += line)
        line_band(dst + j * t->ds1, t->ds1, src + j * run, t->ss0, 0, t->n0, ahead, run, how);
    if (j == t->n1) return;
    const int64_t cols = t->n1 - j < wide ? wide : t->n1 - j, col = t->n1 - cols;
    dst += col * t->ds1;
    src += col * run;
    if (cols == wide)
        narrow_band(dst, t->ds1, src, t->ss0, t->n0, wide, ahead, run, how);
    else
        narrow_band(dst, t->ds1, src, t->ss0, t->n0, cols, ahead, run, how);
}

/* Fewer columns than a block has: read 16 bytes of each row nonetheless, where that stays inside the source.
 */
LM_INLINE void tall(char *dst, const char *src, const lm_tile *t, int run, store_kind how) {
    const int64_t high = VEC / run, beyond = 16 - t->n1 * run;
    int64_t i = 0;
    if (t->ss0 > 0) {
        const int64_t safe = t->n0 - (beyond + t->ss0 - 1) / t->ss0;
        for (; i + high <= safe; i += high)
            block_high(dst + i * run, t->ds1, src + i * t->ss0, t->ss0, t->n1, run, NULL, how);
    }
    block_part(dst + i * run, t->ds1, src + i * t->ss0, t->ss0, t->n0 - i, t->n1, run);
}

/* Fewer rows than a high block has, at least those of a lane block. */
LM_INLINE void flat(char *dst, const char *src, const lm_tile *t, int run) {
    const int64_t rows = 16 / run, wide = VEC / run;
    for (int64_t i = 0; i < t->n0; i += rows) {
        const int64_t row = least(i, t->n0 - rows);
        char *d = dst + row * run;
        const char *s = src + row * t->ss0;
        int64_t j = 0;
        for (; j + wide <= t->n1; j += wide)
            block_wide(d + j * t->ds1, t->ds1, s + j * run, t->ss0, rows, run, NULL);
        for (; j < t->n1; j += rows) {
            const int64_t col = least(j, t->n1 - rows);
            block_lane(d + col * t->ds1, t->ds1, s + col * run, t->ss0, run);
        }
    }
}

/* Fewer rows than a lane block has. In a dense destination columns may be written 16 bytes at a time, each
 * over what the one before wrote too much, until the end comes near. */
LM_INLINE void thin(char *dst, const char *src, const lm_tile *t, int run) {
    const int64_t wide = VEC / run;
    int64_t j = 0;
    if (t->ds1 == t->n0 * run) {
        const int64_t safe = t->n1 - (16 + t->ds1 - 1) / t->ds1;
        for (; j + wide <= safe; j += wide)
            block_wide(dst + j * t->ds1, t->ds1, src + j * run, t->ss0, t->n0, run, NULL);
    }
    block_part(dst + j * t->ds1, t->ds1, src + j * run, t->ss0, t->n0, t->n1 - j, run);
}

/* ---- several narrow rows in 16 bytes -------------------------------------------------------------- */

/* The order that turns a 16-byte matrix of `rows` rows of runs round. */
LM_INLINE vec turned_order(int64_t rows, int64_t run) {
    uint8_t order[VEC];
    const int64_t cols = 16 / run / rows;
    for (int64_t k = 0; k < VEC; k++) {
        const int64_t at = k % 16 / run, byte = k % run;
        order[k] = (uint8_t)((at % rows * cols + at / rows) * run + byte);
    }
    return vec_load((const char *)order);
}

/* Dense source rows of 2, 4 or 8 columns, less than 16 bytes: 16 bytes hold several, and once they are turned
 * in place, 16 bytes are a row of that many columns of longer words. Returns the rows done. */
LM_INLINE int64_t tall_words(char *dst, const char *src, const lm_tile *t, int run, int cols,
                             store_kind how) {
    const int64_t packed = 16 / (cols * run), some = packed * (VEC / (16 / cols));
    const vec order = turned_order(packed, run);
    int64_t i = 0;
    for (; i + some <= t->n0; i += some)
        block_high(dst + i * run, t->ds1, src + i * t->ss0, 16, cols, 16 / cols, &order, how);
    return i;
}

LM_INLINE int64_t tall_dense(char *dst, const char *src, const lm_tile *t, int run, store_kind how) {
    if (!VEC_SHUFFLES || t->ss0 != t->n1 * run || t->ss0 >= 16) return 0;
    if (t->n1 == 2 && run <= 4) return tall_words(dst, src, t, run, 2, how);
    if (t->n1 == 4 && run <= 2) return tall_words(dst, src, t, run, 4, how);
    if (t->n1 == 8 && run <= 1) return tall_words(dst, src, t, run, 8, how);
    return 0;
}

/* The way back: dense destination rows of 2, 4 or 8 runs. Returns the columns done. */
LM_INLINE int64_t thin_words(char *dst, const char *src, const lm_tile *t, int run, int rows) {
    const int64_t some = VEC / run;
    const vec order = turned_order(rows, run);
    int64_t j = 0;
    for (; j + some <= t->n1; j += some)
        block_wide(dst + j * t->ds1, 16, src + j * run, t->ss0, rows, 16 / rows, &order);
    return j;
}

LM_INLINE int64_t thin_dense(char *dst, const char *src, const lm_tile *t, int run) {
    if (!VEC_SHUFFLES || t->ds1 != t->n0 * run || t->ds1 >= 16) return 0;
    if (t->n0 == 2 && run <= 4) return thin_words(dst, src, t, run, 2);
    if (t->n0 == 4 && run <= 2) return thin_words(dst, src, t, run, 4);
    if (t->n0 == 8 && run <= 1) return thin_words(dst, src, t, run, 8);
    return 0;
}

LM_INLINE void tile_of(char *dst, const char *src, const lm_tile *t, int run, store_kind how) {
    lm_tile rest = *t;
    if (t->n1 < 16 / run) {
        const int64_t done = tall_dense(dst, src, t, run, how);
        rest.n0 -= done;
        tall(dst + done * run, src + done * t->ss0, &rest, run, how);
    } else if (t->n0 < 16 / run) {
        const int64_t done = thin_dense(dst, src, t, run);
        rest.n1 -= done;
        thin(dst + done * t->ds1, src + done * run, &rest, run);
    } else if (t->n0 < VEC / run) {
        flat(dst, src, t, run);
    } else {
        bands(dst, src, t, run, how);
    }
}

#endif
