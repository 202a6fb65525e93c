/* SPDX-License-Identifier: BSD-3-Clause */
/* The canonical form of a pair of strided sets (problem.h says what it is). Everything after this relies
 * on it, so that plan kinds see one form of each problem: reversed on both sides is forwards, a matrix
 * seen as rows of rows is one row, and a contiguous run is a run however many axes it was written with. */
#include "problem.h"

/* Walk every axis so that the destination address rises. */
static void flip(lm_problem *p) {
    for (int k = 0; k < p->rank; k++) {
        lm_pdim *d = &p->dim[k];
        if (d->ds >= 0) continue;
        p->doff += (d->n - 1) * d->ds;
        p->soff += (d->n - 1) * d->ss;
        d->ds = -d->ds;
        d->ss = -d->ss;
    }
}

/* Does a belong outside b? */
static bool outside(const lm_pdim *a, const lm_pdim *b) {
    if (a->ds != b->ds) return a->ds > b->ds;
    return lm_magnitude(a->ss) > lm_magnitude(b->ss);
}

static void sort(lm_problem *p) {
    for (int k = 1; k < p->rank; k++) {
        lm_pdim d = p->dim[k];
        int at = k;
        for (; at > 0 && outside(&d, &p->dim[at - 1]); at--) p->dim[at] = p->dim[at - 1];
        p->dim[at] = d;
    }
}

static void drop(lm_problem *p, int k) {
    p->rank--;
    for (; k < p->rank; k++) p->dim[k] = p->dim[k + 1];
}

/* Axes of extent 1 mean nothing. */
static void drop_ones(lm_problem *p) {
    for (int k = p->rank - 1; k >= 0; k--)
        if (p->dim[k].n == 1) drop(p, k);
}

/* An axis whose step is the length of another one, on both sides, continues it. */
static bool fold_one(lm_problem *p) {
    for (int outer = p->rank - 1; outer >= 0; outer--) {
        const lm_pdim *o = &p->dim[outer];
        for (int inner = p->rank - 1; inner > outer; inner--) {
            lm_pdim *i = &p->dim[inner];
            if (o->ds != i->n * i->ds || o->ss != i->n * i->ss) continue;
            i->n *= o->n;
            drop(p, outer);
            return true;
        }
    }
    return false;
}

/* The run grows by an axis that continues it on both sides. */
static bool grow_run(lm_problem *p) {
    for (int k = p->rank - 1; k >= 0; k--) {
        if (p->dim[k].ds != p->run || p->dim[k].ss != p->run) continue;
        p->run *= p->dim[k].n;
        drop(p, k);
        return true;
    }
    return false;
}

void lm_normalise(lm_problem *out) {
    drop_ones(out);
    flip(out);
    sort(out);
    while (fold_one(out) || grow_run(out)) {
    }
}
