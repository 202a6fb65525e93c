/* SPDX-License-Identifier: BSD-3-Clause */
/* Making and destroying plans. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "choose.h"
#include "desc.h"
#include "device_plan.h"
#include "history.h"
#include "status.h"
#include "threads.h"

static lmad_status check_flags(unsigned flags) {
    const unsigned known = LMAD_EFFORT_MASK | LMAD_WISDOM_ONLY | LMAD_SERIAL;
    if (flags & ~known) return lm_fail(LMAD_ERR_FLAGS, "flags: unknown bits 0x%x", flags & ~known);
    if ((flags & LMAD_EFFORT_MASK) > LMAD_EXHAUSTIVE)
        return lm_fail(LMAD_ERR_FLAGS, "flags: effort %u is none of LMAD_ESTIMATE ... LMAD_EXHAUSTIVE",
                       flags & LMAD_EFFORT_MASK);
    return LMAD_OK;
}

/* Move the source's addresses. */
static lmad_status shift_source(lm_problem *p, int64_t shift) {
    if (shift == 0 || p->count == 0) return LMAD_OK;
    if (!lm_add(p->soff, shift, &p->soff) || !lm_add(p->slo, shift, &p->slo) ||
        !lm_add(p->shi, shift, &p->shi))
        return lm_fail(LMAD_ERR_OVERFLOW, "source: its distance from the destination leaves int64");
    return LMAD_OK;
}

/* One of the two halves of a move through scratch memory; the source's addresses are moved by `shift`. */
static lmad_status plan_half(lmad_plan *plan, int which, const lmad_desc *dst, const lmad_desc *src,
                             size_t elem_size, int64_t shift, const lm_choosing *how) {
    lm_problem half;
    lmad_status status = lm_problem_make(&half, LM_OP_COPY, dst, src, elem_size, plan->problem.threads);
    if (status == LMAD_OK) status = shift_source(&half, shift);
    if (status != LMAD_OK) return status;
    half.calibration = plan->problem.calibration;
    return lm_choose(plan, which, &half, how);
}

/* A move whose two views share bytes: pack the source densely, then unpack it. */
static lmad_status plan_buffered(lmad_plan *plan, const lmad_desc *dst, const lmad_desc *src,
                                 size_t elem_size, int64_t shift, const lm_choosing *how) {
    int64_t shape[LMAD_MAX_RANK];
    lmad_desc dense;
    for (int k = 0; k < dst->rank; k++) shape[k] = dst->dim[k].n;
    lmad_status status = lmad_row_major(&dense, dst->rank, shape);
    if (status == LMAD_OK) status = plan_half(plan, 0, &dense, src, elem_size, shift, how);
    if (status == LMAD_OK) status = plan_half(plan, 1, dst, &dense, elem_size, 0, how);
    plan->work_bytes = (size_t)plan->problem.payload;
    return status;
}

static lm_recipe choose_recipe(const lm_problem *p) {
    if (p->count == 0) return LM_RECIPE_NOTHING;
    if (p->op == LM_OP_FILL) return LM_RECIPE_VALUE;
    if (p->op == LM_OP_COPY) return LM_RECIPE_ONE;
    if (lm_problem_is_identity(p)) return LM_RECIPE_NOTHING;
    return lm_problem_overlaps(p, NULL, NULL) ? LM_RECIPE_MOVE : LM_RECIPE_ONE;
}

/* Steps and scratch for the recipe. */
static lmad_status choose_steps(lmad_plan *plan, const lmad_desc *dst, const lmad_desc *src, size_t elem_size,
                                int64_t shift, const lm_choosing *how) {
    plan->work_bytes = plan->recipe == LM_RECIPE_VALUE ? elem_size : 0;
    if (plan->recipe == LM_RECIPE_MOVE) {
        if (!how->wisdom_only && lm_planner_move(plan)) return LMAD_OK;
        plan->recipe = LM_RECIPE_BUFFERED;
        return plan_buffered(plan, dst, src, elem_size, shift, how);
    }
    return lm_choose(plan, 0, &plan->problem, how);
}

lmad_status lm_plan_start(lmad_plan *plan, lmad_ctx *ctx, unsigned flags, int *threads) {
    const lmad_status status = check_flags(flags);
    if (status != LMAD_OK) return status;
    lm_ctx_settings(ctx, &plan->settings);
    *threads = flags & LMAD_SERIAL ? 1 : lm_threads_limit(&plan->settings);
    plan->quick.kind = LM_QUICK_NOT;
    plan->work.memory = NULL;
    plan->work_bytes = 0;
    plan->many = NULL;
    plan->device = NULL;
    plan->origin[0] = plan->origin[1] = (lm_origin){.source = LMAD_SOURCE_ESTIMATED};
    return LMAD_OK;
}

