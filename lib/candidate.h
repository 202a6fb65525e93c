/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates by name: a plan kind and its parameters as text that people and wisdom files read. */
#ifndef LM_CANDIDATE_H
#define LM_CANDIDATE_H

#include "planner.h"

/* A way to solve a problem, and what is known of its speed. */
typedef struct lm_candidate {
    const lm_kind *kind;
    lm_params params;
    double seconds; /* predicted, or measured: whoever holds it knows */
} lm_candidate;

bool lm_params_equal(const lm_params *a, const lm_params *b);

/* "transpose inner=1 outer=0 tile=256x64 order=dst store=stream threads=2". As snprintf. */
int lm_candidate_format(char *buf, size_t size, const lm_kind *kind, const lm_params *params);

/* Read what lm_candidate_format() writes, and nothing else. False when it is something else, among it kinds
 * and parameters that this version does not know; then *out is as it was. seconds is set to 0. */
bool lm_candidate_parse(lm_candidate *out, const char *text);

#endif
