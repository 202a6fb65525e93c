/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory and copies. Addresses are unified: the driver tells host from device by the pointer. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "provider.h"

static lm_cu_address address_of(const void *p) { return (lm_cu_address)(uintptr_t)p; }

lm_hip_error hipMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuMemGetInfo(free_bytes, total_bytes)) : lm_nv_fail(error);
}

/* HIP gives NULL for nothing, CUDA an error. */
lm_hip_error hipMalloc(void **p, size_t size) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    lm_cu_address address = 0;
    if (!cuda) return lm_nv_fail(error);
    error = size ? lm_nv_error(cuda->cuMemAlloc(&address, size)) : LM_HIP_SUCCESS;
    if (error == LM_HIP_SUCCESS) *p = (void *)(uintptr_t)address;
    return lm_nv_fail(error);
}

lm_hip_error hipFree(void *p) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    if (!cuda) return lm_nv_fail(error);
    return p ? lm_nv_result(cuda->cuMemFree(address_of(p))) : LM_HIP_SUCCESS;
}

/* Portable, mapped and write-combined have CUDA's bits; the others are HIP's own. */
lm_hip_error hipHostMalloc(void **p, size_t size, unsigned flags) {
    enum { COMMON = 7 };
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuMemHostAlloc(p, size, flags & COMMON)) : lm_nv_fail(error);
}

lm_hip_error hipHostFree(void *p) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    if (!cuda) return lm_nv_fail(error);
    return p ? lm_nv_result(cuda->cuMemFreeHost(p)) : LM_HIP_SUCCESS;
}

/* hipMemoryType of version 6: what CUDA does not know is 0. */
enum { TYPE_UNREGISTERED = 0, TYPE_HOST = 1, TYPE_DEVICE = 2, TYPE_MANAGED = 3 };

static int type_of(const lm_cuda *cuda, lm_cu_address address, int *managed) {
    unsigned type = 0, flag = 0;
    *managed = 0;
    if (cuda->cuPointerGetAttribute(&type, LM_CU_POINTER_MEMORY_TYPE, address) != 0) return TYPE_UNREGISTERED;
    if (cuda->cuPointerGetAttribute(&flag, LM_CU_POINTER_IS_MANAGED, address) == 0) *managed = flag & 1;
    return *managed ? TYPE_MANAGED : type == LM_CU_MEMORY_HOST ? TYPE_HOST : TYPE_DEVICE;
}

lm_hip_error hipPointerGetAttributes(lm_hip_pointer_attributes *attributes, const void *p) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    const lm_cu_address address = address_of(p);
    if (!cuda) return lm_nv_fail(error);
    memset(attributes, 0, sizeof *attributes);
    attributes->type = type_of(cuda, address, &attributes->managed);
    if (attributes->type == TYPE_UNREGISTERED) {
        attributes->device = -1;
        return LM_HIP_SUCCESS;
    }
    /* The last two have no answer for some kinds of memory, and then stay NULL. */
    error =
        lm_nv_error(cuda->cuPointerGetAttribute(&attributes->device, LM_CU_POINTER_DEVICE_ORDINAL, address));
    cuda->cuPointerGetAttribute(&attributes->device_pointer, LM_CU_POINTER_DEVICE_POINTER, address);
    cuda->cuPointerGetAttribute(&attributes->host_pointer, LM_CU_POINTER_HOST_POINTER, address);
    return lm_nv_fail(error);
}

lm_hip_error hipMemcpyAsync(void *dst, const void *src, size_t size, lm_hip_copy_kind kind,
                            lm_hip_stream stream) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    (void)kind;
    if (!cuda || size == 0) return lm_nv_fail(error);
    return lm_nv_result(cuda->cuMemcpyAsync(address_of(dst), address_of(src), size, (lm_cu_stream)stream));
}

lm_hip_error hipMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t size,
                                lm_hip_stream stream) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    lm_cu_context to = lm_nv_context(dst_device), from = lm_nv_context(src_device);
    if (!cuda || size == 0) return lm_nv_fail(error);
    if (!to || !from) return lm_nv_fail(LM_HIP_ERROR_INVALID_DEVICE);
    return lm_nv_result(
        cuda->cuMemcpyPeerAsync(address_of(dst), to, address_of(src), from, size, (lm_cu_stream)stream));
}

/* Pitched copies want to be told; a plain pointer of the host is one that the driver does not know. */
static int side_of(const lm_cuda *cuda, const void *p) {
    unsigned type = 0;
    const bool known = cuda->cuPointerGetAttribute(&type, LM_CU_POINTER_MEMORY_TYPE, address_of(p)) == 0;
    return known ? LM_CU_MEMORY_UNIFIED : LM_CU_MEMORY_HOST;
}

lm_hip_error hipMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                              size_t height, lm_hip_copy_kind kind, lm_hip_stream stream) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    (void)kind;
    if (!cuda || width == 0 || height == 0) return lm_nv_fail(error);
    const lm_cu_copy_2d copy = {
        .src_type = side_of(cuda, src),
        .src_host = src,
        .src_device = address_of(src),
        .src_pitch = src_pitch,
        .dst_type = side_of(cuda, dst),
        .dst_host = dst,
        .dst_device = address_of(dst),
        .dst_pitch = dst_pitch,
        .width = width,
        .height = height,
    };
    return lm_nv_result(cuda->cuMemcpy2DAsync(&copy, (lm_cu_stream)stream));
}

/* Without arrays, x and the width are in bytes on both sides. */
lm_hip_error hipMemcpy3DAsync(const lm_hip_copy_3d *p, lm_hip_stream stream) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    if (!cuda) return lm_nv_fail(error);
    if (p->src_array || p->dst_array) return lm_nv_fail(LM_HIP_ERROR_NOT_SUPPORTED);
    if (p->extent.width == 0 || p->extent.height == 0 || p->extent.depth == 0) return LM_HIP_SUCCESS;
    const lm_cu_copy_3d copy = {
        .src_x = p->src_position.x,
        .src_y = p->src_position.y,
        .src_z = p->src_position.z,
        .src_type = side_of(cuda, p->src.ptr),
        .src_host = p->src.ptr,
        .src_device = address_of(p->src.ptr),
        .src_pitch = p->src.pitch,
        .src_height = p->src.ysize,
        .dst_x = p->dst_position.x,
        .dst_y = p->dst_position.y,
        .dst_z = p->dst_position.z,
        .dst_type = side_of(cuda, p->dst.ptr),
        .dst_host = p->dst.ptr,
        .dst_device = address_of(p->dst.ptr),
        .dst_pitch = p->dst.pitch,
        .dst_height = p->dst.ysize,
        .width = p->extent.width,
        .height = p->extent.height,
        .depth = p->extent.depth,
    };
    return lm_nv_result(cuda->cuMemcpy3DAsync(&copy, (lm_cu_stream)stream));
}

lm_hip_error hipMemsetAsync(void *dst, int value, size_t size, lm_hip_stream stream) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    if (!cuda || size == 0) return lm_nv_fail(error);
    return lm_nv_result(
        cuda->cuMemsetD8Async(address_of(dst), (unsigned char)value, size, (lm_cu_stream)stream));
}
