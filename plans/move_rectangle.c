/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposes in place of a dense matrix that is not square, or of a batch of them.
 *
 * With g the greatest common divisor of the extents, rows = p*g, columns = q*g, where squares of g x g are
 * large enough: (1) in each band of g rows the runs of g elements are permuted so that squares become dense,
 * (2) squares are transposed, (3) squares, then (4) runs of g in each band, are permuted to where they
 * belong. Otherwise by permutations of rows and of columns. */
#include "move_rectangle.h"

#include "lib/cost.h"
#include "lib/threads.h"
#include "move_orbit.h"
#include "move_squares.h"

static int64_t gcd(int64_t a, int64_t b) { return b ? gcd(b, a % b) : a; }

static bool find_matrix(lm_rectangle *r, const lm_form *f, const lm_move_limits *limits) {
    int a, b;
    if (f->doff != f->soff || !lm_exchanged_axes(f, &a, &b)) return false;
    const lm_pdim *outer = &f->dim[a], *inner = &f->dim[b];
    r->rows = inner->n;
    r->columns = outer->n;
    r->common = gcd(r->rows, r->columns);
    r->by_chunks = r->common * f->run >= limits->chunk;
    r->slice = limits->slice;
    return inner->ds == f->run && outer->ds == r->rows * f->run && outer->ss == f->run &&
           inner->ss == r->columns * f->run;
}

/* ---- squares -------------------------------------------------------------------------------------- */

/* The squares of step 2 as a form of their own, which takes the place of the move's; the batch is walked
 * here. */
static bool plan_squares(lm_move *m, const lm_rectangle *r, int64_t run, const lm_move_limits *limits) {
    const int64_t g = r->common, squares = r->rows / g * (r->columns / g);
    lm_form *f = &m->form;
    *f = (lm_form){.rank = 3, .run = run};
    f->dim[0] = (lm_pdim){squares, g * g * run, g * g * run};
    f->dim[1] = (lm_pdim){g, g * run, run};
    f->dim[2] = (lm_pdim){g, run, g * run};
    return lm_orbit_make(m, limits, squares * g * g * run);
}

/* ---- scratch -------------------------------------------------------------------------------------- */

static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t chunk_scratch(const lm_rectangle *r) {
    const int64_t g = r->common, p = r->rows / g, q = r->columns / g;
    const int64_t bands = lm_chunks_work(greater(p, q) * g, r->slice);
    return greater(bands, lm_chunks_work(p * q, r->slice));
}

static bool make(lmad_plan *plan, const lm_move_limits *limits) {
    lm_move *m = &plan->move;
    lm_rectangle *r = &m->rectangle;
    const int64_t run = plan->problem.run;
    if (plan->problem.payload <= limits->least) return false;
    lm_form_make(&m->form, &plan->problem, INT64_MAX);
    if (!find_matrix(r, &m->form, limits)) return false;
    if (!r->by_chunks && plan->problem.payload <= limits->copy) return false;
    int64_t bytes = r->by_chunks ? chunk_scratch(r) : lm_shuffle_work(r->rows, r->columns, run);
    if (bytes > LM_WORK_LIMIT) return false;
    if (r->by_chunks && r->common > 1) {
        if (!plan_squares(m, r, run, limits)) return false;
        bytes = greater(bytes, (int64_t)m->part_bytes);
    }
    m->parts = lm_move_threads(&plan->problem, limits);
    while (m->parts > 1 && bytes * m->parts > LM_WORK_LIMIT) m->parts--;
    m->part_bytes = (size_t)((bytes + LM_WORK_ALIGNMENT - 1) & -(int64_t)LM_WORK_ALIGNMENT);
    plan->work_bytes = m->part_bytes * (size_t)m->parts;
    return true;
}

/* ---- stages --------------------------------------------------------------------------------------- */

/* One matrix, or one of them for each thread. */
typedef struct job {
    const lmad_plan *plan;
    char *at, *work;
    int stage, parts;
} job;

static void shuffle_stage(const job *j, char *at, char *work, int part, int parts, int stage) {
    const lm_rectangle *r = &j->plan->move.rectangle;
    const lm_shuffle s = {at, work, r->rows, r->columns, r->common, j->plan->problem.run, part, parts};
    if (stage == 0 && r->common > 1) lm_shuffle_turn_columns(&s);
    if (stage == 1) lm_shuffle_rows(&s);
    if (stage == 2) lm_shuffle_columns(&s);
}

static void chunk_stage(const job *j, char *at, char *work, int part, int parts, int stage) {
    const lm_rectangle *r = &j->plan->move.rectangle;
    const int64_t g = r->common, p = r->rows / g, q = r->columns / g, chunk = g * j->plan->problem.run;
    const lm_chunks bands = {at, work, p, g * q * chunk, g, q, chunk, r->slice, part, parts};
    const lm_chunks squares = {at, work, 1, 0, p, q, g * chunk, r->slice, part, parts};
    const lm_chunks back = {at, work, q, p * g * chunk, p, g, chunk, r->slice, part, parts};
    if (stage == 0) lm_chunks_transpose(&bands);
    if (stage == 1 && g > 1) lm_orbit_run(&j->plan->move, at, work, part, parts);
    if (stage == 2) lm_chunks_transpose(&squares);
    if (stage == 3) lm_chunks_transpose(&back);
}

enum { STAGES = 4 };

static void run_stage(const job *j, char *at, char *work, int part, int parts, int stage) {
    if (j->plan->move.rectangle.by_chunks)
        chunk_stage(j, at, work, part, parts, stage);
    else
        shuffle_stage(j, at, work, part, parts, stage);
}

/* ---- the batch ------------------------------------------------------------------------------------ */

static int64_t batch_count(const lm_problem *p, const lm_rectangle *r) {
    return p->count / (r->rows * r->columns);
}

/* Where matrix number i of the batch begins. */
static int64_t batch_offset(const lm_problem *p, int64_t i) {
    int64_t at = p->doff;
    for (int k = p->rank - 1; k >= 0; k--) {
        if (p->dim[k].ds != p->dim[k].ss) continue;
        at += i % p->dim[k].n * p->dim[k].ds;
        i /= p->dim[k].n;
    }
    return at;
}

/* All threads on one matrix: its part of one stage. */
static void run_part(void *arg, int part) {
    const job *j = arg;
    run_stage(j, j->at, j->work + j->plan->move.part_bytes * (size_t)part, part, j->parts, j->stage);
}

/* A matrix a thread. */
static void run_share(void *arg, int part) {
    const job *j = arg;
    const lm_problem *p = &j->plan->problem;
    char *work = j->work + j->plan->move.part_bytes * (size_t)part;
    for (int64_t i = part; i < batch_count(p, &j->plan->move.rectangle); i += j->parts)
        for (int stage = 0; stage < STAGES; stage++)
            run_stage(j, j->at + batch_offset(p, i), work, 0, 1, stage);
}

static void run(const lmad_plan *plan, char *buffer, char *work) {
    const lm_problem *p = &plan->problem;
    const int64_t batch = batch_count(p, &plan->move.rectangle);
    job j = {plan, buffer, work, 0, plan->move.parts};
    if (j.parts == 1 || batch >= 4 * j.parts) {
        lm_parallel(&plan->settings, j.parts, run_share, &j);
        return;
    }
    for (int64_t i = 0; i < batch; i++) {
        j.at = buffer + batch_offset(p, i);
        for (j.stage = 0; j.stage < STAGES; j.stage++) lm_parallel(&plan->settings, j.parts, run_part, &j);
    }
}

const lm_mover lm_mover_rectangle = {"move-rectangle", make, run};
