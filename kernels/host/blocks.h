/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposes in registers. Lane l of register k holds a piece of some source row; log2(16/run) rounds of one
 * in-lane interleave (a perfect shuffle) leave column k of the lane's rows in register k. No shuffle crosses
 * lanes, which are the slow ones; which rows a lane holds decides the shape of the block:
 *
 *   high blocks  VEC/run rows x 16/run columns: lane l holds rows l*16/run ..., stores are whole vectors,
 *                at 512 bits whole cache lines
 *   wide blocks  16/run rows x VEC/run columns: lanes hold neighbouring columns, loads are whole vectors
 *   lane blocks  16/run x 16/run, whole or in part
 *
 * Rows are source rows (axis 0, ss0 apart), columns are destination rows (axis 1, ds1 apart). */
#ifndef LM_BLOCKS_H
#define LM_BLOCKS_H

#include "vec.h"

typedef enum store_kind { STORE, STREAM } store_kind;

/* The share of the next tile's source lines that belongs to column block `part` of a band of `parts`. A band
 * of constant size has no loop and no division here. */
LM_INLINE void fetch_ahead(const char *src, int64_t ss0, int64_t rows, int64_t part, int64_t parts) {
    const int64_t share = (rows + parts - 1) / parts;
#pragma GCC unroll 16
    for (int64_t k = 0; k < share; k++)
        if (rows % parts == 0 || part * share + k < rows)
            __builtin_prefetch(src + (part * share + k) * ss0, 0, 2);
}

LM_INLINE void zip_rounds(vec *a, int run) {
    const int rows = 16 / run;
    vec b[16];
#pragma GCC unroll 4
    for (int round = 1; round < rows; round *= 2) {
#pragma GCC unroll 8
        for (int k = 0; k < rows / 2; k++) {
            b[2 * k] = vec_zip_lo(a[k], a[k + rows / 2], run);
            b[2 * k + 1] = vec_zip_hi(a[k], a[k + rows / 2], run);
        }
#pragma GCC unroll 16
        for (int k = 0; k < rows; k++) a[k] = b[k];
    }
}

LM_INLINE void lane_rounds(lane *a, int run) {
    const int rows = 16 / run;
    lane b[16];
#pragma GCC unroll 4
    for (int round = 1; round < rows; round *= 2) {
#pragma GCC unroll 8
        for (int k = 0; k < rows / 2; k++) {
            b[2 * k] = lane_zip_lo(a[k], a[k + rows / 2], run);
            b[2 * k + 1] = lane_zip_hi(a[k], a[k + rows / 2], run);
        }
#pragma GCC unroll 16
        for (int k = 0; k < rows; k++) a[k] = b[k];
    }
}

/* The first `cols` columns of a high block; reads 16 bytes of each row all the same. With an order, the bytes
 * of each 16-byte piece are put in that order first. */
LM_INLINE void block_high(char *dst, int64_t ds1, const char *src, int64_t ss0, int64_t cols, int run,
                          const vec *order, store_kind how) {
    const int rows = 16 / run;
    vec a[16];
#pragma GCC unroll 16
    for (int k = 0; k < rows; k++) {
        a[k] = vec_rows(src + k * ss0, rows * ss0);
        if (order) a[k] = vec_shuffle(a[k], *order);
    }
    zip_rounds(a, run);
#pragma GCC unroll 16
    for (int k = 0; k < rows; k++) {
        if (k == cols) break;
        if (how == STREAM)
            vec_stream(dst + k * ds1, a[k]);
        else
            vec_store(dst + k * ds1, a[k]);
    }
}

/* Two high blocks side by side, where VEC_HALVES: fewer and longer loads, and one more round instead, which puts
 * the lanes in order. */
LM_INLINE void block_pair(char *dst, int64_t ds1, const char *src, int64_t ss0, int run) {
    const int rows = 16 / run;
    vec a[8], b[8];
#pragma GCC unroll 8
    for (int k = 0; k < rows; k++) {
        a[k] = vec_halves(src + k * ss0, src + (k + rows) * ss0);
        b[k] = vec_halves(src + (k + 2 * rows) * ss0, src + (k + 3 * rows) * ss0);
    }
    zip_rounds(a, run);
    zip_rounds(b, run);
#pragma GCC unroll 8
    for (int k = 0; k < rows; k++) {
        vec_store(dst + k * ds1, vec_even_lanes(a[k], b[k]));
        vec_store(dst + (k + rows) * ds1, vec_odd_lanes(a[k], b[k]));
    }
}

