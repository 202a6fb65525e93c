/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing a layout. Neighbouring threads of either side want words of different banks. They have them where
 * each axis goes on, as far as banks go, where the faster ones end, in the order of the side. One order of
 * axes in LDS and the gaps between them must do for both sides; where axes end within the threads that are
 * served together, the last of these may sit out. */
#include "hip_layout.h"

#include <stdlib.h>
#include <string.h>

#include "hip_probe.h"

enum { MOST_GAP = 128, MOST_RESTS = 14, MOST_LOOKS = 800 };

/* A layout, and what it loses. */
typedef struct layout {
    int along, rest[2]; /* which of the rests below */
    int64_t gap[LM_HIP_AXES];
    lm_u32 split, shift, row, up;
    int64_t lost;
} layout;

typedef struct search {
    lm_staging *s;
    const lm_device *device;
    lm_launch *out;
    int looks;    /* at a side of a layout, by what they take */
    int rests[2]; /* how many; the first is none */
    lm_hip_rest rest[2][MOST_RESTS];
    lm_hip_probe probe[2][MOST_RESTS];
    lm_hip_parts parts;
} search;

/* The side whose threads have several words or units in LDS. */
static int several(const lm_staging *s) { return 1 - lm_kept_side(s); }

/* Whether its threads may take turns with them, and how. */
static lm_hip_turns turns_of(const lm_staging *s, const lm_hip_view *v) {
    const lm_hip_box *b = &s->box;
    const int own = lm_kept_side(s);
    if (s->turn != LM_TURN_UNITS)
        return (lm_hip_turns){.any = lm_units(b, 1 - own) * b->word[own] <= LM_HIP_TURN_BYTES};
    const int units = lm_units(b, LM_DST), row = v->rank > 1 ? (int)(v->axis[1].lds / b->unit % units) : 0;
    return (lm_hip_turns){.any = b->word[LM_DST] > 4 && units > 1,
                          .level_row = (lm_u32)((units - row) % units),
                          .bank = b->unit == 1   ? 2
                                  : b->unit == 2 ? 1
                                                 : 0};
}

static void apply(search *f, const layout *l) {
    lm_staging *s = f->s;
    s->along = l->along;
    memcpy(s->gap, l->gap, sizeof s->gap);
    for (int side = LM_DST; side <= LM_SRC; side++) s->rest[side] = f->rest[side][l->rest[side]];
    lm_staging_lay(s, &f->out->args);
    f->out->args.split = l->split;
    f->out->args.turn_shift = l->shift;
    f->out->args.turn_row = l->row;
    f->out->args.turn_up = l->up;
}

/* ---- rests ------------------------------------------------------------------------------------------ */

/* Words of a view along its fastest axes that are one run in memory. */
static int64_t run_words(const lm_hip_view *v) {
    int64_t words = v->axis[0].n;
    for (lm_u32 k = 1; k < v->rank && v->axis[k].step == v->axis[0].step * words; k++) words *= v->axis[k].n;
    return words;
}

/* Threads that are served together when a side touches LDS. */
static lm_u32 together(const lm_staging *s, int side) {
    const lm_hip_box *b = &s->box;
    int bytes = b->word[side];
    if (s->turn != LM_TURN_UNITS) bytes = b->word[lm_kept_side(s)];
    if (s->turn == LM_TURN_UNITS && side == LM_DST) bytes = b->unit;
    return (lm_u32)(128 / (bytes > 4 ? bytes : 4));
}

/* Rows of so many words: as many as fit the fewest threads, of those that are served together, of which a
 * quarter idles at most. */
static lm_hip_rest rest_for(lm_u32 row, lm_u32 served) {
    lm_u32 period = served;
    while (period < row || 4 * (period % row) > period) period += served;
    return (lm_hip_rest){period, period % row};
}

