/* SPDX-License-Identifier: BSD-3-Clause */
/* Which layout a box has in LDS. */
#ifndef LM_PLANS_HIP_LAYOUT_H
#define LM_PLANS_HIP_LAYOUT_H

#include "hip_views.h"

/* Lay the box out with as few bank conflicts as may be. What is compiled is known. */
void lm_staging_choose(lm_staging *staging, const lm_device *device, lm_launch *out);

#endif
