/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations: how each is planned and executed. */
#include "bench_operation.h"

#include <stdlib.h>

#include "bench_device.h"
#include "lib/status.h"
#include "lmad-hip.h"

/* The views of one index of the outermost axis. */
static lmad_desc view_of(const lmad_desc *d, int64_t index) {
    lmad_desc view = *d;
    lmad_index(&view, 0, index);
    return view;
}

static lmad_status plan_list(lmad_plan **plan, const lm_case *c, lmad_ctx *ctx, unsigned effort) {
    const int64_t count = c->dst.dim[0].n;
    lmad_many_item *item = calloc((size_t)count + 1, sizeof *item);
    lmad_desc *view = calloc(2 * (size_t)count + 1, sizeof *view);
    lmad_status status = LMAD_ERR_NO_MEMORY;
    if (item && view && count <= INT32_MAX) {
        for (int64_t k = 0; k < count; k++) {
            view[2 * k] = view_of(&c->dst, k);
            view[2 * k + 1] = view_of(&c->src, k);
            item[k] = (lmad_many_item){&view[2 * k], &view[2 * k + 1], c->elem_size};
        }
        status = lmad_plan_many(plan, ctx, (int)count, item, effort);
    }
    free(item);
    free(view);
    return status;
}

lmad_status lm_operation_plan(lmad_plan **plan, const lm_case *c, int device, lmad_ctx *ctx,
                              unsigned effort) {
    const lmad_type type = c->elem_size == 4 ? LMAD_INT32 : LMAD_INT64;
    switch (c->op) {
    case LM_OP_MANY:
        if (device != LMAD_HOST) return lm_fail(LMAD_ERR_ARGUMENT, "lists of copies are for the host");
        return plan_list(plan, c, ctx, effort);
    case LM_OP_AFFINE:
        if (device != LMAD_HOST) return lmad_plan_affine_hip(plan, ctx, &c->dst, device, type, effort);
        return lmad_plan_affine(plan, ctx, &c->dst, type, effort);
    default: return lm_case_plan(plan, c, device, ctx, effort);
    }
}

int lm_operation_open(lm_operation *o, const lmad_plan *plan, const lm_case *c, const lm_buffers *b) {
    *o = (lm_operation){.plan = plan, .dst = b->dst.origin};
    o->src = c->op == LM_OP_MOVE ? b->dst.origin : b->src.origin;
    o->has_value = lm_op_sourceless(c->op);
    if (c->op != LM_OP_MANY) return 0;
    o->items = (int)c->dst.dim[0].n;
    o->dsts = malloc(((size_t)o->items + 1) * sizeof *o->dsts);
    o->srcs = malloc(((size_t)o->items + 1) * sizeof *o->srcs);
    if (!o->dsts || !o->srcs) {
        lm_operation_close(o);
        return -1;
    }
    for (int k = 0; k < o->items; k++) {
        o->dsts[k] = o->dst;
        o->srcs[k] = o->src;
    }
    return 0;
}

void lm_operation_close(lm_operation *o) {
    free(o->dsts);
    free(o->srcs);
    *o = (lm_operation){0};
}

lmad_status lm_operation_run(const lm_operation *o) {
    if (o->elsewhere) return lm_bench_device_run(o->elsewhere);
    return o->dsts ? lmad_execute_many(o->plan, o->dsts, o->srcs) : lmad_execute(o->plan, o->dst, o->src);
}
