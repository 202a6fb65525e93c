/* SPDX-License-Identifier: BSD-3-Clause */
/* The one device program. Options (device.h) say which kernel it is and for what words; it has one entry, lmad_kernel. */
#include "device.h"

/* How many axes have a place in registers. */
#if LM_KERNEL == 0 || LM_KERNEL == 3
#if LM_OPTION & 2
#define LM_MANY_AXES 1
#define LM_RANK 36
#else
#define LM_RANK 4
#endif
#define LM_VIEW_RANK 1
#else
#define LM_RANK 1
#define LM_VIEW_RANK (LM_OPTION & 4 ? 8 : LM_OPTION == 3 ? 4 : 3)
#endif
#include "turn.h"

/* LM_KERNEL, as in enum lm_hip_kernel of lib/launch.h: copy, tile, block, fill, affine, funnel. The source is one text
 * in the library, each header in its place. */
#if LM_KERNEL == 0 || LM_KERNEL == 3
#define LM_FILL (LM_KERNEL == 3)
#include "flat.h"
#elif LM_KERNEL == 1 || LM_KERNEL == 2
#include "staged.h"
#elif LM_KERNEL == 5
#include "funnel_at.h"
#include "funnel.h"
#else
#include "affine.h"
#endif
