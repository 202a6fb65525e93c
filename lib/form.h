/* SPDX-License-Identifier: BSD-3-Clause */
/* The form of a move that movers look at: the canonical problem, where a long run may have become an axis of
 * bytes. And the exact test behind every order in which a move may be walked. */
#ifndef LM_FORM_H
#define LM_FORM_H

#include "box.h"

typedef struct lm_form {
    int rank;
    int64_t run, doff, soff;
    lm_pdim dim[LM_FORM_DIMS];
} lm_form;

/* The form of a problem; a run of more than `longest` bytes becomes an axis, the last one. */
void lm_form_make(lm_form *form, const lm_problem *problem, int64_t longest);

/* Elements i of the destination and j of the source that share a byte: are there such with equal indices along
 * the axes of the bit set `same`, and with j - i in [lo, hi] along `axis`? 0 <= lo <= hi < n for dir = 1; for
 * dir = -1 the distance is i - j. The other axes are free. An answer that takes too long is yes. */
typedef struct lm_hazard {
    uint64_t same;
    int axis, dir;
    int64_t lo, hi;
} lm_hazard;
bool lm_form_hazard(const lm_form *form, const lm_hazard *hazard);

/* Bytes of all axes but those of the bit set `but`: the payload of one index of these. */
int64_t lm_form_slice(const lm_form *form, uint64_t but);

#endif
