/* SPDX-License-Identifier: BSD-3-Clause */
/* What lmad-bench was asked to do. */
#ifndef LM_BENCH_ARGS_H
#define LM_BENCH_ARGS_H

#include <stdbool.h>

#include "suites.h"

typedef struct lm_bench_options {
    lm_cases cases;
    unsigned effort;    /* LMAD_ESTIMATE ... */
    int threads;        /* 0 = automatic */
    int device;         /* LMAD_HOST or HIP's number */
    double min_seconds; /* a case */
    bool named;         /* problems were asked for, be it by an empty suite */
    bool naive, json, verify, explain, kernels, regret, roofline;
    int64_t scale_bytes; /* for regret: problems are scaled down to this much a side */
} lm_bench_options;

/* The exit statuses of lmad-bench. */
enum { LM_EXIT_OK = 0, LM_EXIT_WRONG = 1, LM_EXIT_USAGE = 2 };

/* Read the command line; says what is wrong and exits with LM_EXIT_USAGE where something is. */
void lm_bench_read_args(lm_bench_options *out, int argc, char **argv);

#endif
