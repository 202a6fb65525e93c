/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost model: what a candidate's nest will cost on this machine. */
#ifndef LM_COST_H
#define LM_COST_H

#include "planner.h"

/* Seconds of one execution, predicted. A pure function of its arguments. */
double lm_cost(const lm_problem *problem, const lm_step *step);

/* Cache lines that any execution must touch, on both sides together. */
int64_t lm_lines_touched(const lm_problem *problem);

/* From how many bytes of payload on stores past the caches pay. */
int64_t lm_stream_threshold(void);

/* How many threads are worth their start for the payload of a problem, on the machine that its calibration says. */
int lm_threads_for(const lm_problem *problem);

#endif
