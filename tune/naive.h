/* SPDX-License-Identifier: BSD-3-Clause */
/* The copy that a C programmer would write: a loop nest in the order of the indices. It is what lmad-bench
 * compares plans with, and it is independent of the library. */
#ifndef LM_NAIVE_H
#define LM_NAIVE_H

#include <stddef.h>

#include "lmad.h"

/* The nest, with the axes of extent 1 dropped. */
typedef struct lm_naive {
    size_t elem_size;
    int64_t doff, soff; /* elements, as the strides are */
    int rank;
    int64_t n[LMAD_MAX_RANK], ds[LMAD_MAX_RANK], ss[LMAD_MAX_RANK];
} lm_naive;

/* Descriptors of equal shape. */
void lm_naive_make(lm_naive *nest, const lmad_desc *dst, const lmad_desc *src, size_t elem_size);

/* Run it; dst and src do not overlap and are aligned as the elements are. */
void lm_naive_run(const lm_naive *nest, void *dst, const void *src);

#endif