/* Does it cut a run where segments of memory go on? Periods within a warp are one access. */
static bool cuts(const search *f, int side, lm_hip_rest rest) {
    const lm_u32 wave = (lm_u32)f->device->wave, times = rest.period < wave ? wave / rest.period : 1,
                 bytes = times * (rest.period - rest.idle) * (lm_u32)f->s->box.word[side];
    return bytes % (lm_u32)f->device->segment != 0;
}

/* Those with few idle threads come first. */
static void add_rest(search *f, int side, lm_hip_rest rest) {
    lm_hip_rest *list = f->rest[side];
    if (rest.idle == 0 || f->rests[side] == MOST_RESTS) return;
    int at = f->rests[side]++;
    for (; at > 0 && list[at - 1].idle * rest.period > rest.idle * list[at - 1].period; at--)
        list[at] = list[at - 1];
    list[at] = rest;
}

/* Rests after rows of threads, and others that leave whole segments to those at work. */
static void list_rests(search *f, int side) {
    const lm_hip_view *v = &f->out->args.view[side];
    const lm_u32 served = together(f->s, side);
    const int64_t run = run_words(v);
    lm_u32 row = 1;
    f->rest[side][0] = (lm_hip_rest){0, 0};
    f->rests[side] = 1;
    for (lm_u32 k = 0; k + 1 < v->rank; k++) {
        row *= v->axis[k].n;
        const lm_hip_rest rest = rest_for(row, served);
        if (row >= run || !cuts(f, side, rest)) add_rest(f, side, rest);
    }
    for (lm_u32 idle = served / 16 ? served / 16 : 1; 4 * idle <= served; idle *= 2) {
        const lm_hip_rest rest = {served, idle};
        if (!cuts(f, side, rest)) add_rest(f, side, rest);
    }
}

/* Whom a rest leaves at work does not depend on the layout. */
static const lm_hip_probe *probe_of(search *f, const layout *now, int side, int rest) {
    lm_hip_probe *p = &f->probe[side][rest];
    if (p->count) return p;
    layout l = *now;
    l.rest[side] = rest;
    apply(f, &l);
    lm_hip_probe_make(p, f->out, side);
    apply(f, now);
    return p;
}

/* ---- search ----------------------------------------------------------------------------------------- */

/* The least that a side loses, with the rest that makes it so. */
static int64_t side_lost(search *f, int side, layout *l, int64_t enough) {
    const lm_hip_turns turns = turns_of(f->s, &f->out->args.view[side]);
    int64_t least = enough;
    for (int k = 0; k < f->rests[side] && least > 0; k++) {
        const lm_hip_probe *p = probe_of(f, l, side, k);
        const int64_t lost = side == several(f->s)
                                 ? lm_hip_choose_turn(p, &f->parts, f->out, side, turns, least)
                                 : lm_hip_probe_lost(p, &f->parts, f->out, side, least);
        f->looks += side != several(f->s) || !turns.any ? 1 : turns.bank ? 8 : 4;
        if (lost >= least) continue;
        least = lost;
        l->rest[side] = k;
        if (side != several(f->s)) continue;
        l->shift = f->out->args.turn_shift;
        l->row = f->out->args.turn_row;
        l->up = f->out->args.turn_up;
    }
    return least;
}

/* Gaps that are no multiples of words split them. */
static bool splits(const lm_staging *s, const layout *l) {
    for (int k = 0; k < s->box.rank; k++)
        if (s->turn == LM_TURN_UNITS && l->gap[k] % s->box.word[LM_SRC]) return true;
    return false;
}

static void try_layout(search *f, layout l, layout *best) {
    const int side = several(f->s);
    if (best->lost == 0 || f->looks >= MOST_LOOKS) return;
    l.split = splits(f->s, &l);
    l.rest[LM_DST] = l.rest[LM_SRC] = 0;
    apply(f, &l);
    if (f->s->bytes > LM_HIP_LDS) return; /* gaps too wide */
    l.lost = side_lost(f, 1 - side, &l, best->lost);
    if (l.lost >= best->lost) return;
    l.lost += side_lost(f, side, &l, best->lost - l.lost);
    if (l.lost < best->lost) *best = l;
}

