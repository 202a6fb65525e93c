/* SPDX-License-Identifier: BSD-3-Clause */
/* Code objects and launches. */
#include "provider.h"

lm_hip_error hipModuleLoadData(lm_hip_module *module, const void *image) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuModuleLoadData((lm_cu_module *)module, image)) : lm_nv_fail(error);
}

lm_hip_error hipModuleUnload(lm_hip_module module) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuModuleUnload((lm_cu_module)module)) : lm_nv_fail(error);
}

lm_hip_error hipModuleGetFunction(lm_hip_function *function, lm_hip_module module, const char *name) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    if (!cuda) return lm_nv_fail(error);
    return lm_nv_result(cuda->cuModuleGetFunction((lm_cu_function *)function, (lm_cu_module)module, name));
}

/* The list of extra arguments ends differently. */
static lm_hip_error translate(void *const *extra, void **out) {
    int at = 0;
    for (; *extra != LM_HIP_LAUNCH_END; extra += 2, at += 2) {
        if (at == 4 || (*extra != LM_HIP_LAUNCH_BUFFER && *extra != LM_HIP_LAUNCH_SIZE))
            return LM_HIP_ERROR_INVALID_VALUE;
        out[at] = *extra; /* the same numbers: LM_CU_LAUNCH_POINTER and LM_CU_LAUNCH_SIZE */
        out[at + 1] = extra[1];
    }
    out[at] = NULL; /* CUDA ends it so */
    return LM_HIP_SUCCESS;
}

lm_hip_error hipModuleLaunchKernel(lm_hip_function function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                                   unsigned lds_bytes, lm_hip_stream stream, void **parameters,
                                   void **extra) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    void *translated[5] = {NULL};
    if (!cuda) return lm_nv_fail(error);
    if (extra) error = translate(extra, translated);
    if (error != LM_HIP_SUCCESS) return lm_nv_fail(error);
    return lm_nv_result(cuda->cuLaunchKernel((lm_cu_function)function, grid_x, grid_y, grid_z, block_x,
                                             block_y, block_z, lds_bytes, (lm_cu_stream)stream, parameters,
                                             extra ? translated : NULL));
}
