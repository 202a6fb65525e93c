/* SPDX-License-Identifier: BSD-3-Clause */
/* Events. Each recording has a record of its own, so that one who waits for an older one gets that. */
#include <stdlib.h>

#include "stream.h"

static struct ihipEvent_t *events;

static struct ihipEvent_t *event_of(lm_hip_event handle) {
    struct ihipEvent_t *e = events;
    while (e && e != handle) e = e->next;
    return e;
}

/* For emu_enter(): of the event, -1 where there is none. */
static int event_device(lm_hip_event handle) {
    pthread_mutex_lock(&emu.lock);
    const struct ihipEvent_t *e = event_of(handle);
    int device = e ? e->device : -1;
    pthread_mutex_unlock(&emu.lock);
    return device;
}

static lm_hip_error enter_event(emu_call call, lm_hip_event handle, struct ihipEvent_t **event) {
    lm_hip_error error = emu_enter(call, event_device(handle));
    *event = event_of(handle);
    return error || *event ? error : LM_HIP_ERROR_INVALID_HANDLE;
}

void emu_events_drop(void) {
    while (events) {
        struct ihipEvent_t *e = events;
        events = e->next;
        emu_record_release(e->record);
        free(e);
    }
}

/* What was recorded in a capture is nothing outside of it. */
void emu_events_uncapture(const struct ihipGraph *graph) {
    for (struct ihipEvent_t *e = events; e; e = e->next) {
        if (e->capture != graph) continue;
        emu_record_release(e->record);
        e->record = NULL;
        e->capture = NULL;
    }
}

lm_hip_error hipEventCreateWithFlags(lm_hip_event *event, unsigned flags) {
    lm_hip_error error = emu_enter(CALL_hipEventCreateWithFlags, emu_current);
    if (error) return emu_leave(error);
    struct ihipEvent_t *e = calloc(1, sizeof *e);
    if (!e) return emu_leave(LM_HIP_ERROR_OUT_OF_MEMORY);
    *e = (struct ihipEvent_t){.next = events, .device = emu_current, .flags = flags};
    events = e;
    emu.counts.events++;
    *event = e;
    return emu_leave(LM_HIP_SUCCESS);
}

lm_hip_error hipEventDestroy(lm_hip_event event) {
    struct ihipEvent_t *e, **link = &events;
    lm_hip_error error = enter_event(CALL_hipEventDestroy, event, &e);
    if (!e) return emu_leave(error);
    while (*link != e) link = &(*link)->next;
    *link = e->next;
    emu_record_release(e->record);
    free(e);
    emu.counts.events--;
    return emu_leave(error);
}

static lm_hip_error record(struct ihipEvent_t *e, struct ihipStream_t *s) {
    emu_record *record = calloc(1, sizeof *record);
    if (!record) return LM_HIP_ERROR_OUT_OF_MEMORY;
    *record = (emu_record){.owners = 1, .stream = s};
    emu_op work = {.kind = OP_RECORD, .record = record, .event = e};
    lm_hip_error error = emu_give(s, &work);
    if (error) {
        emu_record_release(record);
        return error;
    }
    emu_record_release(e->record);
    e->record = record;
    e->capture = s->capture;
    return LM_HIP_SUCCESS;
}

lm_hip_error hipEventRecord(lm_hip_event event, lm_hip_stream stream) {
    int device = emu_stream_device(stream);
    struct ihipEvent_t *e;
    lm_hip_error error = enter_event(CALL_hipEventRecord, event, &e);
    if (error) return emu_leave(error);
    struct ihipStream_t *s = emu_stream_of(stream);
    if (!s) return emu_leave(LM_HIP_ERROR_INVALID_HANDLE);
    if (s->device != e->device || device != s->device) return emu_leave(LM_HIP_ERROR_INVALID_HANDLE);
    return emu_leave(record(e, s));
}

/* A stream that waits for an event of a capture becomes part of the capture. */
static void join(struct ihipStream_t *s, const struct ihipEvent_t *e) {
    if (e->capture && !s->capture) s->capture = e->capture;
}

lm_hip_error hipStreamWaitEvent(lm_hip_stream stream, lm_hip_event event, unsigned flags) {
    (void)flags;
    int device = emu_stream_device(stream);
    struct ihipEvent_t *e;
    lm_hip_error error = enter_event(CALL_hipStreamWaitEvent, event, &e);
    if (!error && device >= 0) error = emu.device[device].fault;
    if (error) return emu_leave(error);
    struct ihipStream_t *s = emu_stream_of(stream);
    if (!s) return emu_leave(LM_HIP_ERROR_INVALID_HANDLE);
    if (!e->record) return emu_leave(LM_HIP_SUCCESS);
    join(s, e);
    emu_op work = {.kind = OP_WAIT, .record = e->record};
    return emu_leave(emu_give(s, &work));
}

/* Who asks again and again gets an answer in the end, also from lazy streams: each question has one piece of
 * work done. */
static void advance(emu_record *record) {
    struct ihipStream_t *s = record->stream;
    if (!record->done && s && s->head && !s->busy) emu_run_until(s, s->head->number);
}

lm_hip_error hipEventQuery(lm_hip_event event) {
    struct ihipEvent_t *e;
    lm_hip_error error = enter_event(CALL_hipEventQuery, event, &e);
    if (!error) error = emu_capture_forbids();
    if (error || !e->record) return emu_leave(error);
    advance(e->record);
    return emu_leave(e->record->done ? emu.device[e->device].fault : LM_HIP_ERROR_NOT_READY);
}

lm_hip_error hipEventSynchronize(lm_hip_event event) {
    struct ihipEvent_t *e;
    lm_hip_error error = enter_event(CALL_hipEventSynchronize, event, &e);
    if (!error) error = emu_capture_forbids();
    if (error) return emu_leave(error);
    emu.counts.synchronisations++;
    int device = e->device;
    if (e->record && !e->record->done) emu_run_until(e->record->stream, e->record->number);
    return emu_leave(emu.device[device].fault);
}

lm_hip_error hipEventElapsedTime(float *ms, lm_hip_event start, lm_hip_event stop) {
    struct ihipEvent_t *first, *last;
    lm_hip_error error = enter_event(CALL_hipEventElapsedTime, start, &first);
    last = event_of(stop);
    if (error) return emu_leave(error);
    if (!last || !first->record || !last->record ||
        ((first->flags | last->flags) & LM_HIP_EVENT_DISABLE_TIMING))
        return emu_leave(LM_HIP_ERROR_INVALID_HANDLE);
    if (!first->record->done || !last->record->done) return emu_leave(LM_HIP_ERROR_NOT_READY);
    *ms = (float)((last->record->time - first->record->time) / 1e6);
    return emu_leave(LM_HIP_SUCCESS);
}
