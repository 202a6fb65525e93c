/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of lmad-bench as JSON. */
#ifndef LM_BENCH_JSON_H
#define LM_BENCH_JSON_H

#include "bench_kernels.h"
#include "bench_row.h"

/* One object on one line. Always the same members; null where a value is not known. */
void lm_json_row(const lm_row *row, const lm_bench_options *options);

void lm_json_kernel(const lm_kernel_row *row);

/* Contiguous copies of so many bytes: a time for each of lm_baseline. */
void lm_json_roofline(size_t bytes, int threads, const double *ns);

/* One object for a problem's regret: times of the plans of estimate, measure and exhaustive search, and what planning
 * took, in that order. */
void lm_json_regret(const char *name, int candidates, const double ns[3], const double planning_ns[3]);

#endif
