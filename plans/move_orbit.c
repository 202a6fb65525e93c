/* SPDX-License-Identifier: BSD-3-Clause */
/* Permutations in place between axes of equal extent, axes turned round, and both: square transposes, batched
 * ones, reversals, rotations by a right angle. The box is cut into tiles that the permutation maps onto tiles.
 * Along a cycle of tiles each changes places with the next one, in registers: the first then has what it
 * wants, and so on, and the last one has what all others have passed on. Where there is no kernel for that,
 * or the permutation does not end where the cycle of tiles does (as in a tile that it maps onto itself), all
 * of a cycle is read into a buffer, then written to where it belongs. Stores go through the caches, for the
 * lines have just been read. */
#include "move_orbit.h"

#include "lib/threads.h"
#include "move_exchange.h"
#include "plans.h"

/* ---- the permutation ------------------------------------------------------------------------------ */

static int find_image(const lm_form *f, int k) {
    for (int q = 0; q < f->rank; q++)
        if (f->dim[q].ds == lm_magnitude(f->dim[k].ss) && f->dim[q].n == f->dim[k].n) return q;
    return -1;
}

static bool find_permutation(lm_orbit *o, const lm_form *f) {
    uint64_t taken = 0;
    int64_t first = f->doff;
    o->mirrored = false;
    for (int k = 0; k < f->rank; k++) {
        const int q = find_image(f, k);
        if (q < 0 || taken >> q & 1) return false;
        taken |= UINT64_C(1) << q;
        o->to[k] = q;
        o->turned[k] = f->dim[k].ss < 0;
        o->mirrored |= o->turned[k];
        if (o->turned[k]) first -= (f->dim[k].n - 1) * f->dim[k].ss;
    }
    return first == f->soff;
}

static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }

/* Steps until an index comes back, for the axes of the cycle of k; twice round when that turns it. */
static int cycle_length(const lm_orbit *o, int k) {
    int length = 0, turns = 0, at = k;
    do {
        turns += o->turned[at];
        at = o->to[at];
        length++;
    } while (at != k);
    return turns % 2 ? 2 * length : length;
}

/* More tiles than these in a cycle do not fit the buffer. */
enum { LONGEST_CYCLE = 12 };

static bool find_length(lm_orbit *o, int rank) {
    o->length = 1;
    for (int k = 0; k < rank; k++) {
        const int cycle = cycle_length(o, k);
        if (cycle > LONGEST_CYCLE) return false;
        o->length = o->length / gcd(o->length, cycle) * cycle;
        if (o->length > LONGEST_CYCLE) return false;
    }
    return true;
}

/* ---- tiles ---------------------------------------------------------------------------------------- */

static int64_t tile_bytes(const lm_orbit *o, const lm_form *f) {
    int64_t bytes = f->run;
    for (int k = 0; k < f->rank; k++) bytes *= o->tile[k];
    return bytes;
}

static void set_tile(lm_orbit *o, int k, int64_t n) {
    int at = k;
    do {
        o->tile[at] = n;
        at = o->to[at];
    } while (at != k);
}

/* As much of an axis as a tile may have: of one that is turned a half, or a tile would be its own image. */
static int64_t most_of(const lm_orbit *o, const lm_form *f, int k) {
    const int64_t n = f->dim[k].n;
    bool turned = false;
    for (int at = k, first = 1; first || at != k; at = o->to[at], first = 0) turned |= o->turned[at];
    return turned && n > 1 ? n / 2 : n;
}

/* Grow the tile along the axes with the shortest steps first, together with the axes of their cycles. */
static void choose_tile(lm_orbit *o, const lm_form *f, int64_t cycle) {
    for (int k = 0; k < f->rank; k++) o->tile[k] = 1;
    for (int k = f->rank - 1; k >= 0; k--) {
        const int64_t most = most_of(o, f, k);
        if (o->tile[k] > 1) continue;
        for (int64_t n = 1; n < most;) {
            const int64_t more = 2 * n < most ? 2 * n : most;
            set_tile(o, k, more);
            if (tile_bytes(o, f) * o->length > cycle) {
                set_tile(o, k, n);
                break;
            }
            n = more;
        }
    }
}

/* Rows of a power of two bytes apart would share few cache sets. */
enum { PAD = 64 };

static void make_boxes(lm_move *m) {
    lm_orbit *o = &m->orbit;
    const lm_form *f = &m->form;
    int64_t step = f->run;
    bool padded = o->exchange.kernel != NULL;
    m->in.rank = m->out.rank = f->rank;
    m->in.run = m->out.run = f->run;
    for (int k = f->rank - 1; k >= 0; k--) {
        m->in.dim[k] = (lm_pdim){o->tile[k], step, f->dim[k].ss};
        m->out.dim[k] = (lm_pdim){o->tile[k], f->dim[k].ds, step};
        step *= o->tile[k];
        if (padded || o->tile[k] == 1 || step % 256) continue;
        step += PAD;
        padded = true;
    }
    o->bytes = lm_work_rounded(step);
    lm_box_make(&m->in, false);
    lm_box_make(&m->out, false);
}

