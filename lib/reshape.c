/* SPDX-License-Identifier: BSD-3-Clause */
/* Another shape for the same elements, where strides can express it.
 *
 * Old and new axes are matched from the outside in groups of equal products, as short as can be: (6,4)
 * to (2,3,2,2) has the groups 6 = 2*3 and 4 = 2*2. In each group the old axes must fold into one axis,
 * which is then split anew. Axes of extent 1 belong to no group. */
#include "desc.h"
#include "status.h"

/* The axes of a view that run over more than one index. */
typedef struct long_axes {
    int count;
    int axis[LMAD_MAX_RANK];
} long_axes;

static void find_long(const lmad_desc *d, long_axes *out) {
    out->count = 0;
    for (int k = 0; k < d->rank; k++)
        if (d->dim[k].n > 1) out->axis[out->count++] = k;
}

/* Do the old axes [first, last] fold into one whose stride is that of the last? */
static lmad_status check_fold(const lmad_desc *d, const long_axes *old, int first, int last) {
    for (int i = first; i < last; i++) {
        const lmad_dim *outer = &d->dim[old->axis[i]], *inner = &d->dim[old->axis[i + 1]];
        int64_t span;
        if (!lm_mul(inner->n, inner->stride, &span) || span != outer->stride)
            return lm_fail(LMAD_ERR_LAYOUT, "lmad_reshape: axes %d and %d do not fold into one", old->axis[i],
                           old->axis[i + 1]);
    }
    return LMAD_OK;
}

/* Strides of the new axes [first, last], which split one axis of this stride. */
static lmad_status split(lmad_desc *d, const long_axes *fresh, int first, int last, int64_t stride) {
    for (int k = last; k >= first; k--) {
        lmad_dim *dim = &d->dim[fresh->axis[k]];
        dim->stride = stride;
        if (k > first && !lm_mul(stride, dim->n, &stride))
            return lm_fail(LMAD_ERR_OVERFLOW, "lmad_reshape: the stride of new axis %d leaves int64",
                           fresh->axis[k - 1]);
    }
    return LMAD_OK;
}

/* Give the long axes of *out their strides. The counts of both views are equal and not 0. */
static lmad_status match(lmad_desc *out, const lmad_desc *d) {
    long_axes old, fresh;
    find_long(d, &old);
    find_long(out, &fresh);
    for (int i = 0, k = 0; k < fresh.count; i++, k++) {
        int old_first = i, fresh_first = k;
        int64_t have = d->dim[old.axis[i]].n, want = out->dim[fresh.axis[k]].n;
        while (have != want)
            if (have < want)
                have *= d->dim[old.axis[++i]].n;
            else
                want *= out->dim[fresh.axis[++k]].n;
        lmad_status status = check_fold(d, &old, old_first, i);
        if (status == LMAD_OK) status = split(out, &fresh, fresh_first, k, d->dim[old.axis[i]].stride);
        if (status != LMAD_OK) return status;
    }
    return LMAD_OK;
}

lmad_status lmad_reshape(lmad_desc *d, int rank, const int64_t *shape) {
    lmad_desc out;
    int64_t have, want;
    lmad_status status = lm_desc_check(d, "lmad_reshape");
    if (status == LMAD_OK) status = lm_desc_dense(&out, "lmad_reshape: new shape", rank, shape);
    if (status == LMAD_OK) status = lm_desc_count(d, "lmad_reshape", &have);
    if (status == LMAD_OK) status = lm_desc_count(&out, "lmad_reshape: new shape", &want);
    if (status != LMAD_OK) return status;
    if (have != want)
        return lm_fail(LMAD_ERR_SHAPE, "lmad_reshape: %lld elements cannot be %lld", (long long)have,
                       (long long)want);
    out.offset = d->offset;
    if (have > 0) status = match(&out, d);
    if (status == LMAD_OK) lm_desc_assign(d, &out);
    return status;
}
