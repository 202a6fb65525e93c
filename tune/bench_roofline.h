/* SPDX-License-Identifier: BSD-3-Clause */
/* What this machine can do: the contiguous copies that plans are compared with, alone. */
#ifndef LM_BENCH_ROOFLINE_H
#define LM_BENCH_ROOFLINE_H

#include "bench_args.h"
#include "bench_buffers.h"

/* Time and print them for sizes from caches to memory, on one thread and on as many as the options say (0:
 * all cores). 0, or -1 with a message when memory is short. */
int lm_bench_roofline(lm_arena *arena, const lm_bench_options *options);

#endif
