/* SPDX-License-Identifier: BSD-3-Clause */
/* LDS bank cycles of tiles of long elements. */
#ifndef LM_PLANS_HIP_FUNNEL_H
#define LM_PLANS_HIP_FUNNEL_H

#include "hip.h"

#include "kernels/hip/index.h"

/* Where a thread's item of a side is, in tiles through LDS of any kind. */
lm_place lm_hip_place_of(const lm_launch *launch, int side, const lm_tile_start *tile, lm_u32 item);

/* Fill in lds_cycles and lds_ideal: counted, and roughly. There are no conflicts. */
void lm_hip_count_funnel_banks(lm_launch *launch);
void lm_hip_guess_funnel_banks(lm_launch *launch);

#endif
