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
    m->small = o->slice <= LM_WORK_ON_STACK;
    return true;
}

/* A block in scratch; n: its extents, 1 for the levels outside of it. */
typedef struct block {
    char *at;
    int64_t most; /* indices of the last level */
    int64_t n[LM_FORM_DIMS];
} block;

static void walk(const lm_move *m, int level, int64_t first, int64_t last, char *dst, const char *src,
                 block *b) {
    const lm_ordered *o = &m->ordered;
    const int axis = o->level[level].axis;
    const lm_pdim *d = &m->form.dim[axis];
    const bool leaf = level == o->levels - 1;
    for (int64_t i = first, count; i < last; i += count) {
        count = leaf ? least(b->most, last - i) : 1;
        const int64_t at = lm_order_index(m, level, i, count);
        b->n[axis] = count;
        if (!leaf) {
            const int64_t inner = m->form.dim[o->level[level + 1].axis].n;
            walk(m, level + 1, 0, inner, dst + at * d->ds, src + at * d->ss, b);
            continue;
        }
        lm_box_run(&m->in, b->at, src + at * d->ss, b->n, 0);
        lm_box_run(&m->out, dst + at * d->ds, b->at, b->n, 0);
    }
}

/* Indices [first, last) of the outermost level. */
static void walk_range(const lm_move *m, int64_t first, int64_t last, char *buffer, char *work,
                       int64_t most) {
    block b = {work, most, {0}};
    for (int k = 0; k < m->form.rank; k++) b.n[k] = m->form.dim[k].n;
    walk(m, 0, first, last, buffer + m->form.doff, buffer + m->form.soff, &b);
}

static void run_part(void *arg, int part) {
    const lm_order_job *job = arg;
    const lm_move *m = &job->plan->move;
    int64_t first, last;
    lm_order_range(m, part, &first, &last);
    walk_range(m, first, last, job->buffer, job->work + m->part_bytes * (size_t)part, m->ordered.block);
}

static void run(const lmad_plan *plan, char *buffer, char *work) {
    lm_order_run(plan, buffer, work, run_part);
}

/* Shorter blocks. */
static void run_small(const lmad_plan *plan, char *buffer, char *work) {
    const lm_move *m = &plan->move;
    const int64_t most = least(m->ordered.block, LM_WORK_ON_STACK / m->ordered.slice);
    walk_range(m, 0, m->form.dim[m->ordered.level[0].axis].n, buffer, work, most);
}

const lm_mover lm_mover_blocks = {"move-blocks", make, run, run_small};
