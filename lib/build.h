/* SPDX-License-Identifier: BSD-3-Clause */
/* From a candidate's parameters to its loop nest. */
#ifndef LM_BUILD_H
#define LM_BUILD_H

#include "planner.h"

/* Set step->kernel, params and nest of *step: a kernel of this pattern over the axes params->inner and
 * params->outer in blocks of params->tile, loops in params->order over everything else, the outermost ones cut
 * for params->threads. An inner axis of LM_AXIS_RUN is the run itself, byte by byte. */
void lm_build(lm_step *step, const lm_problem *problem, const lm_params *params, lm_pattern pattern);

#endif
