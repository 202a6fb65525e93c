/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposes in place of a dense matrix that is not square, or of a batch of them.
 *
 * A matrix of down x across squares of g x g runs, in rows of across*g runs: squares are transposed where
 * they are; then chunks of g runs, which lie as [down][g][across], are permuted to [across][g][down]. Where
 * the extents have no large common divisor this is done to the part of the matrix that has one, and the rest
 * is set aside (move_cut.c): chunks are permuted between the places that they have there, and then all moved
 * a little. Narrow matrices are cut into blocks that fit a cache rather than squares (move_strips.c). Where
 * all of that takes too much scratch, by permutations of rows and of columns (move_shuffle.c). */
#include "move_rectangle.h"

#include "lib/threads.h"
#include "move_orbit.h"
#include "move_squares.h"
#include "plans.h"

static int64_t gcd(int64_t a, int64_t b) { return b ? gcd(b, a % b) : a; }

static bool find_matrix(lm_rectangle *r, const lm_form *f) {
    int a, b;
    if (f->doff != f->soff || !lm_exchanged_axes(f, &a, &b)) return false;
    const lm_pdim *outer = &f->dim[a], *inner = &f->dim[b];
    r->rows = inner->n;
    r->columns = outer->n;
    return inner->ds == f->run && outer->ds == r->rows * f->run && outer->ss == f->run &&
           inner->ss == r->columns * f->run;
}

static int64_t batch_count(const lm_problem *p, const lm_rectangle *r) {
    return p->count / (r->rows * r->columns);
}

/* ---- making --------------------------------------------------------------------------------------- */

static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

/* Squares of runs that are no words are tiles to be exchanged, in a form of their own, which takes the place
 * of the move's; the batch is walked here. */
static bool plan_squares(lm_move *m, const lm_rectangle *r, int64_t run, const lm_move_limits *limits) {
    const int64_t g = r->high, row = r->columns * run;
    lm_form *f = &m->form;
    m->part_bytes = 0;
    if (lm_square_kernel(run)) return true;
    *f = (lm_form){.rank = 4, .run = run};
    f->dim[0] = (lm_pdim){r->down, g * row, g * row};
    f->dim[1] = (lm_pdim){r->across, g * run, g * run};
    f->dim[2] = (lm_pdim){g, row, run};
    f->dim[3] = (lm_pdim){g, run, row};
    return lm_orbit_make(m, limits);
}

/* Slices of chunks where scratch is scarce. */
enum { SMALL = 4096 };

/* Can scratch be as scarce as that? */
static bool can_small(const lm_rectangle *r, int64_t run) {
    const int64_t count = r->down * r->high * r->across;
    return r->down && lm_rectangle_is_square(r) && !r->aside && lm_square_kernel(run) &&
           lm_chunks_work(count, SMALL) <= LM_WORK_ON_STACK;
}

/* Bytes of a thread's scratch for blocks and chunks. */
static bool plan_blocks(lm_move *m, const lm_rectangle *r, int64_t run, const lm_move_limits *limits,
                        int64_t *bytes) {
    const bool row = r->down == 1;
    const int64_t count =
        row ? r->high * r->across : r->broad * r->down * (lm_rectangle_is_square(r) ? r->across : 1);
    const int64_t chunks = lm_chunks_work(count, least(r->slice, (row ? r->broad : r->high) * run));
    *bytes = greater(chunks, r->high * r->broad * run);
    if (!lm_rectangle_is_square(r)) return true;
    if (!plan_squares(m, r, run, limits)) return false;
    *bytes = greater(chunks, (int64_t)m->part_bytes);
    return true;
}

/* More passes than this over a matrix that scratch has room for are slower than a copy there and back. */
static const double most_passes = 3;

/* What is set aside if it need not be more. */
enum { ASIDE = 256 << 10 };

