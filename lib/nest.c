/* SPDX-License-Identifier: BSD-3-Clause */
/* Walking a loop nest. */
#include "nest.h"

/* Only the kernel's axes are ever blocked, so what is left of an axis at some depth is kept in the tile that
 * the kernel will get; every other axis is walked one by one. */
static void descend(const lm_nest *nest, lm_kernel_fn *kernel, int level, char *dst, const char *src,
                    lm_tile *tile) {
    if (level == nest->loops) {
        kernel(dst, src, tile);
        return;
    }
    const lm_loop *loop = &nest->loop[level];
    const lm_pdim *d = &nest->dim[loop->dim];
    const int64_t ds = d->ds, ss = d->ss;
    if (loop->dim >= LM_KERNEL_AXES) {
        const int64_t n = d->n;
        if (level + 1 == nest->loops) /* most calls come from here */
            for (int64_t i = 0; i < n; i++) kernel(dst + i * ds, src + i * ss, tile);
        else
            for (int64_t i = 0; i < n; i++)
                descend(nest, kernel, level + 1, dst + i * ds, src + i * ss, tile);
        return;
    }
    int64_t *extent = loop->dim ? &tile->n1 : &tile->n0;
    const int64_t n = *extent, step = loop->step;
    for (int64_t i = 0; i < n; i += step) {
        *extent = n - i < step ? n - i : step;
        descend(nest, kernel, level + 1, dst + i * ds, src + i * ss, tile);
    }
    *extent = n;
}

static int64_t rounds(const lm_nest *nest, const lm_loop *loop) {
    return (nest->dim[loop->dim].n - 1) / loop->step + 1;
}

int64_t lm_nest_units(const lm_nest *nest) {
    int64_t units = 1;
    for (int k = 0; k < nest->split; k++) units *= rounds(nest, &nest->loop[k]);
    return units;
}

/* Enter unit `unit` of the split loops, whose axes are all different, and walk what is inside. */
static void run_unit(const lm_nest *nest, lm_kernel_fn *kernel, int64_t unit, char *dst, const char *src) {
    lm_tile tile = nest->tile;
    for (int k = nest->split - 1; k >= 0; k--) {
        const lm_loop *loop = &nest->loop[k];
        const lm_pdim *d = &nest->dim[loop->dim];
        const int64_t trips = rounds(nest, loop), i = unit % trips * loop->step;
        const int64_t left = d->n - i < loop->step ? d->n - i : loop->step;
        unit /= trips;
        if (loop->dim == 0) tile.n0 = left;
        if (loop->dim == 1) tile.n1 = left;
        dst += i * d->ds;
        src += i * d->ss;
    }
    descend(nest, kernel, nest->split, dst, src, &tile);
}

void lm_nest_run(const lm_nest *nest, lm_kernel_fn *kernel, char *dst, const char *src, int64_t first,
                 int64_t last) {
    dst += nest->doff;
    src += nest->soff;
    for (int64_t unit = first; unit < last; unit++) run_unit(nest, kernel, unit, dst, src);
}

void lm_nest_run_all(const lm_nest *nest, lm_kernel_fn *kernel, char *dst, const char *src) {
    lm_tile tile = nest->tile;
    descend(nest, kernel, 0, dst + nest->doff, src + nest->soff, &tile);
}
