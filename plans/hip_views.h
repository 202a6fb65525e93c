/* SPDX-License-Identifier: BSD-3-Clause */
/* A box on its way to the arguments of a kernel: where its words lie in LDS, and how each side walks it. */
#ifndef LM_PLANS_HIP_VIEWS_H
#define LM_PLANS_HIP_VIEWS_H

#include "hip_box.h"

/* Threads of a side that sit out: the last few of a period. */
typedef struct lm_hip_rest {
    lm_u32 period, idle;
} lm_hip_rest;

typedef struct lm_staging {
    lm_hip_box box;
    lm_hip_turn turn;
    int bit[LM_HIP_AXES];     /* of cut axes; LM_UNCUT for others */
    int along;                /* the side whose order axes have in LDS */
    int64_t gap[LM_HIP_AXES]; /* bytes that the step of an axis in LDS is wider than it needs to be */
    lm_hip_rest rest[2];
    int64_t lds[LM_HIP_AXES]; /* steps of axes, or of their words where they are turned */
    int64_t slot;             /* from one word of a square to the next */
    int64_t bytes;            /* LDS in use */
} lm_staging;

static inline int lm_fastest(const lm_hip_box *b, int side) { return b->by[side][0]; }
static inline int lm_units(const lm_hip_box *b, int side) { return b->word[side] / b->unit; }

/* The side that is not turned: words in LDS are its words. */
static inline int lm_kept_side(const lm_staging *s) { return s->turn == LM_TURN_LOADED ? LM_DST : LM_SRC; }

/* Tiles along all axes that one tile does not cover, in the order asked for; returns how many, 0 for too many. Sets the
 * bits of cut axes. */
int64_t lm_staging_set_tiles(lm_staging *staging, lm_order order, lm_launch *out);

/* Lay the box out in LDS as `along`, `gap` and `rest` say; views and steps of the arguments. */
void lm_staging_lay(lm_staging *staging, lm_hip_args *args);

/* Whether an axis is among those that lie in LDS as in the source, so that words of it are words there. */
bool lm_staging_holds(const lm_staging *staging, int axis);

/* Put neighbouring axes of either side that lie one after the other in memory and in LDS together, but for
 * the fastest. */
void lm_staging_join(lm_hip_args *args);

/* What the kernel has to be told where views have more axes than the usual: kernels/hip/main.hip. */
int lm_staging_axes_option(const lm_hip_args *args);

/* The same for squares of elements, @p size bytes each, which need no choice. */
void lm_staging_lay_twice(lm_staging *staging, int64_t size, lm_hip_args *args);

#endif
