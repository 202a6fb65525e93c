/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of HIP's errors that the library, or a run time in HIP's place, tells apart. No include guard: the includer
 * defines LM_HIP_ERROR(ours, hips, number), which this file undefines. */
/* clang-format off */
LM_HIP_ERROR(LM_HIP_SUCCESS, hipSuccess, 0)
LM_HIP_ERROR(LM_HIP_ERROR_INVALID_VALUE, hipErrorInvalidValue, 1)
LM_HIP_ERROR(LM_HIP_ERROR_OUT_OF_MEMORY, hipErrorOutOfMemory, 2)
LM_HIP_ERROR(LM_HIP_ERROR_NOT_INITIALIZED, hipErrorNotInitialized, 3)
LM_HIP_ERROR(LM_HIP_ERROR_DEINITIALIZED, hipErrorDeinitialized, 4)
LM_HIP_ERROR(LM_HIP_ERROR_INVALID_CONFIGURATION, hipErrorInvalidConfiguration, 9)
LM_HIP_ERROR(LM_HIP_ERROR_INVALID_DEVICE_FUNCTION, hipErrorInvalidDeviceFunction, 98)
LM_HIP_ERROR(LM_HIP_ERROR_NO_DEVICE, hipErrorNoDevice, 100)
LM_HIP_ERROR(LM_HIP_ERROR_INVALID_DEVICE, hipErrorInvalidDevice, 101)
LM_HIP_ERROR(LM_HIP_ERROR_INVALID_IMAGE, hipErrorInvalidImage, 200)
LM_HIP_ERROR(LM_HIP_ERROR_INVALID_CONTEXT, hipErrorInvalidContext, 201)
LM_HIP_ERROR(LM_HIP_ERROR_NO_BINARY_FOR_GPU, hipErrorNoBinaryForGpu, 209)
LM_HIP_ERROR(LM_HIP_ERROR_ECC_NOT_CORRECTABLE, hipErrorECCNotCorrectable, 214)
LM_HIP_ERROR(LM_HIP_ERROR_SHARED_OBJECT_INIT_FAILED, hipErrorSharedObjectInitFailed, 303)
LM_HIP_ERROR(LM_HIP_ERROR_INVALID_HANDLE, hipErrorInvalidHandle, 400)
LM_HIP_ERROR(LM_HIP_ERROR_NOT_FOUND, hipErrorNotFound, 500)
LM_HIP_ERROR(LM_HIP_ERROR_NOT_READY, hipErrorNotReady, 600)
LM_HIP_ERROR(LM_HIP_ERROR_ILLEGAL_ADDRESS, hipErrorIllegalAddress, 700)
LM_HIP_ERROR(LM_HIP_ERROR_LAUNCH_OUT_OF_RESOURCES, hipErrorLaunchOutOfResources, 701)
LM_HIP_ERROR(LM_HIP_ERROR_LAUNCH_TIMEOUT, hipErrorLaunchTimeOut, 702)
LM_HIP_ERROR(LM_HIP_ERROR_CONTEXT_IS_DESTROYED, hipErrorContextIsDestroyed, 709)
LM_HIP_ERROR(LM_HIP_ERROR_LAUNCH_FAILURE, hipErrorLaunchFailure, 719)
LM_HIP_ERROR(LM_HIP_ERROR_NOT_SUPPORTED, hipErrorNotSupported, 801)
LM_HIP_ERROR(LM_HIP_ERROR_STREAM_CAPTURE_UNSUPPORTED, hipErrorStreamCaptureUnsupported, 900)
LM_HIP_ERROR(LM_HIP_ERROR_STREAM_CAPTURE_INVALIDATED, hipErrorStreamCaptureInvalidated, 901)
LM_HIP_ERROR(LM_HIP_ERROR_UNKNOWN, hipErrorUnknown, 999)
#undef LM_HIP_ERROR
/* clang-format on */
