/* SPDX-License-Identifier: BSD-3-Clause */
/* A copy or fill within one device, made ready: kernels for several alignments of its pointers, or the run time's own
 * copy. A plan for devices is made of these. */
#ifndef LM_DEVICE_COPY_H
#define LM_DEVICE_COPY_H

#include "ctx.h"
#include "device_way.h"

typedef struct lm_device_copy lm_device_copy;

/* Make a copy (or a fill) for a canonical problem that is not empty; dst_space == src_space is the device. The way is
 * @p way, or if NULL that of wisdom, or the estimate's; where no code is to be had for it, another way for which there
 * is. Errors: NO_CODE, NO_MEMORY, or the device's. */
lmad_status lm_device_copy_make(lm_device_copy **out, const lm_problem *problem, lmad_ctx *ctx,
                                const lm_device_way *way);

/* Only launches, on a stream of the device, which the caller has made the current one: no allocation, no waiting. */
lmad_status lm_device_copy_run(const lm_device_copy *copy, char *dst, const char *src, lm_hip_stream stream);

/* The same for a fill whose element, of up to LM_HIP_VALUE bytes, is in the host's memory, and read before this
 * returns. */
lmad_status lm_device_copy_fill(const lm_device_copy *copy, char *dst, const void *value, lm_hip_stream stream);

/* It may be in flight. NULL is fine. */
void lm_device_copy_destroy(lm_device_copy *copy);

/* Launches of one run: kernels, and copies by the run time. */
int lm_device_copy_launches(const lm_device_copy *copy);

/* What it does where the pointers are aligned best. */
const lm_device_way *lm_device_copy_way(const lm_device_copy *copy);

#endif
