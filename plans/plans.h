/* SPDX-License-Identifier: BSD-3-Clause */
/* What plan kinds share: finding axes, and proposing the same parameters with and without streaming. */
#ifndef LM_PLANS_H
#define LM_PLANS_H

#include "lib/planner.h"

/* The axis whose step in the destination is the run (dense there), or LM_AXIS_NONE. */
int lm_dst_dense_axis(const lm_problem *problem);

/* The axis whose step in the source is the run, forwards or backwards, or LM_AXIS_NONE. */
int lm_src_dense_axis(const lm_problem *problem);

/* The axis other than `but` with the shortest step in the destination, or the shortest but not zero in the
 * source; LM_AXIS_NONE when there is no such axis. */
int lm_dst_next_axis(const lm_problem *problem, int but);
int lm_src_next_axis(const lm_problem *problem, int but);

/* Append start with these kernel axes, whole, in both loop orders where they can differ, and with streaming
 * stores too where they may pay. Returns the new count; never goes beyond LM_PROPOSALS. */
int lm_propose_axes(const lm_problem *problem, const lm_params *start, int inner, int outer, lm_params *out,
                    int count);

/* Append one proposal, twice where streaming may pay. */
int lm_propose(const lm_problem *problem, const lm_params *params, lm_params *out, int count);

#endif