/* Rows are exchanged along cycles of any length; for transposes of more than two tiles scratch is faster. */
static void choose_exchange(lm_orbit *o, const lm_form *f) {
    lm_exchange_choose(&o->exchange, f);
    if (o->exchange.kernel && o->exchange.kernel->pattern == LM_EXCHANGE && o->length > 2)
        o->exchange.kernel = NULL;
}

bool lm_orbit_make(lm_move *move, const lm_move_limits *limits) {
    lm_orbit *o = &move->orbit;
    int64_t cycle = limits->cycle;
    if (!find_permutation(o, &move->form) || !find_length(o, move->form.rank)) return false;
    choose_exchange(o, &move->form);
    /* Of exchanges cycles that end too early need scratch: they have half as many tiles at most. */
    if (o->exchange.kernel && o->exchange.kernel->pattern == LM_SWAP)
        cycle = least(cycle, 2 * LM_WORK_ON_STACK);
    choose_tile(o, &move->form, cycle);
    make_boxes(move);
    move->part_bytes = (size_t)(o->bytes * (o->exchange.kernel ? o->length / 2 : o->length));
    return true;
}

/* ---- the grid of tiles ---------------------------------------------------------------------------- */

/* A stretch of indices. Where an axis is turned the stretches are symmetric: from both ends inwards, what is
 * left in the middle in one, two halves, or two halves and one index. */
typedef struct stretch {
    int64_t first, count;
} stretch;

static int64_t middle_of(int64_t n, int64_t tile) { return n - n / (2 * tile) * 2 * tile; }

static int64_t stretches(const lm_orbit *o, int k, int64_t n) {
    const int64_t tile = o->tile[k], middle = middle_of(n, tile);
    if (!o->mirrored) return (n + tile - 1) / tile;
    return n / (2 * tile) * 2 + (middle == 0 ? 0 : middle <= tile ? 1 : 2 + middle % 2);
}

static stretch mirrored_stretch(int64_t n, int64_t tile, int64_t i, int64_t count) {
    const int64_t ends = n / (2 * tile), middle = middle_of(n, tile), half = middle / 2;
    if (i < ends) return (stretch){i * tile, tile};
    if (i >= count - ends) return (stretch){n - (count - i) * tile, tile};
    const int64_t parts = count - 2 * ends, at = i - ends, first = ends * tile;
    if (parts == 1) return (stretch){first, middle};
    if (at == 0) return (stretch){first, half};
    if (at == parts - 1) return (stretch){first + middle - half, half};
    return (stretch){first + half, 1};
}

static stretch stretch_of(const lm_orbit *o, int k, int64_t n, int64_t i, int64_t count) {
    const int64_t tile = o->tile[k];
    if (o->mirrored) return mirrored_stretch(n, tile, i, count);
    return (stretch){i * tile, n - i * tile < tile ? n - i * tile : tile};
}

typedef struct grid {
    const lm_move *move;
    int64_t count[LM_FORM_DIMS], tiles;
} grid;

static void grid_open(grid *g, const lm_move *m) {
    g->move = m;
    g->tiles = 1;
    for (int k = 0; k < m->form.rank; k++) {
        g->count[k] = stretches(&m->orbit, k, m->form.dim[k].n);
        g->tiles *= g->count[k];
    }
}

static void locate(const grid *g, int64_t number, int64_t *at) {
    for (int k = g->move->form.rank - 1; k >= 0; k--) {
        at[k] = number % g->count[k];
        number /= g->count[k];
    }
}

static int64_t number_of(const grid *g, const int64_t *at) {
    int64_t number = 0;
    for (int k = 0; k < g->move->form.rank; k++) number = number * g->count[k] + at[k];
    return number;
}

/* The tile that lies where the source of this one does. */
static int64_t next_tile(const grid *g, int64_t number) {
    const lm_orbit *o = &g->move->orbit;
    int64_t at[LM_FORM_DIMS], next[LM_FORM_DIMS];
    locate(g, number, at);
    for (int k = 0; k < g->move->form.rank; k++)
        next[o->to[k]] = o->turned[k] ? g->count[k] - 1 - at[k] : at[k];
    return number_of(g, next);
}

/* ---- running -------------------------------------------------------------------------------------- */

/* A tile as a part of a view: where it begins there, and its extents. */
typedef struct tile {
    int64_t offset, n[LM_FORM_DIMS];
} tile;

static void tile_of(tile *t, const grid *g, int64_t number, bool source) {
    const lm_move *m = g->move;
    int64_t at[LM_FORM_DIMS];
    locate(g, number, at);
    t->offset = source ? m->form.soff : m->form.doff;
    for (int k = 0; k < m->form.rank; k++) {
        const lm_pdim *d = &m->form.dim[k];
        const stretch s = stretch_of(&m->orbit, k, d->n, at[k], g->count[k]);
        t->n[k] = s.count;
        t->offset += s.first * (source ? d->ss : d->ds);
    }
}

