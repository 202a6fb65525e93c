/* SPDX-License-Identifier: BSD-3-Clause */
/* Visiting every element of a problem in an order that is kind to the caches, in rows of one stride. */
#ifndef LM_BENCH_WALK_H
#define LM_BENCH_WALK_H

#include <stdbool.h>

#include "lmad.h"

/* n elements on both sides, strides in bytes. */
typedef struct lm_row_span {
    char *dst;
    const char *src;
    int64_t n, ds, ss;
    size_t elem_size;
} lm_row_span;

/* Returns false to stop. */
typedef bool lm_row_fn(const lm_row_span *row);

/* Visit all elements of two views of equal shape, each once; a NULL @p src_desc is the one element at @p src.
 * False when the visitor stopped. */
bool lm_walk(void *dst, const lmad_desc *dst_desc, const void *src, const lmad_desc *src_desc,
             size_t elem_size, lm_row_fn *visit);

#endif
