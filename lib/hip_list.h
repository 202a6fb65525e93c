/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of HIP's entry points that the library uses. No include guard: the includer defines
 * LM_HIP(returns, name, parameters), for those that every version has, and
 * LM_HIP_OPTIONAL(returns, name, parameters), for those that some lack; this file undefines both.
 * clang-format would take the parameters for products. */
/* clang-format off */
LM_HIP(lm_hip_error, hipInit, (unsigned flags))
LM_HIP(lm_hip_error, hipRuntimeGetVersion, (int *version))
LM_HIP(lm_hip_error, hipGetDeviceCount, (int *count))
LM_HIP(lm_hip_error, hipGetDevice, (int *device))
LM_HIP(lm_hip_error, hipSetDevice, (int device))
LM_HIP(lm_hip_error, hipDeviceGetAttribute, (int *value, lm_hip_attribute attribute, int device))
LM_HIP_OPTIONAL(lm_hip_error, hipGetDevicePropertiesR0600, (lm_hip_properties *properties, int device))
LM_HIP_OPTIONAL(lm_hip_error, hipGetDeviceProperties, (lm_hip_properties *properties, int device))
LM_HIP(lm_hip_error, hipGetLastError, (void))
LM_HIP(lm_hip_error, hipPeekAtLastError, (void))
LM_HIP(const char *, hipGetErrorName, (lm_hip_error error))

LM_HIP(lm_hip_error, hipMemGetInfo, (size_t *free, size_t *total))
LM_HIP(lm_hip_error, hipMalloc, (void **p, size_t size))
LM_HIP(lm_hip_error, hipFree, (void *p))
LM_HIP(lm_hip_error, hipHostMalloc, (void **p, size_t size, unsigned flags))
LM_HIP(lm_hip_error, hipHostFree, (void *p))
LM_HIP(lm_hip_error, hipPointerGetAttributes, (lm_hip_pointer_attributes *attributes, const void *p))

LM_HIP(lm_hip_error, hipMemcpyAsync,
       (void *dst, const void *src, size_t size, lm_hip_copy_kind kind, lm_hip_stream stream))
LM_HIP(lm_hip_error, hipMemcpy2DAsync,
       (void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width, size_t height,
        lm_hip_copy_kind kind, lm_hip_stream stream))
LM_HIP(lm_hip_error, hipMemcpy3DAsync, (const lm_hip_copy_3d *copy, lm_hip_stream stream))
LM_HIP(lm_hip_error, hipMemcpyPeerAsync,
       (void *dst, int dst_device, const void *src, int src_device, size_t size, lm_hip_stream stream))
LM_HIP_OPTIONAL(lm_hip_error, hipDeviceCanAccessPeer, (int *can, int device, int peer))
LM_HIP(lm_hip_error, hipMemsetAsync, (void *dst, int value, size_t size, lm_hip_stream stream))

LM_HIP(lm_hip_error, hipStreamCreateWithFlags, (lm_hip_stream *stream, unsigned flags))
LM_HIP(lm_hip_error, hipStreamDestroy, (lm_hip_stream stream))
LM_HIP(lm_hip_error, hipStreamSynchronize, (lm_hip_stream stream))
LM_HIP(lm_hip_error, hipStreamWaitEvent, (lm_hip_stream stream, lm_hip_event event, unsigned flags))
LM_HIP(lm_hip_error, hipStreamIsCapturing, (lm_hip_stream stream, lm_hip_capture_status *status))
/* Not in Debian's 5.2.3, though its headers declare it; hip.c then makes it of the other one. */
LM_HIP_OPTIONAL(lm_hip_error, hipLaunchHostFunc,
                (lm_hip_stream stream, lm_hip_host_function function, void *data))
LM_HIP_OPTIONAL(lm_hip_error, hipStreamAddCallback,
                (lm_hip_stream stream, lm_hip_callback callback, void *data, unsigned flags))

LM_HIP(lm_hip_error, hipEventCreateWithFlags, (lm_hip_event *event, unsigned flags))
LM_HIP(lm_hip_error, hipEventDestroy, (lm_hip_event event))
LM_HIP(lm_hip_error, hipEventRecord, (lm_hip_event event, lm_hip_stream stream))
LM_HIP(lm_hip_error, hipEventSynchronize, (lm_hip_event event))
LM_HIP(lm_hip_error, hipEventElapsedTime, (float *ms, lm_hip_event start, lm_hip_event stop))

LM_HIP(lm_hip_error, hipModuleLoadData, (lm_hip_module *module, const void *image))
LM_HIP(lm_hip_error, hipModuleUnload, (lm_hip_module module))
LM_HIP(lm_hip_error, hipModuleGetFunction,
       (lm_hip_function *function, lm_hip_module module, const char *name))
LM_HIP(lm_hip_error, hipModuleLaunchKernel,
       (lm_hip_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
        unsigned block_y, unsigned block_z, unsigned lds_bytes, lm_hip_stream stream, void **parameters,
        void **extra))

/* In libamdhip64; from version 6 on also, and some day only, in libhiprtc. */
LM_HIP_OPTIONAL(lm_hiprtc_result, hiprtcCreateProgram,
                (lm_hiprtc_program *program, const char *source, const char *name, int headers,
                 const char **header, const char **include_name))
LM_HIP_OPTIONAL(lm_hiprtc_result, hiprtcCompileProgram,
                (lm_hiprtc_program program, int options, const char **option))
LM_HIP_OPTIONAL(lm_hiprtc_result, hiprtcGetProgramLogSize, (lm_hiprtc_program program, size_t *size))
LM_HIP_OPTIONAL(lm_hiprtc_result, hiprtcGetProgramLog, (lm_hiprtc_program program, char *log))
LM_HIP_OPTIONAL(lm_hiprtc_result, hiprtcGetCodeSize, (lm_hiprtc_program program, size_t *size))
LM_HIP_OPTIONAL(lm_hiprtc_result, hiprtcGetCode, (lm_hiprtc_program program, char *code))
LM_HIP_OPTIONAL(lm_hiprtc_result, hiprtcDestroyProgram, (lm_hiprtc_program *program))

#undef LM_HIP
#undef LM_HIP_OPTIONAL
/* clang-format on */
