/* SPDX-License-Identifier: BSD-3-Clause */
/* A tile from memory to LDS, word by word of the source. Which places of LDS a word goes to, and in how many accesses,
 * lm_keep_word() and lm_keep_accesses() of the includer say. */
#ifndef LM_HIP_LOAD_H
#define LM_HIP_LOAD_H

#include "turn.h"

LM_DEVICE void lm_load_words(lm_args a, const lm_tile_start &start, const char *from) {
    const lm_view v = &a->view[1];
    for (lm_u32 first = lm_thread(); first < v->items; first += LM_ITEMS * a->block) {
        lm_place p[LM_ITEMS];
        lm_word<LM_SRC_WORD> word[LM_ITEMS];
        LM_UNROLL
        for (int k = 0; k < LM_ITEMS; k++) {
            p[k] = lm_view_at(v, start.soff, start.last, first + k * a->block);
            if (!p[k].outside)
                word[k] = lm_get<LM_SRC_WORD>(from + p[k].global);
            else
                lm_idle(LM_SITE_READ, 1);
        }
        LM_UNROLL
        for (int k = 0; k < LM_ITEMS; k++) {
            if (!p[k].outside)
                lm_keep_word(a, p[k], word[k], first + k * a->block);
            else
                lm_idle(LM_SITE_LDS_WRITE, lm_keep_accesses(a));
        }
    }
}

#endif