/* Lane l of vector k changes places with lane k of vector l. */
LM_INLINE void turn_lanes(vec *p, vec *q, vec *r, vec *s) {
    const vec a = vec_even_lanes(*p, *q), b = vec_odd_lanes(*p, *q);
    const vec c = vec_even_lanes(*r, *s), d = vec_odd_lanes(*r, *s);
    *p = vec_even_lanes(a, c);
    *q = vec_even_lanes(b, d);
    *r = vec_odd_lanes(a, c);
    *s = vec_odd_lanes(b, d);
}

/* As many high blocks side by side as a source line has, of runs of 4 bytes or more, where VEC_HALVES: each row is
 * loaded at once, so that it does not matter whether its line stays in the first cache. */
LM_INLINE void block_line(char *dst, int64_t ds1, const char *src, int64_t ss0, int run) {
    const int rows = 16 / run;
    vec a[16];
#pragma GCC unroll 16
    for (int k = 0; k < 4 * rows; k++) a[k] = vec_load(src + k * ss0);
    zip_rounds(a, run);
    zip_rounds(a + rows, run);
    zip_rounds(a + 2 * rows, run);
    zip_rounds(a + 3 * rows, run);
#pragma GCC unroll 4
    for (int k = 0; k < rows; k++) turn_lanes(&a[k], &a[k + rows], &a[k + 2 * rows], &a[k + 3 * rows]);
#pragma GCC unroll 16
    for (int k = 0; k < 4 * rows; k++) vec_store(dst + k * ds1, a[k]);
}

/* Column by column upwards, 16 bytes each, so that with ds1 < 16 each store overwrites what the one before
 * wrote too much: a block of fewer than 16/run rows loads the last of them again. With an order, the bytes of
 * each 16-byte piece are put in that order before they are stored. */
LM_INLINE void block_wide(char *dst, int64_t ds1, const char *src, int64_t ss0, int64_t n0, int run,
                          const vec *order) {
    const int rows = 16 / run;
    vec a[16];
    char *row;
#pragma GCC unroll 16
    for (int k = 0; k < rows; k++) a[k] = vec_load(src + (k < n0 ? k : n0 - 1) * ss0);
    zip_rounds(a, run);
    if (order)
        for (int k = 0; k < rows; k++) a[k] = vec_shuffle(a[k], *order);
    if (ds1 >= 16) {
#pragma GCC unroll 16
        for (int k = 0; k < rows; k++) vec_scatter(dst + k * ds1, rows * ds1, a[k]);
        return;
    }
    _Alignas(64) char lanes[16 * VEC];
#pragma GCC unroll 16
    for (int k = 0; k < rows; k++) vec_store(lanes + k * VEC, a[k]);
    for (int l = 0; l < VEC; l += 16) {
        row = dst + l / run * ds1;
#pragma GCC unroll 16
        for (int k = 0; k < rows; k++) lane_store(row + k * ds1, lane_load(lanes + k * VEC + l));
    }
}

LM_INLINE void block_lane(char *dst, int64_t ds1, const char *src, int64_t ss0, int run) {
    const int rows = 16 / run;
    lane a[16];
#pragma GCC unroll 16
    for (int k = 0; k < rows; k++) a[k] = lane_load(src + k * ss0);
    lane_rounds(a, run);
#pragma GCC unroll 16
    for (int k = 0; k < rows; k++) lane_store(dst + k * ds1, a[k]);
}

/* n0 rows and n1 columns run by run; touches nothing else on either side. */
LM_INLINE void block_part(char *dst, int64_t ds1, const char *src, int64_t ss0, int64_t n0, int64_t n1,
                          int64_t run) {
    for (int64_t j = 0; j < n1; j++)
        for (int64_t i = 0; i < n0; i++)
            memcpy(dst + j * ds1 + i * run, src + i * ss0 + j * run, (size_t)run);
}

#endif
