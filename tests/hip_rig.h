/* SPDX-License-Identifier: BSD-3-Clause */
/* A problem planned and executed on a device through the public API, in guarded memory, and compared with the
 * oracle. */
#ifndef LM_HIP_RIG_H
#define LM_HIP_RIG_H

#include "lib/hip.h"
#include "trial.h"

/* The blocks of a trial on a device. */
typedef struct lm_hip_rig {
    const lm_trial *trial;
    size_t dst_size, src_size; /* of the blocks, with what guards them */
    char *dst, *src;           /* blocks; src is NULL for a move */
    char *d;                   /* pointers to execute with */
    const char *s;
    char *value; /* of a fill: on the host */
    char *old, *want, *got, *from;
} lm_hip_rig;

/* Pointers are off from 256 bytes by the trial's slacks. The device is current. */
void lm_hip_rig_open(lm_hip_rig *rig, const lm_trial *trial);
void lm_hip_rig_close(lm_hip_rig *rig);

/* Both blocks as they were at first. */
void lm_hip_rig_reset(lm_hip_rig *rig);

/* NULL when the destination's block is what it must be, and the source's what it was; else a sentence. */
const char *lm_hip_rig_verdict(lm_hip_rig *rig);

/* Plan for a device. */
lmad_status lm_hip_rig_plan(lmad_plan **plan, const lm_trial *trial, int device, lmad_ctx *ctx,
                            unsigned flags);

/* All of it, with lmad_execute(), on a device that becomes the current one: NULL, or what is wrong. */
const char *lm_hip_rig_try(const lm_trial *trial, int device, lmad_ctx *ctx, unsigned flags);

/* Shrink a problem to so many bytes a side; the trial of it has no slack. */
void lm_hip_rig_scale(const lm_trial *full, int64_t cap, lm_trial *out);

#endif
