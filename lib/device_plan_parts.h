/* SPDX-License-Identifier: BSD-3-Clause */
/* What a plan for devices is made of: for device_plan.c, and device_describe.c that tells about it. */
#ifndef LM_DEVICE_PLAN_PARTS_H
#define LM_DEVICE_PLAN_PARTS_H

#include <pthread.h>

#include "device_plan.h"

/* How the steps make up the operation. */
typedef enum lm_device_recipe {
    LM_DEVICE_ONE,       /* step[0] */
    LM_DEVICE_LONG_FILL, /* an element from the host to the first place, step[0] from there to all */
    LM_DEVICE_BUFFERED,  /* step[0] to scratch, step[1] from scratch */
    LM_DEVICE_STAGED     /* stage */
} lm_device_recipe;

struct lm_device_plan {
    const lm_device *device;
    lm_device_recipe recipe;
    lm_device_copy *step[2];
    lm_device_choice choice[2]; /* of the steps, or of the stage */
    lm_stage *stage;
    void *scratch;        /* of the device; NULL = none */
    pthread_mutex_t lock; /* of the rest */
    bool used;            /* has an execution used the scratch? */
    lm_hip_event last;    /* when the last one is through with it */
};

#endif
