/* SPDX-License-Identifier: BSD-3-Clause */
/* From descriptors to a checked, canonical problem. */
#include "problem.h"

#include "desc.h"
#include "lattice.h"
#include "status.h"

const char *lm_op_text(lm_op op) {
    static const char *const text[] = {"copy", "move", "fill", "many", "affine", "generate"};
    return text[op];
}

static lmad_status check_shapes(const lmad_desc *dst, const lmad_desc *src) {
    if (dst->rank != src->rank)
        return lm_fail(LMAD_ERR_SHAPE, "destination has rank %d, source has rank %d", dst->rank, src->rank);
    for (int k = 0; k < dst->rank; k++)
        if (dst->dim[k].n != src->dim[k].n)
            return lm_fail(LMAD_ERR_SHAPE, "axis %d: destination extent %lld, source extent %lld", k,
                           (long long)dst->dim[k].n, (long long)src->dim[k].n);
    return LMAD_OK;
}

static lmad_status check_sides(lm_op op, const lmad_desc *dst, const lmad_desc *src, size_t elem_size) {
    lmad_status status = lm_desc_check(dst, "destination");
    if (status == LMAD_OK && !lm_op_sourceless(op)) status = lm_desc_check(src, "source");
    if (status != LMAD_OK) return status;
    if (elem_size == 0) return lm_fail(LMAD_ERR_ELEM_SIZE, "element size is 0");
    if (elem_size > INT64_MAX)
        return lm_fail(LMAD_ERR_ELEM_SIZE, "element size %zu is beyond int64", elem_size);
    return lm_op_sourceless(op) ? LMAD_OK : check_shapes(dst, src);
}

/* Bytes [*lo, *hi) that a side reaches, from its lowest and highest element. */
static lmad_status reach(const lmad_desc *d, const char *side, int64_t size, int64_t *count, int64_t *lo,
                         int64_t *hi) {
    int64_t first, last, span;
    lmad_status status = lm_desc_bounds(d, side, count, &first, &last);
    if (status != LMAD_OK) return status;
    if (!lm_add(last, 1, &last) || !lm_mul(first, size, lo) || !lm_mul(last, size, hi) ||
        !lm_sub(*hi, *lo, &span))
        return lm_fail(LMAD_ERR_OVERFLOW, "%s: elements of %lld bytes reach beyond int64 bytes", side,
                       (long long)size);
    return LMAD_OK;
}

/* One fact of a descriptor that the loops rely on: no destination byte is written twice. */
static lmad_status check_alias(const lmad_desc *dst) {
    lm_axis axes[LMAD_MAX_RANK];
    int axis_of[LMAD_MAX_RANK], rank = 0, a = 0, b = 0;
    for (int k = 0; k < dst->rank; k++) {
        if (dst->dim[k].n == 1) continue;
        axis_of[rank] = k;
        axes[rank++] = (lm_axis){dst->dim[k].n, dst->dim[k].stride};
    }
    switch (lm_lattice_aliases(axes, rank, &a, &b)) {
    case LM_NO: return LMAD_OK;
    case LM_YES: break;
    default:
        return lm_fail(LMAD_ERR_UNDECIDED,
                       "destination: cannot decide within the work limit whether its axes "
                       "reach an element twice");
    }
    if (a == b)
        return lm_fail(LMAD_ERR_DST_ALIAS, "destination axis %d: stride 0 reaches one element %lld times",
                       axis_of[a], (long long)axes[a].n);
    return lm_fail(LMAD_ERR_DST_ALIAS,
                   "destination axes %d and %d: strides %lld and %lld reach one element twice", axis_of[a],
                   axis_of[b], (long long)axes[a].stride, (long long)axes[b].stride);
}

static void copy_dims(lm_problem *p, const lmad_desc *dst, const lmad_desc *src, int64_t size) {
    p->rank = 0;
    for (int k = 0; k < dst->rank; k++) {
        if (dst->dim[k].n == 1) continue; /* its strides may be anything, also beyond int64 in bytes */
        p->dim[p->rank++] =
            (lm_pdim){dst->dim[k].n, dst->dim[k].stride * size, src ? src->dim[k].stride * size : 0};
    }
}

lmad_status lm_problem_make(lm_problem *out, lm_op op, const lmad_desc *dst, const lmad_desc *src,
                            size_t elem_size, int threads) {
    lmad_status status = check_sides(op, dst, src, elem_size);
    if (status != LMAD_OK) return status;
    const int64_t size = (int64_t)elem_size;
    int64_t count = 0, payload, dlo, dhi, slo = 0, shi = size;
    out->op = op;
    out->dst_space = out->src_space = LM_HOST;
    out->threads = threads;
    out->grain = (int)((elem_size | 16) & -(elem_size | 16));
    out->rank = 0;
    out->run = size;
    out->count = out->payload = 0;
    out->calibration = NULL;
    if (lm_desc_empty(dst)) return LMAD_OK;

    if (!lm_op_sourceless(op)) status = reach(src, "source", size, &count, &slo, &shi);
    if (status == LMAD_OK) status = reach(dst, "destination", size, &count, &dlo, &dhi);
    if (status == LMAD_OK) status = check_alias(dst);
    if (status != LMAD_OK) return status;
    if (!lm_mul(count, size, &payload))
        return lm_fail(LMAD_ERR_OVERFLOW, "%lld elements of %lld bytes are beyond int64 bytes",
                       (long long)count, (long long)size);

    copy_dims(out, dst, lm_op_sourceless(op) ? NULL : src, size);
    out->doff = dst->offset * size;
    out->soff = lm_op_sourceless(op) ? 0 : src->offset * size;
    out->dlo = dlo;
    out->dhi = dhi;
    out->slo = slo;
    out->shi = shi;
    out->payload = payload;
    lm_normalise(out);
    out->count = payload / out->run;
    return LMAD_OK;
}

/* The canonical axes carry all that the exact test needs: addresses do not depend on how axes were written.
 */
static bool sets_meet(const lm_problem *p, int64_t shift) {
    lm_axis daxes[LMAD_MAX_RANK], saxes[LMAD_MAX_RANK];
    for (int k = 0; k < p->rank; k++) {
        daxes[k] = (lm_axis){p->dim[k].n, p->dim[k].ds};
        saxes[k] = (lm_axis){p->dim[k].n, p->dim[k].ss};
    }
    const lm_byte_set d = {p->doff, p->run, p->rank, daxes};
    const lm_byte_set s = {p->soff + shift, p->run, p->rank, saxes};
    return lm_lattice_meets(&d, &s) != LM_NO;
}

bool lm_problem_overlaps(const lm_problem *p, const void *dst, const void *src) {
    const int64_t shift = (int64_t)((uintptr_t)src - (uintptr_t)dst); /* all relative to dst from here on */
    int64_t slo, shi;
    if (!lm_add(p->slo, shift, &slo) || !lm_add(p->shi, shift, &shi)) return true; /* no such memory */
    if (p->dhi <= slo || shi <= p->dlo) return false;
    return sets_meet(p, shift);
}

bool lm_problem_is_identity(const lm_problem *p) {
    for (int k = 0; k < p->rank; k++)
        if (p->dim[k].ds != p->dim[k].ss) return false;
    return p->doff == p->soff;
}
