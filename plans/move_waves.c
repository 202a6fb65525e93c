/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves over a long distance: so many indices of an axis at a time that a whole wave shares no byte between its
 * source and its destination, each wave an ordinary copy with all that the planner has for it. */
#include "lib/cost.h"
#include "move_order.h"

/* Does any pair of fewer than `count` indices apart meet? Pairs in the direction of the walk do not. */
static bool wave_meets(const lm_form *f, const lm_level *l, int64_t count) {
    const lm_hazard nearer = {0, l->axis, l->backward ? 1 : -1, 0, count - 1};
    return lm_form_hazard(f, &nearer);
}

static int64_t longest_wave(const lm_form *f, const lm_level *l) {
    int64_t lo = 0, hi = f->dim[l->axis].n;
    while (lo < hi) {
        const int64_t mid = hi - (hi - lo) / 2;
        if (wave_meets(f, l, mid))
            hi = mid - 1;
        else
            lo = mid;
    }
    return lo;
}

/* The step for `count` indices of the level. */
static void plan_wave(lm_step *step, const lm_problem *p, const lm_move *m, int64_t count) {
    lm_problem part = *p;
    part.op = LM_OP_COPY;
    part.rank = m->form.rank;
    part.run = m->form.run;
    part.doff = part.soff = 0;
    for (int k = 0; k < part.rank; k++) part.dim[k] = m->form.dim[k];
    part.dim[m->ordered.level[0].axis].n = count;
    part.payload = count * m->ordered.slice;
    lm_normalise(&part);
    part.count = part.payload / part.run;
    lm_planner_choose(&part, step);
}

static bool make(lmad_plan *plan, const lm_move_limits *limits) {
    lm_move *m = &plan->move;
    const lm_problem *p = &plan->problem;
    if (p->payload <= limits->wave) return false;
    lm_form_make(&m->form, p, p->count == 1 ? 0 : limits->wave / 4);
    if (m->form.rank > LMAD_MAX_RANK || !lm_order_levels(&m->form, INT64_MAX, &m->ordered)) return false;
    lm_ordered *o = &m->ordered;
    const int64_t n = m->form.dim[o->level[0].axis].n;
    o->block = longest_wave(&m->form, &o->level[0]);
    if (o->block * o->slice < limits->wave) return false;
    if (o->slice == 1 && o->block > 4096) o->block &= -INT64_C(4096); /* whole pages */
    plan_wave(&plan->step[0], p, m, o->block);
    if (n % o->block) plan_wave(&plan->step[1], p, m, n % o->block);
    m->parts = plan->step[0].params.threads;
    plan->work_bytes = 0;
    return true;
}

static void run(const lmad_plan *plan, char *buffer, char *work) {
    const lm_move *m = &plan->move;
    const lm_pdim *d = &m->form.dim[m->ordered.level[0].axis];
    (void)work;
    for (int64_t i = 0, count; i < d->n; i += count) {
        count = d->n - i < m->ordered.block ? d->n - i : m->ordered.block;
        const int64_t at = lm_order_index(m, 0, i, count);
        lm_step_run(&plan->step[count != m->ordered.block], &plan->settings,
                    buffer + m->form.doff + at * d->ds, buffer + m->form.soff + at * d->ss);
    }
}

const lm_mover lm_mover_waves = {"move-waves", make, run, NULL};
