/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways to do a problem on devices, by name: what wisdom keeps, and what the planner chooses among. */
#ifndef LM_DEVICE_WAY_H
#define LM_DEVICE_WAY_H

#include "device.h"
#include "device_stage.h"
#include "launch.h"

typedef enum lm_way_kind {
    LM_WAY_MEMCPY, /* one contiguous piece: the run time's own copy */
    LM_WAY_KERNEL, /* a kernel of ours */
    LM_WAY_STAGE   /* between two memory spaces */
} lm_way_kind;

typedef struct lm_device_way {
    lm_way_kind kind;
    lm_hip_params kernel;  /* for that kind, else zeros */
    lm_stage_params stage; /* likewise */
} lm_device_way;

/* The device that a problem is planned for: the destination's, or where that is the host the source's;
 * LM_HOST for a problem of the host. */
int lm_problem_device(const lm_problem *problem);

/* Is it about two memory spaces? */
static inline bool lm_problem_crosses(const lm_problem *problem) {
    return !lm_op_sourceless(problem->op) && problem->dst_space != problem->src_space;
}

/* The way that does every copy or fill, byte by byte: the last resort. */
lm_device_way lm_device_general_way(lm_op op);

bool lm_device_way_equal(const lm_device_way *a, const lm_device_way *b);

/* "hip-memcpy", "hip-tile word=16x16 ...", "stage flat chunk=...". As snprintf. */
int lm_device_way_format(char *buf, size_t size, const lm_device_way *way);

/* Read what lm_device_way_format() writes, and nothing else; false, and *out as it was, for anything else. */
bool lm_device_way_parse(lm_device_way *out, const char *text);

/* May it be made for the problem? So a way that comes from a file can be slow, but not wrong. */
bool lm_device_way_allows(const lm_device_way *way, const lm_problem *problem, const lm_device *device);

/* Predicted seconds of an execution. */
double lm_device_way_cost(const lm_device_way *way, const lm_problem *problem, const lm_device *device);

#endif
