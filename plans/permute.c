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

/* Runs of so many bytes are walked in strips; blocks of several of them are all alike. */
enum { LONG_RUN = 128 };

/* Runs along an axis until it has walked so many bytes on its own side, but some at least. */
static int64_t block(int64_t n, int64_t step, int64_t bytes) {
    const int64_t runs = bytes / step;
    return least(n, runs < 8 ? 8 : runs);
}

static int propose_both(const lm_problem *p, lm_params params, lm_params *out, int count) {
    for (int order = LM_ORDER_DST; order <= LM_ORDER_SRC; order++) {
        params.order = (lm_order)order;
        count = lm_propose(p, &params, out, count);
    }
    return count;
}

static int propose_block(const lm_problem *p, const lm_params *start, int64_t bytes, lm_params *out,
                         int count) {
    lm_params params = *start;
    params.inner = lm_dst_next_axis(p, LM_AXIS_NONE);
    params.outer = lm_src_next_axis(p, LM_AXIS_NONE);
    const lm_pdim *i = &p->dim[params.inner], *o = &p->dim[params.outer];
    params.tile[0] = block(i->n, i->ds, bytes);
    params.tile[1] = block(o->n, lm_magnitude(o->ss), bytes);
    return propose_both(p, params, out, count);
}

/* Few places of the source in turn, each walked for as long as it goes on. */
static int propose_strip(const lm_problem *p, const lm_params *start, lm_params *out, int count) {
    enum { PLACES = 4 };
    lm_params params = *start;
    params.inner = lm_dst_next_axis(p, LM_AXIS_NONE);
    params.outer = lm_src_next_axis(p, LM_AXIS_NONE);
    params.tile[0] = least(p->dim[params.inner].n, PLACES);
    params.tile[1] = p->dim[params.outer].n;
    return propose_both(p, params, out, count);
}

static int propose(const lm_problem *p, const lm_params *start, int effort, lm_params *out) {
    int count = 0;
    if (effort < LMAD_PATIENT) {
        count = propose_block(p, start, 256, out, count);
        if (p->run >= LONG_RUN) return propose_strip(p, start, out, count);
        return propose_block(p, start, 2048, out, count);
    }
    for (int64_t bytes = 64; bytes <= 8192; bytes *= 2) count = propose_block(p, start, bytes, out, count);
    return p->run >= LONG_RUN ? propose_strip(p, start, out, count) : count;
}

static void make(lm_step *step, const lm_problem *p, const lm_params *params) {
    lm_build(step, p, params, p->dim[params->inner].ds == p->run ? LM_GATHER : LM_STRIDED);
}

const lm_kind lm_kind_permute = {"permute", applicable, propose, make};
