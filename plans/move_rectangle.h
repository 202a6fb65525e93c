/* SPDX-License-Identifier: BSD-3-Clause */
/* What transposes in place of matrices that are not square are made of. */
#ifndef LM_MOVE_RECTANGLE_H
#define LM_MOVE_RECTANGLE_H

#include "lib/move.h"

/* ---- chunks (move_chunks.c) ------------------------------------------------------------------------ */

/* Transpose in place `blocks` matrices, `pitch` bytes apart, of rows x columns chunks: chunk by chunk along
 * the cycles of the permutation. Chunks are cut into slices, and threads share out blocks and slices. */
typedef struct lm_chunks {
    char *at, *work;                                    /* work: lm_chunks_work() bytes */
    int64_t blocks, pitch, rows, columns, chunk, slice; /* slice: the longest */
    int part, parts;
} lm_chunks;
void lm_chunks_transpose(const lm_chunks *c);

int64_t lm_chunks_work(int64_t count, int64_t slice);

/* ---- what squares leave out (move_cut.c) ------------------------------------------------------------ */

/* Choose squares for a matrix of runs whose chunks have at least `shortest` bytes and that set aside `most`
 * bytes or less: sets down, across, side and aside. Returns the cost in passes over the matrix, where a copy
 * takes one; INFINITY when there are none. */
double lm_cut_choose(lm_rectangle *r, int64_t run, int64_t shortest, int64_t most);

/* Set aside what the squares leave out, and close the gap; the way back, as the transpose needs it. */
void lm_cut_close(const lm_rectangle *r, int64_t run, char *at, char *aside);
void lm_cut_open(const lm_rectangle *r, int64_t run, char *at, const char *aside);

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
