/* SPDX-License-Identifier: BSD-3-Clause */
/* Squares transposed in place by exchanging runs across the diagonal, without scratch: for movers whose work
 * is that, or a part of it. */
#ifndef LM_MOVE_SQUARES_H
#define LM_MOVE_SQUARES_H

#include "lib/move.h"

/* The two axes of a form that are exchanged, the outer one in the destination first; false when there are
 * others. */
bool lm_exchanged_axes(const lm_form *form, int *outer, int *inner);

/* Where number i of a batch begins, after the first: the axes that both sides walk alike. */
int64_t lm_batch_offset(int rank, const lm_pdim *dim, int64_t i);

/* The kernel for runs of this length; NULL where other ways are faster. */
const lm_kernel *lm_square_kernel(int64_t run);

/* A square of n x n runs, its rows `pitch` bytes apart. */
typedef struct lm_square {
    const lm_kernel *kernel;
    int64_t n, pitch, run;
} lm_square;

/* Strips that a square is cut into; they can be done in any order, on any threads. */
int64_t lm_square_strips(const lm_square *square);

/* Transpose strip number `strip` of the square at @p at: what lies right of the diagonal in it with what lies
 * below. */
void lm_square_exchange(const lm_square *square, char *at, int64_t strip);

#endif
