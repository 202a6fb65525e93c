/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors inside the library: checks that name their side, and overflow-checked int64 arithmetic. */
#ifndef LM_DESC_H
#define LM_DESC_H

#include <stdbool.h>

#include "lmad.h"

/* *out = a + b, a - b, a * b; false (and *out unspecified) when the result leaves int64. */
static inline bool lm_add(int64_t a, int64_t b, int64_t *out) { return !__builtin_add_overflow(a, b, out); }
static inline bool lm_sub(int64_t a, int64_t b, int64_t *out) { return !__builtin_sub_overflow(a, b, out); }
static inline bool lm_mul(int64_t a, int64_t b, int64_t *out) { return !__builtin_mul_overflow(a, b, out); }

/* Room for a product of two int64 numbers and some sums, so that only results need a check. */
__extension__ typedef __int128 lm_wide;

/* NULL, rank and extents of one descriptor; @p side ("destination", "source", "view") starts the detail. */
lmad_status lm_desc_check(const lmad_desc *d, const char *side);

/* Is some extent 0? Expects a checked descriptor. */
bool lm_desc_empty(const lmad_desc *d);

/* The number of elements, or LMAD_ERR_OVERFLOW. Expects a checked descriptor. */
lmad_status lm_desc_count(const lmad_desc *d, const char *side, int64_t *count);

/* lmad_bounds() that names its side; all outputs are wanted. Expects a checked descriptor. */
lmad_status lm_desc_bounds(const lmad_desc *d, const char *side, int64_t *count, int64_t *lo, int64_t *hi);

/* A dense array of a caller's shape, row-major; @p side as above, for everything that may be wrong with
 * the shape. *d may be written on failure. */
lmad_status lm_desc_dense(lmad_desc *d, const char *side, int rank, const int64_t *shape);

/* *to = *from, as far as the rank says: the axes beyond are not touched. */
void lm_desc_assign(lmad_desc *to, const lmad_desc *from);

#endif
