/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposes: axis 0 is dense in the destination, axis 1 in the source. Tiles of runs of 1, 2, 4, 8 and 16
 * bytes are turned in registers, block by block (blocks.h); others run by run. */
#include "kernel.h"
#include "name.h"
#include "odd.h"
#include "shifted.h"
#include "shifted_odd.h"
#include "stream.h"
#include "weave.h"
#include "words.h"

/* Runs that are neither words nor three quarters of one: their length is not worth code of its own. */
static __attribute__((noinline)) void other_runs(char *dst, const char *src, const lm_tile *t) {
    if (t->run < 8)
        odd_runs(dst, src, t, (int)t->run, 8);
    else if (t->run < 16)
        odd_runs(dst, src, t, (int)t->run, 16);
    else if (t->run < 32)
        odd_runs(dst, src, t, (int)t->run, 32);
    else
        for (int64_t j = 0; j < t->n1; j++)
            for (int64_t i = 0; i < t->n0; i++)
                lm_copy_short(dst + j * t->ds1 + i * t->run, src + i * t->ss0 + j * t->run, t->run);
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
    default: other_runs(dst, src, t);
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
 * data lie at byte LM_LINE of its buffer row; before them go the bytes left over from the chunk before, so
 * that whole destination lines can be streamed from unaligned loads. Up to CARRIED rows keep such left-overs
 * while the same source rows are read for others. The pitch keeps rows out of each other's cache sets. */
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

/* Is a tile worth whole lines at any alignment? One that is takes the first lines of its rows from the tile
 * before, and leaves the last ones to the tile after if that is worth it, too. */
LM_INLINE bool is_shiftable(int64_t run, int64_t n0, int64_t n1) {
    const bool word = lm_is_word(run), odd = run == 3 || run == 6 || run == 12;
    return HAS_SHIFTED && (word || odd) && n0 * run >= 4 * LM_LINE && n1 * run >= 16;
}

/* Blocks cover whole lines of rows; then the edges. */
LM_INLINE void shifted_tile(char *dst, const char *src, const lm_tile *t, int run, int word) {
    const int64_t high = (run == word ? 1 : ODD_GROUP) * VEC / word, n0 = t->n0 / high * high;
    const int64_t n1 = t->n1 / (16 / word) * (16 / word);
    const bool head = t->before > 0, tail = t->after > 0 && is_shiftable(run, least(t->n0, t->after), t->n1);
    lm_tile part = *t;
    part.n0 = n0;
    part.n1 = n1;
    if (run == word)
        shifted(dst, src, &part, run, head, tail);
    else
        shifted_odd(dst, src, &part, run, word, head, tail);
    part.ahead = 0;
    part.n0 = t->n0 - n0;
    if (part.n0) plain(dst + n0 * run, src + n0 * t->ss0, &part);
    part.n0 = t->n0;
    part.n1 = t->n1 - n1;
    if (part.n1) plain(dst + n1 * t->ds1, src + n1 * run, &part);
}

static __attribute__((noinline)) void stream_shifted(char *dst, const char *src, const lm_tile *t) {
    switch (t->run) {
    case 1: shifted_tile(dst, src, t, 1, 1); break;
    case 2: shifted_tile(dst, src, t, 2, 2); break;
    case 3: shifted_tile(dst, src, t, 3, 4); break;
    case 4: shifted_tile(dst, src, t, 4, 4); break;
    case 6: shifted_tile(dst, src, t, 6, 8); break;
    case 8: shifted_tile(dst, src, t, 8, 8); break;
    case 12: shifted_tile(dst, src, t, 12, 16); break;
    default: shifted_tile(dst, src, t, 16, 16);
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

/* Columns that a block turns at once: the stage takes whole blocks, for columns beyond them go run by run. */
LM_INLINE int64_t block_columns(int64_t run) { return lm_is_word(run) ? 16 / run : 1; }

LM_INLINE bool fits_stage(const lm_tile *t) {
    const int64_t row = t->n0 * t->run;
    return t->ds1 == row && row <= LM_STAGE_BYTES / 8 && row * block_columns(t->run) <= LM_STAGE_BYTES &&
           t->before == 0 && t->after == 0;
}

/* Destination rows that follow each other without a gap: the rows of many source columns go through the
 * stage as one dense stretch. */
LM_INLINE void staged_dense(char *dst, const char *src, const lm_tile *t) {
    const int64_t row = t->n0 * t->run, wide = block_columns(t->run);
    lm_stage stage;
    lm_stage_open(&stage, dst);
    for (int64_t j = 0; j < t->n1;) {
        lm_tile piece = *t;
        piece.n1 = lm_stage_room(&stage) / row;
        if (piece.n1 < 4 * wide) piece.n1 &= -wide; /* never 0: it fits */
        if (piece.n1 > t->n1 - j) piece.n1 = t->n1 - j;
        plain(stage.byte + stage.fill, src + j * t->ss1, &piece);
        stage.fill += piece.n1 * row;
        j += piece.n1;
        lm_stage_flush(&stage);
    }
    lm_stage_close(&stage);
}

/* The column whose destination row begins with a line, the first of them; n1 where there is none. */
LM_INLINE int64_t first_aligned(const char *dst, const lm_tile *t) {
    int64_t j = 0;
    while (j < least(t->n1, LM_LINE) && lm_to_line(dst + j * t->ds1)) j++;
    return j < LM_LINE ? j : t->n1;
}

/* Few source rows into short destination rows that follow each other; false where there are too many or their
 * lines do not meet. */
LM_INLINE bool woven(char *dst, const char *src, const lm_tile *t) {
    const int64_t head = first_aligned(dst, t), lines = (t->n1 - head) * t->run / LM_LINE;
    if (!HAS_WEAVE || t->n0 < 2 || t->n0 > WEAVE_ROWS || lines < LM_LINE) return false;
    const int64_t tail = head + lines * LM_LINE / t->run;
    lm_tile part = *t;
    part.n1 = head;
    if (head) plain(dst, src, &part);
    weave(dst + head * t->ds1, src + head * t->run, t->ss0, lines, t->n0, t->run);
    part.n1 = t->n1 - tail;
    if (part.n1) plain(dst + tail * t->ds1, src + tail * t->run, &part);
    return true;
}

void LM_KERNEL(transpose_stream)(char *dst, const char *src, const lm_tile *t) {
    lm_tile f = *t;
    if (f.ss1 < 0) f = turned(t, &dst, &src);
    const int64_t row = f.n0 * f.run;
    const bool words = lm_is_word(f.run);
    if (VEC == LM_LINE && words && row >= LM_LINE && rows_aligned(dst, &f))
        direct(dst, src, &f);
    else if (words && f.ds1 == row && woven(dst, src, &f))
        return;
    else if (fits_stage(&f))
        staged_dense(dst, src, &f);
    else if (is_shiftable(f.run, f.n0, f.n1))
        stream_shifted(dst, src, &f);
    else if (f.run <= CHUNK / 8 && row >= 4 * LM_LINE)
        staged(dst, src, &f);
    else
        plain(dst, src, &f);
}
