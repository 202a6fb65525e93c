/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams and the order of work. */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

static struct ihipStream_t *streams; /* all, with the null streams of devices */
static struct ihipStream_t *gone;    /* kept, so that no new one gets the handle of one that is no more */
static uint64_t given;               /* the number of the last piece of work */
static int walkers; /* threads that may stand at a stream, having left the lock for a host function */

/* ---- Handles ------------------------------------------------------------------------------------ */

static struct ihipStream_t *add_stream(int device, unsigned flags, bool is_null) {
    struct ihipStream_t *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    *s = (struct ihipStream_t){.next = streams, .device = device, .flags = flags, .is_null = is_null};
    streams = s;
    if (!is_null) emu.counts.streams++;
    return s;
}

/* Made when first asked for, and kept: threads of tests are few. */
static struct ihipStream_t *own_stream(void) {
    struct ihipStream_t *s = streams;
    while (s && !(s->is_own && s->device == emu_current && pthread_equal(s->thread, pthread_self())))
        s = s->next;
    if (!s) s = add_stream(emu_current, 0, false);
    if (!s || s->is_own) return s;
    s->is_own = true;
    s->thread = pthread_self();
    emu.counts.streams--; /* nobody's to destroy */
    return s;
}

struct ihipStream_t *emu_stream_of(lm_hip_stream handle) {
    if (handle == LM_HIP_STREAM_PER_THREAD) return own_stream();
    if (!handle) {
        struct ihipStream_t **null = &emu.device[emu_current].null_stream;
        if (!*null) *null = add_stream(emu_current, 0, true);
        return *null;
    }
    struct ihipStream_t *s = streams;
    while (s && (s != handle || s->destroyed)) s = s->next;
    return s;
}

int emu_stream_device(lm_hip_stream handle) {
    if (!handle || handle == LM_HIP_STREAM_PER_THREAD) return emu_current;
    pthread_mutex_lock(&emu.lock);
    struct ihipStream_t *s = emu_stream_of(handle);
    int device = s ? s->device : -1;
    pthread_mutex_unlock(&emu.lock);
    return device;
}

/* ---- Work --------------------------------------------------------------------------------------- */

void emu_record_release(emu_record *record) {
    if (record && --record->owners == 0) free(record);
}

void emu_op_release(emu_op *work) {
    free(work->launch.args);
    emu_record_release(work->record);
}

emu_op *emu_op_copy(const emu_op *work) {
    emu_op *op = malloc(sizeof *op);
    void *args = work->launch.args ? malloc(work->launch.arg_bytes) : NULL;
    if (!op || (work->launch.args && !args)) {
        free(op);
        free(args);
        return NULL;
    }
    *op = *work;
    op->next = NULL;
    op->launch.args = args;
    if (args) memcpy(args, work->launch.args, work->launch.arg_bytes);
    if (op->record) op->record->owners++;
    return op;
}

static void append(struct ihipStream_t *s, emu_op *op) {
    op->number = ++given;
    op->device = s->device;
    if (op->kind == OP_RECORD) op->record->number = op->number;
    *(s->tail ? &s->tail->next : &s->head) = op;
    s->tail = op;
}

lm_hip_error emu_give(struct ihipStream_t *s, const emu_op *work) {
    if (s->capture) return emu_capture_take(s, work);
    emu_op *op = emu_op_copy(work);
    if (!op) return LM_HIP_ERROR_OUT_OF_MEMORY;
    append(s, op);
    if (!emu.lazy) emu_run_until(s, op->number);
    return LM_HIP_SUCCESS;
}

/* The null stream waits for all streams that are not "non-blocking", and those for it. */
static void run_null_order(struct ihipStream_t *s, uint64_t number) {
    for (struct ihipStream_t *t = streams; t; t = t->next) {
        if (t->device != s->device || t == s || t->is_null == s->is_null) continue;
        if ((s->flags | t->flags) & LM_HIP_STREAM_NON_BLOCKING) continue;
        emu_run_until(t, number - 1);
        if (t->time > s->time) s->time = t->time;
    }
}

static void run_awaited(struct ihipStream_t *s, emu_record *record) {
    if (!record->done && record->stream) emu_run_until(record->stream, record->number);
    if (record->time > s->time) s->time = record->time;
}

/* A stream that does a host function has no lock while it does; others wait for it. While other streams work,
 * the first piece of this one may be done, and be no more, but for what it waits for. */
static void run_first(struct ihipStream_t *s) {
    const uint64_t number = s->head->number;
    emu_record *awaited = s->head->kind == OP_WAIT ? s->head->record : NULL;
    if (awaited) awaited->owners++;
    run_null_order(s, number);
    if (awaited) run_awaited(s, awaited);
    emu_record_release(awaited);
    emu_op *op = s->head;
    if (!op || op->number != number || s->busy) return; /* done by another thread, or about to be */
    s->busy = true;
    emu_do(s, op);
    s->busy = false;
    s->head = op->next;
    if (!s->head) s->tail = NULL;
    emu_op_release(op);
    free(op);
    pthread_cond_broadcast(&emu.idle);
}

void emu_run_until(struct ihipStream_t *s, uint64_t number) {
    walkers++;
    while (s->head && s->head->number <= number) {
        if (s->busy)
            pthread_cond_wait(&emu.idle, &emu.lock);
        else
            run_first(s);
    }
    walkers--;
}

