/* SPDX-License-Identifier: BSD-3-Clause */
/* Loop nests around a kernel: axes, the order and blocking in which they are walked, the cut into threads. */
#ifndef LM_NEST_H
#define LM_NEST_H

#include "kernels/host/kernel.h"
#include "problem.h"

enum { LM_KERNEL_AXES = 2, LM_NEST_DIMS = LMAD_MAX_RANK + LM_KERNEL_AXES, LM_NEST_LOOPS = 2 * LM_NEST_DIMS };

/* Walk axis dim in steps of step: a block size for a kernel axis, which is at most that long for the loops
 * inside and the kernel; 1 for any other axis. */
typedef struct lm_loop {
    int dim;
    int64_t step;
} lm_loop;

/* An axis cut into so many bands, or not when parts is 1. */
typedef struct lm_share {
    int dim;
    int64_t parts;
} lm_share;

/* dim[0] and dim[1] belong to the kernel (its axes 0 and 1; n = 1 where unused); each other axis has one loop.
 * tile is what the kernel gets where no loop blocks its axes. loop[0] is outermost. Threads share out the
 * bands of `split` axes (0 to 2), in units: a band of cut[1] in one of cut[0] each (lib/cut.c). */
typedef struct lm_nest {
    lm_tile tile;
    int64_t doff, soff;
    int dims, loops, split;
    lm_share cut[2];
    lm_pdim dim[LM_NEST_DIMS];
    lm_loop loop[LM_NEST_LOOPS];
} lm_nest;

/* What threads share out; 1 where nothing is cut. */
int64_t lm_nest_units(const lm_nest *nest);

/* Run all of the nest, or its units [first, last). Neighbouring units are walked as one. */
void lm_nest_run_all(const lm_nest *nest, lm_kernel_fn *kernel, char *dst, const char *src);
void lm_nest_run(const lm_nest *nest, lm_kernel_fn *kernel, char *dst, const char *src, int64_t first,
                 int64_t last);

#endif
