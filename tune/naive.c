/* SPDX-License-Identifier: BSD-3-Clause */
/* The naive loop nest, one instance an element size. Compiled with -O3 in a file of its own so that the
 * compiler knows neither extents nor strides. */
#include "naive.h"

#include <stdbool.h>
#include <string.h>

typedef struct lm_pair {
    uint64_t word[2];
} lm_pair;

#define LM_NEST    nest1
#define LM_ELEMENT uint8_t
#include "naive_nest.h"
#undef LM_NEST
#undef LM_ELEMENT

#define LM_NEST    nest2
#define LM_ELEMENT uint16_t
#include "naive_nest.h"
#undef LM_NEST
#undef LM_ELEMENT

#define LM_NEST    nest4
#define LM_ELEMENT uint32_t
#include "naive_nest.h"
#undef LM_NEST
#undef LM_ELEMENT

#define LM_NEST    nest8
#define LM_ELEMENT uint64_t
#include "naive_nest.h"
#undef LM_NEST
#undef LM_ELEMENT

#define LM_NEST    nest16
#define LM_ELEMENT lm_pair
#include "naive_nest.h"
#undef LM_NEST
#undef LM_ELEMENT

/* Any other element size. */
static void nest_bytes(const lm_naive *p, int axis, char *restrict d, const char *restrict s) {
    const size_t size = p->elem_size;
    const int64_t n = p->n[axis], ds = p->ds[axis] * (int64_t)size, ss = p->ss[axis] * (int64_t)size;
    if (axis < p->rank - 1)
        for (int64_t i = 0; i < n; i++) nest_bytes(p, axis + 1, d + i * ds, s + i * ss);
    else
        for (int64_t i = 0; i < n; i++) memcpy(d + i * ds, s + i * ss, size);
}

static void add_axis(lm_naive *nest, int64_t n, int64_t ds, int64_t ss) {
    nest->n[nest->rank] = n;
    nest->ds[nest->rank] = ds;
    nest->ss[nest->rank++] = ss;
}

void lm_naive_make(lm_naive *nest, const lmad_desc *dst, const lmad_desc *src, size_t elem_size) {
    int axes = 0;
    bool empty = false;
    *nest = (lm_naive){.elem_size = elem_size, .doff = dst->offset, .soff = src->offset};
    for (int k = 0; k < dst->rank; k++) {
        axes += dst->dim[k].n != 1;
        empty |= dst->dim[k].n == 0;
    }
    if (empty) return; /* rank 0: lm_naive_run() does nothing */
    for (; axes < 3; axes++) add_axis(nest, 1, 0, 0);
    for (int k = 0; k < dst->rank; k++)
        if (dst->dim[k].n != 1) add_axis(nest, dst->dim[k].n, dst->dim[k].stride, src->dim[k].stride);
}

void lm_naive_run(const lm_naive *nest, void *dst, const void *src) {
    if (nest->rank == 0) return;
    char *d = (char *)dst + nest->doff * (int64_t)nest->elem_size;
    const char *s = (const char *)src + nest->soff * (int64_t)nest->elem_size;
    switch (nest->elem_size) {
    case 1: nest1(nest, 0, (uint8_t *)d, (const uint8_t *)s); break;
    case 2: nest2(nest, 0, (uint16_t *)(void *)d, (const uint16_t *)(const void *)s); break;
    case 4: nest4(nest, 0, (uint32_t *)(void *)d, (const uint32_t *)(const void *)s); break;
    case 8: nest8(nest, 0, (uint64_t *)(void *)d, (const uint64_t *)(const void *)s); break;
    case 16: nest16(nest, 0, (lm_pair *)(void *)d, (const lm_pair *)(const void *)s); break;
    default: nest_bytes(nest, 0, d, s);
    }
}
