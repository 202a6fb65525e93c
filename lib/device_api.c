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
    if (device == LMAD_HOST)
        return lm_fail(LMAD_ERR_NO_DEVICE, "%s: LMAD_HOST is none; the functions of lmad.h are for the host",
                       side);
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

/* A gather of few axes or many, within 32 bits of bytes or beyond: what code differs by. */
static lmad_status general_problem(lm_problem *p, lm_op op, bool many, bool far, size_t elem_size,
                                   int device) {
    lmad_desc dst = {.rank = many ? 7 : 3}, src = dst;
    for (int k = 0; k < dst.rank; k++) {
        dst.dim[k] = (lmad_dim){3, INT64_C(5) << 3 * k};
        src.dim[dst.rank - 1 - k] = (lmad_dim){3, INT64_C(7) << 3 * k};
    }
    if (far) dst.dim[0].stride = src.dim[0].stride = INT64_C(1) << 34;
    const lmad_status status = lm_problem_make(p, op, &dst, op == LM_OP_FILL ? NULL : &src, elem_size, 1);
    p->dst_space = p->src_space = device;
    return status;
}

static lmad_status warm(const lm_problem *p, lmad_ctx *ctx, int word) {
    lm_device_copy *copy;
    lm_device_way way = lm_device_general_way(p->op);
    way.kernel.word[LM_DST] = way.kernel.word[LM_SRC] = word;
    const lmad_status status = lm_device_copy_make(&copy, p, ctx, &way);
    if (status == LMAD_OK) lm_device_copy_destroy(copy);
    return status;
}

typedef struct warming {
    lmad_ctx *ctx;
    int device;
} warming;

/* Bytes do everything; elements of 2, 4, 8 and 16 bytes are worth code of their own. */
static lmad_status warm_all(const void *arg) {
    lmad_ctx *ctx = ((const warming *)arg)->ctx;
    const int device = ((const warming *)arg)->device;
    lm_problem p;
    lmad_status status = LMAD_OK;
    for (int k = 0; k < 8 && status == LMAD_OK; k++) {
        status = general_problem(&p, k & 4 ? LM_OP_FILL : LM_OP_COPY, k & 2, k & 1, 1, device);
        if (status == LMAD_OK) status = warm(&p, ctx, 1);
    }
    for (int size = 2; size <= 16 && status == LMAD_OK; size *= 2) {
        status = general_problem(&p, LM_OP_COPY, false, false, (size_t)size, device);
        if (status == LMAD_OK) status = warm(&p, ctx, size);
    }
    return status;
}

lmad_status lmad_hip_warm(lmad_ctx *ctx, int device) {
    const warming w = {ctx, device};
    const lmad_status status = check_device("device", device, false);
    return status == LMAD_OK ? lm_device_aside(warm_all, &w) : status;
}
