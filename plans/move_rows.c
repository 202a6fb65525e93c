/* SPDX-License-Identifier: BSD-3-Clause */
/* A move by a shift: both views have the same strides, so that runs can be moved one by one, as memmove does it,
 * in the order in which none is overwritten before it is read. Needs scratch on several threads only. */
#include <string.h>

#include "lib/cpu.h"
#include "move_order.h"

static bool is_shift(const lm_form *f) {
    for (int k = 0; k < f->rank; k++)
        if (f->dim[k].ds != f->dim[k].ss) return false;
    return true;
}

static bool make(lmad_plan *plan, const lm_move_limits *limits) {
    lm_move *m = &plan->move;
    const lm_problem *p = &plan->problem;
    /* One run is cut among threads as an axis of bytes. */
    lm_form_make(&m->form, p, p->count == 1 ? 0 : INT64_MAX);
    if (!is_shift(&m->form) || p->run < limits->row || !lm_order_levels(&m->form, 0, &m->ordered))
        return false;
    lm_order_parts(m, lm_move_threads(p, limits), 0, limits->work);
    m->ordered.rows = lm_kernel_find(LM_ROWS, 1, false, lm_cpu_isa());
    plan->work_bytes = m->parts > 1 ? m->part_bytes * (size_t)m->parts : 0;
    m->small = true;
    return true;
}

/* ---- one stretch ---------------------------------------------------------------------------------- */

/* Where the destination lies a little behind the source modulo PAGE, loads of a walk upwards wait for stores that
 * they take for their own. Stretches that do not reach their destination, which memmove walks upwards, are then
 * walked downwards, PIECE by PIECE. (Measured: 80 ms for 256 MB become 20. Those that do reach it do not suffer.) */
enum { PAGE = 4096, NEAR = 512, PIECE = 128 };

static bool is_near(int64_t by) { return (by & (PAGE - 1)) != 0 && (by & (PAGE - 1)) < NEAR; }

static void move_stretch(const lm_kernel *rows, char *dst, const char *src, int64_t n) {
    const int64_t by = dst - src, pieces = n / PIECE, last = n - PIECE;
    if (lm_magnitude(by) < n || !is_near(by) || pieces < 2) {
        memmove(dst, src, (size_t)n);
        return;
    }
    const lm_tile tile = {
        .run = 1, .n0 = PIECE, .ds0 = 1, .ss0 = 1, .n1 = pieces, .ds1 = -PIECE, .ss1 = -PIECE};
    rows->fn(dst + last, src + last, &tile);
    memcpy(dst, src, (size_t)(n - pieces * PIECE));
}

/* ---- all of them ---------------------------------------------------------------------------------- */

/* Indices [first, last) of the outermost level, all of the others. */
static void walk(const lm_move *m, int level, int64_t first, int64_t last, char *dst, const char *src) {
    const lm_pdim *d = &m->form.dim[m->ordered.level[level].axis];
    const bool leaf = level == m->ordered.levels - 1;
    if (leaf && d->ds == m->form.run) { /* one stretch, which memmove knows how to walk */
        const int64_t at = lm_order_index(m, level, first, last - first) * d->ds;
        if (last > first) move_stretch(m->ordered.rows, dst + at, src + at, (last - first) * m->form.run);
        return;
    }
    for (int64_t i = first; i < last; i++) {
        const int64_t at = lm_order_index(m, level, i, 1) * d->ds;
        if (leaf)
            move_stretch(m->ordered.rows, dst + at, src + at, m->form.run);
        else
            walk(m, level + 1, 0, m->form.dim[m->ordered.level[level + 1].axis].n, dst + at, src + at);
    }
}

static void run_part(void *arg, int part) {
    const lm_order_job *job = arg;
    const lm_move *m = &job->plan->move;
    int64_t first, last;
    lm_order_range(m, part, &first, &last);
    walk(m, 0, first, last, job->buffer + m->form.doff, job->buffer + m->form.soff);
}

static void run(const lmad_plan *plan, char *buffer, char *work) {
    lm_order_run(plan, buffer, work, run_part);
}

/* One thread needs no scratch at all. */
static void run_small(const lmad_plan *plan, char *buffer, char *work) {
    const lm_move *m = &plan->move;
    (void)work;
    walk(m, 0, 0, m->form.dim[m->ordered.level[0].axis].n, buffer + m->form.doff, buffer + m->form.soff);
}

const lm_mover lm_mover_rows = {"move-rows", make, run, run_small};
