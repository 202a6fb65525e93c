/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of lists of copies, as the public functions see them. */
#include "plan.h"
#include "status.h"

typedef struct wish {
    lmad_ctx *ctx;
    int count;
    const lmad_many_item *items;
    unsigned flags;
} wish;

static lmad_status fill(lmad_plan *plan, const void *arg) {
    const wish *w = arg;
    int threads;
    lmad_status status = lm_plan_start(plan, w->ctx, w->flags, &threads);
    if (status != LMAD_OK) return status;
    if (w->count < 0) return lm_fail(LMAD_ERR_ARGUMENT, "items: count %d is negative", w->count);
    if (w->count && !w->items) return lm_fail(LMAD_ERR_NULL, "items: NULL");
    status = lm_many_make(&plan->many, w->count, w->items, threads, lm_wisdom_calibration(w->ctx));
    if (status != LMAD_OK) return status;
    const int64_t payload = plan->many->payload;
    plan->problem = (lm_problem){.op = LM_OP_MANY,
                                 .dst_space = LM_HOST,
                                 .src_space = LM_HOST,
                                 .threads = threads,
                                 .run = payload,
                                 .count = payload > 0,
                                 .payload = payload};
    plan->recipe = payload ? LM_RECIPE_MANY : LM_RECIPE_NOTHING;
    plan->ctx = lm_ctx_ref(w->ctx);
    if (payload == 0 || !(w->flags & LMAD_WISDOM_ONLY)) return LMAD_OK;
    lm_plan_release(plan);
    return lm_fail(LMAD_ERR_NO_WISDOM, "no wisdom for lists of copies");
}

lmad_status lmad_plan_many(lmad_plan **p, lmad_ctx *ctx, int count, const lmad_many_item *items,
                           unsigned flags) {
    const wish w = {ctx, count, items, flags};
    return lm_plan_create(p, fill, &w);
}

lmad_status lmad_execute_many(const lmad_plan *p, void *const *dst, const void *const *src) {
    if (!p) return lm_fail(LMAD_ERR_NULL, "plan: NULL");
    if (p->problem.op != LM_OP_MANY)
        return lm_fail(LMAD_ERR_ARGUMENT, "plan: a %s, not a list of copies", lm_op_text(p->problem.op));
    return lm_many_run(p->many, &p->settings, dst, src);
}
