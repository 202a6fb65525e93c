/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic series written straight from registers: value i is what the index gives, not what the value
 * before gives, unless these are the same. */
#ifndef LM_AFFINE_H
#define LM_AFFINE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa.h"

typedef enum lm_number { LM_INT32, LM_INT64, LM_FLOAT, LM_DOUBLE } lm_number;

/* How floating-point values may be computed: what is known of sums and products along the way. */
typedef enum lm_exactness {
    LM_ROUNDED, /* nothing: operation by operation, as they are defined */
    LM_EXACT,   /* none is rounded in double: values may be added up, in any order */
    LM_COUNTED  /* for LM_FLOAT: they are whole multiples, of less than 32 bits, of a power of two too */
} lm_exactness;

/* Integers are first + i*step modulo their size. Floating-point values are computed in double, and rounded
 * once for LM_FLOAT: before + (index + i)*step, then the terms behind are added one by one. Where they are
 * counted, they are unit*(first + i*step). */
typedef struct lm_series {
    lm_number type;
    lm_exactness exactness;
    bool stream; /* past the caches where addresses allow; the caller fences */
    uint64_t whole_first, whole_step;
    double before, index, step;
    int behind; /* 0 where exact */
    const double *term;
    float unit;

    /* So many series, `pitch` bytes apart, each with so much added to the first value of the one before; more
     * than one only where that is exact. */
    int64_t rows, pitch;
    uint64_t whole_row;
    double row;
} lm_series;

/* Write n values of each from @p out on, any address. */
typedef void lm_series_fn(const lm_series *series, char *out, int64_t n);

/* The best one within an instruction set. */
lm_series_fn *lm_series_find(lm_isa isa);

#endif
