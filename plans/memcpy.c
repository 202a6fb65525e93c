/* SPDX-License-Identifier: BSD-3-Clause */
/* One contiguous run. */
#include "lib/build.h"
#include "plans.h"

static bool applicable(const lm_problem *p) { return p->count == 1; }

static int propose(const lm_problem *p, const lm_params *start, int effort, lm_params *out) {
    (void)effort;
    return lm_propose_axes(p, start, LM_AXIS_RUN, LM_AXIS_NONE, out, 0);
}

static void make(lm_step *step, const lm_problem *p, const lm_params *params) {
    lm_build(step, p, params, LM_ROWS);
}

const lm_kind lm_kind_memcpy = {"memcpy", applicable, propose, make};
