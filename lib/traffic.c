/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes, the parts of a nest that its inner loops walk, and what caches keep of them. */
#include "traffic.h"

#include "machine.h"

/* What makes the model fit the times of some thousand candidates of the suites. */
static const struct model {
    double l1_share, l2_share; /* of a cache, that data stay in */
    double tlb_first, tlb_all; /* pages */
    double past;               /* of a line that is written past the caches: the room that it takes in them */
    double softness, tlb_softness; /* capacities are not sharp: from 1 - softness of one to 1 + softness */
} model = {0.336, 0.455, 142, 4.46e+03, 0.49, 0.859, 0.0969};

enum { LINE = 64, PAGE = 4096, SETS = PAGE / LINE };

/* ---- boxes ---------------------------------------------------------------------------------------- */

static int64_t step_of(const lm_pdim *d, lm_side which) {
    if (which == LM_DST) return d->ds;
    return lm_magnitude(d->ss);
}

/* One axis of a side. */
typedef struct stride {
    int axis;
    int64_t step;
    double bytes; /* the same */
} stride;

/* A box is a part of the nest: extent[k] steps along axis k. Axes are taken in order of their step, short
 * ones melt into one chunk of neighbouring bytes, long ones repeat it. */
typedef struct box {
    double run;
    int64_t offset[2];
    int dims, axes[2];
    stride by_step[2][LM_NEST_DIMS]; /* axes by rising step, a side each; broadcast axes are left out */
    double extent[LM_NEST_DIMS];
} box;

static void sort_axes(box *b, const lm_nest *nest, lm_side which) {
    stride *sorted = b->by_step[which];
    int n = 0;
    for (int k = 0; k < nest->dims; k++) {
        const int64_t step = step_of(&nest->dim[k], which);
        if (step == 0 || nest->dim[k].n == 1) continue;
        int at = n++;
        for (; at > 0 && sorted[at - 1].step > step; at--) sorted[at] = sorted[at - 1];
        sorted[at] = (stride){k, step, (double)step};
    }
    b->axes[which] = n;
}

static void box_open(box *b, const lm_nest *nest) {
    b->run = (double)nest->tile.run;
    b->offset[LM_DST] = nest->doff;
    b->offset[LM_SRC] = nest->soff;
    b->dims = nest->dims;
    sort_axes(b, nest, LM_DST);
    sort_axes(b, nest, LM_SRC);
    for (int k = 0; k < nest->dims; k++) b->extent[k] = (double)nest->dim[k].n;
}

/* Chunks of neighbouring bytes: `count` of `bytes` each, at multiples of the largest power of two in `grid`,
 * if they begin at one; `spread` bytes of a page have them all, where steps are about a multiple of a page.
 */
typedef struct chunks {
    double count, bytes, spread;
    int64_t grid;
    bool whole; /* lines, if the pointer is at one */
} chunks;

/* How far a step is from a multiple of a page. */
static inline double off_page(int64_t step) {
    const int64_t past = step & (PAGE - 1);
    return (double)(past < PAGE / 2 ? past : PAGE - past);
}

/* What the box is on one side, where bytes closer than `unit` are neighbours. */
static inline chunks chunks_of(const box *b, lm_side which, double unit) {
    double count = 1, bytes = b->run;
    int64_t grid = 0;
    const stride *s = b->by_step[which], *end = s + b->axes[which];
    for (; s < end; s++) { /* neighbours come first */
        const double n = b->extent[s->axis];
        if (n == 1) continue;
        if (s->bytes >= unit && s->bytes > bytes) break;
        bytes += (n - 1) * s->bytes;
    }
    double spread = bytes;
    for (; s < end; s++) {
        const double n = b->extent[s->axis];
        if (n == 1) continue;
        count *= n;
        spread += (n - 1) * off_page(s->step);
        grid |= s->step;
    }
    return (chunks){count, bytes, spread, grid, (grid | (int64_t)bytes | b->offset[which]) % LINE == 0};
}

/* Lines of chunks. One that may begin anywhere touches one more now and then. */
static double lines_in(const chunks *c) {
    if (c->whole) return c->count * c->bytes / LINE;
    const double more = c->bytes >= LINE ? 0.25 : c->bytes <= 8 ? 1 - c->bytes / LINE : 0.5;
    return c->count * (c->bytes / LINE + more);
}

/* Sets of a cache that chunks at large powers of two begin in. */
static double sets_on_grid(const chunks *c) {
    const int64_t common = c->grid & -c->grid;
    if (common <= LINE || c->bytes >= (double)common) return SETS;
    const double lines = c->bytes / LINE + 0.5, starts = common >= PAGE ? 1 : (double)(PAGE / common);
    return starts * (lines < 1 ? 1 : lines);
}

/* Where chunks share few sets of a cache, they take as much of it as if they were that many times more lines.
 */
