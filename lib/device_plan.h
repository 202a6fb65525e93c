/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans for devices: what a struct lmad_plan has besides for them. */
#ifndef LM_DEVICE_PLAN_H
#define LM_DEVICE_PLAN_H

#include "device_copy.h"
#include "device_planner.h"
#include "text.h"

typedef struct lm_device_plan lm_device_plan;

/* What is to be planned. */
typedef struct lm_device_wish {
    lmad_ctx *ctx;
    lm_op op;
    const lmad_desc *dst, *src;
    int dst_device, src_device; /* equal for everything but copies */
    size_t elem_size;
    lmad_type type; /* of affine values */
    unsigned flags;
} lm_device_wish;

/* Fill a plan; as lm_plan_init(). */
lmad_status lm_device_plan_init(lmad_plan *plan, const lm_device_wish *wish);

/* Enqueue an execution: @p work is memory of the device for a plan that needs scratch, or NULL for the plan's
 * own. The pointers are checked already. */
lmad_status lm_device_plan_run(const lmad_plan *plan, void *dst, const void *src, void *work,
                               lm_hip_stream stream);

/* The same on the default stream, to its end. */
lmad_status lm_device_plan_finish(const lmad_plan *plan, void *dst, const void *src, void *work);

/* Waits for executions where they use memory of the plan. NULL is fine. */
void lm_device_plan_destroy(lm_device_plan *device);

/* For info. */
typedef struct lm_device_facts {
    const char *kind; /* "hip-tile"; static */
    int64_t launches;
    double predicted; /* seconds; 0 = no estimate */
} lm_device_facts;
void lm_device_plan_facts(const lmad_plan *plan, lm_device_facts *out);

/* "(hip-tile word=16x16 ...)"; lines of candidates. */
void lm_device_plan_describe(const lmad_plan *plan, lm_text *text);
void lm_device_plan_explain(const lmad_plan *plan, lm_text *text);

#endif
