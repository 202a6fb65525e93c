/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs of tiles exchanged in registers: which kernel suits the strides, and the loops around it. */
#include "move_exchange.h"

#include "lib/cpu.h"

/* Runs of this many bytes are exchanged as rows. */
enum { ROW = 32 };

void lm_exchange_choose(lm_exchange *x, const lm_form *f) {
    int dst = LM_BOX_NONE, src = LM_BOX_NONE;
    for (int k = 0; k < f->rank; k++) {
        if (f->dim[k].n == 1) continue;
        if (f->dim[k].ds == f->run) dst = k;
        if (lm_magnitude(f->dim[k].ss) == f->run) src = k;
    }
    const bool rows = f->run >= ROW || (dst != LM_BOX_NONE && dst == src);
    x->kernel = NULL;
    x->inner = dst != LM_BOX_NONE && dst == src ? dst : LM_BOX_NONE;
    x->outer = lm_box_next_axis(f->rank, f->dim, x->inner);
    if (rows) x->kernel = lm_kernel_find(LM_SWAP, f->run, false, lm_cpu_isa());
    if (rows || dst == LM_BOX_NONE || src == LM_BOX_NONE || !lm_is_word(f->run)) return;
    x->kernel = lm_kernel_find(LM_EXCHANGE, f->run, false, lm_cpu_isa());
    x->inner = dst;
    x->outer = src;
}

/* ---- running -------------------------------------------------------------------------------------- */

typedef struct walk {
    const lm_exchange *exchange;
    const lm_form *form;
    const int64_t *n;
    lm_tile tile;
} walk;

static void each_tile(const walk *w, int k, char *dst, char *src) {
    const lm_exchange *x = w->exchange;
    while (k < w->form->rank && (k == x->inner || k == x->outer || w->n[k] == 1)) k++;
    if (k == w->form->rank) {
        x->kernel->fn(dst, src, &w->tile);
        return;
    }
    const lm_pdim *d = &w->form->dim[k];
    for (int64_t i = 0; i < w->n[k]; i++) each_tile(w, k + 1, dst + i * d->ds, src + i * d->ss);
}

/* A transpose wants the outer axis to be walked upwards in the source. */
static void turn_outer(lm_tile *t, char **dst, char **src) {
    *dst += (t->n1 - 1) * t->ds1;
    *src += (t->n1 - 1) * t->ss1;
    t->ds1 = -t->ds1;
    t->ss1 = -t->ss1;
}

void lm_exchange_run(const lm_exchange *x, const lm_form *f, const lm_pair *pair) {
    walk w = {x, f, pair->n, {.run = f->run, .n0 = 1, .ds0 = f->run, .ss0 = f->run, .n1 = 1}};
    char *dst = pair->dst, *src = pair->src;
    w.tile.ahead = pair->src_ahead;
    w.tile.before = pair->dst_ahead;
    if (x->inner >= 0) {
        w.tile.n0 = pair->n[x->inner];
        w.tile.ss0 = f->dim[x->inner].ss;
    }
    if (x->outer >= 0) {
        w.tile.n1 = pair->n[x->outer];
        w.tile.ds1 = f->dim[x->outer].ds;
        w.tile.ss1 = f->dim[x->outer].ss;
    }
    if (x->kernel->pattern == LM_EXCHANGE && w.tile.ss1 < 0) turn_outer(&w.tile, &dst, &src);
    each_tile(&w, 0, dst, src);
}
