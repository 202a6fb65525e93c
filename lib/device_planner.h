/* SPDX-License-Identifier: BSD-3-Clause */
/* The planner for devices: ways, their estimates, and the choice among them: wisdom, then estimate or search.
 */
#ifndef LM_DEVICE_PLANNER_H
#define LM_DEVICE_PLANNER_H

#include "choose.h"
#include "device_way.h"

/* Show every way that the planner looks at with this effort for a problem that is not empty, the estimate's
 * choice first, until visit returns false. */
void lm_device_each(const lm_problem *problem, const lm_device *device, int effort,
                    bool (*visit)(void *arg, const lm_device_way *way, double seconds), void *arg);

/* What wisdom says for LMAD_ESTIMATE, or the estimate's choice. Never fails. */
void lm_device_guess(const lm_problem *problem, const lm_device *device, lmad_ctx *ctx, lm_device_way *out);

/* A choice, and where it came from. */
typedef struct lm_device_choice {
    lm_device_way way;
    double predicted; /* seconds */
    lm_origin origin;
    char machine[LM_MACHINE_TEXT]; /* whose wisdom, for a sibling's */
} lm_device_choice;

/* Choose for a problem that is not empty. Fails only where nothing but wisdom will do and there is none. */
lmad_status lm_device_choose(const lm_problem *problem, const lm_device *device, const lm_choosing *how,
                             const lm_settings *settings, lm_device_choice *out);

#endif
