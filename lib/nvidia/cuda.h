/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of CUDA's driver API and of NVRTC that the provider stands on, in our own declarations: it is
 * built without any header of CUDA's, and loads both libraries at run time. */
#ifndef LM_CUDA_H
#define LM_CUDA_H

#include <stddef.h>

typedef int lm_cu_result; /* of the driver and of NVRTC; 0 = success */
typedef int lm_cu_device;
typedef struct lm_cu_context_object *lm_cu_context;
typedef struct lm_cu_module_object *lm_cu_module;
typedef struct lm_cu_function_object *lm_cu_function;
typedef struct lm_cu_stream_object *lm_cu_stream;
typedef struct lm_cu_event_object *lm_cu_event;
typedef struct lm_cu_graph_object *lm_cu_graph;
typedef struct lm_cu_graph_exec_object *lm_cu_graph_exec;
typedef struct lm_nvrtc_program_object *lm_nvrtc_program;
typedef unsigned long long lm_cu_address;

/* What the provider itself asks devices about. */
enum { LM_CU_ATTR_COMPUTE_MAJOR = 75, LM_CU_ATTR_COMPUTE_MINOR = 76 };

enum {
    LM_CU_POINTER_MEMORY_TYPE = 2,
    LM_CU_POINTER_DEVICE_POINTER = 3,
    LM_CU_POINTER_HOST_POINTER = 4,
    LM_CU_POINTER_IS_MANAGED = 8,
    LM_CU_POINTER_DEVICE_ORDINAL = 9
};
enum { LM_CU_MEMORY_HOST = 1, LM_CU_MEMORY_DEVICE = 2, LM_CU_MEMORY_UNIFIED = 4 };

enum { LM_CU_LAUNCH_POINTER = 1, LM_CU_LAUNCH_SIZE = 2 };

/* CUDA_MEMCPY2D */
typedef struct lm_cu_copy_2d {
    size_t src_x, src_y;
    int src_type;
    const void *src_host;
    lm_cu_address src_device;
    void *src_array;
    size_t src_pitch;
    size_t dst_x, dst_y;
    int dst_type;
    void *dst_host;
    lm_cu_address dst_device;
    void *dst_array;
    size_t dst_pitch;
    size_t width, height;
} lm_cu_copy_2d;

/* CUDA_MEMCPY3D */
typedef struct lm_cu_copy_3d {
    size_t src_x, src_y, src_z, src_lod;
    int src_type;
    const void *src_host;
    lm_cu_address src_device;
    void *src_array, *src_reserved;
    size_t src_pitch, src_height;
    size_t dst_x, dst_y, dst_z, dst_lod;
    int dst_type;
    void *dst_host;
    lm_cu_address dst_device;
    void *dst_array, *dst_reserved;
    size_t dst_pitch, dst_height;
    size_t width, height, depth;
} lm_cu_copy_3d;

/* The entry points, by CUDA's own names without the version suffix. */
typedef struct lm_cuda {
#define LM_CU(name, symbol, parameters) lm_cu_result(*name) parameters;
#include "cuda_list.h"
#undef LM_CU
} lm_cuda;

/* NULL where there is no driver. Loaded at the first call, once. LMAD_CUDA_LIBRARY names another library. */
const lm_cuda *lm_cuda_get(void);

typedef struct lm_nvrtc {
#define LM_NVRTC(name, parameters) lm_cu_result(*name) parameters;
#include "nvrtc_list.h"
#undef LM_NVRTC
} lm_nvrtc;

/* NULL where there is none. As above, with LMAD_NVRTC_LIBRARY. */
const lm_nvrtc *lm_nvrtc_get(void);

#endif
