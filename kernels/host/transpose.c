/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposes: axis 0 is dense in the destination, axis 1 in the source. Tiles of runs of 1, 2, 4, 8 and 16
 * bytes are turned in registers, block by block (blocks.h); others run by run. */
#include "blocks.h"
#include "kernel.h"
#include "name.h"
#include "stream.h"

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* The share of the next tile's source lines that belongs to column block `part` of a band of `parts`. */
LM_INLINE void fetch_ahead(const char *src, int64_t ss0, int64_t rows, int64_t part, int64_t parts) {
    for (int64_t k = part * rows / parts; k < (part + 1) * rows / parts; k++) __builtin_prefetch(src + k * ss0, 0, 2);
}

/* A band of columns [0, n1), a source line wide or less: high blocks down its rows, so that each source line
 * is used up while it is near and few destination rows are open. The last block of each direction is moved
 * back to end at the edge, so that some runs are copied twice. Needs n0 >= VEC/run, n1 >= 16/run. */
LM_INLINE void band(char *dst, const char *src, const lm_tile *t, int64_t n1, int run, store_kind how) {
    const int64_t high = VEC / run, wide = 16 / run, parts = (n1 + wide - 1) / wide;
    for (int64_t i = 0; i < t->n0; i += high) {
        const int64_t row = least(i, t->n0 - high);
        for (int64_t part = 0; part < parts; part++) {
            const int64_t col = least(part * wide, n1 - wide);
            if (t->ahead) fetch_ahead(src + t->ahead + row * t->ss0, t->ss0, high, part, parts);
            block_high(dst + col * t->ds1 + row * run, t->ds1, src + row * t->ss0 + col * run, t->ss0, wide, run,
                       NULL, row == i ? how : STORE);
        }
    }
}

LM_INLINE void bands(char *dst, const char *src, const lm_tile *t, int run, store_kind how) {
    const int64_t line = LM_LINE / run, wide = 16 / run;
    for (int64_t j = 0; j < t->n1; j += line) {
        int64_t cols = least(line, t->n1 - j);
        if (cols < wide) cols = wide;
        const int64_t col = least(j, t->n1 - cols);
        band(dst + col * t->ds1, src + col * run, t, cols, run, how);
    }
}

/* Fewer columns than a block has: read 16 bytes of each row nonetheless, where that stays inside the source. */
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
        for (; j + wide <= t->n1; j += wide) block_wide(d + j * t->ds1, t->ds1, s + j * run, t->ss0, rows, run, NULL);
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
        for (; j + wide <= safe; j += wide) block_wide(dst + j * t->ds1, t->ds1, src + j * run, t->ss0, t->n0, run, NULL);
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

/* Dense source rows of 2, 4 or 8 columns, less than 16 bytes: 16 bytes hold several, and once they are turned in
 * place, 16 bytes are a row of that many columns of longer words. Returns the rows done. */
