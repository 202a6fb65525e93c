/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and fills: checked when they are given, as strictly as any HIP might. */
#include <string.h>

#include "memory.h"
#include "stream.h"

enum { INVALID_PITCH = 12, INVALID_DIRECTION = 21 };

static size_t reach(const emu_box *b, size_t pitch, size_t slice) {
    return (b->depth - 1) * slice + (b->height - 1) * pitch + b->width;
}

/* All of the rows lie in one allocation, or begin in none: pageable memory of the host. *where becomes the
 * device, or -1 for memory of the host. */
static bool check_side(const char *name, const char *p, size_t bytes, int *where) {
    const emu_memory *m = emu_memory_of(p, 1);
    *where = m && m->kind != EMU_PINNED_MEMORY ? m->device : -1;
    if (!m || emu_memory_of(p, bytes)) return true;
    emu_complain("%s of a copy: %lld bytes from byte %lld of an allocation of %lld", name, (long long)bytes,
                 (long long)(p - m->base), (long long)(m->end - m->base));
    return false;
}

static bool fits(lm_hip_copy_kind kind, bool to_device, bool from_device) {
    switch (kind) {
    case LM_HIP_COPY_HOST_TO_HOST: return !to_device && !from_device;
    case LM_HIP_COPY_HOST_TO_DEVICE: return to_device && !from_device;
    case LM_HIP_COPY_DEVICE_TO_HOST: return !to_device && from_device;
    case LM_HIP_COPY_DEVICE_TO_DEVICE: return to_device && from_device;
    default: return kind == LM_HIP_COPY_DEFAULT;
    }
}

static lm_hip_error check(const emu_box *b) {
    if (b->width == 0 || b->height == 0 || b->depth == 0) return LM_HIP_SUCCESS;
    if (!b->dst || !b->src) return LM_HIP_ERROR_INVALID_VALUE;
    if ((b->height > 1 || b->depth > 1) && (b->width > b->dst_pitch || b->width > b->src_pitch))
        return INVALID_PITCH;
    int to, from;
    if (!check_side("destination", b->dst, reach(b, b->dst_pitch, b->dst_slice), &to) ||
        !check_side("source", b->src, reach(b, b->src_pitch, b->src_slice), &from))
        return LM_HIP_ERROR_INVALID_VALUE;
    const emu_memory *dst = emu_memory_of(b->dst, 1), *src = emu_memory_of(b->src, 1);
    bool either = (dst && dst->kind == EMU_MANAGED_MEMORY) || (src && src->kind == EMU_MANAGED_MEMORY);
    if (either || fits(b->kind, to >= 0, from >= 0)) return LM_HIP_SUCCESS;
    emu_complain("a copy of kind %d to %s from %s", b->kind, to >= 0 ? "a device" : "the host",
                 from >= 0 ? "a device" : "the host");
    return INVALID_DIRECTION;
}

static lm_hip_error give(emu_call call, const emu_box *box, lm_hip_stream stream) {
    int device = emu_stream_device(stream);
    lm_hip_error error = emu_enter(call, device);
    if (!error && device < 0) error = LM_HIP_ERROR_INVALID_HANDLE;
    if (!error) error = check(box);
    if (error || box->width == 0 || box->height == 0 || box->depth == 0) return emu_leave(error);
    emu_op work = {.kind = OP_COPY, .box = *box};
    return emu_leave(emu_give(emu_stream_of(stream), &work));
}

static emu_box flat(void *dst, const void *src, size_t size, lm_hip_copy_kind kind) {
    return (emu_box){.dst = dst, .src = src, .width = size, .height = 1, .depth = 1, .kind = kind};
}

lm_hip_error hipMemcpyAsync(void *dst, const void *src, size_t size, lm_hip_copy_kind kind,
                            lm_hip_stream stream) {
    emu_box box = flat(dst, src, size, kind);
    return give(CALL_hipMemcpyAsync, &box, stream);
}

lm_hip_error hipMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t size,
                                lm_hip_stream stream) {
    emu_box box = flat(dst, src, size, LM_HIP_COPY_DEVICE_TO_DEVICE);
    pthread_mutex_lock(&emu.lock);
    const emu_memory *to = emu_memory_of(dst, 1), *from = emu_memory_of(src, 1);
    bool right = size == 0 || (to && from && to->device == dst_device && from->device == src_device);
    pthread_mutex_unlock(&emu.lock);
    if (!right) box.dst = NULL;
    return give(CALL_hipMemcpyPeerAsync, &box, stream);
}

lm_hip_error hipMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                              size_t height, lm_hip_copy_kind kind, lm_hip_stream stream) {
    emu_box box = flat(dst, src, width, kind);
    box.height = height;
    box.dst_pitch = dst_pitch, box.src_pitch = src_pitch;
    return give(CALL_hipMemcpy2DAsync, &box, stream);
}

static size_t place(const lm_hip_position *at, const lm_hip_pitched *p) {
    return at->x + (at->y + at->z * p->ysize) * p->pitch;
}

lm_hip_error hipMemcpy3DAsync(const lm_hip_copy_3d *c, lm_hip_stream stream) {
    emu_box box = {.width = c->extent.width,
                   .height = c->extent.height,
                   .depth = c->extent.depth,
                   .dst_pitch = c->dst.pitch,
                   .src_pitch = c->src.pitch,
                   .dst_slice = c->dst.pitch * c->dst.ysize,
                   .src_slice = c->src.pitch * c->src.ysize,
                   .kind = c->kind};
    if (!c->dst_array && !c->src_array && c->dst.ptr && c->src.ptr) {
        box.dst = (char *)c->dst.ptr + place(&c->dst_position, &c->dst);
        box.src = (const char *)c->src.ptr + place(&c->src_position, &c->src);
    }
    return give(CALL_hipMemcpy3DAsync, &box, stream);
}

static lm_hip_error check_fill(const void *dst, size_t size) {
    if (emu_memory_of(dst, size)) return LM_HIP_SUCCESS;
    emu_complain("a memset of %lld bytes that lie in no one allocation", (long long)size);
    return LM_HIP_ERROR_INVALID_VALUE;
}

lm_hip_error hipMemsetAsync(void *dst, int value, size_t size, lm_hip_stream stream) {
    int device = emu_stream_device(stream);
    lm_hip_error error = emu_enter(CALL_hipMemsetAsync, device);
    if (!error && device < 0) error = LM_HIP_ERROR_INVALID_HANDLE;
    if (!error && size > 0) error = check_fill(dst, size);
    if (error || size == 0) return emu_leave(error);
    emu_op work = {.kind = OP_FILL, .value = value, .box = flat(dst, dst, size, LM_HIP_COPY_DEFAULT)};
    return emu_leave(emu_give(emu_stream_of(stream), &work));
}

/* ---- Those that wait --------------------------------------------------------------------------- */

static lm_hip_error wait(emu_call call, lm_hip_error error) {
    if (error) return error;
    error = emu_enter(call, emu_current);
    emu.calls[call]--;
    struct ihipStream_t *s = emu_stream_of(NULL);
    emu.counts.synchronisations++;
    emu_run_until(s, UINT64_MAX);
    return emu_leave(error ? error : emu.device[emu_current].fault);
}

lm_hip_error hipMemcpy(void *dst, const void *src, size_t size, lm_hip_copy_kind kind) {
    emu_box box = flat(dst, src, size, kind);
    return wait(CALL_hipMemcpy, give(CALL_hipMemcpy, &box, NULL));
}

lm_hip_error hipMemset(void *dst, int value, size_t size) {
    return wait(CALL_hipMemset, hipMemsetAsync(dst, value, size, NULL));
}
