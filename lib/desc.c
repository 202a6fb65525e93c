/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors: checks, bounds, and the views that pick, drop, add or reorder axes.
 *
 * Two kinds of numbers mean nothing and take no part in arithmetic, so that they cannot overflow: the
 * stride of an axis of extent 1, and the offset and all strides of an empty view (which stays empty
 * whatever is done to it). */
#include "desc.h"

#include <inttypes.h>
#include <string.h>

#include "status.h"

lmad_status lm_desc_check(const lmad_desc *d, const char *side) {
    if (!d) return lm_fail(LMAD_ERR_NULL, "%s: the descriptor is NULL", side);
    if (d->rank < 0 || d->rank > LMAD_MAX_RANK)
        return lm_fail(LMAD_ERR_RANK, "%s: rank %d is not in 0..%d", side, d->rank, LMAD_MAX_RANK);
    for (int k = 0; k < d->rank; k++)
        if (d->dim[k].n < 0)
            return lm_fail(LMAD_ERR_EXTENT, "%s: axis %d has the extent %" PRId64, side, k, d->dim[k].n);
    return LMAD_OK;
}

bool lm_desc_empty(const lmad_desc *d) {
    for (int k = 0; k < d->rank; k++)
        if (d->dim[k].n == 0) return true;
    return false;
}

lmad_status lm_desc_count(const lmad_desc *d, const char *side, int64_t *count) {
    int64_t product = 1;
    if (lm_desc_empty(d)) product = 0;
    for (int k = 0; k < d->rank; k++)
        if (!lm_mul(product, d->dim[k].n, &product))
            return lm_fail(LMAD_ERR_OVERFLOW, "%s: the number of elements leaves int64 at axis %d", side, k);
    *count = product;
    return LMAD_OK;
}

lmad_status lm_desc_bounds(const lmad_desc *d, const char *side, int64_t *count, int64_t *lo, int64_t *hi) {
    int64_t elements = 0;
    lmad_status status = lm_desc_count(d, side, &elements);
    if (status != LMAD_OK) return status;
    lm_wide low = d->offset, high = d->offset;
    if (elements == 0) low = 0, high = -1;
    for (int k = 0; k < d->rank && elements > 0; k++) {
        lm_wide reach = (lm_wide)(d->dim[k].n - 1) * d->dim[k].stride;
        if (reach < 0)
            low += reach;
        else
            high += reach;
        if (low < INT64_MIN || high > INT64_MAX)
            return lm_fail(LMAD_ERR_OVERFLOW, "%s: axis %d reaches beyond int64", side, k);
    }
    *count = elements;
    *lo = (int64_t)low;
    *hi = (int64_t)high;
    return LMAD_OK;
}

lmad_status lmad_bounds(const lmad_desc *d, int64_t *count, int64_t *lo, int64_t *hi) {
    int64_t elements, low, high;
    lmad_status status = lm_desc_check(d, "view");
    if (status == LMAD_OK) status = lm_desc_bounds(d, "view", &elements, &low, &high);
    if (status != LMAD_OK) return status;
    if (count) *count = elements;
    if (lo) *lo = low;
    if (hi) *hi = high;
    return LMAD_OK;
}

void lm_desc_assign(lmad_desc *to, const lmad_desc *from) {
    to->rank = from->rank;
    to->offset = from->offset;
    memmove(to->dim, from->dim, (size_t)from->rank * sizeof from->dim[0]);
}

/* ---- Dense arrays --------------------------------------------------------------------------------- */

/* Rank and extents of *d from a caller's shape; the strides are left unset. */
static lmad_status take_shape(lmad_desc *d, const char *side, int rank, const int64_t *shape) {
    if (rank < 0 || rank > LMAD_MAX_RANK)
        return lm_fail(LMAD_ERR_RANK, "%s: rank %d is not in 0..%d", side, rank, LMAD_MAX_RANK);
    if (!shape && rank > 0) return lm_fail(LMAD_ERR_NULL, "%s: the shape is NULL", side);
    d->rank = rank;
    d->offset = 0;
    for (int k = 0; k < rank; k++) d->dim[k].n = shape[k];
    return lm_desc_check(d, side);
}

/* The next stride outwards. An extent of 0 counts as 1, so that the other axes get their usual strides;
 * in an empty array a product may be anything, hence 0 where it overflows. */
static int64_t wider(int64_t stride, int64_t n) {
    int64_t product;
    return lm_mul(stride, n > 0 ? n : 1, &product) ? product : 0;
}

