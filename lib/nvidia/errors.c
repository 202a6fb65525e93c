/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors: HIP took CUDA's numbers over, but for some. The last one is kept a thread. */
#include "provider.h"

static _Thread_local lm_hip_error last;

typedef struct mapping {
    lm_cu_result cuda;
    lm_hip_error hip;
} mapping;

/* Results of the driver that HIP has no number for, or another one. */
static const mapping others[] = {
    {34, LM_HIP_ERROR_NO_DEVICE},        /* a stub of the driver */
    {36, LM_HIP_ERROR_NO_DEVICE},        /* call requires a newer driver */
    {46, LM_HIP_ERROR_NO_DEVICE},        /* device unavailable */
    {102, LM_HIP_ERROR_NO_DEVICE},       /* not licensed */
    {220, LM_HIP_ERROR_LAUNCH_FAILURE},  /* NVLink uncorrectable */
    {222, LM_HIP_ERROR_INVALID_IMAGE},   /* PTX of a newer version */
    {223, LM_HIP_ERROR_INVALID_IMAGE},   /* no compiler for PTX */
    {226, LM_HIP_ERROR_LAUNCH_FAILURE},  /* ECC uncorrectable, contained */
    {714, LM_HIP_ERROR_LAUNCH_FAILURE},  /* stack */
    {715, LM_HIP_ERROR_LAUNCH_FAILURE},  /* illegal instruction */
    {716, LM_HIP_ERROR_ILLEGAL_ADDRESS}, /* misaligned */
    {717, LM_HIP_ERROR_ILLEGAL_ADDRESS}, /* address space */
    {718, LM_HIP_ERROR_ILLEGAL_ADDRESS}, /* program counter */
    {721, LM_HIP_ERROR_LAUNCH_FAILURE},  /* while the context was destroyed */
    {802, LM_HIP_ERROR_NOT_INITIALIZED}, /* system not ready */
    {803, LM_HIP_ERROR_NO_DEVICE},       /* driver and system do not match */
    {804, LM_HIP_ERROR_NO_DEVICE},       /* compatibility mode on a device without it */
};

lm_hip_error lm_nv_error(lm_cu_result result) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].cuda == result) return others[i].hip;
    return result;
}

/* That something is not ready yet is an answer, not a failure. */
lm_hip_error lm_nv_fail(lm_hip_error error) {
    if (error != LM_HIP_SUCCESS && error != LM_HIP_ERROR_NOT_READY) last = error;
    return error;
}

lm_hip_error lm_nv_result(lm_cu_result result) { return lm_nv_fail(lm_nv_error(result)); }

lm_hip_error hipGetLastError(void) {
    const lm_hip_error error = last;
    last = LM_HIP_SUCCESS;
    return error;
}

lm_hip_error hipPeekAtLastError(void) { return last; }

typedef struct error_name {
    lm_hip_error error;
    const char *name;
} error_name;

const char *hipGetErrorName(lm_hip_error error) {
    static const error_name names[] = {
#define LM_HIP_ERROR(ours, hips, number) {ours, #hips},
#include "lib/hip_errors.h"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].error == error) return names[i].name;
    return "hipErrorUnknown";
}
