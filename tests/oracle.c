/* SPDX-License-Identifier: BSD-3-Clause */
/* The naive oracle: one loop an axis, one memcpy an element. */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

/* Both sides of a copy; the shape is that of dst. */
typedef struct copy {
    char *dst;
    const char *src;
    const lmad_desc *ddst, *dsrc;
    int64_t elem_size;
} copy;

static void copy_axes(const copy *c, int axis, int64_t d, int64_t s) {
    if (axis == c->ddst->rank) {
        memcpy(c->dst + d * c->elem_size, c->src + s * c->elem_size, (size_t)c->elem_size);
        return;
    }
    for (int64_t i = 0; i < c->ddst->dim[axis].n; i++)
        copy_axes(c, axis + 1, d + i * c->ddst->dim[axis].stride, s + i * c->dsrc->dim[axis].stride);
}

void lm_oracle_copy(char *dst, const lmad_desc *ddst, const char *src, const lmad_desc *dsrc,
                    size_t elem_size) {
    copy c = {dst, src, ddst, dsrc, (int64_t)elem_size};
    if (!lm_oracle_empty(ddst)) copy_axes(&c, 0, ddst->offset, dsrc->offset);
}

void lm_oracle_fill(char *dst, const lmad_desc *ddst, const void *value, size_t elem_size) {
    lmad_desc one = *ddst;
    one.offset = 0;
    for (int k = 0; k < one.rank; k++) one.dim[k].stride = 0;
    lm_oracle_copy(dst, ddst, value, &one, elem_size);
}

bool lm_oracle_empty(const lmad_desc *d) {
    for (int k = 0; k < d->rank; k++)
        if (d->dim[k].n == 0) return true;
    return false;
}

bool lm_oracle_same(const lmad_desc *a, const lmad_desc *b) {
    return a->rank == b->rank && a->offset == b->offset &&
           memcmp(a->dim, b->dim, (size_t)a->rank * sizeof a->dim[0]) == 0;
}

void lm_oracle_bounds(const lmad_desc *d, int64_t *lo, int64_t *hi) {
    *lo = *hi = d->offset;
    for (int k = 0; k < d->rank; k++) {
        if (d->dim[k].n == 1) continue; /* its stride may be anything */
        int64_t span = (d->dim[k].n - 1) * d->dim[k].stride;
        if (span < 0) *lo += span;
        if (span > 0) *hi += span;
    }
}

/* Mark every element of the view; true when one was marked before. */
static bool mark_axes(const lmad_desc *d, int axis, int64_t at, char *seen) {
    if (axis == d->rank) {
        bool again = seen[at];
        seen[at] = 1;
        return again;
    }
    bool again = false;
    for (int64_t i = 0; i < d->dim[axis].n && !again; i++)
        again = mark_axes(d, axis + 1, at + i * d->dim[axis].stride, seen);
    return again;
}

bool lm_oracle_aliases(const lmad_desc *d) {
    if (lm_oracle_empty(d)) return false;
    int64_t lo, hi;
    lm_oracle_bounds(d, &lo, &hi);
    char *seen = calloc((size_t)(hi - lo + 1), 1);
    if (!seen) abort();
    bool again = mark_axes(d, 0, d->offset - lo, seen);
    free(seen);
    return again;
}
