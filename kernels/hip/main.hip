/* SPDX-License-Identifier: BSD-3-Clause */
/* The one device program. Options (device.h) say which kernel it is and for what words; it has one entry, lmad_kernel. */
#include "device.h"

/* LM_KERNEL, as in enum lm_hip_kernel of lib/launch.h */
#if LM_KERNEL == 0 || LM_KERNEL == 3 /* copy, fill */
#define LM_FILL (LM_KERNEL == 3)
#define LM_RANK (LM_OPTION & 2 ? 36 : 4)
#if LM_OPTION & 2
#define LM_MANY_AXES 1
#endif
#define LM_VIEW_RANK 1
#include "flat.h"
#elif LM_KERNEL == 1 || LM_KERNEL == 2 /* tile, block */
#define LM_RANK 1
#define LM_VIEW_RANK (LM_OPTION & 4 ? 8 : 3)
#include "staged.h"
#else
#define LM_RANK 1
#define LM_VIEW_RANK 1
#include "affine.h"
#endif
