/* SPDX-License-Identifier: BSD-3-Clause */
/* What plan kinds share. */
#include "plans.h"

#include "lib/cost.h"

int lm_dst_dense_axis(const lm_problem *p) {
    for (int k = p->rank - 1; k >= 0; k--)
        if (p->dim[k].ds == p->run) return k;
    return LM_AXIS_NONE;
}

int lm_src_dense_axis(const lm_problem *p) {
    for (int k = p->rank - 1; k >= 0; k--)
        if (p->dim[k].ss == p->run || p->dim[k].ss == -p->run) return k;
    return LM_AXIS_NONE;
}

int lm_dst_next_axis(const lm_problem *p, int but) {
    int last = p->rank - 1; /* axes are sorted by their step in the destination */
    if (last == but) last--;
    return last >= 0 ? last : LM_AXIS_NONE;
}

int lm_src_next_axis(const lm_problem *p, int but) {
    int best = LM_AXIS_NONE;
    int64_t shortest = INT64_MAX;
    for (int k = p->rank - 1; k >= 0; k--) {
        const int64_t step = lm_magnitude(p->dim[k].ss);
        if (k == but || step == 0 || step >= shortest) continue;
        shortest = step;
        best = k;
    }
    return best;
}

/* Near the threshold the model has to judge, and beyond where a call has little to stream; elsewhere there is
 * nothing to judge. */
enum { NEAR = 4, LITTLE = 2048 };

static bool is_little(const lm_problem *p, const lm_params *params) {
    return params->tile[0] * params->tile[1] <= LITTLE / p->run && params->inner >= 0;
}

int lm_propose(const lm_problem *p, const lm_params *params, lm_params *out, int count) {
    const int64_t threshold = lm_stream_threshold();
    for (int stream = p->payload >= threshold * NEAR && !is_little(p, params);
         stream <= (p->payload >= threshold / NEAR); stream++) {
        if (count == LM_PROPOSALS) return count;
        out[count] = *params;
        out[count++].stream = stream;
    }
    return count;
}

int lm_propose_axes(const lm_problem *p, const lm_params *start, int inner, int outer, lm_params *out,
                    int count) {
    lm_params params = *start;
    params.inner = inner;
    params.outer = outer;
    params.tile[0] = lm_axis_extent(p, inner);
    params.tile[1] = lm_axis_extent(p, outer);
    const int loops = p->rank - (inner >= 0) - (outer >= 0);
    for (int order = LM_ORDER_DST; order <= (loops > 1 ? LM_ORDER_SRC : LM_ORDER_DST); order++) {
        params.order = (lm_order)order;
        count = lm_propose(p, &params, out, count);
    }
    return count;
}
