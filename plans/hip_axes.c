/* SPDX-License-Identifier: BSD-3-Clause */
/* Axes of device launches: their order, their words, the divisors that kernels get, the grid. */
#include "hip.h"

int lm_hip_power(int64_t bits) {
    bits |= 16;
    return (int)(bits & -bits);
}

int64_t lm_hip_steps(const lm_problem *p, int side, int but) {
    int64_t bits = 0;
    for (int k = 0; k < p->rank; k++)
        if (k != but) bits |= side == LM_DST ? p->dim[k].ds : p->dim[k].ss;
    return bits;
}

/* ---- order ------------------------------------------------------------------------------------------ */

static uint64_t size_of(int64_t v) { return (uint64_t)(v < 0 ? -v : v); }

/* Where the source stands still it is of no help to be near: such axes come last. */
static uint64_t source_step(const lm_pdim *d) { return d->ss ? size_of(d->ss) : UINT64_MAX; }

bool lm_hip_faster(const lm_pdim *a, const lm_pdim *b, lm_order order) {
    const uint64_t ad = size_of(a->ds), bd = size_of(b->ds), as = source_step(a), bs = source_step(b);
    if (order == LM_ORDER_SRC) return as != bs ? as < bs : ad < bd;
    return ad != bd ? ad < bd : as < bs;
}

void lm_hip_sort(lm_hip_form *f, int first, lm_order order) {
    for (int k = first + 1; k < f->rank; k++) {
        const lm_pdim d = f->dim[k];
        int at = k;
        for (; at > first && lm_hip_faster(&d, &f->dim[at - 1], order); at--) f->dim[at] = f->dim[at - 1];
        f->dim[at] = d;
    }
}

/* ---- division without dividing: see kernels/hip/index.h --------------------------------------------- */

/* Axes up to here are divided by; a tile of a flat copy has no more words. */
enum { QUICK = 4096 };

uint32_t lm_hip_quick(int64_t n) { return n < 2 ? 0 : (uint32_t)((UINT64_C(1) << 32) / (uint64_t)n + 1); }

void lm_hip_set_divisor(int64_t n, lm_u32 *multiplier, lm_u32 *shift) {
    const uint64_t d = (uint64_t)n;
    uint32_t log = 0;
    while (log < 32 && UINT64_C(1) << log < d) log++;
    *multiplier = n == 1 ? 0 : (lm_u32)((((UINT64_C(1) << log) - d) << 32) / d + 1);
    *shift = n == 1 ? 32 : log - 1;
}

void lm_hip_set_axis(lm_hip_axis *a, const lm_pdim *dim) {
    *a = (lm_hip_axis){.ds = dim->ds, .ss = dim->ss, .n = (lm_u64)dim->n, .bit = LM_HIP_NO_BIT};
    a->quick = dim->n <= QUICK ? lm_hip_quick(dim->n) : 0;
    if (dim->n <= UINT32_MAX) lm_hip_set_divisor(dim->n, &a->multiplier, &a->shift);
}

/* ---- reach and grid --------------------------------------------------------------------------------- */

void lm_hip_set_reach(const lm_problem *p, lm_launch *out) {
    const bool reads = !lm_op_sourceless(p->op);
    const int64_t limit = INT64_C(1) << 32;
    out->args.dlow = p->dlo;
    out->args.doff = p->doff - p->dlo;
    out->args.slow = reads ? p->slo : 0;
    out->args.soff = reads ? p->soff - p->slo : 0;
    out->variant.index = p->dhi - p->dlo < limit && (!reads || p->shi - p->slo < limit) ? 32 : 64;
}

bool lm_hip_set_grid(const lm_device *device, int64_t tiles, int block, lm_launch *out) {
    if (block > device->max_threads) return false;
    int64_t row = UINT32_MAX / block; /* no more than 2^32 threads along an axis */
    if (row > device->max_grid[0]) row = device->max_grid[0];
    const int64_t rows = (tiles + row - 1) / row;
    if (tiles > UINT32_MAX || rows > device->max_grid[1]) return false;
    row = (tiles + rows - 1) / rows;
    out->grid[0] = (uint32_t)row;
    out->grid[1] = (uint32_t)rows;
    out->grid[2] = out->block[1] = out->block[2] = 1;
    out->block[0] = (uint32_t)block;
    out->args.tiles = (lm_u32)tiles;
    out->args.grid = (lm_u32)row;
    out->args.block = (lm_u32)block;
    return true;
}
