/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices, their facts, and the current one. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "provider.h"

enum { MOST_DEVICES = 64 };

static lm_hip_error start_error;

static void start(void) {
    const lm_cuda *cuda = lm_cuda_get();
    start_error = cuda ? lm_nv_error(cuda->cuInit(0)) : LM_HIP_ERROR_NO_DEVICE;
}

const lm_cuda *lm_nv_driver(lm_hip_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    *error = start_error;
    return start_error == LM_HIP_SUCCESS ? lm_cuda_get() : NULL;
}

/* Primary contexts are retained once and for good. */
lm_cu_context lm_nv_context(int device) {
    static _Atomic(lm_cu_context) contexts[MOST_DEVICES];
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_driver(&error);
    lm_cu_context context = NULL;
    lm_cu_device handle;
    if (!cuda || device < 0 || device >= MOST_DEVICES) return NULL;
    context = atomic_load_explicit(&contexts[device], memory_order_acquire);
    if (context) return context;
    if (cuda->cuDeviceGet(&handle, device) != 0 || cuda->cuDevicePrimaryCtxRetain(&context, handle) != 0)
        return NULL;
    atomic_store_explicit(&contexts[device], context, memory_order_release); /* the same for every thread */
    return context;
}

const lm_cuda *lm_nv_ready(lm_hip_error *error) {
    const lm_cuda *cuda = lm_nv_driver(error);
    lm_cu_context current = NULL;
    if (!cuda) return NULL;
    if (cuda->cuCtxGetCurrent(&current) == 0 && current) return cuda;
    current = lm_nv_context(0);
    *error = current ? lm_nv_error(cuda->cuCtxSetCurrent(current)) : LM_HIP_ERROR_NO_DEVICE;
    return *error == LM_HIP_SUCCESS ? cuda : NULL;
}

lm_hip_error hipInit(unsigned flags) {
    lm_hip_error error = flags ? LM_HIP_ERROR_INVALID_VALUE : LM_HIP_SUCCESS;
    if (error == LM_HIP_SUCCESS) lm_nv_driver(&error);
    return lm_nv_fail(error);
}

/* The version whose layouts and numbers this library has. */
lm_hip_error hipRuntimeGetVersion(int *version) {
    *version = 6 * 10000000 + 3 * 100000;
    return LM_HIP_SUCCESS;
}

lm_hip_error hipGetDeviceCount(int *count) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_driver(&error);
    *count = 0;
    if (!cuda) return lm_nv_fail(error);
    error = lm_nv_error(cuda->cuDeviceGetCount(count));
    if (*count > MOST_DEVICES) *count = MOST_DEVICES;
    return lm_nv_fail(error == LM_HIP_SUCCESS && *count == 0 ? LM_HIP_ERROR_NO_DEVICE : error);
}

lm_hip_error hipGetDevice(int *device) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuCtxGetDevice(device)) : lm_nv_fail(error);
}

lm_hip_error hipSetDevice(int device) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_driver(&error);
    if (!cuda) return lm_nv_fail(error);
    lm_cu_context context = lm_nv_context(device);
    return context ? lm_nv_result(cuda->cuCtxSetCurrent(context)) : lm_nv_fail(LM_HIP_ERROR_INVALID_DEVICE);
}

lm_hip_error hipDeviceGetAttribute(int *value, lm_hip_attribute attribute, int device) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_driver(&error);
    lm_cu_device handle;
    const int number = lm_nv_attribute(attribute);
    if (!cuda) return lm_nv_fail(error);
    if (number < 0) return lm_nv_fail(LM_HIP_ERROR_INVALID_VALUE);
    error = lm_nv_error(cuda->cuDeviceGet(&handle, device));
    if (error != LM_HIP_SUCCESS) return lm_nv_fail(error);
    return lm_nv_result(cuda->cuDeviceGetAttribute(value, number, handle));
}

static int compute(const lm_cuda *cuda, int attribute, int device) {
    lm_cu_device handle;
    int value;
    return cuda->cuDeviceGet(&handle, device) == 0 &&
                   cuda->cuDeviceGetAttribute(&value, attribute, handle) == 0
               ? value
               : 0;
}

int lm_nv_capability(int device) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_driver(&error);
    if (!cuda) return 0;
    return 10 * compute(cuda, LM_CU_ATTR_COMPUTE_MAJOR, device) +
           compute(cuda, LM_CU_ATTR_COMPUTE_MINOR, device);
}

/* hipDeviceProp_t of version 6: of its texts the name, which comes first, and the architecture; zeros
 * elsewhere, for every number is to be asked for as an attribute. */
lm_hip_error hipGetDevicePropertiesR0600(lm_hip_properties *properties, int device) {
    enum { SIZE = 1472, NAME = 256, ARCH = 1160 };
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_driver(&error);
    lm_cu_device handle;
    char *text = properties;
    if (!cuda) return lm_nv_fail(error);
    if (!properties) return lm_nv_fail(LM_HIP_ERROR_INVALID_VALUE);
    memset(properties, 0, SIZE);
    error = lm_nv_error(cuda->cuDeviceGet(&handle, device));
    if (error == LM_HIP_SUCCESS) error = lm_nv_error(cuda->cuDeviceGetName(text, NAME, handle));
    snprintf(text + ARCH, NAME, "sm_%d", lm_nv_capability(device));
    return lm_nv_fail(error);
}

/* The layout of version 5 is not this library's. */
lm_hip_error hipGetDeviceProperties(lm_hip_properties *properties, int device) {
    return hipGetDevicePropertiesR0600(properties, device);
}

lm_hip_error hipDeviceCanAccessPeer(int *can, int device, int peer) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_driver(&error);
    lm_cu_device from, to;
    if (!cuda) return lm_nv_fail(error);
    error = lm_nv_error(cuda->cuDeviceGet(&from, device));
    if (error == LM_HIP_SUCCESS) error = lm_nv_error(cuda->cuDeviceGet(&to, peer));
    if (error != LM_HIP_SUCCESS) return lm_nv_fail(error);
    return lm_nv_result(cuda->cuDeviceCanAccessPeer(can, from, to));
}
