/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own declarations of the part of HIP that the library uses, so that it is built without HIP's headers.
 * Where those are installed, hip_check.c compares. Structs whose layout depends on HIP's version have no
 * place here. */
#ifndef LM_HIP_TYPES_H
#define LM_HIP_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* HIP's enumerations are ints to us. */
typedef int lm_hip_error;
typedef int lm_hip_attribute;
typedef int lm_hip_copy_kind;
typedef int lm_hip_capture_status;
typedef int lm_hiprtc_result;

typedef struct ihipStream_t *lm_hip_stream;
typedef struct ihipEvent_t *lm_hip_event;
typedef struct ihipModule_t *lm_hip_module;
typedef struct ihipModuleSymbol_t *lm_hip_function;
typedef struct _hiprtcProgram *lm_hiprtc_program;
typedef void (*lm_hip_host_function)(void *data);
typedef void (*lm_hip_callback)(lm_hip_stream stream, lm_hip_error status, void *data);

/* hipDeviceProp_t has 792 bytes in version 5 and 1472 from version 6 on; lib/device.c reads two texts of it.
 */
typedef void lm_hip_properties;

/* Versions, as hipRuntimeGetVersion() says them: from 6 on layouts and numbers of memory types are other
 * ones; from 7 on a call that succeeds leaves a thread's last error alone. */
enum { LM_HIP_6 = 60000000, LM_HIP_7 = 70000000 };

/* Values of lm_hip_error: those that the library tells apart. */
enum {
#define LM_HIP_ERROR(ours, hips, number) ours = number,
#include "hip_errors.h"
};

/* Values of lm_hip_attribute. */
enum {
    LM_HIP_ATTR_ASYNC_ENGINES = 2,
    LM_HIP_ATTR_INTEGRATED = 16,
    LM_HIP_ATTR_L2_BYTES = 19,
    LM_HIP_ATTR_MAX_GRID_X = 29,
    LM_HIP_ATTR_MAX_GRID_Y = 30,
    LM_HIP_ATTR_MAX_GRID_Z = 31,
    LM_HIP_ATTR_MAX_THREADS = 56, /* per block */
    LM_HIP_ATTR_UNITS = 63,       /* compute units, multiprocessors */
    LM_HIP_ATTR_PCI_BUS = 67,
    LM_HIP_ATTR_PCI_DEVICE = 68,
    LM_HIP_ATTR_PCI_DOMAIN = 69,
    LM_HIP_ATTR_LDS_BYTES = 74, /* per block */
    LM_HIP_ATTR_WAVE = 87
};

/* Values of lm_hip_copy_kind. */
enum {
    LM_HIP_COPY_HOST_TO_HOST = 0,
    LM_HIP_COPY_HOST_TO_DEVICE = 1,
    LM_HIP_COPY_DEVICE_TO_HOST = 2,
    LM_HIP_COPY_DEVICE_TO_DEVICE = 3,
    LM_HIP_COPY_DEFAULT = 4
};

/* Values of lm_hip_capture_status. */
enum { LM_HIP_CAPTURE_NONE = 0, LM_HIP_CAPTURE_ACTIVE = 1, LM_HIP_CAPTURE_INVALIDATED = 2 };

/* Flags of streams, events and host memory. */
enum {
    LM_HIP_STREAM_NON_BLOCKING = 1,
    LM_HIP_EVENT_DISABLE_TIMING = 2,
    LM_HIP_HOST_PORTABLE = 1,          /* pinned for all devices */
    LM_HIP_HOST_NUMA_USER = 0x20000000 /* on the node that the calling thread's memory policy asks for */
};

/* hipStreamPerThread: a default stream that is the calling thread's own. */
#define LM_HIP_STREAM_PER_THREAD ((lm_hip_stream)2)

/* The last argument of hipModuleLaunchKernel: {LM_HIP_LAUNCH_BUFFER, args, LM_HIP_LAUNCH_SIZE, &size,
 * LM_HIP_LAUNCH_END}, with the arguments laid out as in a struct of them. */
#define LM_HIP_LAUNCH_BUFFER ((void *)1)
#define LM_HIP_LAUNCH_SIZE   ((void *)2)
#define LM_HIP_LAUNCH_END    ((void *)3)

/* hipPointerAttribute_t. What the numbers of type mean depends on the version: lm_hip_memory_of() in hip.h.
 */
typedef struct lm_hip_pointer_attributes {
    int type;
    int device;
    void *device_pointer;
    void *host_pointer;
    int managed;
    unsigned flags;
} lm_hip_pointer_attributes;

typedef struct lm_hip_position { /* hipPos */
    size_t x, y, z;
} lm_hip_position;

typedef struct lm_hip_pitched { /* hipPitchedPtr */
    void *ptr;
    size_t pitch, xsize, ysize;
} lm_hip_pitched;

typedef struct lm_hip_extent { /* hipExtent; width in bytes where no arrays are involved */
    size_t width, height, depth;
} lm_hip_extent;

typedef struct lm_hip_copy_3d { /* hipMemcpy3DParms */
    void *src_array;
    lm_hip_position src_position;
    lm_hip_pitched src;
    void *dst_array;
    lm_hip_position dst_position;
    lm_hip_pitched dst;
    lm_hip_extent extent;
    lm_hip_copy_kind kind;
} lm_hip_copy_3d;

#endif
