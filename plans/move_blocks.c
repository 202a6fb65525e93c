/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves through a buffer in the caches, block by block, in an order in which no block is overwritten before it
 * is read: shifts of short runs, compactions, expansions. */
#include "move_order.h"
#include "plans.h"

static bool make(lmad_plan *plan, const lm_move_limits *limits) {
    lm_move *m = &plan->move;
    const lm_problem *p = &plan->problem;
    if (p->payload <= limits->least) return false;
    lm_form_make(&m->form, p, p->count == 1 ? 0 : limits->block / 4);
    if (!lm_order_levels(&m->form, limits->block, &m->ordered) &&
        !lm_order_levels(&m->form, limits->work, &m->ordered))
        return false;
    lm_ordered *o = &m->ordered;
    const int64_t n = m->form.dim[o->level[o->levels - 1].axis].n;
    o->block = o->slice < limits->block ? limits->block / o->slice : 1;
    if (o->block > n) o->block = n;
    lm_order_boxes(m);
    lm_order_parts(m, lm_move_threads(p, limits), o->block * o->slice, limits->work);
    plan->work_bytes = m->part_bytes * (size_t)m->parts;
    return true;
}

/* n: the extents of a block, 1 for the levels outside of it. */
static void walk(const lm_move *m, int level, int64_t first, int64_t last, char *dst, const char *src, char *block,
                 int64_t *n) {
    const lm_ordered *o = &m->ordered;
    const int axis = o->level[level].axis;
    const lm_pdim *d = &m->form.dim[axis];
    const bool leaf = level == o->levels - 1;
    for (int64_t i = first, count; i < last; i += count) {
        count = leaf ? least(o->block, last - i) : 1;
        const int64_t at = lm_order_index(m, level, i, count);
        n[axis] = count;
        if (!leaf) {
            const int64_t inner = m->form.dim[o->level[level + 1].axis].n;
            walk(m, level + 1, 0, inner, dst + at * d->ds, src + at * d->ss, block, n);
            continue;
        }
        lm_box_run(&m->in, block, src + at * d->ss, n, 0);
        lm_box_run(&m->out, dst + at * d->ds, block, n, 0);
    }
}

static void run_part(void *arg, int part) {
    const lm_order_job *job = arg;
    const lm_move *m = &job->plan->move;
    int64_t first, last, n[LM_FORM_DIMS];
    for (int k = 0; k < m->form.rank; k++) n[k] = m->form.dim[k].n;
    lm_order_range(m, part, &first, &last);
    walk(m, 0, first, last, job->buffer + m->form.doff, job->buffer + m->form.soff,
         job->work + m->part_bytes * (size_t)part, n);
}

static void run(const lmad_plan *plan, char *buffer, char *work) { lm_order_run(plan, buffer, work, run_part); }

const lm_mover lm_mover_blocks = {"move-blocks", make, run, false};
