/* SPDX-License-Identifier: BSD-3-Clause */
/* Safe orders, and the cut of their outermost level among threads. */
#include "move_order.h"

#include "lib/threads.h"

/* ---- levels --------------------------------------------------------------------------------------- */

/* Does nothing that is written at one index of the axis hit what is read at a later one? */
static bool is_safe(const lm_form *f, uint64_t same, int axis, bool backward) {
    const lm_hazard later = {same, axis, backward ? -1 : 1, 1, f->dim[axis].n - 1};
    return !lm_form_hazard(f, &later);
}

static bool add_level(const lm_form *f, uint64_t *same, lm_ordered *out) {
    for (int k = 0; k < f->rank; k++) {
        if (*same >> k & 1) continue;
        const bool first = f->soff < f->doff; /* try the likely direction first */
        for (int turn = 0; turn < 2; turn++) {
            const bool backward = turn ? !first : first;
            if (!is_safe(f, *same, k, backward)) continue;
            out->level[out->levels++] = (lm_level){k, backward};
            *same |= UINT64_C(1) << k;
            return true;
        }
    }
    return false;
}

bool lm_order_levels(const lm_form *form, int64_t most, lm_ordered *out) {
    uint64_t same = 0;
    out->levels = 0;
    out->reach = 0;
    while (out->levels == 0 || lm_form_slice(form, same) > most) {
        if (out->levels == form->rank) break;
        if (!add_level(form, &same, out)) return false;
    }
    out->slice = lm_form_slice(form, same);
    return form->rank > 0 && (out->slice <= most || most == 0);
}

/* ---- buffers -------------------------------------------------------------------------------------- */

void lm_order_boxes(lm_move *move) {
    const lm_form *f = &move->form;
    const int last = move->ordered.level[move->ordered.levels - 1].axis;
    int64_t step = f->run;
    move->in.rank = move->out.rank = f->rank;
    move->in.run = move->out.run = f->run;
    for (int k = f->rank - 1; k >= 0; k--) {
        bool outer = false;
        for (int l = 0; l + 1 < move->ordered.levels; l++) outer |= move->ordered.level[l].axis == k;
        const int64_t n = outer ? 1 : f->dim[k].n;
        const int64_t at = k == last ? move->ordered.slice : step;
        if (k != last) step *= n;
        move->in.dim[k] = (lm_pdim){n, at, f->dim[k].ss};
        move->out.dim[k] = (lm_pdim){n, f->dim[k].ds, at};
    }
    lm_box_make(&move->in, false);
    lm_box_make(&move->out, false);
}

/* ---- threads -------------------------------------------------------------------------------------- */

