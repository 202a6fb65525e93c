/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows turned round: dense in the destination, dense and backwards in the source. */
#include "lib/build.h"
#include "plans.h"

/* Along the dense destination axis the source runs backwards. */
static bool applicable(const lm_problem *p) {
    const int inner = p->count > 1 ? lm_dst_dense_axis(p) : LM_AXIS_NONE;
    return inner >= 0 && p->dim[inner].ss == -p->run;
}

static int propose(const lm_problem *p, const lm_params *start, int effort, lm_params *out) {
    (void)effort;
    const int inner = lm_dst_dense_axis(p);
    return lm_propose_axes(p, start, inner, lm_dst_next_axis(p, inner), out, 0);
}

static void make(lm_step *step, const lm_problem *p, const lm_params *params) {
    lm_build(step, p, params, LM_REVERSE);
}

const lm_kind lm_kind_reverse = {"reverse", applicable, propose, make};
