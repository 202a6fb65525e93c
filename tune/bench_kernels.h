/* SPDX-License-Identifier: BSD-3-Clause */
/* Each kernel alone, against a plain loop. */
#ifndef LM_BENCH_KERNELS_H
#define LM_BENCH_KERNELS_H

#include <stdbool.h>

#include "bench_args.h"
#include "bench_buffers.h"
#include "kernels/host/kernel.h"

typedef struct lm_kernel_row {
    const lm_kernel *kernel;
    lm_tile tile;
    int64_t bytes; /* that the tile copies */
    bool right;    /* it wrote what the plain loop wrote */
    double median_ns, plain_ns;
} lm_kernel_row;

/* Time every kernel that this CPU runs, and print a row for each. The number of kernels that failed. */
int lm_bench_kernels(lm_arena *arena, const lm_bench_options *options);

#endif