LM_INLINE int64_t tall_words(char *dst, const char *src, const lm_tile *t, int run, int cols, store_kind how) {
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

/* Runs of no machine word, a source line's worth of columns at a time. */
LM_INLINE void odd_runs(char *dst, const char *src, const lm_tile *t, int run, int word) {
    const int64_t wide = LM_LINE / run;
    for (int64_t j = 0; j < t->n1; j += wide) {
        const char *s = src + j * run;
        if (t->ahead)
            for (int64_t i = 0; i < t->n0; i++) __builtin_prefetch(s + t->ahead + i * t->ss0, 0, 2);
        block_words(dst + j * t->ds1, t->ds1, s, t->ss0, t->n0, least(wide, t->n1 - j), run, word);
    }
}

LM_INLINE void by_run(char *dst, const char *src, const lm_tile *t, store_kind how) {
    switch (t->run) {
    case 1: tile_of(dst, src, t, 1, how); break;
    case 2: tile_of(dst, src, t, 2, how); break;
    case 4: tile_of(dst, src, t, 4, how); break;
    case 8: tile_of(dst, src, t, 8, how); break;
    case 16: tile_of(dst, src, t, 16, how); break;
    case 3: odd_runs(dst, src, t, 3, 4); break;
    case 6: odd_runs(dst, src, t, 6, 8); break;
    case 12: odd_runs(dst, src, t, 12, 16); break;
    case 24: odd_runs(dst, src, t, 24, 32); break;
    case 32: block_part(dst, t->ds1, src, t->ss0, t->n0, t->n1, 32); break;
    default:
        for (int64_t j = 0; j < t->n1; j++)
            for (int64_t i = 0; i < t->n0; i++)
                lm_copy_short(dst + j * t->ds1 + i * t->run, src + i * t->ss0 + j * t->run, t->run);
    }
}

/* Instantiated once each: by_run() is large. */
static __attribute__((noinline)) void plain(char *dst, const char *src, const lm_tile *t) {
    by_run(dst, src, t, STORE);
}
static __attribute__((noinline)) void direct(char *dst, const char *src, const lm_tile *t) {
    by_run(dst, src, t, STREAM);
}

/* Turn a negative axis 1 round, so that the source runs forwards. */
static lm_tile turned(const lm_tile *t, char **dst, const char **src) {
    lm_tile f = *t;
    *dst += (f.n1 - 1) * f.ds1;
    *src += (f.n1 - 1) * f.ss1;
    f.ds1 = -f.ds1;
    f.ss1 = -f.ss1;
    return f;
}

void LM_KERNEL(transpose)(char *dst, const char *src, const lm_tile *t) {
    if (t->ss1 >= 0) {
        by_run(dst, src, t, STORE);
        return;
    }
    const lm_tile f = turned(t, &dst, &src);
    plain(dst, src, &f);
}

/* Are all destination rows of the tile aligned to lines? */
LM_INLINE int rows_aligned(const char *dst, const lm_tile *t) {
    return (((uintptr_t)dst | (uintptr_t)t->ds1) & (LM_LINE - 1)) == 0;
}

/* Destination rows of any alignment go through a buffer, GROUP rows at a time, CHUNK bytes of each. A row's
 * data lie at byte LM_LINE of its buffer row; before them go the bytes left over from the chunk before, so that
 * whole destination lines can be streamed from unaligned loads. Up to CARRIED rows keep such left-overs while
 * the same source rows are read for others. The pitch keeps rows out of each other's cache sets. */
enum { CHUNK = 2048, GROUP = 16, CARRIED = 256, PITCH = CHUNK + 3 * LM_LINE };

typedef struct staging {
    _Alignas(LM_LINE) char row[GROUP * PITCH];
    char carry[CARRIED][LM_LINE];
} staging;

/* Send `bytes` new bytes of one row on their way to d, and what was left over before them. */
LM_INLINE void flush_row(char *row, char *carry, char *d, int64_t bytes, bool first, bool last) {
    int64_t before = (int64_t)((uintptr_t)d & (LM_LINE - 1));
    const char *s = row + LM_LINE;
    if (first && before) {
        const int64_t head = least(LM_LINE - before, bytes);
        lm_copy_short(d, s, head);
        d += head;
        s += head;
        bytes -= head;
    } else {
        memcpy(row, carry, LM_LINE);
        d -= before;
        s -= before;
        bytes += before;
    }
    const int64_t full = bytes & -(int64_t)LM_LINE;
    lm_stream_lines(d, s, full);
    if (last)
        lm_copy_short(d + full, s + full, bytes - full);
    else
        memcpy(carry, s + bytes - LM_LINE, LM_LINE);
}

/* All chunks of at most CARRIED destination rows. */
LM_INLINE void staged_rows(staging *stage, char *dst, const char *src, const lm_tile *t) {
    const int64_t wide = CHUNK / t->run;
    for (int64_t i = 0; i < t->n0; i += wide) {
        for (int64_t j = 0; j < t->n1; j += GROUP) {
            lm_tile piece = *t;
            piece.n0 = least(wide, t->n0 - i);
            piece.n1 = least(GROUP, t->n1 - j);
            piece.ds1 = PITCH;
            piece.ahead = i + wide < t->n0 ? wide * t->ss0 : t->ahead;
            plain(stage->row + LM_LINE, src + i * t->ss0 + j * t->ss1, &piece);
            for (int64_t k = 0; k < piece.n1; k++)
                flush_row(stage->row + k * PITCH, stage->carry[j + k], dst + (j + k) * t->ds1 + i * t->run,
                          piece.n0 * t->run, i == 0, i + wide >= t->n0);
        }
    }
}

static __attribute__((noinline)) void staged(char *dst, const char *src, const lm_tile *t) {
    staging stage;
    for (int64_t j = 0; j < t->n1; j += CARRIED) {
        lm_tile rows = *t;
        rows.n1 = least(CARRIED, t->n1 - j);
        staged_rows(&stage, dst + j * t->ds1, src + j * t->ss1, &rows);
    }
}

/* Destination rows that follow each other without a gap: the rows of many source columns go through the
 * stage as one dense stretch. */
LM_INLINE void staged_dense(char *dst, const char *src, const lm_tile *t) {
    const int64_t row = t->n0 * t->run;
    lm_stage stage;
    lm_stage_open(&stage, dst);
    for (int64_t j = 0; j < t->n1;) {
        lm_tile piece = *t;
        piece.n1 = lm_stage_room(&stage) / row;
        if (piece.n1 > t->n1 - j) piece.n1 = t->n1 - j;
        plain(stage.byte + stage.fill, src + j * t->ss1, &piece);
        stage.fill += piece.n1 * row;
        j += piece.n1;
        lm_stage_flush(&stage);
    }
    lm_stage_close(&stage);
}

void LM_KERNEL(transpose_stream)(char *dst, const char *src, const lm_tile *t) {
    lm_tile f = *t;
    if (f.ss1 < 0) f = turned(t, &dst, &src);
    const int64_t row = f.n0 * f.run;
    const bool words = f.run <= 16 && (f.run & (f.run - 1)) == 0;
    if (VEC == LM_LINE && words && row >= LM_LINE && rows_aligned(dst, &f))
        direct(dst, src, &f);
    else if (f.ds1 == row && row <= LM_STAGE_BYTES / 8)
        staged_dense(dst, src, &f);
    else if (f.run <= CHUNK / 8 && row >= 4 * LM_LINE)
        staged(dst, src, &f);
    else
        plain(dst, src, &f);
}
