/* SPDX-License-Identifier: BSD-3-Clause */
/* Immediate forms: small problems at once, others planned on the stack, executed, forgotten. Planning is kept out
 * of line, for its frame. */
#include <stdlib.h>

#include "plan.h"
#include "short.h"
#include "status.h"

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

/* What the public functions are given. */
typedef struct call {
    lmad_ctx *ctx;
    lm_op op;
    void *dst;
    const lmad_desc *ddst;
    const void *src;
    const lmad_desc *dsrc;
    size_t elem_size;
    unsigned flags;
} call;

/* Both views of a move are taken relative to dst, so that the two pointers may differ. */
static __attribute__((noinline)) lmad_status by_plan(const call *c) {
    lmad_plan plan;
    const bool move = c->op == LM_OP_MOVE;
    const int64_t shift = move ? (int64_t)((uintptr_t)c->src - (uintptr_t)c->dst) : 0;
    lmad_status status = lm_plan_init(&plan, c->ctx, c->op, c->ddst, c->dsrc, c->elem_size, c->flags, shift);
    if (status != LMAD_OK) return status;
    if (move && plan.problem.count && !c->src)
        status = lm_fail(LMAD_ERR_NULL, "source: the buffer is NULL");
    else
        status = run_once(&plan, c->dst, move ? c->dst : c->src);
    lm_plan_release(&plan);
    return status;
}

/* Flags that the short path obeys whatever it does: it is serial, and as good as any estimated plan. */
static inline bool may_be_short(unsigned flags) { return (flags & ~(unsigned)LMAD_SERIAL) == LMAD_ESTIMATE; }

lmad_status lmad_ctx_copy(lmad_ctx *ctx, void *dst, const lmad_desc *ddst, const void *src,
                          const lmad_desc *dsrc, size_t elem_size, unsigned flags) {
    if (may_be_short(flags) && lm_short_copy(dst, ddst, src, dsrc, elem_size)) return LMAD_OK;
    const call c = {ctx, LM_OP_COPY, dst, ddst, src, dsrc, elem_size, flags};
    return by_plan(&c);
}

lmad_status lmad_ctx_move(lmad_ctx *ctx, void *dst, const lmad_desc *ddst, const void *src,
                          const lmad_desc *dsrc, size_t elem_size, unsigned flags) {
    if (may_be_short(flags) && lm_short_move(dst, ddst, src, dsrc, elem_size)) return LMAD_OK;
    const call c = {ctx, LM_OP_MOVE, dst, ddst, src, dsrc, elem_size, flags};
    return by_plan(&c);
}

lmad_status lmad_ctx_fill(lmad_ctx *ctx, void *dst, const lmad_desc *ddst, const void *value,
                          size_t elem_size, unsigned flags) {
    if (may_be_short(flags) && lm_short_fill(dst, ddst, value, elem_size)) return LMAD_OK;
    const call c = {ctx, LM_OP_FILL, dst, ddst, value, NULL, elem_size, flags};
    return by_plan(&c);
}

lmad_status lmad_copy(void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc,
                      size_t elem_size) {
    return lmad_ctx_copy(NULL, dst, ddst, src, dsrc, elem_size, LMAD_ESTIMATE);
}

lmad_status lmad_move(void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc,
                      size_t elem_size) {
    return lmad_ctx_move(NULL, dst, ddst, src, dsrc, elem_size, LMAD_ESTIMATE);
}

lmad_status lmad_fill(void *dst, const lmad_desc *ddst, const void *value, size_t elem_size) {
    return lmad_ctx_fill(NULL, dst, ddst, value, elem_size, LMAD_ESTIMATE);
}
