/* SPDX-License-Identifier: BSD-3-Clause */
/* Forms of moves, and which of their elements get into each other's way. */
#include "form.h"

#include "lattice.h"

void lm_form_make(lm_form *form, const lm_problem *problem, int64_t longest) {
    form->rank = problem->rank;
    form->run = problem->run;
    form->doff = problem->doff;
    form->soff = problem->soff;
    for (int k = 0; k < problem->rank; k++) form->dim[k] = problem->dim[k];
    if (problem->run <= longest) return;
    form->dim[form->rank++] = (lm_pdim){problem->run, 1, 1};
    form->run = 1;
}

int64_t lm_form_slice(const lm_form *form, uint64_t but) {
    int64_t bytes = form->run;
    for (int k = 0; k < form->rank; k++)
        if (!(but >> k & 1)) bytes *= form->dim[k].n;
    return bytes;
}

static bool in(uint64_t set, int k) { return set >> k & 1; }

/* The test is made for no more. */
enum { MOST_RANKS = 28 };

/* Addresses so large that sums of a few of them might leave int64. */
static bool too_far(int64_t v) { return v > INT64_MAX / 8 || v < -(INT64_MAX / 8); }

static bool out_of_range(const lm_form *f) {
    if (f->rank > MOST_RANKS || too_far(f->doff) || too_far(f->soff)) return true;
    for (int k = 0; k < f->rank; k++)
        if (too_far((f->dim[k].n - 1) * f->dim[k].ds) || too_far((f->dim[k].n - 1) * f->dim[k].ss))
            return true;
    return false;
}

/* With j = i + dir*d along the axis, the difference of the two addresses is a sum over i (whose step is the
 * difference of the strides), d, and the free axes of both sides, each within bounds of its own. That i and d
 * together must stay within the extent is left out, which at worst finds too much. */
bool lm_form_hazard(const lm_form *f, const lm_hazard *h) {
    lm_axis a[LM_FORM_DIMS], b[LM_FORM_DIMS + 1];
    int ranks[2] = {0, 0};
    if (out_of_range(f)) return true;
    for (int k = 0; k < f->rank; k++) {
        const lm_pdim *d = &f->dim[k];
        if (in(h->same, k) || k == h->axis) {
            a[ranks[0]++] = (lm_axis){k == h->axis ? d->n - h->lo : d->n, d->ds - d->ss};
        } else {
            a[ranks[0]++] = (lm_axis){d->n, d->ds};
            b[ranks[1]++] = (lm_axis){d->n, d->ss};
        }
    }
    const lm_pdim *d = &f->dim[h->axis];
    lm_byte_set dst = {f->doff, f->run, ranks[0], a}, src = {f->soff, f->run, 0, b};
    b[ranks[1]++] = (lm_axis){h->hi - h->lo + 1, h->dir * d->ss};
    src.rank = ranks[1];
    src.start += h->dir * h->lo * d->ss;
    if (h->dir < 0) dst.start += h->lo * (d->ds - d->ss);
    return lm_lattice_meets(&dst, &src) != LM_NO;
}