static double crowding(const chunks *c) {
    if (c->count == 1) return 1;
    const double spread = c->spread / LINE + 0.5, grid = sets_on_grid(c);
    const double near = spread < 1 ? 1 : spread, sets = near < grid ? near : grid;
    return sets < SETS ? SETS / sets : 1;
}

static double pages_in(const chunks *c) {
    return c->count * (c->bytes >= PAGE ? c->bytes / PAGE + 0.5 : 1 + 0.5 * c->bytes / PAGE);
}

/* Lines of the whole box on one side. */
static double lines_of(const box *b, lm_side which) {
    const chunks c = chunks_of(b, which, LINE);
    return lines_in(&c);
}

/* ---- loops ---------------------------------------------------------------------------------------- */

/* A loop as the model sees it: it takes axis dim from `from` steps to `to`, in so many rounds. */
typedef struct level {
    int dim;
    double from, to, rounds;
} level;

typedef struct levels {
    int count, outside; /* the first so many are the nest's, the others the kernel's own */
    level at[LM_NEST_LOOPS + 3];
    double all;                /* rounds of all together */
    double left[LM_NEST_DIMS]; /* what is left of each axis inside the loops so far */
} levels;

static void add_level(levels *l, int dim, double step) {
    const double n = l->left[dim];
    if (n <= step) return;
    const double rounds = step == 1 ? n : n / step;
    l->at[l->count++] = (level){dim, step, n, rounds};
    l->left[dim] = step;
    l->all *= rounds;
}

/* Blocks of a transpose are as long as a line, and as many rows of it. */
static double block_of(const lm_step *step) {
    const double run = (double)step->nest.tile.run;
    return step->kernel->pattern == LM_TRANSPOSE && run < LINE ? LINE / run : 1;
}

/* The loops of the nest and then the kernel's own: rows of runs, or for a transpose blocks of some lines down
 * bands of source lines. */
static void find_levels(levels *l, const lm_step *step) {
    const lm_nest *nest = &step->nest;
    l->count = 0;
    l->all = 1;
    for (int k = 0; k < nest->dims; k++) l->left[k] = (double)nest->dim[k].n;
    for (int k = 0; k < nest->loops; k++) add_level(l, nest->loop[k].dim, (double)nest->loop[k].step);
    const double block = block_of(step);
    l->outside = l->count;
    add_level(l, 1, block);
    if (step->kernel->pattern != LM_ROWS) add_level(l, 0, block);
}

enum { STREAMS = 16 }; /* walks through the source that hardware prefetchers follow at once */

/* Bytes of a page that are walked before others are: pieces of so many, `count` of them so far apart. */
static double in_a_page(double piece, double count, double apart) {
    const double fit = PAGE / apart;
    return apart >= PAGE ? piece : piece * (count < fit ? count : fit);
}

static lm_stroll stroll_of(const lm_step *step, const levels *l, lm_side which) {
    double chunk =
        step->kernel->pattern == LM_ROWS ? l->left[0] : (double)step->nest.tile.run * block_of(step);
    lm_stroll s = {.places = 1};
    for (int k = l->count - 1; k >= 0; k--) {
        const level *at = &l->at[k];
        const double apart = (double)step_of(&step->nest.dim[at->dim], which), far = apart * at->from;
        if (far <= chunk + LINE) {
            chunk *= at->rounds;
            continue;
        }
        if (s.places == 1) {
            s.piece = which == LM_DST ? in_a_page(chunk, at->to, apart) : chunk;
            s.apart = far;
        }
        if (s.places * at->rounds > STREAMS) break;
        s.places *= at->rounds;
    }
    if (s.places == 1 && s.piece == 0) s.piece = chunk;
    s.stretch = chunk < LINE ? LINE : chunk;
    if (s.piece < LINE) s.piece = LINE;
    return s;
}

/* How far the innermost loop goes on in the source. */
static int64_t next_tile(const lm_nest *nest) {
    if (nest->loops == 0) return 0;
    const lm_loop *last = &nest->loop[nest->loops - 1];
    return step_of(&nest->dim[last->dim], LM_SRC) * last->step;
}

/* Pages of the next tile that a transpose asks for, for each that it reads. */
static double pages_ahead(const lm_step *step) {
    const int64_t far = step->nest.tile.ahead ? next_tile(&step->nest) : 0;
    return far < PAGE ? (double)far / PAGE : 1;
}

/* ---- caches --------------------------------------------------------------------------------------- */

/* Something that holds so many units, and what is fetched into it over the whole nest. */
typedef struct cache {
    double least,
        per_unit; /* from so many units on some are lost, and this share more with each further one */
    double lost;  /* the share of the units of the box so far that a round of the next loop does not find any
                     more */
    lm_fetched got;
} cache;

