/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of affine and generated values, as the public functions see them. */
#include "plan.h"
#include "status.h"

typedef struct wish {
    lmad_ctx *ctx;
    lm_op op;
    const lmad_desc *dst;
    size_t elem_size;
    lmad_type type;
    lmad_generate_fn *fn;
    void *data;
    unsigned flags;
} wish;

static lmad_status fill(lmad_plan *plan, const void *arg) {
    const wish *w = arg;
    int threads;
    lmad_status status = lm_plan_start(plan, w->ctx, w->flags, &threads);
    if (status == LMAD_OK)
        status = lm_problem_make(&plan->problem, w->op, w->dst, NULL, w->elem_size, threads);
    if (status != LMAD_OK) return status;
    plan->recipe = plan->problem.count ? LM_RECIPE_GENERATE : LM_RECIPE_NOTHING;
    if (plan->recipe != LM_RECIPE_NOTHING) {
        if (w->flags & LMAD_WISDOM_ONLY)
            return lm_fail(LMAD_ERR_NO_WISDOM, "no wisdom for %s problems", lm_op_text(w->op));
        plan->problem.calibration = lm_wisdom_calibration(w->ctx);
        lm_runs_make(&plan->runs, w->dst, w->elem_size, &plan->problem);
        plan->runs.affine = w->op == LM_OP_AFFINE;
        plan->runs.type = w->type;
        plan->runs.fn = w->fn;
        plan->runs.data = w->data;
    }
    plan->ctx = lm_ctx_ref(w->ctx);
    return LMAD_OK;
}

lmad_status lm_type_size(lmad_type type, size_t *size) {
    if ((unsigned)type > LMAD_DOUBLE)
        return lm_fail(LMAD_ERR_ARGUMENT, "type: %d is no lmad_type", (int)type);
    *size = type == LMAD_INT32 || type == LMAD_FLOAT ? 4 : 8;
    return LMAD_OK;
}

lmad_status lmad_plan_affine(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, lmad_type type,
                             unsigned flags) {
    size_t size = 0;
    const lmad_status status = lm_type_size(type, &size);
    if (status != LMAD_OK) return status;
    const wish w = {ctx, LM_OP_AFFINE, dst, size, type, lm_affine_fill, NULL, flags};
    return lm_plan_create(p, fill, &w);
}

lmad_status lmad_plan_generate(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, size_t elem_size,
                               lmad_generate_fn *fn, void *data, unsigned flags) {
    if (!fn) return lm_fail(LMAD_ERR_NULL, "function: NULL");
    const wish w = {ctx, LM_OP_GENERATE, dst, elem_size, LMAD_INT32, fn, data, flags};
    return lm_plan_create(p, fill, &w);
}
