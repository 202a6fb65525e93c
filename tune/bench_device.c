/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows on a device. */
#include "bench_device.h"

#include <stdio.h>

#include "lib/hip.h"
#include "lmad-hip.h"

static int complain(char *reason, size_t size, lm_hip_error error, const char *what) {
    if (error == LM_HIP_SUCCESS) return 0;
    lm_device_fail(error, what);
    snprintf(reason, size, "%s", lmad_error_detail());
    return -1;
}

int lm_bench_device_open(lm_bench_device *d, int number, char *reason, size_t size) {
    *d = (lm_bench_device){0};
    if (number == LMAD_HOST) return 0;
    if (lm_device_get(number, &d->device) != LMAD_OK) {
        snprintf(reason, size, "%s", lmad_error_detail());
        return -1;
    }
    const lm_hip *hip = lm_hip_get();
    lm_hip_error error = hip->hipSetDevice(number);
    if (!error) error = hip->hipStreamCreateWithFlags(&d->stream, LM_HIP_STREAM_NON_BLOCKING);
    if (!error) error = hip->hipEventCreateWithFlags(&d->start, 0);
    if (!error) error = hip->hipEventCreateWithFlags(&d->stop, 0);
    return complain(reason, size, error, "opening the device");
}

void lm_bench_device_close(lm_bench_device *d) {
    if (!d->device) return;
    const lm_hip *hip = lm_hip_get();
    if (d->stop) hip->hipEventDestroy(d->stop);
    if (d->start) hip->hipEventDestroy(d->start);
    if (d->stream) hip->hipStreamDestroy(d->stream);
    if (d->memory) hip->hipFree(d->memory);
    *d = (lm_bench_device){0};
}

int lm_bench_device_reserve(lm_bench_device *d, const lm_arena *arena, char *reason, size_t size) {
    void *memory;
    if (d->size >= arena->size) return 0;
    const lm_hip *hip = lm_hip_get();
    if (d->memory) hip->hipFree(d->memory);
    d->memory = NULL;
    d->size = 0;
    if (complain(reason, size, hip->hipMalloc(&memory, arena->size), "memory of the device")) return -1;
    d->memory = memory;
    d->size = arena->size;
    return 0;
}

/* Where an address of the arena, or near it, is on the device. */
static char *there(const lm_bench_work *w, const void *host) {
    return (char *)((uintptr_t)w->device->memory + ((uintptr_t)host - (uintptr_t)w->arena->block));
}

static lmad_status enqueue(const lm_bench_work *w) {
    const lm_operation *o = w->operation;
    const void *src = o->has_value ? o->src : there(w, o->src);
    return lmad_execute_hip(o->plan, there(w, o->dst), src, w->device->stream);
}

lmad_status lm_bench_device_run(const lm_bench_work *w) {
    const lm_hip *hip = lm_hip_get();
    const lm_bench_device *d = w->device;
    const size_t size = w->arena->size;
    lm_hip_error error =
        hip->hipMemcpyAsync(d->memory, w->arena->block, size, LM_HIP_COPY_HOST_TO_DEVICE, d->stream);
    if (!error) error = hip->hipStreamSynchronize(d->stream);
    lmad_status status = lm_device_fail(error, "filling the device's memory");
    if (status == LMAD_OK) status = enqueue(w);
    if (status != LMAD_OK) return status;
    error = hip->hipMemcpyAsync(w->arena->block, d->memory, size, LM_HIP_COPY_DEVICE_TO_HOST, d->stream);
    if (!error) error = hip->hipStreamSynchronize(d->stream);
    return lm_device_fail(error, "reading the device's memory");
}

static double stop(const lm_bench_device *d) {
    const lm_hip *hip = lm_hip_get();
    float ms;
    if (hip->hipEventRecord(d->stop, d->stream) || hip->hipEventSynchronize(d->stop) ||
        hip->hipEventElapsedTime(&ms, d->start, d->stop))
        return -1;
    return (double)ms * 1e6;
}

double lm_bench_device_time(void *work, int64_t repeats) {
    const lm_bench_work *w = work;
    if (lm_hip_get()->hipEventRecord(w->device->start, w->device->stream)) return -1;
    for (; repeats > 0; repeats--)
        if (enqueue(w) != LMAD_OK) return -1;
    return stop(w->device);
}

double lm_bench_device_memcpy(void *work, int64_t repeats) {
    const lm_bench_work *w = work;
    const lm_hip *hip = lm_hip_get();
    char *dst = there(w, w->buffers->dst.body);
    const char *src = there(w, w->buffers->src.body);
    if (hip->hipEventRecord(w->device->start, w->device->stream)) return -1;
    for (; repeats > 0; repeats--)
        if (hip->hipMemcpyAsync(dst, src, w->payload, LM_HIP_COPY_DEVICE_TO_DEVICE, w->device->stream))
            return -1;
    return stop(w->device);
}
