/* SPDX-License-Identifier: BSD-3-Clause */
/* One row of a run: a problem is planned, verified if wanted, and timed against its baselines. */
#ifndef LM_BENCH_ROW_H
#define LM_BENCH_ROW_H

#include "bench_args.h"
#include "bench_buffers.h"

typedef enum lm_outcome { LM_ROW_DONE, LM_ROW_SKIPPED, LM_ROW_FAILED, LM_ROW_WRONG } lm_outcome;

/* Times are nanoseconds; 0 is not measured. */
typedef struct lm_row {
    const lm_case *problem;
    lm_outcome outcome;
    char reason[512]; /* unless done */
    bool planned;     /* info, plan and plan_ns are set */
    bool emulated;    /* times are those of a device that there is not */
    lmad_info info;
    char *plan;    /* description; NULL when memory is exhausted */
    char *explain; /* NULL unless wanted */
    double plan_ns, median_ns, min_ns, memcpy_ns, ceiling_ns, naive_ns, ideal_ns;
} lm_row;

void lm_row_run(lm_row *row, const lm_case *problem, lmad_ctx *ctx, lm_arena *arena,
                const lm_bench_options *options);

/* Frees what the row owns. */
void lm_row_free(lm_row *row);

/* How much faster than the reference the plan is; 0 when either is not known. */
double lm_row_ratio(const lm_row *row, double reference_ns);

#endif