/* Bytes of a thread's scratch; false when there is no way. */
static bool choose_way(lmad_plan *plan, const lm_move_limits *limits, int64_t *bytes) {
    lm_rectangle *r = &plan->move.rectangle;
    const int64_t run = plan->problem.run;
    lm_cut_limits cut = {limits->chunk, least(limits->block, limits->work / 2),
                         least(ASIDE, limits->work / 2)};
    double cost = lm_cut_choose(r, run, &cut);
    if (!r->down) {
        cut.most = limits->work / 2;
        cost = lm_cut_choose(r, run, &cut);
    }
    if (cost > most_passes && plan->problem.payload <= limits->copy) return false;
    if (r->down) {
        if (!plan_blocks(&plan->move, r, run, limits, bytes)) return false;
        if (lm_work_rounded(*bytes) + lm_work_rounded(r->aside) <= limits->work) return true;
    }
    r->down = r->aside = 0;
    r->wide = lm_shuffle_wide(r->rows, run, limits->work);
    *bytes = lm_shuffle_work(r->rows, r->columns, run, r->wide);
    return true;
}

/* What is set aside belongs to a thread that has a matrix to itself, else to all threads. */
static bool make(lmad_plan *plan, const lm_move_limits *limits) {
    lm_move *m = &plan->move;
    lm_rectangle *r = &m->rectangle;
    int64_t bytes;
    if (plan->problem.payload <= limits->least) return false;
    lm_form_make(&m->form, &plan->problem, INT64_MAX);
    if (!find_matrix(r, &m->form)) return false;
    /* One that fits a cache goes through scratch at once (move_blocks.c). */
    if (r->rows * r->columns * plan->problem.run <= limits->block && batch_count(&plan->problem, r) > 1)
        return false;
    r->slice = limits->slice;
    if (!choose_way(plan, limits, &bytes)) return false;
    m->parts = lm_move_threads(&plan->problem, limits);
    r->share = m->parts == 1 || batch_count(&plan->problem, r) >= 4 * m->parts;
    const int64_t aside = lm_work_rounded(r->aside), each = lm_work_rounded(bytes) + (r->share ? aside : 0);
    const int64_t once = r->share ? 0 : aside;
    while (m->parts > 1 && each * m->parts + once > limits->work) m->parts--;
    if (each * m->parts + once > limits->work) return false;
    m->part_bytes = (size_t)each;
    plan->work_bytes = m->part_bytes * (size_t)m->parts + (size_t)once;
    m->small = can_small(r, plan->problem.run);
    return true;
}

/* ---- stages --------------------------------------------------------------------------------------- */

/* One matrix, or one of them for each thread. */
typedef struct job {
    const lmad_plan *plan;
    char *at, *work;
    int stage, parts;
} job;

/* What one thread does in a stage. */
typedef struct share {
    const lmad_plan *plan;
    char *at, *work, *aside;
    int part, parts;
    int64_t slice; /* of chunks, the longest */
} share;

static void shuffle_stage(const share *w, int stage) {
    const lm_rectangle *r = &w->plan->move.rectangle;
    const int64_t common = gcd(r->rows, r->columns);
    const lm_shuffle s = {w->at,   w->work, r->rows, r->columns, common, w->plan->problem.run,
                          r->wide, w->part, w->parts};
    if (stage == 1 && common > 1) lm_shuffle_turn_columns(&s);
    if (stage == 2) lm_shuffle_rows(&s);
    if (stage == 3) lm_shuffle_columns(&s);
}

static void transpose_squares(const share *w) {
    const lm_rectangle *r = &w->plan->move.rectangle;
    const int64_t run = w->plan->problem.run, g = r->high, row = r->columns * run;
    const lm_square square = {lm_square_kernel(run), g, row, run};
    if (!square.kernel) {
        lm_orbit_run(&w->plan->move, w->at, w->work, w->part, w->parts);
        return;
    }
    const int64_t strips = lm_square_strips(&square);
    for (int64_t unit = w->part; unit < r->down * r->across * strips; unit += w->parts) {
        const int64_t k = unit / strips;
        lm_square_exchange(&square, w->at + k / r->across * g * row + k % r->across * g * run, unit % strips);
    }
}

static void permute_chunks(const share *w, const lm_slots *slots, int64_t outer, int64_t middle,
                           int64_t inner) {
    const lm_chunks chunks = {w->at, w->work, *slots, outer, middle, inner, w->slice, w->part, w->parts};
    lm_chunks_permute(&chunks);
}

