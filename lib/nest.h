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

/* dim[0] and dim[1] belong to the kernel (its axes 0 and 1; n = 1 where unused); each other axis has one loop.
 * tile is what the kernel gets where no loop blocks its axes. loop[0] is outermost. The first `split` loops are cut among threads. */
typedef struct lm_nest {
    lm_tile tile;
    int64_t doff, soff;
    int dims, loops, split;
    lm_pdim dim[LM_NEST_DIMS];
    lm_loop loop[LM_NEST_LOOPS];
} lm_nest;

/* Rounds of the first `split` loops: what threads share out. */
int64_t lm_nest_units(const lm_nest *nest);

/* Run all of the nest, or its units [first, last). */
void lm_nest_run_all(const lm_nest *nest, lm_kernel_fn *kernel, char *dst, const char *src);
void lm_nest_run(const lm_nest *nest, lm_kernel_fn *kernel, char *dst, const char *src, int64_t first, int64_t last);

#endif
