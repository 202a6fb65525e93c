/* SPDX-License-Identifier: BSD-3-Clause */
/* Two tiles of a buffer that change places, without scratch: for movers whose work is that. */
#ifndef LM_MOVE_EXCHANGE_H
#define LM_MOVE_EXCHANGE_H

#include "lib/move.h"

/* The kernel and its axes for tiles of a form; sets exchange->kernel to NULL where other ways are faster. */
void lm_exchange_choose(lm_exchange *exchange, const lm_form *form);

/* A pair of tiles: index i of the form lies at dst + sum i*ds and at src + sum i*ss, in tiles that share no
 * byte; both are written. The next pair lies so far ahead; 0 = not known, or in the caches already. */
typedef struct lm_pair {
    char *dst, *src;
    int64_t n[LM_FORM_DIMS];
    int64_t dst_ahead, src_ahead;
} lm_pair;
void lm_exchange_run(const lm_exchange *exchange, const lm_form *form, const lm_pair *pair);

#endif
