/* SPDX-License-Identifier: BSD-3-Clause */
/* Device attributes: the same questions under other numbers. */
#include "provider.h"

typedef struct numbers {
    lm_hip_attribute hip;
    int cuda;
} numbers;

/* Behind each what CUDA calls it, after CU_DEVICE_ATTRIBUTE_. */
static const numbers table[] = {
    {LM_HIP_ATTR_ASYNC_ENGINES, 40}, /* ASYNC_ENGINE_COUNT */
    {LM_HIP_ATTR_INTEGRATED, 18},    /* INTEGRATED */
    {LM_HIP_ATTR_L2_BYTES, 38},      /* L2_CACHE_SIZE */
    {LM_HIP_ATTR_MAX_GRID_X, 5},     /* MAX_GRID_DIM_X */
    {LM_HIP_ATTR_MAX_GRID_Y, 6},     /* MAX_GRID_DIM_Y */
    {LM_HIP_ATTR_MAX_GRID_Z, 7},     /* MAX_GRID_DIM_Z */
    {LM_HIP_ATTR_MAX_THREADS, 1},    /* MAX_THREADS_PER_BLOCK */
    {LM_HIP_ATTR_UNITS, 16},         /* MULTIPROCESSOR_COUNT */
    {LM_HIP_ATTR_PCI_BUS, 33},       /* PCI_BUS_ID */
    {LM_HIP_ATTR_PCI_DEVICE, 34},    /* PCI_DEVICE_ID */
    {LM_HIP_ATTR_PCI_DOMAIN, 50},    /* PCI_DOMAIN_ID */
    {LM_HIP_ATTR_LDS_BYTES, 8},      /* MAX_SHARED_MEMORY_PER_BLOCK */
    {LM_HIP_ATTR_WAVE, 10},          /* WARP_SIZE */
};

int lm_nv_attribute(lm_hip_attribute attribute) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].hip == attribute) return table[i].cuda;
    return -1;
}
