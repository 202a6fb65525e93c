/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposes with any number of batch axes, gaps allowed: one axis is dense in the destination, another one
 * in the source, and a kernel turns tiles of the two. */
#include "lib/build.h"
#include "plans.h"

/* Two different axes are dense, one on each side. */
static bool applicable(const lm_problem *p) {
    const int inner = lm_dst_dense_axis(p), outer = lm_src_dense_axis(p);
    return p->count > 1 && inner >= 0 && outer >= 0 && inner != outer;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Tiles in bytes: along the destination row and along the source row. Long destination rows keep few
 * destination pages open; source rows of some lines use what the memory fetches with each page. */
static const struct {
    int64_t dst, src;
} tiles[] = {{2048, 128}, {1024, 256}, {512, 512}, {256, 64}};

static int propose(const lm_problem *p, const lm_params *start, lm_params *out) {
    const int inner = lm_dst_dense_axis(p), outer = lm_src_dense_axis(p);
    const int64_t n0 = p->dim[inner].n, n1 = p->dim[outer].n;
    int count = 0;
    if (n0 * p->run <= 512 && n1 * p->run <= 512) return lm_propose_axes(p, start, inner, outer, out, 0);
    for (size_t k = 0; k < sizeof tiles / sizeof tiles[0]; k++) {
        lm_params params = *start;
        params.inner = inner;
        params.outer = outer;
        params.tile[0] = least(n0, tiles[k].dst / least(p->run, 64));
        params.tile[1] = least(n1, tiles[k].src / least(p->run, 64));
        for (int order = LM_ORDER_DST; order <= LM_ORDER_SRC; order++) {
            params.order = (lm_order)order;
            count = lm_propose(p, &params, out, count);
        }
    }
    return count;
}

static void make(lm_step *step, const lm_problem *p, const lm_params *params) {
    lm_build(step, p, params, LM_TRANSPOSE);
}

const lm_kind lm_kind_transpose = {"transpose", applicable, propose, make};
