/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts in LDS, and the views that kernels walk. */
#include "hip_views.h"

static bool backwards(const lm_hip_box *b) { return b->dim[lm_fastest(b, LM_SRC)].ss < 0; }

/* ---- views ------------------------------------------------------------------------------------------ */

typedef struct entry {
    int64_t n, step, lds, left;
    int bit;
} entry;

/* Axes are added the fastest first. */
static void add(lm_hip_view *v, const entry *e) {
    lm_hip_view_axis *a = &v->axis[v->rank++];
    *a = (lm_hip_view_axis){e->step,         (lm_i32)e->lds, (lm_u32)e->n, lm_hip_quick(e->n),
                            (lm_u32)e->left, (lm_u32)e->bit};
    v->items *= (lm_u32)e->n;
}

/* An axis in words of `per` of its units. */
static entry whole_axis(const lm_staging *s, int axis, int side, int64_t per) {
    const lm_hip_box *b = &s->box;
    return (entry){b->t[axis] / per, per * lm_hip_step(&b->dim[axis], side), s->lds[axis],
                   s->bit[axis] == LM_UNCUT ? b->t[axis] / per : lm_hip_box_left(b, axis) / per,
                   s->bit[axis]};
}

/* A side that moves words, or squares, along its own fastest axis; the other side's axis is walked unit by
 * unit if `split`, else in words too: a square an item. */
static void view_of(const lm_staging *s, int side, bool split, lm_hip_view *v) {
    const lm_hip_box *b = &s->box;
    const int other = lm_fastest(b, 1 - side);
    *v = (lm_hip_view){.items = 1};
    for (int k = 0; k < b->rank; k++) {
        const int axis = b->by[side][k];
        const int64_t per = axis == lm_fastest(b, side) ? lm_units(b, side)
                            : axis == other             ? lm_units(b, 1 - side)
                                                        : 1;
        const entry e = whole_axis(s, axis, side, per);
        if (axis == other && split && per > 1) {
            const entry part = {per, lm_hip_step(&b->dim[axis], side), s->slot, per, LM_UNCUT};
            add(v, &part);
        }
        if (e.n > 1) add(v, &e);
    }
}

/* Words of a source that runs backwards begin at their last unit. */
static void start_reversed(const lm_staging *s, lm_hip_args *a) {
    const lm_hip_box *b = &s->box;
    const int64_t last = lm_units(b, LM_SRC) - 1;
    const lm_pdim *dim = &b->dim[lm_fastest(b, LM_SRC)];
    a->view[LM_SRC].start = last * dim->ss;
    if (s->turn == LM_TURN_LOADED) {
        a->view[LM_SRC].lds_start = (lm_i32)(last * s->slot);
        a->slot_step = (lm_i32)-s->slot;
    } else {
        a->view[LM_DST].start = last * dim->ds;
        a->row_step = -dim->ds;
    }
}

static void set_squares(const lm_staging *s, lm_hip_args *a) {
    const lm_hip_box *b = &s->box;
    const bool loaded = s->turn == LM_TURN_LOADED;
    view_of(s, LM_SRC, !loaded, &a->view[LM_SRC]);
    view_of(s, LM_DST, loaded, &a->view[LM_DST]);
    a->row_step = loaded ? b->dim[lm_fastest(b, LM_DST)].ss : b->dim[lm_fastest(b, LM_SRC)].ds;
    a->slot_step = (lm_i32)s->slot;
    if (backwards(b) && lm_units(b, LM_SRC) > 1) start_reversed(s, a);
}

/* ---- layout of squares ------------------------------------------------------------------------------- */

/* Words of the side that is not turned lie in rows along its axis, a square's `slot` apart; squares of a row
 * of the other axis are `gap` further than they need to be. */
static void lay_squares(lm_staging *s, int64_t gap) {
    const lm_hip_box *b = &s->box;
    const int own = s->turn == LM_TURN_LOADED ? LM_DST : LM_SRC, inner = lm_fastest(b, own),
              outer = lm_fastest(b, 1 - own);
    int64_t step = b->word[own];
    s->lds[inner] = step;
    s->slot = b->t[inner] / lm_units(b, own) * step;
    s->lds[outer] = s->slot * lm_units(b, 1 - own) + gap;
    step = s->lds[outer] * (b->t[outer] / lm_units(b, 1 - own));
    for (int k = 0; k < b->rank; k++) {
        const int axis = b->by[LM_SRC][k];
        if (axis == inner || axis == outer || b->t[axis] == 1) continue;
        s->lds[axis] = step;
        step *= b->t[axis];
    }
    s->bytes = step;
}

