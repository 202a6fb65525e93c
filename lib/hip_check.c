/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares our declarations of HIP with its own headers, where configure finds some. No code comes of it. */
#include "hip_types.h"

#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>
#include <hip/hiprtc.h>
#include <stddef.h>

/* ---- Constants ---------------------------------------------------------------------------------- */

#define SAME(ours, hips) _Static_assert((long long)(ours) == (long long)(hips), #ours)

#define LM_HIP_ERROR(ours, hips, number) SAME(ours, hips);
#include "hip_errors.h"

SAME(LM_HIP_ATTR_ASYNC_ENGINES, hipDeviceAttributeAsyncEngineCount);
SAME(LM_HIP_ATTR_INTEGRATED, hipDeviceAttributeIntegrated);
SAME(LM_HIP_ATTR_L2_BYTES, hipDeviceAttributeL2CacheSize);
SAME(LM_HIP_ATTR_MAX_GRID_X, hipDeviceAttributeMaxGridDimX);
SAME(LM_HIP_ATTR_MAX_GRID_Y, hipDeviceAttributeMaxGridDimY);
SAME(LM_HIP_ATTR_MAX_GRID_Z, hipDeviceAttributeMaxGridDimZ);
SAME(LM_HIP_ATTR_MAX_THREADS, hipDeviceAttributeMaxThreadsPerBlock);
SAME(LM_HIP_ATTR_UNITS, hipDeviceAttributeMultiprocessorCount);
SAME(LM_HIP_ATTR_PCI_BUS, hipDeviceAttributePciBusId);
SAME(LM_HIP_ATTR_PCI_DEVICE, hipDeviceAttributePciDeviceId);
SAME(LM_HIP_ATTR_LDS_BYTES, hipDeviceAttributeMaxSharedMemoryPerBlock);
SAME(LM_HIP_ATTR_WAVE, hipDeviceAttributeWarpSize);
/* Its case is not the same in all versions. */
SAME(LM_HIP_ATTR_PCI_DOMAIN, hipDeviceAttributePciDeviceId + 1);

SAME(LM_HIP_COPY_HOST_TO_HOST, hipMemcpyHostToHost);
SAME(LM_HIP_COPY_HOST_TO_DEVICE, hipMemcpyHostToDevice);
SAME(LM_HIP_COPY_DEVICE_TO_HOST, hipMemcpyDeviceToHost);
SAME(LM_HIP_COPY_DEVICE_TO_DEVICE, hipMemcpyDeviceToDevice);
SAME(LM_HIP_COPY_DEFAULT, hipMemcpyDefault);

SAME(LM_HIP_CAPTURE_NONE, hipStreamCaptureStatusNone);
SAME(LM_HIP_CAPTURE_ACTIVE, hipStreamCaptureStatusActive);
SAME(LM_HIP_CAPTURE_INVALIDATED, hipStreamCaptureStatusInvalidated);

SAME(LM_HIP_STREAM_NON_BLOCKING, hipStreamNonBlocking);
SAME(LM_HIP_EVENT_DISABLE_TIMING, hipEventDisableTiming);
SAME(LM_HIP_HOST_PORTABLE, hipHostMallocPortable);
SAME(LM_HIP_HOST_NUMA_USER, hipHostMallocNumaUser);

/* ---- Structs: ours by size and place ------------------------------------------------------------- */

#define PLACE(ours, member, hips, theirs)                                                                    \
    _Static_assert(offsetof(ours, member) == offsetof(hips, theirs), #ours "." #member)
#define SIZE(ours, hips) _Static_assert(sizeof(ours) == sizeof(hips), #ours)

SIZE(lm_hip_error, hipError_t);
SIZE(lm_hip_attribute, hipDeviceAttribute_t);
SIZE(lm_hip_copy_kind, hipMemcpyKind);
SIZE(lm_hip_capture_status, hipStreamCaptureStatus);
SIZE(lm_hiprtc_result, hiprtcResult);

SIZE(lm_hip_pointer_attributes, hipPointerAttribute_t);
PLACE(lm_hip_pointer_attributes, device, hipPointerAttribute_t, device);
PLACE(lm_hip_pointer_attributes, device_pointer, hipPointerAttribute_t, devicePointer);
PLACE(lm_hip_pointer_attributes, host_pointer, hipPointerAttribute_t, hostPointer);
PLACE(lm_hip_pointer_attributes, managed, hipPointerAttribute_t, isManaged);
PLACE(lm_hip_pointer_attributes, flags, hipPointerAttribute_t, allocationFlags);

SIZE(lm_hip_copy_3d, struct hipMemcpy3DParms);
PLACE(lm_hip_copy_3d, src_array, struct hipMemcpy3DParms, srcArray);
PLACE(lm_hip_copy_3d, src_position, struct hipMemcpy3DParms, srcPos);
PLACE(lm_hip_copy_3d, src, struct hipMemcpy3DParms, srcPtr);
PLACE(lm_hip_copy_3d, dst_array, struct hipMemcpy3DParms, dstArray);
PLACE(lm_hip_copy_3d, dst_position, struct hipMemcpy3DParms, dstPos);
PLACE(lm_hip_copy_3d, dst, struct hipMemcpy3DParms, dstPtr);
PLACE(lm_hip_copy_3d, extent, struct hipMemcpy3DParms, extent);
PLACE(lm_hip_copy_3d, kind, struct hipMemcpy3DParms, kind);
SIZE(lm_hip_pitched, struct hipPitchedPtr);
PLACE(lm_hip_pitched, ptr, struct hipPitchedPtr, ptr);
PLACE(lm_hip_pitched, pitch, struct hipPitchedPtr, pitch);
PLACE(lm_hip_pitched, xsize, struct hipPitchedPtr, xsize);
PLACE(lm_hip_pitched, ysize, struct hipPitchedPtr, ysize);
SIZE(lm_hip_extent, struct hipExtent);
PLACE(lm_hip_extent, width, struct hipExtent, width);
PLACE(lm_hip_extent, height, struct hipExtent, height);
PLACE(lm_hip_extent, depth, struct hipExtent, depth);

/* The texts that lib/device.c reads. */
_Static_assert(offsetof(hipDeviceProp_t, name) == 0, "name");
_Static_assert(offsetof(hipDeviceProp_t, gcnArchName) == (HIP_VERSION_MAJOR >= 6 ? 1160 : 396),
               "gcnArchName");

/* ---- Functions: the list once more, with HIP's names for our types -------------------------------- */

#define lm_hip_error              hipError_t
#define lm_hip_attribute          hipDeviceAttribute_t
#define lm_hip_copy_kind          hipMemcpyKind
#define lm_hip_capture_status     hipStreamCaptureStatus
#define lm_hiprtc_result          hiprtcResult
#define lm_hip_stream             hipStream_t
#define lm_hip_event              hipEvent_t
#define lm_hip_module             hipModule_t
#define lm_hip_function           hipFunction_t
#define lm_hiprtc_program         hiprtcProgram
#define lm_hip_host_function      hipHostFn_t
#define lm_hip_callback           hipStreamCallback_t
#define lm_hip_properties         hipDeviceProp_t
#define lm_hip_pointer_attributes hipPointerAttribute_t
#define lm_hip_copy_3d            struct hipMemcpy3DParms

#if HIP_VERSION_MAJOR < 6
#define hipGetDevicePropertiesR0600 hipGetDeviceProperties
#endif

#define LM_HIP(returns, name, parameters)                                                                    \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), returns parameters), #name);
#define LM_HIP_OPTIONAL(returns, name, parameters) LM_HIP(returns, name, parameters)
#include "hip_list.h"
