/* SPDX-License-Identifier: BSD-3-Clause */
/* How much is lost by not searching: estimated and measured plans against the best of an exhaustive search.
 */
#ifndef LM_BENCH_REGRET_H
#define LM_BENCH_REGRET_H

#include "bench_args.h"
#include "bench_buffers.h"

/* Plan each problem with several efforts and no wisdom, time the plans against each other, and print a line a
 * problem and the means. Problems larger than options->scale_bytes a side are scaled down. The number of
 * problems that could not be planned or timed. */
int lm_bench_regret(lm_arena *arena, const lm_bench_options *options);

#endif