lm_hip_error emu_streams_drain(int device) {
    lm_hip_error error = LM_HIP_SUCCESS;
    walkers++;
    for (struct ihipStream_t *s = streams; s; s = s->next) {
        if (device >= 0 && s->device != device) continue;
        emu_run_until(s, UINT64_MAX);
        if (!error) error = emu.device[s->device].fault;
    }
    walkers--;
    return error;
}

int64_t emu_streams_pending(void) {
    int64_t count = 0;
    for (const struct ihipStream_t *s = streams; s; s = s->next)
        for (const emu_op *op = s->head; op; op = op->next) count++;
    return count;
}

/* Whoever still waits for a record of it finds that done. */
static void drop_work(struct ihipStream_t *s) {
    while (s->head) {
        emu_op *op = s->head;
        s->head = op->next;
        if (op->kind == OP_RECORD) op->record->done = true;
        emu_op_release(op);
        free(op);
    }
}

static void drop(struct ihipStream_t *list) {
    while (list) {
        struct ihipStream_t *s = list;
        list = s->next;
        drop_work(s);
        free(s);
    }
}

/* Streams that were destroyed go when nobody can be standing at them. */
static void sweep(void) {
    struct ihipStream_t **link = &streams;
    while (*link && walkers == 0) {
        struct ihipStream_t *s = *link;
        if (!s->destroyed) {
            link = &s->next;
            continue;
        }
        *link = s->next;
        drop_work(s);
        s->next = gone;
        gone = s;
    }
}

void emu_streams_uncapture(const struct ihipGraph *graph) {
    for (struct ihipStream_t *s = streams; s; s = s->next)
        if (s->capture == graph) s->capture = NULL, s->capture_origin = false;
}

void emu_streams_drop(void) {
    drop(streams);
    drop(gone);
    streams = gone = NULL;
    for (int i = 0; i < EMU_DEVICES; i++) emu.device[i].null_stream = NULL;
}

/* ---- Entry points ------------------------------------------------------------------------------- */

lm_hip_error hipStreamCreateWithFlags(lm_hip_stream *stream, unsigned flags) {
    lm_hip_error error = emu_enter(CALL_hipStreamCreateWithFlags, emu_current);
    if (error) return emu_leave(error);
    struct ihipStream_t *s = add_stream(emu_current, flags, false);
    if (!s) return emu_leave(LM_HIP_ERROR_OUT_OF_MEMORY);
    *stream = s;
    return emu_leave(LM_HIP_SUCCESS);
}

lm_hip_error hipStreamDestroy(lm_hip_stream stream) {
    int device = emu_stream_device(stream);
    lm_hip_error error = emu_enter(CALL_hipStreamDestroy, device);
    if (device < 0 || !stream || stream == LM_HIP_STREAM_PER_THREAD)
        return emu_leave(error ? error : LM_HIP_ERROR_INVALID_HANDLE);
    struct ihipStream_t *s = emu_stream_of(stream);
    emu_run_until(s, UINT64_MAX);
    s->destroyed = true;
    sweep();
    emu.counts.streams--;
    return emu_leave(error);
}

lm_hip_error hipStreamSynchronize(lm_hip_stream stream) {
    int device = emu_stream_device(stream);
    lm_hip_error error = emu_enter(CALL_hipStreamSynchronize, device);
    if (!error && device < 0) error = LM_HIP_ERROR_INVALID_HANDLE;
    if (!error) error = emu_capture_forbids();
    if (error) return emu_leave(error);
    emu.counts.synchronisations++;
    emu_run_until(emu_stream_of(stream), UINT64_MAX);
    return emu_leave(emu.device[device].fault);
}

lm_hip_error hipDeviceSynchronize(void) {
    lm_hip_error error = emu_enter(CALL_hipDeviceSynchronize, emu_current);
    if (!error) error = emu_capture_forbids();
    if (error) return emu_leave(error);
    emu.counts.synchronisations++;
    return emu_leave(emu_streams_drain(emu_current));
}

lm_hip_error hipLaunchHostFunc(lm_hip_stream stream, lm_hip_host_function function, void *data) {
    int device = emu_stream_device(stream);
    lm_hip_error error = emu_enter(CALL_hipLaunchHostFunc, device);
    if (!error && device < 0) error = LM_HIP_ERROR_INVALID_HANDLE;
    if (!error && !function) error = LM_HIP_ERROR_INVALID_VALUE;
    if (error) return emu_leave(error);
    emu_op work = {.kind = OP_HOST, .function = function, .data = data};
    return emu_leave(emu_give(emu_stream_of(stream), &work));
}

lm_hip_error hipStreamAddCallback(lm_hip_stream stream, lm_hip_callback callback, void *data,
                                  unsigned flags) {
    int device = emu_stream_device(stream);
    lm_hip_error error = emu_enter(CALL_hipStreamAddCallback, device);
    if (!error && device < 0) error = LM_HIP_ERROR_INVALID_HANDLE;
    if (!error && (!callback || flags)) error = LM_HIP_ERROR_INVALID_VALUE;
    if (error) return emu_leave(error);
    emu_op work = {.kind = OP_HOST, .callback = callback, .stream = stream, .data = data};
    return emu_leave(emu_give(emu_stream_of(stream), &work));
}
