/* SPDX-License-Identifier: BSD-3-Clause */
/* What a staged copy is made of: device_stage.c makes it, device_stage_run.c runs it. */
#ifndef LM_DEVICE_STAGE_PARTS_H
#define LM_DEVICE_STAGE_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "device_copy.h"
#include "device_crossing.h"
#include "device_stage.h"
#include "planner.h"

/* Stations that a box passes, in this order. Most copies do without some. */
enum { LM_STAGE_IN, LM_STAGE_COPY, LM_STAGE_COPY_ON, LM_STAGE_OUT, LM_STAGE_STATIONS };

/* Boxes are at every station in turn in one of two slots; so the next one comes in while one goes out. */
enum { LM_STAGE_SLOTS = 2 };

/* A station works in a stream of its own, and says when it is done with a slot. */
typedef struct lm_station {
    bool used;
    int device; /* of the stream */
    lm_hip_stream stream;
    lm_hip_event done[LM_STAGE_SLOTS];
} lm_station;

/* What to do on one side with pieces of either size. */
typedef struct lm_stage_half {
    int space;
    bool trivial;              /* one contiguous copy, which may be left out */
    lm_step step[2];           /* on the host */
    lm_device_copy *launch[2]; /* on a device; owned */
} lm_stage_half;

/* Memory between a station and the next one that is used. */
typedef struct lm_stage_buffer {
    int space;
    size_t bytes; /* of a slot; 0 = there is none */
    char *slot[LM_STAGE_SLOTS];
} lm_stage_buffer;

/* What the host's part of an execution needs until it is done. */
typedef struct lm_flight {
    struct lm_stage *stage;
    char *dst;
    const char *src;
    int64_t next; /* box */
    atomic_bool busy;
} lm_flight;

enum { LM_STAGE_FLIGHTS = 16 };

struct lm_stage {
    const lm_hip *hip;
    int device; /* that streams of callers belong to */
    lm_problem problem;
    lm_stage_params params;
    lm_settings settings;
    lm_crossing crossing;
    lm_stage_half in, out;
    lm_device_copy
        *direct; /* owned; the whole problem by kernels, where both sides are within reach of them */
    lm_station station[LM_STAGE_STATIONS];
    lm_stage_buffer buffer[LM_STAGE_STATIONS - 1]; /* behind each station but the last */
    lm_hip_event begin;
    pthread_mutex_t lock; /* one execution is enqueued at a time */
    lm_flight flight[LM_STAGE_FLIGHTS];
};

/* In place of lm_device_leave() (device_stage.c). */
void lm_stage_leave(const lm_stage *stage, const lm_device_guard *guard);

/* Wait for all that was enqueued (device_stage_run.c). */
void lm_stage_drain(lm_stage *stage);

/* Boxes for these params (device_stage_params.c). */
void lm_stage_cut(lm_crossing *out, const lm_problem *problem, const lm_stage_params *params);

#endif
