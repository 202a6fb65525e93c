/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library has to agree with: the definition of a copy, read in the plainest way. */
#ifndef LM_ORACLE_H
#define LM_ORACLE_H

#include <stdbool.h>

#include "lmad.h"

/* D[i] = S[i] for all indices, one memcpy of elem_size bytes an element. Offsets are relative to the
 * pointers. To be right when the sides overlap the caller passes a snapshot of the source. */
void lm_oracle_copy(char *dst, const lmad_desc *ddst, const char *src, const lmad_desc *dsrc,
                    size_t elem_size);

/* D[i] = *value for all indices. */
void lm_oracle_fill(char *dst, const lmad_desc *ddst, const void *value, size_t elem_size);

bool lm_oracle_empty(const lmad_desc *d);

/* As far as their ranks say. */
bool lm_oracle_same(const lmad_desc *a, const lmad_desc *b);

/* Lowest and highest element index of a view that is not empty. No overflow checks. */
void lm_oracle_bounds(const lmad_desc *d, int64_t *lo, int64_t *hi);

/* Do two indices of the view name the same element? Visits them all: for small views. */
bool lm_oracle_aliases(const lmad_desc *d);

#endif
