/* SPDX-License-Identifier: BSD-3-Clause */
/* The search: the best candidates by estimate are timed against each other. */
#ifndef LM_SEARCH_H
#define LM_SEARCH_H

#include "candidate.h"

/* How to search. */
typedef struct lm_search_rules {
    int effort;                  /* LMAD_MEASURE ... LMAD_EXHAUSTIVE */
    const lm_settings *settings; /* threads to run on */
    double deadline;             /* lm_now() at which the choice must stand; 0 = none */
} lm_search_rules;

/* What came out besides the step. */
typedef struct lm_finding {
    lmad_source source;     /* measured; timed out; estimated where there is no memory to measure in */
    double seconds;         /* measured, of one execution of the chosen step; 0 = not timed */
    lm_candidate runner_up; /* kind NULL = there was none */
    int candidates;         /* that were timed */
} lm_finding;

/* How many of the best candidates are timed at an effort, and seconds after which a verdict is due. */
typedef struct lm_search_limits {
    int field;
    double budget;
} lm_search_limits;
const lm_search_limits *lm_search_limits_of(int effort);

/* Choose a step for a problem that is not empty. Never fails: *out is the estimate's choice unless another
 * candidate has beaten it. Allocates; searches of one process take turns. */
void lm_search(const lm_problem *problem, const lm_search_rules *rules, lm_step *out, lm_finding *finding);

#endif
