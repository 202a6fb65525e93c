/* SPDX-License-Identifier: BSD-3-Clause */
/* Walking a loop nest. */
#include "nest.h"

enum { LINE = 64 };

/* Tell the kernel where in a blocked axis 0 its tile lies. */
static void place(lm_tile *tile, int64_t before, int64_t after, int64_t step) {
    const bool lines = step * tile->run % LINE == 0;
    tile->before = lines ? before : 0;
    tile->after = lines ? after : 0;
}

/* `next` is the source of the first tile after the part of the nest at hand, so that kernels can ask for it
 * ahead also where loops begin anew; NULL when there is none. */
static void call(const lm_nest *nest, lm_kernel_fn *kernel, char *dst, const char *src, const char *next,
                 lm_tile *tile) {
    if (nest->tile.ahead) tile->ahead = next ? next - src : 0;
    kernel(dst, src, tile);
}

/* Only the kernel's axes are ever blocked, so what is left of an axis at some depth is kept in the tile that
 * the kernel will get; every other axis is walked one by one. */
static void descend(const lm_nest *nest, lm_kernel_fn *kernel, int level, char *dst, const char *src,
                    const char *next, lm_tile *tile) {
    if (level == nest->loops) {
        call(nest, kernel, dst, src, next, tile);
        return;
    }
    const lm_loop *loop = &nest->loop[level];
    const lm_pdim *d = &nest->dim[loop->dim];
    const int64_t ds = d->ds, ss = d->ss;
    if (loop->dim >= LM_KERNEL_AXES) {
        const int64_t n = d->n;
        if (level + 1 == nest->loops && !nest->tile.ahead) /* most calls come from here */
            for (int64_t i = 0; i < n; i++) kernel(dst + i * ds, src + i * ss, tile);
        else
            for (int64_t i = 0; i < n; i++)
                descend(nest, kernel, level + 1, dst + i * ds, src + i * ss,
                        i + 1 < n ? src + (i + 1) * ss : next, tile);
        return;
    }
    int64_t *extent = loop->dim ? &tile->n1 : &tile->n0;
    const int64_t n = *extent, step = loop->step;
    for (int64_t i = 0; i < n; i += step) {
        *extent = n - i < step ? n - i : step;
        if (loop->dim == 0) place(tile, i, n - i - *extent, step);
        descend(nest, kernel, level + 1, dst + i * ds, src + i * ss,
                i + step < n ? src + (i + step) * ss : next, tile);
    }
    *extent = n;
    if (loop->dim == 0) tile->before = tile->after = 0;
}

void lm_nest_run_all(const lm_nest *nest, lm_kernel_fn *kernel, char *dst, const char *src) {
    lm_tile tile = nest->tile;
    descend(nest, kernel, 0, dst + nest->doff, src + nest->soff, NULL, &tile);
}
