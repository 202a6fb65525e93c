/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts in LDS, and the views that kernels walk. */
#include "hip_views.h"

static bool backwards(const lm_hip_box *b) { return b->dim[lm_fastest(b, LM_SRC)].ss < 0; }

/* ---- views ------------------------------------------------------------------------------------------ */

typedef struct entry {
    int64_t n, step, lds, left;
    int bit;
} entry;

static const lm_hip_view nothing = {.items = 1, .pair = LM_HIP_VIEW};

/* Axes are added the fastest first. */
static void add(lm_hip_view *v, const entry *e) {
    lm_hip_view_axis *a = &v->axis[v->rank++];
    *a = (lm_hip_view_axis){e->step,      (lm_i32)e->lds,  (lm_u32)e->n,  lm_hip_quick(e->n),
                            (lm_u32)e->n, (lm_u32)e->left, (lm_u32)e->bit};
    v->items *= (lm_u32)e->n;
}

/* The last threads of each period sit out. */
static void let_rest(lm_hip_view *v, lm_hip_rest rest) {
    const lm_u32 busy = rest.period - rest.idle;
    if (rest.idle == 0) return;
    v->period = rest.period;
    v->quick = lm_hip_quick(rest.period);
    v->idle = rest.idle;
    v->items += (v->items - 1) / busy * rest.idle;
}

static void join(lm_hip_view *v) {
    lm_u32 to = 1;
    for (lm_u32 k = 2; k < v->rank; k++) {
        lm_hip_view_axis *a = &v->axis[to];
        const lm_hip_view_axis *next = &v->axis[k];
        if (a->bit == LM_UNCUT && next->step == a->step * a->n && next->lds == a->lds * (lm_i32)a->n) {
            a->whole = next->whole * a->n;
            a->left = next->left * a->n;
            a->bit = next->bit;
            a->n *= next->n;
            a->quick = lm_hip_quick(a->n);
        } else {
            v->axis[++to] = *next;
        }
    }
    if (v->rank > to + 1) v->rank = to + 1;
}

void lm_staging_join(lm_hip_args *args) {
    join(&args->view[LM_DST]);
    join(&args->view[LM_SRC]);
}

