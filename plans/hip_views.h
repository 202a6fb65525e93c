/* SPDX-License-Identifier: BSD-3-Clause */
/* A box on its way to the arguments of a kernel: where its words lie in LDS, and how each side walks it. */
#ifndef LM_PLANS_HIP_VIEWS_H
#define LM_PLANS_HIP_VIEWS_H

#include "hip_box.h"

enum { LM_UNCUT = 30 }; /* the bit of axes that tiles divide */

typedef struct lm_staging {
    lm_hip_box box;
    lm_hip_turn turn;
    int bit[LM_HIP_AXES];     /* of cut axes; LM_UNCUT for others */
    int64_t lds[LM_HIP_AXES]; /* steps of axes, or of their words where they are turned */
    int64_t slot;             /* from one word of a square to the next */
    bool whole_rows;          /* rows of threads are filled up, that those served together are of one row */
    int64_t bytes;            /* LDS in use */
} lm_staging;

static inline int lm_fastest(const lm_hip_box *b, int side) { return b->by[side][0]; }
static inline int lm_units(const lm_hip_box *b, int side) { return b->word[side] / b->unit; }

/* Lay the box out in LDS, with a gap of some bytes where neighbouring threads would meet in the banks; views
 * and steps of the arguments. */
void lm_staging_lay(lm_staging *staging, int64_t gap, lm_hip_args *args);

/* The gap with which the run of the destination lies in LDS as if it were one row, as far as banks go. */
int64_t lm_staging_level_gap(lm_staging *staging);

/* The same for squares of elements, @p size bytes each, which need no choice. */
void lm_staging_lay_twice(lm_staging *staging, int64_t size, lm_hip_args *args);

#endif
