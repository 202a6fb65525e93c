/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes: which part of a problem a tile through LDS is. */
#ifndef LM_PLANS_HIP_BOX_H
#define LM_PLANS_HIP_BOX_H

#include "hip.h"

typedef struct lm_hip_box {
    int unit, rank; /* bytes that stay together; axes, the pieces of a run that has several among them */
    lm_pdim dim[LM_HIP_AXES];
    int64_t t[LM_HIP_AXES]; /* indices in a tile */
    int by[2][LM_HIP_AXES]; /* axes as each side walks them, the fastest first */
    int run[2]; /* the first so many of them are contiguous there, all but the last of these whole */
    int64_t run_units[2]; /* and so many units long; of the fastest axis where run is 0 */
    int word[2];          /* bytes */
} lm_hip_box;

/* Rows of some bytes on either side, as far as there is room. Words as wide as the addresses allow. @p
 * folded: do runs go on over several axes? */
void lm_hip_box_make(lm_hip_box *box, const lm_problem *problem, const lm_hip_params *params, unsigned align,
                     bool folded);

/* A square of elements, whose run is an axis of its own, along the fastest other axes of the sides. */
void lm_hip_box_square(lm_hip_box *box, const lm_problem *problem, const lm_hip_params *params,
                       unsigned align, int64_t extent);

/* The largest divisor of both. */
int64_t lm_hip_divisor(int64_t a, int64_t b);

/* Of n indices at least so many in a tile, in steps of q, and all tiles about the same. */
int64_t lm_hip_box_extent(int64_t n, int64_t want, int64_t q);

static inline int64_t lm_hip_box_tiles(const lm_hip_box *b, int axis) {
    return (b->dim[axis].n + b->t[axis] - 1) / b->t[axis];
}

/* Indices in the last tile along an axis. */
static inline int64_t lm_hip_box_left(const lm_hip_box *b, int axis) {
    return b->dim[axis].n - (lm_hip_box_tiles(b, axis) - 1) * b->t[axis];
}

static inline int64_t lm_hip_step(const lm_pdim *dim, int side) { return side == LM_DST ? dim->ds : dim->ss; }

#endif
