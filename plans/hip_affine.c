/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches of affine values. Axes stay as the descriptor has them, for the value depends on each of them. */
#include "hip.h"

#include <string.h>

enum { ITEMS = 4 };

/* Does thread number k + 1 move along a before it moves along b? */
static bool inside(const lmad_dim *a, const lmad_dim *b) {
    return lm_magnitude(a->stride) < lm_magnitude(b->stride);
}

/* The product of the extents of all axes that are walked faster than this one. The stride of a single index
 * means nothing. */
static int64_t below(const lmad_desc *dst, int axis) {
    const lmad_dim *own = &dst->dim[axis];
    int64_t product = 1;
    for (int k = 0; k < dst->rank; k++) {
        const lmad_dim *d = &dst->dim[k];
        if (k == axis || d->n == 1) continue;
        if (inside(d, own) || (!inside(own, d) && k > axis)) product *= d->n;
    }
    return product;
}

static void set_axis(lm_hip_axis *a, const lmad_desc *dst, int axis, int64_t size) {
    const int64_t n = dst->dim[axis].n, under = n > 1 ? below(dst, axis) : 1;
    const lm_pdim dim = {n, n > 1 ? dst->dim[axis].stride * size : 0, 0};
    lm_hip_set_axis(a, &dim);
    a->below = (lm_u64)under;
    if (under <= UINT32_MAX) lm_hip_set_divisor(under, &a->below_multiplier, &a->below_shift);
}

void lm_hip_make_affine(const lm_problem *p, const lmad_desc *dst, lmad_type type, const lm_device *device,
                        unsigned align, lm_launch *out) {
    const int64_t size = type == LMAD_INT32 || type == LMAD_FLOAT ? 4 : 8;
    (void)align;
    memset(out, 0, sizeof *out);
    lm_hip_set_reach(p, out);
    out->variant.kernel = LM_HIP_AFFINE;
    out->variant.unit = out->variant.word[LM_DST] = out->variant.word[LM_SRC] = (int)size;
    out->variant.items = ITEMS;
    out->variant.option = (int)type;
    out->args.doff = dst->offset * size - p->dlo;
    out->args.rank = (lm_u32)dst->rank;
    for (int k = 0; k < dst->rank; k++) set_axis(&out->args.axis[k], dst, k, size);
    out->args.words = (lm_u64)(p->payload / size);
    out->args.tile_words = LM_HIP_THREADS * ITEMS;
    lm_hip_set_grid(device, (p->payload / size + out->args.tile_words - 1) / out->args.tile_words,
                    LM_HIP_THREADS, out);
}

void lm_launch_set_steps(lm_hip_args *args, lmad_type type, int rank, const void *values) {
    for (int k = 0; k <= rank; k++) {
        int32_t i;
        float f;
        double d;
        int64_t whole;
        switch (type) {
        case LMAD_INT32:
            memcpy(&i, (const char *)values + 4 * k, 4);
            whole = i;
            memcpy(&args->fill.steps[k], &whole, 8);
            break;
        case LMAD_FLOAT:
            memcpy(&f, (const char *)values + 4 * k, 4);
            d = f;
            memcpy(&args->fill.steps[k], &d, 8);
            break;
        default: memcpy(&args->fill.steps[k], (const char *)values + 8 * k, 8);
        }
    }
}
