/* SPDX-License-Identifier: BSD-3-Clause */
/* A copy, a fill or affine values within one device, made ready: kernels for several alignments of the
 * pointers, or the run time's own copy. Plans for devices are made of these. */
#ifndef LM_DEVICE_COPY_H
#define LM_DEVICE_COPY_H

#include "ctx.h"
#include "device_way.h"

typedef struct lm_device_copy lm_device_copy;

/* Make a copy, or a fill of up to LM_HIP_VALUE bytes an element, for a canonical problem that is not empty;
 * dst_space is the device, and src_space too. The way is @p way, or if NULL that of wisdom, or the
 * estimate's; where no code is to be had for it, another way for which there is. Errors: NO_CODE, NO_MEMORY,
 * or the device's. */
lmad_status lm_device_copy_make(lm_device_copy **out, const lm_problem *problem, lmad_ctx *ctx,
                                const lm_device_way *way);

/* Just this way, for pointers that are aligned best: to be timed. Fails where there is no code for it. The
 * device is current. */
lmad_status lm_device_copy_probe(lm_device_copy **out, const lm_problem *problem, const lm_device_way *way);

/* As lm_device_copy_make() for affine values of a checked descriptor. */
lmad_status lm_device_affine_make(lm_device_copy **out, const lm_problem *problem, const lmad_desc *dst,
                                  lmad_type type);

/* Only launches, on a stream of the device, which the caller has made the current one: no allocation, no
 * waiting. What @p src points to is an array of the device for a copy, else memory of the host that is read
 * before this returns: the element, or base and steps. */
lmad_status lm_device_copy_run(const lm_device_copy *copy, char *dst, const void *src, lm_hip_stream stream);

/* It may be in flight. NULL is fine. */
void lm_device_copy_destroy(lm_device_copy *copy);

/* What it does; of a kernel, where the pointers are aligned best. NULL for affine values. */
const lm_device_way *lm_device_copy_way(const lm_device_copy *copy);

/* The launch where the pointers are aligned best; NULL for what is no kernel. */
const lm_launch *lm_device_copy_launch(const lm_device_copy *copy);

#endif
