/* SPDX-License-Identifier: BSD-3-Clause */
/* The search on devices: the best ways by estimate are timed against each other with events, on memory of the
 * device that the planner allocates. */
#ifndef LM_DEVICE_SEARCH_H
#define LM_DEVICE_SEARCH_H

#include "device_way.h"
#include "search.h"

/* What came out besides the way. */
typedef struct lm_device_finding {
    lmad_source source; /* measured; timed out; estimated where there is no memory to measure in, or the
                           device fails */
    double seconds;     /* measured, of one execution of the chosen way; 0 = not timed */
    bool has_second;
    lm_device_way second;  /* the runner-up, */
    double second_seconds; /* and its time */
    int candidates;        /* that were timed */
} lm_device_finding;

/* Choose a way for a problem that is not empty. Never fails: *way is the estimate's choice, and stays it
 * unless another one has beaten it. */
void lm_device_search(const lm_problem *problem, const lm_device *device, const lm_search_rules *rules,
                      lm_device_way *way, lm_device_finding *finding);

#endif
