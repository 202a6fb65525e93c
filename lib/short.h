/* SPDX-License-Identifier: BSD-3-Clause */
/* Small problems of rank <= 2 without a plan: for the immediate forms, where planning would take longer than
 * copying. */
#ifndef LM_SHORT_H
#define LM_SHORT_H

#include <stdbool.h>

#include "lmad.h"

/* True when it was small and simple enough, and is done; false when nothing was done or checked. What is an error is
 * never simple. */
bool lm_short_copy(void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc,
                   size_t elem_size);
bool lm_short_move(void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc,
                   size_t elem_size);
bool lm_short_fill(void *dst, const lmad_desc *ddst, const void *value, size_t elem_size);

#endif
