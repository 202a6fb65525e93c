/* SPDX-License-Identifier: BSD-3-Clause */
/* Contiguous runs long enough to be copied one by one: slices, permutations that keep the last axis. */
#include "lib/build.h"
#include "plans.h"

/* Shorter ones are better off in kernels that know their length; shorter ones that are repeated, in fills,
 * which lay out several of them at once. */
enum { SHORTEST_ROW = 32, SHORTEST_REPEATED = 512 };

static bool is_repeated(const lm_problem *p) {
    const int inner = lm_dst_dense_axis(p);
    return inner >= 0 && p->dim[inner].ss == 0;
}

static bool applicable(const lm_problem *p) {
    return p->count > 1 && p->run >= (is_repeated(p) ? SHORTEST_REPEATED : SHORTEST_ROW);
}

static int propose(const lm_problem *p, const lm_params *start, int effort, lm_params *out) {
    (void)effort;
    const int by_dst = lm_dst_next_axis(p, LM_AXIS_NONE), by_src = lm_src_next_axis(p, LM_AXIS_NONE);
    int count = lm_propose_axes(p, start, LM_AXIS_RUN, by_dst, out, 0);
    if (by_src >= 0 && by_src != by_dst) count = lm_propose_axes(p, start, LM_AXIS_RUN, by_src, out, count);
    return count;
}

static void make(lm_step *step, const lm_problem *p, const lm_params *params) {
    lm_build(step, p, params, LM_ROWS);
}

const lm_kind lm_kind_rows = {"rows", applicable, propose, make};
