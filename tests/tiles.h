/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels against the loop that defines them, on tiles of any extent, stride and alignment that their pattern
 * allows, with operands between unmapped pages. Shared by the suite and by a program that needs no library.
 */
#ifndef LM_TILES_H
#define LM_TILES_H

#include "kernels/host/kernel.h"

/* Buffers; whoever opens them closes them. Exhausted memory ends the program. */
typedef struct lm_tile_rig lm_tile_rig;
lm_tile_rig *lm_tile_rig_open(void);
void lm_tile_rig_close(lm_tile_rig *rig);

/* The tile that is being tried, in words: also for whoever catches a fault. */
typedef struct lm_tile_text {
    char is[400];
} lm_tile_text;

/* Every so manyth of a thousand random tiles, anywhere in their room, half of them against an unmapped page.
 * NULL, or what is wrong with the tile that @p text tells. */
const char *lm_tiles_random(lm_tile_rig *rig, const lm_kernel *kernel, uint64_t seed, int every,
                            lm_tile_text *text);

/* Runs of every usual length with both operands against an unmapped page, in turn before the first byte and
 * after the last one of either. As above. */
const char *lm_tiles_at_edges(lm_tile_rig *rig, const lm_kernel *kernel, uint64_t seed, int every,
                              lm_tile_text *text);

#endif