int lm_staging_axes_option(const lm_hip_args *a) {
    enum { MANY_AXES = 4, USUAL = 3 };
    return a->view[LM_DST].rank > USUAL || a->view[LM_SRC].rank > USUAL || a->units > USUAL ? MANY_AXES : 0;
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
    *v = nothing;
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

/* The next axis in LDS; returns where the one after it begins. */
static int64_t lay_axis(lm_staging *s, int axis, int64_t step) {
    if (s->box.t[axis] == 1) return step;
    s->lds[axis] = step + s->gap[axis];
    return s->lds[axis] * s->box.t[axis];
}

static bool is_scalar(const lm_staging *s) {
    return lm_units(&s->box, LM_DST) == 1 && lm_units(&s->box, LM_SRC) == 1;
}

/* Words of the side that is not turned lie in rows along its axis, a square's `slot` apart; then come squares
 * of a row of the other axis. */
static void lay_squares(lm_staging *s) {
    const lm_hip_box *b = &s->box;
    const int own = lm_kept_side(s), inner = lm_fastest(b, own), outer = lm_fastest(b, 1 - own);
    int64_t step = b->word[own];
    if (is_scalar(s)) {
        step = b->unit;
        for (int k = 0; k < b->rank; k++) step = lay_axis(s, b->by[s->along][k], step);
        s->bytes = step;
        return;
    }
    s->lds[inner] = step;
    s->slot = b->t[inner] / lm_units(b, own) * step;
    s->lds[outer] = s->slot * lm_units(b, 1 - own) + s->gap[outer];
    step = s->lds[outer] * (b->t[outer] / lm_units(b, 1 - own));
    for (int k = 0; k < b->rank; k++) {
        const int axis = b->by[s->along][k];
        if (axis != inner && axis != outer) step = lay_axis(s, axis, step);
    }
    s->bytes = step;
}

/* ---- layout and views of boxes put together unit by unit ---------------------------------------------- */

bool lm_staging_holds(const lm_staging *s, int axis) {
    const lm_hip_box *b = &s->box;
    if (s->turn != LM_TURN_UNITS) return !is_scalar(s) && axis == lm_fastest(b, lm_kept_side(s));
    for (int k = 0; k < b->run[LM_SRC]; k++)
        if (b->by[LM_SRC][k] == axis) return true;
    return false;
}

/* What words of the source need lies in LDS as it is, then come the other axes. */
static void lay_units(lm_staging *s) {
    const lm_hip_box *b = &s->box;
    int64_t step = b->unit;
    for (int k = 0; k < b->run[LM_SRC]; k++) step = lay_axis(s, b->by[LM_SRC][k], step);
    for (int k = 0; k < b->rank; k++) {
        const int axis = b->by[s->along][k];
        if (!lm_staging_holds(s, axis)) step = lay_axis(s, axis, step);
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
    *v = nothing;
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
    return lm_staging_holds(s, axis) && backwards(&s->box) ? -s->lds[axis] : s->lds[axis];
}

static void set_destination_run(const lm_staging *s, lm_hip_args *a) {
    const lm_hip_box *b = &s->box;
    lm_hip_view *v = &a->view[LM_DST];
    const int run = b->run[LM_DST] ? b->run[LM_DST] : 1;
    const entry e = run_of(s, LM_DST, b->run[LM_DST] ? b->word[LM_DST] : b->dim[lm_fastest(b, LM_DST)].ds, 0);
    *v = nothing;
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

/* Words of the source that go to LDS in pieces take turns so that rows, of whatever gaps, follow one another.
 */
static void set_pieces(const lm_staging *s, lm_hip_args *a) {
    const lm_hip_box *b = &s->box;
    const int piece = b->unit > 4 ? b->unit : 4, pieces = b->word[LM_SRC] / piece;
    const lm_hip_view *v = &a->view[LM_SRC];
    const int64_t row = v->rank > 1 ? v->axis[1].lds / piece : 0;
    a->piece_row = pieces > 1 ? (lm_u32)((pieces - row % pieces) % pieces) : 0;
}

/* ---- squares of elements ----------------------------------------------------------------------------- */

/* The least number from `least` on that is `rest` modulo `to`. */
static int64_t level(int64_t least, int64_t rest, int64_t to) {
    return least + ((rest - least) % to + to) % to;
}

enum { ACROSS = 8, DOWN = 4, LANES = ACROSS * DOWN }; /* squares that threads served together have */

/* A side's rows, all in words of 4 bytes: from one to the next of those that begin squares, and of a square.
 */
typedef struct rows {
    int64_t squares, filled; /* along a row of the other side; with those that only fill up */
    int64_t step, slot;
} rows;

/* Rows of a square follow one another where the next one would begin if a row went on, as far as banks go. */
static void set_slot(const lm_hip_box *b, int side, int64_t size, rows *r) {
    const int64_t row = b->t[b->by[side][1]] * size / 4;
    r->slot = level(r->filled * r->step, lm_hip_round_up(row, 4), LANES);
}

static void view_twice(const lm_staging *s, int side, int64_t n, const rows *r, lm_hip_view *v) {
    const lm_hip_box *b = &s->box;
    const int axis = b->by[1 - side][1];
    const int64_t step = lm_hip_step(&b->dim[axis], side), word = b->word[side];
    const entry run = run_of(s, side, word, word), part = {n, step, 4 * r->slot, n, LM_UNCUT},
                squares = {r->squares, n * step, 4 * r->step, r->squares, LM_UNCUT};
    *v = nothing;
    add(v, &run);
    v->pair = v->rank;
    add(v, &part);
    v->axis[v->pair].whole = (lm_u32)b->t[axis];
    v->axis[v->pair].left = s->bit[axis] == LM_UNCUT ? (lm_u32)b->t[axis] : (lm_u32)lm_hip_box_left(b, axis);
    v->axis[v->pair].bit = (lm_u32)s->bit[axis];
    add(v, &squares);
}

/* Threads have squares in blocks of 8 across and 4 down: a square is an odd number of words wide, rows of the
 * source are 8 words apart and those of the destination 4, but for whole turns of the banks, so that no two
 * of 32 threads meet. */
void lm_staging_lay_twice(lm_staging *s, int64_t size, lm_hip_args *a) {
    const lm_hip_box *b = &s->box;
    const int64_t n = LM_HIP_TWICE_SQUARE(size), words = size * n / 4, width = b->t[b->by[LM_SRC][1]],
                  height = b->t[b->by[LM_DST][1]];
    rows src = {.squares = lm_hip_round_up(height, n) / n}, dst = {.squares = lm_hip_round_up(width, n) / n};
    src.filled = lm_hip_round_up(src.squares, DOWN);
    dst.filled = lm_hip_round_up(dst.squares, ACROSS);
    src.step = level(dst.filled * words, ACROSS, 2 * ACROSS);
    dst.step = level(src.filled * words, DOWN, 2 * DOWN);
    set_slot(b, LM_SRC, size, &src);
    set_slot(b, LM_DST, size, &dst);
    view_twice(s, LM_SRC, n, &src, &a->view[LM_SRC]);
    view_twice(s, LM_DST, n, &dst, &a->view[LM_DST]);
    const entry axes[] = {
        {ACROSS, 4 * dst.step, 4 * words, ACROSS, LM_UNCUT},
        {DOWN, 4 * words, 4 * src.step, DOWN, LM_UNCUT},
        {dst.filled / ACROSS, ACROSS * 4 * dst.step, ACROSS * 4 * words, dst.filled / ACROSS, LM_UNCUT},
        {src.filled / DOWN, DOWN * 4 * words, DOWN * 4 * src.step, src.filled / DOWN, LM_UNCUT}};
    a->view[2] = nothing;
    for (int k = 0; k < 4; k++) add(&a->view[2], &axes[k]);
    a->slot_step = (lm_i32)(4 * src.slot);
    a->row_step = 4 * dst.slot;
    s->bytes = 4 * n * (src.slot > dst.slot ? src.slot : dst.slot);
}

/* ---- both ----------------------------------------------------------------------------------------- */

void lm_staging_lay(lm_staging *s, lm_hip_args *args) {
    if (s->turn == LM_TURN_UNITS) {
        lay_units(s);
        set_source_run(s, args);
        set_destination_run(s, args);
        set_pieces(s, args);
    } else {
        lay_squares(s);
        set_squares(s, args);
    }
    for (int side = LM_DST; side <= LM_SRC; side++) let_rest(&args->view[side], s->rest[side]);
}
