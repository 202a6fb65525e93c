/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of any length, also single elements, at any strides: "4 of 5 floats", every second element, columns.
 * The kernel walks along the dense side where there is one. Solves every problem that is not empty. */
#include "lib/build.h"
#include "plans.h"

static bool applicable(const lm_problem *p) { return p->count > 1; }

static int propose(const lm_problem *p, const lm_params *start, int effort, lm_params *out) {
    (void)effort;
    const int dst = lm_dst_next_axis(p, LM_AXIS_NONE), src = lm_src_next_axis(p, LM_AXIS_NONE);
    int count = lm_propose_axes(p, start, dst, lm_dst_next_axis(p, dst), out, 0);
    if (p->rank > 2 && lm_src_next_axis(p, dst) >= 0)
        count = lm_propose_axes(p, start, dst, lm_src_next_axis(p, dst), out, count);
    if (src >= 0 && src != dst) count = lm_propose_axes(p, start, src, lm_src_next_axis(p, src), out, count);
    return count;
}

static void make(lm_step *step, const lm_problem *p, const lm_params *params) {
    const lm_pdim *d = &p->dim[params->inner];
    lm_build(step, p, params, d->ds == p->run ? LM_GATHER : d->ss == p->run ? LM_SCATTER : LM_STRIDED);
}

const lm_kind lm_kind_runs = {"runs", applicable, propose, make};