static void square_stage(const share *w, int stage) {
    const lm_rectangle *r = &w->plan->move.rectangle;
    const int64_t run = w->plan->problem.run, chunk = r->high * run;
    const lm_slots from = {r->across, r->columns * run, chunk}, to = {r->down, r->rows * run, chunk};
    if (stage == 1) transpose_squares(w);
    if (stage == 2) permute_chunks(w, &from, r->down, r->high, r->across);
    if (stage == 3 && r->aside && w->part == 0)
        lm_chunks_settle(w->at, &from, &to, r->down * r->high * r->across);
}

/* Of the stages 1 and 2 one is for blocks, one for chunks. */
static void strip_stage(const share *w, int stage) {
    const lm_rectangle *r = &w->plan->move.rectangle;
    const int64_t run = w->plan->problem.run;
    const lm_slots slots = lm_strips_slots(r, run);
    const lm_strips strips = {w->at, w->work, r, run, w->part, w->parts};
    const bool row = r->down == 1;
    if (stage == (row ? 2 : 1)) lm_strips_turn(&strips);
    if (stage == 1 && row) permute_chunks(w, &slots, 1, r->high, r->across);
    if (stage == 2 && !row) permute_chunks(w, &slots, r->down, 1, r->broad);
}

enum { STAGES = 5 };

static void block_stage(const share *w, int stage) {
    const lm_rectangle *r = &w->plan->move.rectangle;
    const int64_t run = w->plan->problem.run;
    const bool aside = r->aside && w->part == 0;
    if (stage == 0 && aside) lm_cut_leave(r, run, w->at, w->aside);
    if (lm_rectangle_is_square(r))
        square_stage(w, stage);
    else
        strip_stage(w, stage);
    if (stage == STAGES - 1 && aside) lm_cut_return(r, run, w->at, w->aside);
}

static void run_stage(const share *w, int stage) {
    if (w->plan->move.rectangle.down)
        block_stage(w, stage);
    else
        shuffle_stage(w, stage);
}

/* ---- the batch ------------------------------------------------------------------------------------ */

/* All threads on one matrix: its part of one stage. */
static void run_part(void *arg, int part) {
    const job *j = arg;
    const size_t each = j->plan->move.part_bytes;
    const share w = {j->plan, j->at,    j->work + each * (size_t)part, j->work + each * (size_t)j->parts,
                     part,    j->parts, j->plan->move.rectangle.slice};
    run_stage(&w, j->stage);
}

/* A matrix a thread. */
static void run_share(void *arg, int part) {
    const job *j = arg;
    const lm_problem *p = &j->plan->problem;
    const lm_rectangle *r = &j->plan->move.rectangle;
    char *work = j->work + j->plan->move.part_bytes * (size_t)part;
    share w = {j->plan, NULL, work,    work + j->plan->move.part_bytes - lm_work_rounded(r->aside),
               0,       1,    r->slice};
    for (int64_t i = part; i < batch_count(p, r); i += j->parts) {
        w.at = j->at + p->doff + lm_batch_offset(p->rank, p->dim, i);
        for (int stage = 0; stage < STAGES; stage++) run_stage(&w, stage);
    }
}

/* Shorter slices of chunks. */
static void run_small(const lmad_plan *plan, char *buffer, char *work) {
    const lm_problem *p = &plan->problem;
    share w = {plan, NULL, work, NULL, 0, 1, SMALL};
    for (int64_t i = 0; i < batch_count(p, &plan->move.rectangle); i++) {
        w.at = buffer + p->doff + lm_batch_offset(p->rank, p->dim, i);
        for (int stage = 0; stage < STAGES; stage++) run_stage(&w, stage);
    }
}

static void run(const lmad_plan *plan, char *buffer, char *work) {
    const lm_problem *p = &plan->problem;
    const lm_rectangle *r = &plan->move.rectangle;
    job j = {plan, buffer, work, 0, plan->move.parts};
    if (r->share) {
        lm_parallel(&plan->settings, j.parts, run_share, &j);
        return;
    }
    for (int64_t i = 0; i < batch_count(p, r); i++) {
        j.at = buffer + p->doff + lm_batch_offset(p->rank, p->dim, i);
        for (j.stage = 0; j.stage < STAGES; j.stage++) lm_parallel(&plan->settings, j.parts, run_part, &j);
    }
}

const lm_mover lm_mover_rectangle = {"move-rectangle", make, run, run_small};