lmad_status lm_desc_dense(lmad_desc *d, const char *side, int rank, const int64_t *shape) {
    int64_t count, stride = 1;
    lmad_status status = take_shape(d, side, rank, shape);
    if (status == LMAD_OK) status = lm_desc_count(d, side, &count);
    if (status != LMAD_OK) return status;
    for (int k = rank - 1; k >= 0; k--) {
        d->dim[k].stride = stride;
        stride = wider(stride, d->dim[k].n);
    }
    return LMAD_OK;
}

lmad_status lmad_row_major(lmad_desc *d, int rank, const int64_t *shape) {
    if (!d) return lm_fail(LMAD_ERR_NULL, "lmad_row_major: the descriptor is NULL");
    lmad_desc dense;
    lmad_status status = lm_desc_dense(&dense, "lmad_row_major", rank, shape);
    if (status == LMAD_OK) lm_desc_assign(d, &dense);
    return status;
}

lmad_status lmad_col_major(lmad_desc *d, int rank, const int64_t *shape) {
    if (!d) return lm_fail(LMAD_ERR_NULL, "lmad_col_major: the descriptor is NULL");
    lmad_desc dense;
    lmad_status status = lm_desc_dense(&dense, "lmad_col_major", rank, shape);
    if (status != LMAD_OK) return status;
    int64_t stride = 1;
    for (int k = 0; k < rank; k++) {
        dense.dim[k].stride = stride;
        stride = wider(stride, dense.dim[k].n);
    }
    lm_desc_assign(d, &dense);
    return LMAD_OK;
}

/* ---- Views ---------------------------------------------------------------------------------------- */

static lmad_status check_axis(const lmad_desc *d, const char *function, int axis) {
    lmad_status status = lm_desc_check(d, function);
    if (status != LMAD_OK) return status;
    if (axis < 0 || axis >= d->rank)
        return lm_fail(LMAD_ERR_AXIS, "%s: there is no axis %d in a view of rank %d", function, axis,
                       d->rank);
    return LMAD_OK;
}

/* The offset of index i of an axis, 0 <= i < n. */
static lmad_status offset_at(const lmad_desc *d, const char *function, int axis, int64_t i, int64_t *offset) {
    lm_wide at = d->offset;
    if (!lm_desc_empty(d)) at += (lm_wide)i * d->dim[axis].stride;
    if (at < INT64_MIN || at > INT64_MAX)
        return lm_fail(LMAD_ERR_OVERFLOW, "%s: axis %d: the offset of index %" PRId64 " leaves int64",
                       function, axis, i);
    *offset = (int64_t)at;
    return LMAD_OK;
}

/* The number of indices start, start + step, ... before stop; there is at least one. */
static int64_t slice_extent(int64_t start, int64_t stop, int64_t step) {
    uint64_t distance = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    uint64_t pace = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    return (int64_t)((distance - 1) / pace + 1);
}

lmad_status lmad_slice(lmad_desc *d, int axis, int64_t start, int64_t stop, int64_t step) {
    lmad_status status = check_axis(d, "lmad_slice", axis);
    if (status != LMAD_OK) return status;
    if (step == 0) return lm_fail(LMAD_ERR_ARGUMENT, "lmad_slice: axis %d: the step is 0", axis);
    lmad_dim *dim = &d->dim[axis];
    if (step > 0 ? start >= stop : start <= stop) {
        dim->n = 0;
        return LMAD_OK;
    }
    if (start < 0 || start >= dim->n || stop < -1 || stop > dim->n)
        return lm_fail(LMAD_ERR_AXIS,
                       "lmad_slice: axis %d has the extent %" PRId64 ": %" PRId64 " to %" PRId64 " leaves it",
                       axis, dim->n, start, stop);
    int64_t offset = 0, n = slice_extent(start, stop, step), stride = dim->stride;
    status = offset_at(d, "lmad_slice", axis, start, &offset);
    if (status != LMAD_OK) return status;
    if (n > 1 && !lm_desc_empty(d) && !lm_mul(stride, step, &stride))
        return lm_fail(LMAD_ERR_OVERFLOW, "lmad_slice: axis %d: stride times step leaves int64", axis);
    d->offset = offset;
    *dim = (lmad_dim){n, stride};
    return LMAD_OK;
}