/* ---- layout and views of boxes put together unit by unit ---------------------------------------------- */

/* The source's run lies in LDS as it is, the other axes in its order; the first of these is `gap` wider. */
static void lay_units(lm_staging *s, int64_t gap) {
    const lm_hip_box *b = &s->box;
    int64_t step = b->unit;
    for (int k = 0; k < b->rank; k++) {
        const int axis = b->by[LM_SRC][k];
        if (k > 0 && k == b->run[LM_SRC]) step += gap;
        s->lds[axis] = step;
        if (b->t[axis] == 1) continue;
        step *= b->t[axis];
    }
    s->bytes = step;
}

/* Words of a side's run, the last of whose axes may be cut. */
static entry run_of(const lm_staging *s, int side, int64_t step, int64_t lds) {
    const lm_hip_box *b = &s->box;
    const int last = b->by[side][b->run[side] ? b->run[side] - 1 : 0];
    const int64_t n = b->run_units[side], inner = n / b->t[last];
    const int64_t left = s->bit[last] == LM_UNCUT ? n : lm_hip_box_left(b, last) * inner;
    return (entry){n / lm_units(b, side), step, lds, left / lm_units(b, side), s->bit[last]};
}

static void set_source_run(const lm_staging *s, lm_hip_args *a) {
    const lm_hip_box *b = &s->box;
    const int64_t word = b->word[LM_SRC];
    lm_hip_view *v = &a->view[LM_SRC];
    *v = (lm_hip_view){.items = 1};
    if (b->run[LM_SRC]) {
        const int sign = backwards(b) ? -1 : 1;
        const entry e = run_of(s, LM_SRC, sign * word, sign * word);
        if (e.n > 1) add(v, &e);
        if (sign < 0) {
            v->start = b->unit - word;
            v->lds_start = (lm_i32)(b->run_units[LM_SRC] * b->unit - word);
        }
    }
    for (int k = b->run[LM_SRC]; k < b->rank; k++) {
        const entry e = whole_axis(s, b->by[LM_SRC][k], LM_SRC, 1);
        if (e.n > 1) add(v, &e);
    }
}

/* The step of an axis in LDS, where a source that runs backwards lies backwards. */
static int64_t unit_step(const lm_staging *s, int axis) {
    const lm_hip_box *b = &s->box;
    for (int k = 0; k < b->run[LM_SRC]; k++)
        if (b->by[LM_SRC][k] == axis && backwards(b)) return -s->lds[axis];
    return s->lds[axis];
}

static void set_destination_run(const lm_staging *s, lm_hip_args *a) {
    const lm_hip_box *b = &s->box;
    lm_hip_view *v = &a->view[LM_DST];
    const int run = b->run[LM_DST] ? b->run[LM_DST] : 1;
    const entry e = run_of(s, LM_DST, b->run[LM_DST] ? b->word[LM_DST] : b->dim[lm_fastest(b, LM_DST)].ds, 0);
    *v = (lm_hip_view){.items = 1};
    a->units = 0;
    add(v, &e);
    for (int k = 0; k < b->rank; k++) {
        const int axis = b->by[LM_DST][k];
        entry whole = whole_axis(s, axis, LM_DST, 1);
        whole.lds = unit_step(s, axis);
        if (k < run)
            a->unit[a->units++] =
                (lm_hip_unit_axis){(lm_u32)whole.n, lm_hip_quick(whole.n), (lm_i32)whole.lds};
        else if (whole.n > 1)
            add(v, &whole);
    }
    a->in_row = a->unit[0].n % (lm_u32)lm_units(b, LM_DST) == 0;
    if (b->run[LM_SRC] && backwards(b)) v->lds_start = (lm_i32)((b->run_units[LM_SRC] - 1) * b->unit);
}

/* ---- both ----------------------------------------------------------------------------------------- */

void lm_staging_lay(lm_staging *s, int64_t gap, lm_hip_args *args) {
    if (s->turn == LM_TURN_UNITS) {
        lay_units(s, gap);
        set_source_run(s, args);
        set_destination_run(s, args);
    } else {
        lay_squares(s, gap);
        set_squares(s, args);
    }
}