/* Capacities are not sharp. */
static cache of_capacity(double units, double softness) {
    return (cache){.least = units * (1 - softness), .per_unit = 1 / (2 * softness * units)};
}

/* The box that the innermost loops so far walk has so many units, and takes so much room: as long as one
 * round of the next loop leaves them in the cache for its next round, they are fetched once; otherwise every
 * loop further out fetches all of them again. */
static inline void fill(cache *c, const double units[2], double room, double again) {
    const double kept = (1 - c->lost) * again;
    for (int side = 0; side < 2; side++) c->got.side[side] = c->lost * c->got.side[side] + kept * units[side];
    const double lost = (room - c->least) * c->per_unit;
    if (lost > c->lost) c->lost = lost < 1 ? lost : 1;
}

/* All that has something to do with one nest. */
typedef struct caches {
    cache l1, l2, tlb_first, tlb_all;
    double past;  /* the room that a line of the destination takes */
    double ahead; /* pages of the next tile that are asked for, for each of the source's */
} caches;

static bool keeps(const cache *a, const cache *b) { return a->lost < 1 || b->lost < 1; }

static void fill_lines(caches *c, const box *b, double again) {
    const chunks dst = chunks_of(b, LM_DST, LINE), src = chunks_of(b, LM_SRC, LINE);
    const double units[2] = {lines_in(&dst), lines_in(&src)};
    const double room = units[LM_DST] * crowding(&dst) * c->past + units[LM_SRC] * crowding(&src);
    fill(&c->l1, units, room, again);
    fill(&c->l2, units, room, again);
}

static void fill_pages(caches *c, const box *b, double again) {
    const chunks dst = chunks_of(b, LM_DST, PAGE), src = chunks_of(b, LM_SRC, PAGE);
    const double units[2] = {pages_in(&dst), pages_in(&src)};
    const double room = units[LM_DST] + units[LM_SRC] * (1 + c->ahead);
    fill(&c->tlb_first, units, room, again);
    fill(&c->tlb_all, units, room, again);
}

/* False when nothing is kept any more: boxes further out change nothing. */
static bool fill_all(caches *c, const box *b, double again, bool pages) {
    const bool some_lines = keeps(&c->l1, &c->l2), some_pages = pages && keeps(&c->tlb_first, &c->tlb_all);
    if (some_lines) fill_lines(c, b, again);
    if (some_pages) fill_pages(c, b, again);
    return some_lines || some_pages;
}

/* From the innermost loop outwards. What is asked for ahead takes room while a kernel walks its tile; outside
 * of that it is the next tile itself. */
static void walk(caches *c, box *b, const levels *l, bool pages) {
    double again = l->all;
    if (l->count == l->outside) c->ahead = 0;
    for (int k = 0; k < b->dims; k++) b->extent[k] = l->left[k];
    for (int k = l->count; fill_all(c, b, again, pages) && k > 0; k--) {
        const level *next = &l->at[k - 1];
        b->extent[next->dim] = next->to;
        again = k == 1 ? 1 : again / next->rounds;
        if (k - 1 <= l->outside) c->ahead = 0;
    }
}

void lm_traffic_find(lm_traffic *t, const lm_step *step) {
    const lm_machine *m = lm_machine_get();
    box b;
    levels l;
    box_open(&b, &step->nest);
    find_levels(&l, step);
    t->least_written = lines_of(&b, LM_DST);
    t->lines = t->least_written + lines_of(&b, LM_SRC);
    t->pages = t->lines > LINE * model.tlb_first;
    for (int side = 0; side < 2; side++) t->stroll[side] = stroll_of(step, &l, (lm_side)side);
    t->follows = next_tile(&step->nest) < PAGE;
    t->l2_capacity = (double)m->cache_bytes[1] / LINE * model.l2_share;
    caches c = {.l1 = of_capacity((double)m->cache_bytes[0] / LINE * model.l1_share, model.softness),
                .l2 = of_capacity(t->l2_capacity, model.softness),
                .tlb_first = of_capacity(model.tlb_first, model.tlb_softness),
                .tlb_all = of_capacity(model.tlb_all, model.tlb_softness),
                .past = step->kernel->stream ? model.past : 1,
                .ahead = pages_ahead(step)};
    walk(&c, &b, &l, t->pages);
    t->l1 = c.l1.got;
    t->l2 = c.l2.got;
    t->tlb_first = c.tlb_first.got;
    t->tlb_all = c.tlb_all.got;
}

double lm_traffic_least(const lm_problem *p) {
    lm_nest nest = {.tile = {.run = p->run}, .dims = p->rank, .doff = p->doff, .soff = p->soff};
    for (int k = 0; k < p->rank; k++) nest.dim[k] = p->dim[k];
    box b;
    box_open(&b, &nest);
    return lines_of(&b, LM_DST) + lines_of(&b, LM_SRC);
}