lmad_status lmad_index(lmad_desc *d, int axis, int64_t i) {
    lmad_status status = check_axis(d, "lmad_index", axis);
    if (status != LMAD_OK) return status;
    if (i < 0 || i >= d->dim[axis].n)
        return lm_fail(LMAD_ERR_AXIS, "lmad_index: axis %d has the extent %" PRId64 ", no index %" PRId64,
                       axis, d->dim[axis].n, i);
    int64_t offset = 0;
    status = offset_at(d, "lmad_index", axis, i, &offset);
    if (status != LMAD_OK) return status;
    d->offset = offset;
    d->rank--;
    memmove(&d->dim[axis], &d->dim[axis + 1], (size_t)(d->rank - axis) * sizeof d->dim[0]);
    return LMAD_OK;
}

lmad_status lmad_reverse(lmad_desc *d, int axis) {
    lmad_status status = check_axis(d, "lmad_reverse", axis);
    if (status != LMAD_OK) return status;
    lmad_dim *dim = &d->dim[axis];
    if (dim->n <= 1 || lm_desc_empty(d)) return LMAD_OK;
    if (dim->stride == INT64_MIN)
        return lm_fail(LMAD_ERR_OVERFLOW, "lmad_reverse: axis %d: the negated stride leaves int64", axis);
    status = offset_at(d, "lmad_reverse", axis, dim->n - 1, &d->offset);
    if (status == LMAD_OK) dim->stride = -dim->stride;
    return status;
}

/* May the view get n times as many elements? */
static lmad_status check_repeat(const lmad_desc *d, const char *function, int axis, int64_t n) {
    int64_t count = 0;
    if (n < 0)
        return lm_fail(LMAD_ERR_EXTENT, "%s: axis %d: the extent %" PRId64 " is negative", function, axis, n);
    if (n == 0) return LMAD_OK;
    lmad_status status = lm_desc_count(d, function, &count);
    if (status == LMAD_OK && !lm_mul(count, n, &count))
        return lm_fail(LMAD_ERR_OVERFLOW, "%s: axis %d: the number of elements leaves int64", function, axis);
    return status;
}

lmad_status lmad_insert(lmad_desc *d, int axis, int64_t n) {
    lmad_status status = lm_desc_check(d, "lmad_insert");
    if (status != LMAD_OK) return status;
    if (d->rank == LMAD_MAX_RANK)
        return lm_fail(LMAD_ERR_RANK, "lmad_insert: axis %d would be one more than %d", axis, LMAD_MAX_RANK);
    if (axis < 0 || axis > d->rank)
        return lm_fail(LMAD_ERR_AXIS, "lmad_insert: there is no place %d in a view of rank %d", axis,
                       d->rank);
    status = check_repeat(d, "lmad_insert", axis, n);
    if (status != LMAD_OK) return status;
    memmove(&d->dim[axis + 1], &d->dim[axis], (size_t)(d->rank - axis) * sizeof d->dim[0]);
    d->dim[axis] = (lmad_dim){n, 0};
    d->rank++;
    return LMAD_OK;
}

lmad_status lmad_broadcast(lmad_desc *d, int axis, int64_t n) {
    lmad_status status = check_axis(d, "lmad_broadcast", axis);
    if (status != LMAD_OK) return status;
    if (d->dim[axis].n != 1)
        return lm_fail(LMAD_ERR_EXTENT, "lmad_broadcast: axis %d has the extent %" PRId64 ", not 1", axis,
                       d->dim[axis].n);
    status = check_repeat(d, "lmad_broadcast", axis, n);
    if (status == LMAD_OK) d->dim[axis] = (lmad_dim){n, 0};
    return status;
}

lmad_status lmad_permute(lmad_desc *d, const int *perm) {
    lmad_status status = lm_desc_check(d, "lmad_permute");
    if (status != LMAD_OK) return status;
    if (!perm && d->rank > 0) return lm_fail(LMAD_ERR_NULL, "lmad_permute: the permutation is NULL");
    lmad_desc out = {.rank = d->rank, .offset = d->offset};
    bool taken[LMAD_MAX_RANK] = {false};
    for (int k = 0; k < d->rank; k++) {
        if (perm[k] < 0 || perm[k] >= d->rank || taken[perm[k]])
            return lm_fail(LMAD_ERR_AXIS, "lmad_permute: new axis %d: old axis %d %s", k, perm[k],
                           perm[k] < 0 || perm[k] >= d->rank ? "does not exist" : "is used twice");
        taken[perm[k]] = true;
        out.dim[k] = d->dim[perm[k]];
    }
    lm_desc_assign(d, &out);
    return LMAD_OK;
}
