/* SPDX-License-Identifier: BSD-3-Clause */
/* What a test sees of the stand-in for CUDA's driver, as its variable `fake`. */
#ifndef LM_FAKE_CUDA_H
#define LM_FAKE_CUDA_H

#include "lib/nvidia/cuda.h"

#define FAKE_EXPORT __attribute__((visibility("default")))

typedef struct fake_cuda {
    int devices, capability;
    lm_cu_result fail;  /* of the next call */
    int calls, alive;   /* calls so far; blocks of memory */
    unsigned launch[2]; /* blocks and threads of the last launch */
    size_t arg_bytes;
    char args[256];
} fake_cuda;

FAKE_EXPORT extern fake_cuda fake;

#endif
