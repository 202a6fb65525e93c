/* SPDX-License-Identifier: BSD-3-Clause */
/* One execution of a plan of any operation on the buffers of a row. */
#ifndef LM_BENCH_OPERATION_H
#define LM_BENCH_OPERATION_H

#include "bench_buffers.h"

typedef struct lm_operation {
    const lmad_plan *plan;
    void *dst;
    const void *src;
    const struct lm_bench_work *elsewhere; /* on a device (bench_device.h); NULL = on the host */
    bool has_value;                        /* src is no array, but an element or affine values */
    int items;                             /* of a list; 0 = no list */
    void **dsts;
    const void **srcs;
} lm_operation;

/* Plan a problem of a suite for a device or LMAD_HOST. */
lmad_status lm_operation_plan(lmad_plan **plan, const lm_case *c, int device, lmad_ctx *ctx, unsigned effort);

/* 0, or -1 when memory is exhausted. */
int lm_operation_open(lm_operation *o, const lmad_plan *plan, const lm_case *c, const lm_buffers *b);
void lm_operation_close(lm_operation *o);

/* Run it, and have its outcome in the buffers. */
lmad_status lm_operation_run(const lm_operation *o);

#endif