/* How far behind the walk, along the outermost level, is what it overwrites? */
static int64_t find_reach(const lm_form *f, const lm_level *level) {
    const int64_t n = f->dim[level->axis].n;
    int64_t lo = 0, hi = n - 1; /* beyond hi nothing is hit */
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        const lm_hazard farther = {0, level->axis, level->backward ? 1 : -1, mid + 1, n - 1};
        if (lm_form_hazard(f, &farther))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void lm_order_parts(lm_move *move, int threads, int64_t buffer, int64_t most) {
    lm_ordered *o = &move->ordered;
    const int axis = o->level[0].axis;
    const int64_t n = move->form.dim[axis].n, index = lm_form_slice(&move->form, UINT64_C(1) << axis);
    int parts = threads;
    move->part_bytes = (size_t)lm_work_rounded(buffer);
    move->parts = 1;
    if (parts == 1 || (o->levels > 1 && buffer)) return;
    o->reach = find_reach(&move->form, &o->level[0]);
    if (o->reach > n / 4 || o->reach * index > most) return;
    const int64_t each = lm_work_rounded(buffer) + lm_work_rounded(o->reach * index);
    while (parts > 1 && (parts * each > most || n / parts < 2 * o->reach + 1)) parts--;
    if (parts == 1) return;
    move->parts = parts;
    move->part_bytes = (size_t)each;
}

int64_t lm_order_index(const lm_move *move, int level, int64_t at, int64_t count) {
    const lm_level *l = &move->ordered.level[level];
    return l->backward ? move->form.dim[l->axis].n - at - count : at;
}

/* All of a part, the saved end included. */
static void whole_range(const lm_move *move, int part, int64_t *first, int64_t *last) {
    const int64_t n = move->form.dim[move->ordered.level[0].axis].n, parts = move->parts;
    *first = n / parts * part + (part < n % parts ? part : n % parts);
    *last = *first + n / parts + (part < n % parts);
}

void lm_order_range(const lm_move *move, int part, int64_t *first, int64_t *last) {
    whole_range(move, part, first, last);
    if (part < move->parts - 1) *last -= move->ordered.reach;
}

/* ---- saved ends ----------------------------------------------------------------------------------- */

/* The end of a part between a view and its scratch, which lies behind the part's buffer. */
typedef struct lm_end {
    int64_t first, n[LM_FORM_DIMS];
    char *saved;
} lm_end;

static lm_end find_end(const lm_order_job *job, int part) {
    const lm_move *m = &job->plan->move;
    const int axis = m->ordered.level[0].axis;
    lm_end end;
    int64_t first, last;
    whole_range(m, part, &first, &last);
    for (int k = 0; k < m->form.rank; k++) end.n[k] = m->form.dim[k].n;
    end.n[axis] = m->ordered.reach;
    end.first = lm_order_index(m, 0, last - m->ordered.reach, m->ordered.reach);
    const int64_t bytes = lm_work_rounded(m->ordered.reach * lm_form_slice(&m->form, UINT64_C(1) << axis));
    end.saved = job->work + (int64_t)m->part_bytes * (part + 1) - bytes;
    return end;
}

/* The boxes of a walk with several levels know only the last one; ends take all of the axes. */
static void end_box(lm_box *box, const lm_move *m, bool in) {
    const lm_form *f = &m->form;
    const int axis = m->ordered.level[0].axis;
    int64_t step = f->run;
    box->rank = f->rank;
    box->run = f->run;
    for (int k = f->rank - 1; k >= 0; k--) {
        const int64_t at = k == axis ? lm_form_slice(f, UINT64_C(1) << axis) : step;
        if (k != axis) step *= f->dim[k].n;
        box->dim[k] = (lm_pdim){f->dim[k].n, in ? at : f->dim[k].ds, in ? f->dim[k].ss : at};
    }
    lm_box_make(box, false);
}

static void save_end(void *arg, int part) {
    const lm_order_job *job = arg;
    const lm_move *m = &job->plan->move;
    if (part == m->parts - 1) return;
    const lm_end end = find_end(job, part);
    lm_box box;
    end_box(&box, m, true);
    const char *from = job->buffer + m->form.soff + end.first * m->form.dim[m->ordered.level[0].axis].ss;
    lm_box_run(&box, end.saved, from, end.n, 0);
}

static void restore_end(void *arg, int part) {
    const lm_order_job *job = arg;
    const lm_move *m = &job->plan->move;
    if (part == m->parts - 1) return;
    const lm_end end = find_end(job, part);
    lm_box box;
    end_box(&box, m, false);
    char *to = job->buffer + m->form.doff + end.first * m->form.dim[m->ordered.level[0].axis].ds;
    lm_box_run(&box, to, end.saved, end.n, 0);
}

void lm_order_run(const lmad_plan *plan, char *buffer, char *work, void (*body)(void *arg, int part)) {
    lm_order_job job = {plan, buffer, work};
    const lm_move *m = &plan->move;
    const bool ends = m->parts > 1 && m->ordered.reach > 0;
    if (ends) lm_parallel(&plan->settings, m->parts, save_end, &job);
    lm_parallel(&plan->settings, m->parts, body, &job);
    if (ends) lm_parallel(&plan->settings, m->parts, restore_end, &job);
}
