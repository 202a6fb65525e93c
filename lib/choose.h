/* SPDX-License-Identifier: BSD-3-Clause */
/* How a step of a plan is chosen: wisdom, then estimate or search. */
#ifndef LM_CHOOSE_H
#define LM_CHOOSE_H

#include "plan.h"

/* What goes for all steps of a plan. */
typedef struct lm_choosing {
    lmad_ctx *ctx;
    int effort;
    bool wisdom_only;
    double deadline; /* lm_now() at which the plan must stand; 0 = none */
} lm_choosing;

/* From the flags of a plan and the settings; the time limit begins to run. */
lm_choosing lm_choosing_of(lmad_ctx *ctx, unsigned flags, const lm_settings *settings);

/* Choose step `which` of a plan for a problem, which may be empty, and note its origin. Fails only where
 * nothing but wisdom will do and there is none. */
lmad_status lm_choose(lmad_plan *plan, int which, const lm_problem *problem, const lm_choosing *how);

#endif
