/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact tests on sets of addresses {sum i_k*stride_k : 0 <= i_k < n_k}: does a set hit itself (a
 * destination that aliases itself), do two sets meet (buffers that overlap)? Both are bounded integer
 * problems, answered by branch and bound within a work limit. No allocation. */
#ifndef LM_LATTICE_H
#define LM_LATTICE_H

#include <stdint.h>

typedef enum { LM_NO, LM_YES, LM_UNDECIDED } lm_answer;

/* One axis of a set: n >= 1 steps of stride, in any one unit. */
typedef struct lm_axis {
    int64_t n, stride;
} lm_axis;

/* Do two different index tuples of the set give the same sum? On LM_YES *axis_a and *axis_b are two axes
 * (positions in @p axes, perhaps equal for a stride of 0) that take part. rank <= 32; sums do not leave
 * int64 (the caller has checked the bounds). */
lm_answer lm_lattice_aliases(const lm_axis *axes, int rank, int *axis_a, int *axis_b);

/* A set of byte runs: for every index tuple the bytes [start + sum, start + sum + run). */
typedef struct lm_byte_set {
    int64_t start, run;
    int rank;
    const lm_axis *axes; /* strides in bytes */
} lm_byte_set;

/* Do the two sets share a byte? LM_NO at once when the ranges are disjoint. */
lm_answer lm_lattice_meets(const lm_byte_set *a, const lm_byte_set *b);

#endif
