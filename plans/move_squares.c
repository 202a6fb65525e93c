/* SPDX-License-Identifier: BSD-3-Clause */
/* Square transposes in place, batched or not. Needs no scratch. */
#include "move_squares.h"

#include "lib/cpu.h"
#include "lib/plan.h"
#include "lib/threads.h"
#include "plans.h"

bool lm_exchanged_axes(const lm_form *f, int *outer, int *inner) {
    int found = 0, axis[2] = {0, 0};
    for (int k = 0; k < f->rank; k++) {
        if (f->dim[k].ds == f->dim[k].ss) continue;
        if (found == 2) return false;
        axis[found++] = k;
    }
    *outer = axis[0];
    *inner = axis[1];
    return found == 2;
}

int64_t lm_batch_offset(int rank, const lm_pdim *dim, int64_t i) {
    int64_t at = 0;
    for (int k = rank - 1; k >= 0; k--) {
        if (dim[k].ds != dim[k].ss) continue;
        at += i % dim[k].n * dim[k].ds;
        i /= dim[k].n;
    }
    return at;
}

/* ---- one square ----------------------------------------------------------------------------------- */

const lm_kernel *lm_square_kernel(int64_t run) {
    if (!lm_is_word(run)) return NULL;
    return lm_kernel_find(LM_EXCHANGE, run, false, lm_cpu_isa());
}

/* Bytes of the rows of a strip, about: tiles of it and the next ones stay in the second cache. */
enum { STRIP = 512 };

int64_t lm_square_strips(const lm_square *s) { return (s->n * s->run + STRIP - 1) / STRIP; }

void lm_square_exchange(const lm_square *s, char *at, int64_t strip) {
    const int64_t first = strip * (STRIP / s->run), left = s->n - first;
    const lm_tile tile = {.run = s->run,
                          .n0 = least(STRIP / s->run, left),
                          .ds0 = s->run,
                          .ss0 = s->pitch,
                          .n1 = left,
                          .ds1 = s->pitch,
                          .ss1 = s->run};
    char *corner = at + first * (s->pitch + s->run);
    s->kernel->fn(corner, corner, &tile);
}

/* ---- the mover ------------------------------------------------------------------------------------ */

static bool find_square(lm_square *s, const lm_form *f) {
    int a, b;
    if (f->doff != f->soff || !lm_exchanged_axes(f, &a, &b)) return false;
    const lm_pdim *outer = &f->dim[a], *inner = &f->dim[b];
    *s = (lm_square){lm_square_kernel(f->run), inner->n, outer->ds, f->run};
    return s->kernel && inner->n == outer->n && inner->ds == f->run && outer->ss == f->run &&
           inner->ss == outer->ds;
}

static bool make(lmad_plan *plan, const lm_move_limits *limits) {
    lm_move *m = &plan->move;
    lm_square square;
    lm_form_make(&m->form, &plan->problem, INT64_MAX);
    if (!find_square(&square, &m->form)) return false;
    m->parts = lm_move_threads(&plan->problem, limits);
    return true;
}

typedef struct job {
    const lm_move *move;
    lm_square square;
    int64_t count; /* squares */
    char *buffer;
} job;

/* Strips become shorter from the first to the last of a square, so each thread gets some of all lengths. */
static void run_part(void *arg, int part) {
    const job *j = arg;
    const lm_form *f = &j->move->form;
    const int64_t strips = lm_square_strips(&j->square);
    for (int64_t unit = part; unit < j->count * strips; unit += j->move->parts)
        lm_square_exchange(&j->square, j->buffer + f->doff + lm_batch_offset(f->rank, f->dim, unit / strips),
                           unit % strips);
}

static void run(const lmad_plan *plan, char *buffer, char *work) {
    job j = {.move = &plan->move, .buffer = buffer};
    (void)work;
    find_square(&j.square, &plan->move.form);
    j.count = plan->problem.count / (j.square.n * j.square.n);
    lm_parallel(&plan->settings, j.move->parts, run_part, &j);
}

const lm_mover lm_mover_squares = {"move-squares", make, run, NULL};
