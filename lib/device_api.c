/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of lmad-hip.h. */
#include "lmad-hip.h"

#include "status.h"

static lmad_status none(void) { return lm_fail(LMAD_ERR_NO_DEVICE, "no HIP in this version"); }

lmad_status lmad_plan_copy_hip(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, int dst_device,
                               const lmad_desc *src, int src_device, size_t elem_size, unsigned flags) {
    if (dst_device == LMAD_HOST && src_device == LMAD_HOST) return lmad_plan_copy(p, ctx, dst, src, elem_size, flags);
    return none();
}

lmad_status lmad_plan_move_hip(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, const lmad_desc *src, int device,
                               size_t elem_size, unsigned flags) {
    (void)device;
    (void)elem_size;
    (void)flags;
    (void)ctx;
    (void)dst;
    (void)src;
    (void)p;
    return none();
}

lmad_status lmad_plan_fill_hip(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, int device, size_t elem_size,
                               unsigned flags) {
    (void)p;
    (void)ctx;
    (void)dst;
    (void)device;
    (void)elem_size;
    (void)flags;
    return none();
}

lmad_status lmad_plan_affine_hip(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, int device, lmad_type type,
                                 unsigned flags) {
    (void)p;
    (void)ctx;
    (void)dst;
    (void)device;
    (void)type;
    (void)flags;
    return none();
}

lmad_status lmad_execute_hip(const lmad_plan *p, void *dst, const void *src, void *stream) {
    (void)p;
    (void)dst;
    (void)src;
    (void)stream;
    return none();
}

lmad_status lmad_hip_warm(lmad_ctx *ctx, int device) {
    (void)ctx;
    (void)device;
    return none();
}
