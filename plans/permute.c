/* SPDX-License-Identifier: BSD-3-Clause */
/* Any permutation, dense or not, in blocks: the axes with the shortest steps on the two sides are walked in
 * tiles that fit the first cache, so that a line is used up while it is there. */
#include "lib/build.h"
#include "plans.h"

/* Two different axes have the shortest steps, and not the ones that registers transpose. */
static bool applicable(const lm_problem *p) {
    const int inner = lm_dst_next_axis(p, LM_AXIS_NONE), outer = lm_src_next_axis(p, LM_AXIS_NONE);
    const bool words = lm_is_word(p->run);
    return p->count > 1 && outer >= 0 && inner != outer &&
           !(words && inner == lm_dst_dense_axis(p) && outer == lm_src_dense_axis(p));
}

/* Runs along an axis until it has walked so many bytes on its own side, but some at least. */
static int64_t block(int64_t n, int64_t step, int64_t bytes) {
    const int64_t runs = bytes / step;
    return least(n, runs < 8 ? 8 : runs);
}

static int propose_block(const lm_problem *p, const lm_params *start, int64_t bytes, lm_params *out,
                         int count) {
    lm_params params = *start;
    params.inner = lm_dst_next_axis(p, LM_AXIS_NONE);
    params.outer = lm_src_next_axis(p, LM_AXIS_NONE);
    const lm_pdim *i = &p->dim[params.inner], *o = &p->dim[params.outer];
    params.tile[0] = block(i->n, i->ds, bytes);
    params.tile[1] = block(o->n, o->ss < 0 ? -o->ss : o->ss, bytes);
    for (int order = LM_ORDER_DST; order <= LM_ORDER_SRC; order++) {
        params.order = (lm_order)order;
        count = lm_propose(p, &params, out, count);
    }
    return count;
}

static int propose(const lm_problem *p, const lm_params *start, int effort, lm_params *out) {
    int count = 0;
    if (effort < LMAD_PATIENT) {
        count = propose_block(p, start, 256, out, count);
        return propose_block(p, start, 2048, out, count);
    }
    for (int64_t bytes = 64; bytes <= 8192; bytes *= 2) count = propose_block(p, start, bytes, out, count);
    return count;
}

static void make(lm_step *step, const lm_problem *p, const lm_params *params) {
    lm_build(step, p, params, p->dim[params->inner].ds == p->run ? LM_GATHER : LM_STRIDED);
}

const lm_kind lm_kind_permute = {"permute", applicable, propose, make};
