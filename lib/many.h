/* SPDX-License-Identifier: BSD-3-Clause */
/* Many copies as one: each planned by itself, all of them shared out among threads by their predicted times. */
#ifndef LM_MANY_H
#define LM_MANY_H

#include "calibration.h"
#include "planner.h"

typedef struct lm_item {
    lm_problem problem;
    lm_step step; /* cut into units where it is large */
    int64_t units;
} lm_item;

typedef struct lm_many {
    int count;
    int threads;
    int64_t payload; /* bytes of all */
    double seconds;  /* of all, one after the other */
    lm_item item[];
} lm_many;

/* Check and plan all items by estimate, on the machine that the calibration says (NULL = an usual one), which must
 * outlive them; the caller frees *out. */
lmad_status lm_many_make(lm_many **out, int count, const lmad_many_item *items, int threads,
                         const lm_calibration *calibration);

/* Check all pointers, then run. */
lmad_status lm_many_run(const lm_many *many, const lm_settings *settings, void *const *dst,
                        const void *const *src);

#endif