/* The smallest gap that keeps words whole in memory, if in pieces. */
static int64_t narrowest(const lm_staging *s) {
    const lm_hip_box *b = &s->box;
    const int bytes = s->turn == LM_TURN_UNITS ? b->unit : b->word[lm_kept_side(s)];
    return bytes > 4 ? bytes : 4;
}

/* Whether an axis may have a gap. */
static bool has_choice(const lm_staging *s, int axis) {
    return s->box.t[axis] > 1 && !lm_staging_holds(s, axis);
}

static int64_t modulo(int64_t x, int64_t by) { return (x % by + by) % by; }

/* The gap of an axis with which it goes on where the one before it ends, as banks go, in the order of a side. */
static int64_t seamless(const search *f, const layout *l, int axis, int side) {
    const lm_hip_box *b = &f->s->box;
    int before = -1;
    for (int k = 0; b->by[side][k] != axis; k++)
        if (b->t[b->by[side][k]] > 1) before = b->by[side][k];
    if (before < 0) return l->gap[axis];
    const int64_t end = f->s->lds[before] * b->t[before], gap = l->gap[axis] + end - f->s->lds[axis];
    return modulo(gap, MOST_GAP) / narrowest(f->s) * narrowest(f->s);
}

/* All axes that have a choice, one after the other, without a seam for the other side. */
static void join_seams(search *f, layout *best) {
    const lm_hip_box *b = &f->s->box;
    layout l = *best;
    for (int k = 0; k < b->rank; k++) {
        const int axis = b->by[l.along][k];
        if (!has_choice(f->s, axis)) continue;
        apply(f, &l);
        l.gap[axis] = seamless(f, &l, axis, 1 - l.along);
        try_layout(f, l, best);
    }
}

/* Gap by gap, as long as it helps. */
static void improve(search *f, layout *best) {
    const lm_hip_box *b = &f->s->box;
    int64_t before;
    join_seams(f, best);
    do {
        before = best->lost;
        for (int k = 0; k < b->rank; k++) {
            const int axis = b->by[best->along][k];
            if (!has_choice(f->s, axis)) continue;
            layout l = *best;
            for (int64_t gap = 0; gap < MOST_GAP; gap += narrowest(f->s)) {
                l.gap[axis] = gap;
                try_layout(f, l, best);
            }
        }
    } while (best->lost < before && best->lost > 0);
}

static void begin(search *f, lm_staging *s, const lm_device *device, lm_launch *out) {
    const layout plain = {.along = LM_SRC};
    f->s = s;
    f->device = device;
    f->out = out;
    f->looks = 0;
    memset(f->rest, 0, sizeof f->rest);
    apply(f, &plain);
    for (int side = LM_DST; side <= LM_SRC; side++) {
        list_rests(f, side);
        for (int k = 0; k < MOST_RESTS; k++) f->probe[side][k].count = 0;
    }
}

/* Axes in the order of either side, the more promising one first. */
static void find_layout(search *f) {
    layout best = {.lost = INT64_MAX}, plain[2];
    for (int along = LM_SRC; along >= LM_DST; along--) {
        plain[along] = (layout){.along = along, .lost = INT64_MAX};
        try_layout(f, plain[along], &plain[along]);
        if (plain[along].lost < best.lost) best = plain[along];
    }
    const int first = best.along;
    for (int k = 0; k < 2 && best.lost > 0; k++) {
        layout l = plain[k ? 1 - first : first];
        if (l.lost < INT64_MAX) improve(f, &l);
        if (l.lost < best.lost) best = l;
    }
    apply(f, &best);
}

void lm_staging_choose(lm_staging *s, const lm_device *device, lm_launch *out) {
    search *f = malloc(sizeof *f); /* more than stacks may have room for; without it the plain layout does */
    if (f) {
        begin(f, s, device, out);
        find_layout(f);
        free(f);
    } else {
        lm_staging_lay(s, &out->args);
    }
}
