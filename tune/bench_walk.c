/* SPDX-License-Identifier: BSD-3-Clause */
/* Axes by falling destination stride; the innermost one and the one of the smallest source stride are walked
 * in square blocks, so that a transpose does not miss the cache at every element. */
#include "bench_walk.h"

#include <stdlib.h>

enum { BLOCK = 64 };

/* Strides in bytes. */
typedef struct axis {
    int64_t n, ds, ss;
} axis;

typedef struct walk {
    size_t elem_size;
    lm_row_fn *visit;
    int rank; /* >= 2; the last two axes are walked in blocks */
    axis axis[LMAD_MAX_RANK + 2];
} walk;

static int by_dst_stride(const void *a, const void *b) {
    const int64_t x = llabs(((const axis *)a)->ds), y = llabs(((const axis *)b)->ds);
    return (x < y) - (x > y);
}

/* The last axis but one: the one of the smallest source stride that is not 0. */
static void choose_block(walk *w) {
    const int last = w->rank - 1;
    int best = last - 1;
    for (int k = 0; k < last; k++) {
        const int64_t stride = llabs(w->axis[k].ss), least = llabs(w->axis[best].ss);
        if (w->axis[k].n > 1 && stride && (stride < least || !least)) best = k;
    }
    const axis chosen = w->axis[best];
    for (int k = best; k < last - 1; k++) w->axis[k] = w->axis[k + 1];
    w->axis[last - 1] = chosen;
}

/* False for an empty shape. */
static bool prepare(walk *w, const lmad_desc *dst, const lmad_desc *src) {
    const int64_t size = (int64_t)w->elem_size;
    for (w->rank = 0; w->rank < 2; w->rank++) w->axis[w->rank] = (axis){1, INT64_MAX, 0};
    for (int k = 0; k < dst->rank; k++) {
        if (dst->dim[k].n == 0) return false;
        if (dst->dim[k].n == 1) continue;
        w->axis[w->rank++] =
            (axis){dst->dim[k].n, dst->dim[k].stride * size, src ? src->dim[k].stride * size : 0};
    }
    qsort(w->axis, (size_t)w->rank, sizeof w->axis[0], by_dst_stride);
    w->axis[0].ds = w->axis[1].ds = 0; /* the two of extent 1 that make the rank at least 2 */
    choose_block(w);
    return true;
}

static int64_t at_most(int64_t n, int64_t limit) { return n < limit ? n : limit; }

static bool walk_blocks(const walk *w, char *d, const char *s) {
    const axis *x = &w->axis[w->rank - 1], *y = x - 1;
    /* A single row, or two axes that agree on which is the inner one, need no blocks. */
    const int64_t width = y->n == 1 || llabs(x->ss) <= llabs(y->ss) ? x->n : BLOCK;
    for (int64_t i = 0; i < x->n; i += width) {
        lm_row_span row = {NULL, NULL, at_most(x->n - i, width), x->ds, x->ss, w->elem_size};
        for (int64_t j = 0; j < y->n; j++) {
            row.dst = d + i * x->ds + j * y->ds;
            row.src = s + i * x->ss + j * y->ss;
            if (!w->visit(&row)) return false;
        }
    }
    return true;
}

static bool walk_axes(const walk *w, int k, char *d, const char *s) {
    if (k == w->rank - 2) return walk_blocks(w, d, s);
    const axis *x = &w->axis[k];
    for (int64_t i = 0; i < x->n; i++)
        if (!walk_axes(w, k + 1, d + i * x->ds, s + i * x->ss)) return false;
    return true;
}

bool lm_walk(void *dst, const lmad_desc *dst_desc, const void *src, const lmad_desc *src_desc,
             size_t elem_size, lm_row_fn *visit) {
    walk w = {.elem_size = elem_size, .visit = visit};
    if (!prepare(&w, dst_desc, src_desc)) return true;
    const int64_t size = (int64_t)elem_size;
    return walk_axes(&w, 0, (char *)dst + dst_desc->offset * size,
                     (const char *)src + (src_desc ? src_desc->offset * size : 0));
}
