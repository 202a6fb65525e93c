/* SPDX-License-Identifier: BSD-3-Clause */
/* A move by a shift: both views have the same strides, so that runs can be moved one by one, as memmove does it,
 * in the order in which none is overwritten before it is read. Needs scratch on several threads only. */
#include <string.h>

#include "move_order.h"

static bool is_shift(const lm_form *f) {
    for (int k = 0; k < f->rank; k++)
        if (f->dim[k].ds != f->dim[k].ss) return false;
    return true;
}

static bool make(lmad_plan *plan, const lm_move_limits *limits) {
    lm_move *m = &plan->move;
    const lm_problem *p = &plan->problem;
    /* One run is cut among threads as an axis of bytes. */
    lm_form_make(&m->form, p, p->count == 1 ? 0 : INT64_MAX);
    if (!is_shift(&m->form) || p->run < limits->row || !lm_order_levels(&m->form, 0, &m->ordered)) return false;
    lm_order_parts(m, lm_move_threads(p, limits), 0, limits->work);
    plan->work_bytes = m->parts > 1 ? m->part_bytes * (size_t)m->parts : 0;
    m->small = true;
    return true;
}

/* Indices [first, last) of the outermost level, all of the others. */
static void walk(const lm_move *m, int level, int64_t first, int64_t last, char *dst, const char *src) {
    const lm_pdim *d = &m->form.dim[m->ordered.level[level].axis];
    const bool leaf = level == m->ordered.levels - 1;
    if (leaf && d->ds == m->form.run) { /* one stretch, which memmove knows how to walk */
        const int64_t at = lm_order_index(m, level, first, last - first) * d->ds;
        if (last > first) memmove(dst + at, src + at, (size_t)((last - first) * m->form.run));
        return;
    }
    for (int64_t i = first; i < last; i++) {
        const int64_t at = lm_order_index(m, level, i, 1) * d->ds;
        if (leaf)
            memmove(dst + at, src + at, (size_t)m->form.run);
        else
            walk(m, level + 1, 0, m->form.dim[m->ordered.level[level + 1].axis].n, dst + at, src + at);
    }
}

static void run_part(void *arg, int part) {
    const lm_order_job *job = arg;
    const lm_move *m = &job->plan->move;
    int64_t first, last;
    lm_order_range(m, part, &first, &last);
    walk(m, 0, first, last, job->buffer + m->form.doff, job->buffer + m->form.soff);
}

static void run(const lmad_plan *plan, char *buffer, char *work) { lm_order_run(plan, buffer, work, run_part); }

/* One thread needs no scratch at all. */
static void run_small(const lmad_plan *plan, char *buffer, char *work) {
    const lm_move *m = &plan->move;
    (void)work;
    walk(m, 0, 0, m->form.dim[m->ordered.level[0].axis].n, buffer + m->form.doff, buffer + m->form.soff);
}

const lm_mover lm_mover_rows = {"move-rows", make, run, run_small};
