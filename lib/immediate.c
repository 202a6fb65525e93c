/* SPDX-License-Identifier: BSD-3-Clause */
/* Immediate forms: planned on the stack, executed, forgotten. */
#include <stdlib.h>

#include "plan.h"
#include "status.h"

lmad_status lmad_ctx_copy(lmad_ctx *ctx, void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc,
                          size_t elem_size, unsigned flags) {
    lmad_plan plan;
    lmad_status status = lm_plan_init(&plan, ctx, LM_OP_COPY, ddst, dsrc, elem_size, flags, 0);
    if (status != LMAD_OK) return status;
    status = lm_plan_run(&plan, dst, src, NULL);
    lm_plan_release(&plan);
    return status;
}

/* Run a plan on the stack: where its scratch is too large for that, this is the one allocation. */
static lmad_status run_once(lmad_plan *plan, void *dst, const void *src) {
    char *work = NULL;
    if (plan->work_bytes > LM_WORK_ON_STACK) {
        work = malloc(plan->work_bytes);
        if (!work) return lm_fail(LMAD_ERR_NO_MEMORY, "no memory for %zu bytes of scratch", plan->work_bytes);
    }
    const lmad_status status = lm_plan_run(plan, dst, src, work);
    free(work);
    return status;
}

/* Both views relative to dst, so that the two pointers may differ. */
lmad_status lmad_ctx_move(lmad_ctx *ctx, void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc,
                          size_t elem_size, unsigned flags) {
    lmad_plan plan;
    const int64_t shift = (int64_t)((uintptr_t)src - (uintptr_t)dst);
    lmad_status status = lm_plan_init(&plan, ctx, LM_OP_MOVE, ddst, dsrc, elem_size, flags, shift);
    if (status != LMAD_OK) return status;
    if (plan.problem.count && !src)
        status = lm_fail(LMAD_ERR_NULL, "source: the buffer is NULL");
    else
        status = run_once(&plan, dst, dst);
    lm_plan_release(&plan);
    return status;
}

lmad_status lmad_ctx_fill(lmad_ctx *ctx, void *dst, const lmad_desc *ddst, const void *value, size_t elem_size,
                          unsigned flags) {
    lmad_plan plan;
    lmad_status status = lm_plan_init(&plan, ctx, LM_OP_FILL, ddst, NULL, elem_size, flags, 0);
    if (status != LMAD_OK) return status;
    status = run_once(&plan, dst, value);
    lm_plan_release(&plan);
    return status;
}

lmad_status lmad_copy(void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc, size_t elem_size) {
    return lmad_ctx_copy(NULL, dst, ddst, src, dsrc, elem_size, LMAD_ESTIMATE);
}

lmad_status lmad_move(void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc, size_t elem_size) {
    return lmad_ctx_move(NULL, dst, ddst, src, dsrc, elem_size, LMAD_ESTIMATE);
}

lmad_status lmad_fill(void *dst, const lmad_desc *ddst, const void *value, size_t elem_size) {
    return lmad_ctx_fill(NULL, dst, ddst, value, elem_size, LMAD_ESTIMATE);
}