lmad_status lm_plan_init(lmad_plan *plan, lmad_ctx *ctx, lm_op op, const lmad_desc *dst, const lmad_desc *src,
                         size_t elem_size, unsigned flags, int64_t shift) {
    int threads;
    lmad_status status = lm_plan_start(plan, ctx, flags, &threads);
    if (status == LMAD_OK) status = lm_problem_make(&plan->problem, op, dst, src, elem_size, threads);
    if (status == LMAD_OK) status = shift_source(&plan->problem, shift);
    if (status != LMAD_OK) return status;
    if (plan->problem.count) plan->problem.calibration = lm_wisdom_calibration(ctx);
    plan->recipe = choose_recipe(&plan->problem);
    const lm_choosing how = lm_choosing_of(ctx, flags, &plan->settings);
    status = choose_steps(plan, dst, src, elem_size, shift, &how);
    if (status != LMAD_OK) return status;
    plan->ctx = lm_ctx_ref(ctx);
    lm_history_add(&plan->problem, dst, src, elem_size, shift);
    return LMAD_OK;
}

/* Scratch that executions of the plan take turns in, where it needs more than fits on the stack. */
static lmad_status own_work(lmad_plan *plan) {
    return plan->device || plan->work_bytes <= LM_WORK_ON_STACK ? LMAD_OK
                                                                : lm_work_open(&plan->work, plan->work_bytes);
}

void lm_plan_release(lmad_plan *plan) {
    lm_work_close(&plan->work);
    free(plan->many);
    lm_device_plan_destroy(plan->device);
    lm_ctx_unref(plan->ctx);
}

lmad_status lm_plan_create(lmad_plan **out, lmad_status (*fill)(lmad_plan *plan, const void *arg),
                           const void *arg) {
    if (!out) return lm_fail(LMAD_ERR_NULL, "plan: the output pointer is NULL");
    lmad_plan *plan = aligned_alloc(_Alignof(lmad_plan), sizeof *plan);
    if (!plan) return lm_fail(LMAD_ERR_NO_MEMORY, "no memory for a plan of %zu bytes", sizeof *plan);
    lmad_status status = fill(plan, arg);
    if (status != LMAD_OK) goto free_plan;
    status = own_work(plan);
    if (status != LMAD_OK) goto release_plan;
    if (plan->recipe == LM_RECIPE_ONE) lm_quick_make(&plan->quick, &plan->problem, &plan->step[0]);
    *out = plan;
    return LMAD_OK;

release_plan:
    lm_plan_release(plan);
free_plan:
    free(plan);
    return status;
}

typedef struct wish {
    lmad_ctx *ctx;
    lm_op op;
    const lmad_desc *dst, *src;
    size_t elem_size;
    unsigned flags;
} wish;

static lmad_status fill_plan(lmad_plan *plan, const void *arg) {
    const wish *w = arg;
    return lm_plan_init(plan, w->ctx, w->op, w->dst, w->src, w->elem_size, w->flags, 0);
}

static lmad_status create(lmad_plan **out, lmad_ctx *ctx, lm_op op, const lmad_desc *dst,
                          const lmad_desc *src, size_t elem_size, unsigned flags) {
    const wish w = {ctx, op, dst, src, elem_size, flags};
    return lm_plan_create(out, fill_plan, &w);
}

lmad_status lmad_plan_copy(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, const lmad_desc *src,
                           size_t elem_size, unsigned flags) {
    return create(p, ctx, LM_OP_COPY, dst, src, elem_size, flags);
}

lmad_status lmad_plan_move(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, const lmad_desc *src,
                           size_t elem_size, unsigned flags) {
    return create(p, ctx, LM_OP_MOVE, dst, src, elem_size, flags);
}

lmad_status lmad_plan_fill(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, size_t elem_size,
                           unsigned flags) {
    return create(p, ctx, LM_OP_FILL, dst, NULL, elem_size, flags);
}

size_t lmad_work_size(const lmad_plan *p) { return p ? p->work_bytes : 0; }

void lmad_plan_destroy(lmad_plan *p) {
    if (!p) return;
    lm_plan_release(p);
    free(p);
}
