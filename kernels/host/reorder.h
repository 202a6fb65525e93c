/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies so small that both sides fit in a few registers: any of them is one permutation of bytes, worked out
 * beforehand. */
#ifndef LM_REORDER_H
#define LM_REORDER_H

#include <stdint.h>

#include "isa.h"

enum {
    LM_REORDER_BLOCK = 64,
    LM_REORDER_BLOCKS = 4,
    LM_REORDER_BYTES = LM_REORDER_BLOCK * LM_REORDER_BLOCKS
};

/* Sides are cut into blocks from their first byte on; the last one need not be whole. Gaps of the source are
 * read, gaps of the destination are not written. */
typedef struct lm_reorder {
    int to, from;                        /* blocks of the destination and of the source, at least one */
    uint64_t last;                       /* bytes of the last block of the source, the first one lowest */
    uint64_t written[LM_REORDER_BLOCKS]; /* bytes of the destination that are written */
    _Alignas(LM_REORDER_BLOCK) uint8_t order[LM_REORDER_BYTES]; /* which byte of the source each of them is */
} lm_reorder;

/* The sides share no byte. */
typedef void lm_reorder_fn(char *dst, const char *src, const lm_reorder *reorder);

/* The one within an instruction set; NULL where there is none that pays. */
lm_reorder_fn *lm_reorder_find(lm_isa isa);

#endif
