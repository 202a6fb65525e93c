/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between two memory spaces: host and device, or two devices.
 *
 * A staged copy crosses the bus in chunks: a box of the problem is packed where that is cheap, crosses as one
 * flat piece, and is unpacked on the other side, while its neighbours are at the other two stations. The host
 * works in the order of its own memory and leaves the permuting to the device. What is dense already is not
 * packed; axes along which the source does not move cross once.
 *
 *   host -> device     host pack | copy | kernel         any of the packing stations is left out where the
 *   device -> host     kernel | copy | host unpack       memory there is dense and, on the host, within reach
 * of device -> device   kernel | peer copy | kernel       the device (pinned)
 *
 * Where two devices cannot reach each other, the copy is two, through pinned memory of the host. */
#ifndef LM_DEVICE_STAGE_H
#define LM_DEVICE_STAGE_H

#include "ctx.h"
#include "device.h"
#include "hip.h"
#include "problem.h"

typedef struct lm_stage lm_stage;

/* The ways to cross. */
typedef enum lm_stage_way {
    LM_STAGE_FLAT, /* the elements alone, packed */
    LM_STAGE_RAW,  /* the source as it lies there, with what small gaps it has */
    LM_STAGE_BOX,  /* hipMemcpy2D/3D, where the host's memory is pinned; else as FLAT */
    LM_STAGE_REACH /* a kernel that reads or writes the host's memory, where that is pinned; else as FLAT */
} lm_stage_way;

enum { LM_STAGE_MOST = 64 << 20 };

/* What tells one candidate from another. */
typedef struct lm_stage_params {
    lm_stage_way way;
    int64_t chunk; /* bytes that cross at a time, at most: 1 ... LM_STAGE_MOST */
} lm_stage_params;

enum { LM_STAGE_PROPOSALS = 16 };

/* Candidates for a problem of two spaces, best by estimate first; at least one, at most `max`. `effort` as in
 * flags. */
int lm_stage_propose(const lm_problem *problem, int effort, lm_stage_params *out, int max);

/* May it be used for the problem? So one that comes from a file can be slow, but not wrong. */
bool lm_stage_allows(const lm_problem *problem, const lm_stage_params *params);

/* Predicted seconds, where the host's memory is pinned and the bus of the usual speed. */
double lm_stage_cost(const lm_problem *problem, const lm_stage_params *params);

/* "stage flat chunk=4194304" and back, as lm_hip_params_format() and lm_hip_params_parse(). */
int lm_stage_format(char *buf, size_t size, const lm_stage_params *params);
bool lm_stage_parse(lm_stage_params *out, const char *text);

/* Make a staged copy for a canonical problem, neither empty nor within one space. @p ctx gives the steps on
 * devices their wisdom, @p settings the steps on the host their threads.
 *
 * It owns, from here to its end: up to 2*chunk bytes of pinned memory on the NUMA node nearest to the device,
 * as much on each device, up to four streams, their events, and the steps of both sides. An execution
 * allocates nothing.
 *
 * Fails with LMAD_ERR_NO_MEMORY, or as the device does. The caller's current device and last error stay. */
lmad_status lm_stage_make(lm_stage **out, const lm_problem *problem, lmad_ctx *ctx,
                          const lm_settings *settings, const lm_stage_params *params);

/* Enqueue a copy on a stream: of the device, or of the destination's device where there are two; NULL is that
 * device's default stream. Returns at once; both buffers, those on the host too, belong to the copy until the
 * stream has passed it. Pageable, pinned and managed memory, told apart by the lowest byte that the copy
 * touches, may stand where the plan says host; managed memory and memory of the device itself are reached by
 * kernels.
 *
 * Executions of one plan may be enqueued from many threads, on different streams; they use the same chunks of
 * staging memory one after the other. The host's packing runs in the run time's own thread
 * (hipLaunchHostFunc).
 *
 * On failure (a code) nothing is in flight any more and the destination is partly written. A stream that
 * captures a graph is refused: LMAD_ERR_ARGUMENT. */
lmad_status lm_stage_run(lm_stage *stage, char *dst, const char *src, lm_hip_stream stream);

/* Legal while executions are in flight: waits for them. NULL is fine; works on a lost device, too. */
void lm_stage_destroy(lm_stage *stage);

/* The params it was made with, chunks and launches of one execution, for info and describe. */
typedef struct lm_stage_facts {
    lm_stage_params params;
    int64_t chunks, launches, crossing; /* crossing: bytes */
    size_t pinned, device;              /* bytes owned */
} lm_stage_facts;
void lm_stage_facts_of(const lm_stage *stage, lm_stage_facts *out);

#endif
