/* SPDX-License-Identifier: BSD-3-Clause */
/* Device attributes: the same questions under other numbers. */
#include "provider.h"

typedef struct numbers {
    lm_hip_attribute hip;
    int cuda;
} numbers;

static const numbers table[] = {
    {LM_HIP_ATTR_ASYNC_ENGINES, 40}, {LM_HIP_ATTR_INTEGRATED, 18}, {LM_HIP_ATTR_L2_BYTES, 38},
    {LM_HIP_ATTR_MAX_GRID_X, 5},     {LM_HIP_ATTR_MAX_GRID_Y, 6},  {LM_HIP_ATTR_MAX_GRID_Z, 7},
    {LM_HIP_ATTR_MAX_THREADS, 1},    {LM_HIP_ATTR_UNITS, 16},      {LM_HIP_ATTR_PCI_BUS, 33},
    {LM_HIP_ATTR_PCI_DEVICE, 34},    {LM_HIP_ATTR_PCI_DOMAIN, 50}, {LM_HIP_ATTR_LDS_BYTES, 8},
    {LM_HIP_ATTR_WAVE, 10},
};

int lm_nv_attribute(lm_hip_attribute attribute) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].hip == attribute) return table[i].cuda;
    return -1;
}
