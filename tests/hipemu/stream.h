/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams: queues of work, done when it is given (eager) or when somebody has to wait for it (lazy). */
#ifndef HIPEMU_STREAM_H
#define HIPEMU_STREAM_H

#include "state.h"

typedef struct emu_box { /* a copy of height * depth rows */
    char *dst;
    const char *src;
    size_t width, height, depth;
    size_t dst_pitch, src_pitch, dst_slice, src_slice;
    lm_hip_copy_kind kind;
} emu_box;

typedef struct emu_launch {
    struct ihipModuleSymbol_t *function;
    uint32_t grid[3], block[3], lds_bytes;
    void *args;
    size_t arg_bytes;
} emu_launch;

/* What a recorded event is waited for by; shared by the event, its place in the stream, and those that wait.
 */
typedef struct emu_record {
    int owners;
    bool done;
    double time;
    struct ihipStream_t *stream;
    uint64_t number;
} emu_record;

typedef enum emu_op_kind { OP_COPY, OP_FILL, OP_KERNEL, OP_HOST, OP_RECORD, OP_WAIT } emu_op_kind;

typedef struct emu_op {
    struct emu_op *next;
    uint64_t number; /* in the order in which all work of the process was given */
    emu_op_kind kind;
    int device;
    int value; /* of a fill */
    emu_box box;
    emu_launch launch;
    lm_hip_host_function function; /* either of them */
    lm_hip_callback callback;
    lm_hip_stream stream; /* as the callback is told */
    void *data;
    emu_record *record;
    struct ihipEvent_t *event; /* OP_RECORD, in a graph: it is recorded when the graph runs */
} emu_op;

struct ihipStream_t {
    struct ihipStream_t *next;
    int device;
    unsigned flags;
    bool is_null, busy, destroyed;
    bool is_own;      /* hipStreamPerThread, */
    pthread_t thread; /* of this one */
    emu_op *head, *tail;
    double time; /* of the fake clock, when all that is done was done */
    struct ihipGraph *capture;
    bool capture_origin;
};

struct ihipEvent_t {
    struct ihipEvent_t *next;
    int device;
    unsigned flags;
    emu_record *record;
    struct ihipGraph *capture; /* recorded while this was captured */
};

/* The stream for a handle (NULL and hipStreamPerThread: the current device's), or NULL where there is none.
 */
struct ihipStream_t *emu_stream_of(lm_hip_stream handle);
/* The device of it, for emu_enter(); -1 for unknown handles. Without the lock, as the first thing. */
int emu_stream_device(lm_hip_stream handle);

/* Give work to a stream; the work is copied. While the stream is captured, the graph gets it. */
lm_hip_error emu_give(struct ihipStream_t *stream, const emu_op *work);

/* Do all work of a stream up to a number, and what that depends on. */
void emu_run_until(struct ihipStream_t *stream, uint64_t number);

/* Do all work of a device (-1 = of all); its fault. */
lm_hip_error emu_streams_drain(int device);

int64_t emu_streams_pending(void);

/* Forget all streams and events, and their work. */
void emu_streams_drop(void);
void emu_events_drop(void);

void emu_record_release(emu_record *record);
emu_op *emu_op_copy(const emu_op *work); /* NULL without memory */
void emu_op_release(emu_op *work);       /* what it owns, not itself */

/* The capture is over. */
void emu_streams_uncapture(const struct ihipGraph *graph);
void emu_events_uncapture(const struct ihipGraph *graph);

/* ---- work.c: */
void emu_do(struct ihipStream_t *stream, emu_op *work);

/* ---- graph.c: an error while a capture is under way that forbids such a call, which also ruins the capture.
 */
lm_hip_error emu_capture_forbids(void);
lm_hip_error emu_capture_take(struct ihipStream_t *stream, const emu_op *work);
void emu_graphs_drop(void);

/* ---- launch.c: runs a kernel; 0 or the device's fault. */
lm_hip_error emu_run_kernel(int device, const emu_launch *launch, int64_t *bytes, int64_t *segments);

#endif
