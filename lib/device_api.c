/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of lmad-hip.h. */
#include "lmad-hip.h"

#include "device_plan.h"
#include "plan.h"
#include "status.h"

static lmad_status fill(lmad_plan *plan, const void *arg) { return lm_device_plan_init(plan, arg); }

/* Numbers below LMAD_HOST, and operations on the host's memory. */
static lmad_status check_device(const char *side, int device, bool may_be_host) {
    if (device >= 0 || (device == LMAD_HOST && may_be_host)) return LMAD_OK;
    return lm_fail(LMAD_ERR_NO_DEVICE, "%s: there is no device %d", side, device);
}

lmad_status lmad_plan_copy_hip(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, int dst_device,
                               const lmad_desc *src, int src_device, size_t elem_size, unsigned flags) {
    if (dst_device == LMAD_HOST && src_device == LMAD_HOST)
        return lmad_plan_copy(p, ctx, dst, src, elem_size, flags);
    lmad_status status = check_device("destination", dst_device, true);
    if (status == LMAD_OK) status = check_device("source", src_device, true);
    if (status != LMAD_OK) return status;
    const lm_device_wish w = {ctx,        LM_OP_COPY, dst,        src,  dst_device,
                              src_device, elem_size,  LMAD_INT32, flags};
    return lm_plan_create(p, fill, &w);
}

lmad_status lmad_plan_move_hip(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, const lmad_desc *src,
                               int device, size_t elem_size, unsigned flags) {
    const lmad_status status = check_device("device", device, false);
    if (status != LMAD_OK) return status;
    const lm_device_wish w = {ctx, LM_OP_MOVE, dst, src, device, device, elem_size, LMAD_INT32, flags};
    return lm_plan_create(p, fill, &w);
}

lmad_status lmad_plan_fill_hip(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, int device,
                               size_t elem_size, unsigned flags) {
    const lmad_status status = check_device("device", device, false);
    if (status != LMAD_OK) return status;
    const lm_device_wish w = {ctx, LM_OP_FILL, dst, NULL, device, device, elem_size, LMAD_INT32, flags};
    return lm_plan_create(p, fill, &w);
}

lmad_status lmad_plan_affine_hip(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, int device,
                                 lmad_type type, unsigned flags) {
    size_t size = 0;
    lmad_status status = check_device("device", device, false);
    if (status == LMAD_OK) status = lm_type_size(type, &size);
    if (status != LMAD_OK) return status;
    const lm_device_wish w = {ctx, LM_OP_AFFINE, dst, NULL, device, device, size, type, flags};
    return lm_plan_create(p, fill, &w);
}

lmad_status lmad_execute_hip(const lmad_plan *p, void *dst, const void *src, void *stream) {
    if (!p) return lm_fail(LMAD_ERR_NULL, "plan: NULL");
    if (p->problem.count == 0) return LMAD_OK;
    if (lm_problem_device(&p->problem) == LM_HOST)
        return lm_fail(LMAD_ERR_ARGUMENT, "plan: for the host's memory, to be run by lmad_execute()");
    const lmad_status status = lm_plan_check_pointers(p, dst, src);
    if (status != LMAD_OK || p->recipe == LM_RECIPE_NOTHING) return status;
    return lm_device_plan_run(p, dst, src, NULL, stream);
}

/* ---- warming up ------------------------------------------------------------------------------------- */

/* Reversed planes of elements of this size, with gaps on either side: what only the general kernels do. */
static lmad_status warm_size(lmad_ctx *ctx, int device, size_t elem_size) {
    const lmad_desc dst = {.rank = 3, .dim = {{3, 231}, {5, 33}, {7, 3}}};
    const lmad_desc src = {.rank = 3, .offset = 1000, .dim = {{3, -3}, {5, -300}, {7, -33}}};
    lmad_plan *plan;
    const lmad_status status =
        lmad_plan_copy_hip(&plan, ctx, &dst, device, &src, device, elem_size, LMAD_ESTIMATE);
    if (status == LMAD_OK) lmad_plan_destroy(plan);
    return status;
}

lmad_status lmad_hip_warm(lmad_ctx *ctx, int device) {
    lmad_status status = check_device("device", device, false);
    for (size_t size = 1; size <= 16 && status == LMAD_OK; size *= 2) status = warm_size(ctx, device, size);
    return status;
}
