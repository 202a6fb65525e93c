/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparing layouts by the LDS bank cycles that some of the threads lose: who these are, and which words are
 * theirs, does not depend on the layout. */
#ifndef LM_PLANS_HIP_PROBE_H
#define LM_PLANS_HIP_PROBE_H

#include "hip.h"

#include "kernels/hip/index.h"

enum {
    LM_HIP_PROBES = 6,
    LM_HIP_PARTS = 16,   /* words or units of an item that threads take turns with, at most */
    LM_HIP_TOGETHER = 32 /* threads that are served together, at most */
};

/* Some items of a side, neighbours that are served together: their indices along the axes of the view, and of
 * units. */
typedef struct lm_hip_sample {
    lm_u32 item;
    uint32_t part;
    uint16_t digit[LM_HIP_VIEW][LM_HIP_TOGETHER];
    lm_u32 first[LM_HIP_TOGETHER], row[LM_HIP_TOGETHER];
} lm_hip_sample;

typedef struct lm_hip_probe {
    int count;
    lm_hip_sample sample[LM_HIP_PROBES];
} lm_hip_probe;

void lm_hip_probe_make(lm_hip_probe *probe, const lm_launch *launch, int side);

/* Room for addresses, of so many samples. */
typedef struct lm_hip_parts {
    int known;
    lm_u32 at[LM_HIP_PROBES][LM_HIP_PARTS][LM_HIP_TOGETHER];
} lm_hip_parts;

/* Cycles that they lose to conflicts with the layout of the launch. From `enough` on it does not matter how
 * many. */
int64_t lm_hip_probe_lost(const lm_hip_probe *probe, lm_hip_parts *parts, const lm_launch *launch, int side,
                          int64_t enough);

/* How threads may take turns. */
typedef struct lm_hip_turns {
    bool any;
    lm_u32 level_row; /* with which rows of threads follow one another */
    lm_u32 bank;      /* so many units are as wide as a bank, as a shift */
} lm_hip_turns;

/* How threads of this side take turns best; returns the cycles lost, as above. */
int64_t lm_hip_choose_turn(const lm_hip_probe *probe, lm_hip_parts *parts, lm_launch *launch, int side,
                           lm_hip_turns turns, int64_t enough);

#endif
