/* SPDX-License-Identifier: BSD-3-Clause */
/* What lmad-bench prints: a table for people or JSON for programs, and how far it is. */
#ifndef LM_BENCH_REPORT_H
#define LM_BENCH_REPORT_H

#include "bench_row.h"

/* The geometric mean of a ratio, and its lowest value. */
typedef struct lm_mean {
    double log_sum, worst;
    const char *worst_name;
    int count;
} lm_mean;

typedef struct lm_report {
    const lm_bench_options *options;
    int name_width;
    bool progress; /* a progress line is wanted */
    int failed, wrong, skipped, done;
    lm_mean to_memcpy, to_ceiling, to_ideal, to_naive;
} lm_report;

/* Starts a report; prints the head of the table. */
void lm_report_begin(lm_report *report, const lm_bench_options *options);

/* Tells a person at a terminal what is running now; done of total are finished. */
void lm_report_progress(const lm_report *report, size_t done, size_t total, const char *name);

void lm_report_row(lm_report *report, const lm_row *row);

/* Prints the means. */
void lm_report_end(const lm_report *report);

#endif