/* The tiles of a cycle, the lowest number first. */
typedef struct cycle {
    int count;
    int64_t number[LONGEST_CYCLE];
} cycle;

/* The cycle of `first`; false when `first` is not the lowest of it. */
static bool find_cycle(cycle *c, const grid *g, int64_t first) {
    int64_t number = first;
    c->count = 0;
    do {
        c->number[c->count++] = number;
        number = next_tile(g, number);
        if (number < first) return false;
    } while (number != first);
    return true;
}

/* The next cycle from *first on, by `step`; empty when there is none. */
static void next_cycle(cycle *c, const grid *g, int64_t *first, int step) {
    for (; *first < g->tiles; *first += step) {
        if (!find_cycle(c, g, *first)) continue;
        *first += step;
        return;
    }
    c->count = 0;
}

/* Does the permutation, repeated along the cycle, bring every index of a tile back? */
static bool is_whole(const grid *g, const cycle *c) { return c->count == g->move->orbit.length; }

/* Pair number i of a cycle: a tile, and the one that lies where its source does. */
static lm_pair pair_of(const grid *g, const cycle *c, int i, char *buffer) {
    tile dst, src;
    lm_pair pair = {0};
    tile_of(&dst, g, c->number[i], false);
    tile_of(&src, g, c->number[i], true);
    pair.dst = buffer + dst.offset;
    pair.src = buffer + src.offset;
    for (int k = 0; k < g->move->form.rank; k++) pair.n[k] = dst.n[k];
    return pair;
}

/* Each pair while what the next one adds is on its way. */
static void exchange(const grid *g, const cycle *c, const cycle *after, char *buffer) {
    const lm_move *m = g->move;
    lm_pair now = pair_of(g, c, 0, buffer), next;
    for (int i = 0; i + 1 < c->count; i++, now = next) {
        const bool last = i + 2 == c->count;
        next = now;
        if (!last || after->count > 1)
            next = last ? pair_of(g, after, 0, buffer) : pair_of(g, c, i + 1, buffer);
        now.src_ahead = next.src - now.src;
        now.dst_ahead = last ? next.dst - now.dst : 0;
        lm_exchange_run(&m->orbit.exchange, &m->form, &now);
    }
}

/* Read all sources, each while the next one is on its way, then write. */
static void pass_through(const grid *g, const cycle *c, const cycle *after, char *buffer, char *work) {
    const lm_move *m = g->move;
    tile now, next;
    tile_of(&now, g, c->number[0], true);
    for (int i = 0; i < c->count; i++, now = next) {
        const bool last = i + 1 == c->count;
        next = now;
        if (!last || after->count) tile_of(&next, g, last ? after->number[0] : c->number[i + 1], true);
        lm_box_run(&m->in, work + i * m->orbit.bytes, buffer + now.offset, now.n, next.offset - now.offset);
    }
    for (int i = 0; i < c->count; i++) {
        tile_of(&now, g, c->number[i], false);
        lm_box_run(&m->out, buffer + now.offset, work + i * m->orbit.bytes, now.n, 0);
    }
}

void lm_orbit_run(const lm_move *move, char *buffer, char *work, int part, int parts) {
    grid g;
    cycle cycles[2];
    int64_t first = part;
    grid_open(&g, move);
    next_cycle(&cycles[0], &g, &first, parts);
    for (int now = 0; cycles[now].count; now = !now) {
        next_cycle(&cycles[!now], &g, &first, parts);
        if (move->orbit.exchange.kernel && is_whole(&g, &cycles[now]))
            exchange(&g, &cycles[now], &cycles[!now], buffer);
        else
            pass_through(&g, &cycles[now], &cycles[!now], buffer, work);
    }
}

/* ---- the mover ------------------------------------------------------------------------------------ */

static bool make(lmad_plan *plan, const lm_move_limits *limits) {
    lm_move *m = &plan->move;
    const lm_problem *p = &plan->problem;
    if (p->payload <= limits->least) return false;
    lm_form_make(&m->form, p, limits->run);
    if (!lm_orbit_make(m, limits)) return false;
    m->parts = lm_move_threads(p, limits);
    while (m->parts > 1 && (int64_t)m->part_bytes * m->parts > limits->work) m->parts--;
    plan->work_bytes = m->part_bytes * (size_t)m->parts;
    m->small = m->part_bytes <= LM_WORK_ON_STACK;
    return true;
}

typedef struct job {
    const lm_move *move;
    char *buffer, *work;
} job;

static void run_part(void *arg, int part) {
    const job *j = arg;
    lm_orbit_run(j->move, j->buffer, j->work + j->move->part_bytes * (size_t)part, part, j->move->parts);
}

static void run(const lmad_plan *plan, char *buffer, char *work) {
    job j = {&plan->move, buffer, work};
    lm_parallel(&plan->settings, j.move->parts, run_part, &j);
}

static void run_small(const lmad_plan *plan, char *buffer, char *work) {
    lm_orbit_run(&plan->move, buffer, work, 0, 1);
}

const lm_mover lm_mover_orbit = {"move-tiles", make, run, run_small};
