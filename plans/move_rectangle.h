/* SPDX-License-Identifier: BSD-3-Clause */
/* What transposes in place of matrices that are not square are made of. */
#ifndef LM_MOVE_RECTANGLE_H
#define LM_MOVE_RECTANGLE_H

#include "lib/move.h"

/* ---- chunks (move_chunks.c) ------------------------------------------------------------------------ */

/* Where chunks lie: `per` of them side by side, each group `pitch` bytes after the one before. */
typedef struct lm_slots {
    int64_t per, pitch, chunk; /* chunk: bytes */
} lm_slots;

static inline int64_t lm_slot(const lm_slots *s, int64_t k) {
    return k / s->per * s->pitch + k % s->per * s->chunk;
}

/* Chunks [outer][middle][inner] become [inner][middle][outer] in the same slots: chunk by chunk along the
 * cycles of that permutation. They are cut into slices, which threads share out. */
typedef struct lm_chunks {
    char *at, *work; /* work: lm_chunks_work() bytes */
    lm_slots slots;
    int64_t outer, middle, inner, slice; /* slice: the longest */
    int part, parts;
} lm_chunks;
void lm_chunks_permute(const lm_chunks *c);

int64_t lm_chunks_work(int64_t count, int64_t slice);

/* Move `count` chunks to other slots, in the same order. */
void lm_chunks_settle(char *at, const lm_slots *from, const lm_slots *to, int64_t count);

/* ---- blocks (move_cut.c) ---------------------------------------------------------------------------- */

/* Of its blocks. */
static inline bool lm_rectangle_is_square(const lm_rectangle *r) { return r->high == r->broad; }

/* Choose the blocks of a matrix of runs: chunks of `chunk` bytes at least if that can be, blocks that are not
 * square of at most `block` bytes, at most `most` bytes set aside. Sets down, across, high, broad and aside.
 * Returns the cost in passes over the matrix, where a copy takes one; INFINITY when there are none. */
typedef struct lm_cut_limits {
    int64_t chunk, block, most;
} lm_cut_limits;
double lm_cut_choose(lm_rectangle *r, int64_t run, const lm_cut_limits *limits);

/* Set aside what the blocks leave out; bring it back, as the transpose needs it. */
void lm_cut_leave(const lm_rectangle *r, int64_t run, const char *at, char *aside);
void lm_cut_return(const lm_rectangle *r, int64_t run, char *at, const char *aside);

/* ---- strips (move_strips.c) ------------------------------------------------------------------------- */

/* One row or one column of blocks, each transposed through scratch: between where its chunks lie in the
 * matrix and where it lies dense, its transpose in the order of the result. Chunks are permuted before that
 * where there is one row, else after it. The share of one of `parts` threads; they can share only where
 * nothing is set aside. */
typedef struct lm_strips {
    char *at, *work; /* work: a block */
    const lm_rectangle *r;
    int64_t run;
    int part, parts;
} lm_strips;
void lm_strips_turn(const lm_strips *s);

/* Where the chunks lie. */
lm_slots lm_strips_slots(const lm_rectangle *r, int64_t run);

/* ---- rows and columns (move_shuffle.c) -------------------------------------------------------------- */

/* The matrix at `at`, a stage of the work, and the share of it of one of `parts` threads. */
typedef struct lm_shuffle {
    char *at, *work;                    /* work: of this thread alone, lm_shuffle_work() bytes */
    int64_t rows, columns, common, run; /* common: greatest common divisor of the extents */
    int64_t wide;                       /* columns at a time: lm_shuffle_wide() */
    int part, parts;
} lm_shuffle;

/* Stages, to be done one after the other. Turning columns is needed only when `common` > 1. */
void lm_shuffle_turn_columns(const lm_shuffle *s);
void lm_shuffle_rows(const lm_shuffle *s);
void lm_shuffle_columns(const lm_shuffle *s);

/* Columns to do at a time in `most` bytes of scratch, if that is possible; the bytes that it takes. */
int64_t lm_shuffle_wide(int64_t rows, int64_t run, int64_t most);
int64_t lm_shuffle_work(int64_t rows, int64_t columns, int64_t run, int64_t wide);

#endif
