/* SPDX-License-Identifier: BSD-3-Clause */
/* Walking a destination run by run. Where it is dense affine values are written to it directly, and those of
 * a function if it is in the caches, too; else into a buffer of a few KiB that is then copied: past the
 * caches, or with a stride. */
#include "runs.h"

#include "cost.h"
#include "cpu.h"
#include "threads.h"

/* PIECE: what is written directly at a time; STREAM_ROW: the shortest runs that are worth streaming; in
 * bytes. */
enum { BUFFER = 4096, PIECE = 65536, ALIGNMENT = 64, STREAM_ROW = 2048 };

/* Axes of more than one index by falling steps. */
static void sort_axes(lm_runs *r) {
    int count = 0;
    for (int k = 0; k < r->rank; k++) {
        if (r->axis[k].n == 1) continue;
        int at = count++;
        for (; at > 0 && lm_magnitude(r->axis[r->order[at - 1]].stride) < lm_magnitude(r->axis[k].stride);
             at--)
            r->order[at] = r->order[at - 1];
        r->order[at] = k;
    }
    r->outer = count > 0 ? count - 1 : 0;
    r->along = count > 0 ? r->order[count - 1] : r->rank - 1; /* any axis, or -1, for one element */
}

void lm_runs_make(lm_runs *runs, const lmad_desc *dst, size_t elem_size, const lm_problem *problem) {
    lm_runs *r = runs;
    r->rank = dst->rank;
    r->size = (int64_t)elem_size;
    r->offset = dst->offset * r->size;
    for (int k = 0; k < r->rank; k++) {
        const int64_t n = dst->dim[k].n;
        r->axis[k] = (lm_run_axis){n, n == 1 ? 0 : dst->dim[k].stride * r->size};
    }
    sort_axes(r);
    r->n = r->along >= 0 ? r->axis[r->along].n : 1;
    r->rows = problem->payload / r->size / r->n;
    r->parts = lm_threads_for(problem);
    const bool dense = r->along < 0 || r->axis[r->along].n == 1 || r->axis[r->along].stride == r->size;
    const int64_t piece = dense && problem->op == LM_OP_AFFINE ? PIECE : BUFFER;
    r->chunk = r->size < piece ? piece / r->size : 1;
    r->chunks = (r->n + r->chunk - 1) / r->chunk;
    const bool stream = dense && r->n * r->size >= STREAM_ROW && problem->payload >= lm_stream_threshold();
    r->kernel = lm_kernel_find(dense ? LM_ROWS : LM_SCATTER, dense ? 1 : r->size, stream, lm_cpu_isa());
}

/* ---- one piece ------------------------------------------------------------------------------------ */

/* Elements larger than the buffer go straight to the destination, which takes them one by one. */
static bool straight(const lm_runs *r) {
    if (r->size > BUFFER) return true;
    return r->kernel->pattern == LM_ROWS && (r->affine || !r->kernel->stream);
}

static void write_piece(const lm_runs *r, void *data, const int64_t *index, int64_t n, char *to) {
    _Alignas(ALIGNMENT) char buffer[BUFFER];
    if (straight(r)) {
        r->fn(data, index, r->along, n, to);
        return;
    }
    lm_tile tile = {r->size, n, r->along >= 0 ? r->axis[r->along].stride : r->size, r->size, 1, 0, 0, 0,
                    0,       0};
    if (r->kernel->pattern == LM_ROWS) {
        tile.n0 = n * r->size;
        tile.run = tile.ds0 = tile.ss0 = 1;
    }
    r->fn(data, index, r->along, n, buffer);
    r->kernel->fn(to, buffer, &tile);
}

/* ---- all of them ---------------------------------------------------------------------------------- */

typedef struct job {
    const lm_runs *runs;
    char *dst;
    void *data;
} job;

/* Where a walk is: the index, and the address of the run. */
typedef struct place {
    int64_t index[LMAD_MAX_RANK];
    char *run;
} place;

static void start_at(const lm_runs *r, place *p, int64_t row, char *dst) {
    p->run = dst + r->offset;
    for (int k = 0; k < r->rank; k++) p->index[k] = 0;
    for (int k = r->outer - 1; k >= 0; k--) {
        const int axis = r->order[k];
        p->index[axis] = row % r->axis[axis].n;
        p->run += p->index[axis] * r->axis[axis].stride;
        row /= r->axis[axis].n;
    }
}

static void next_row(const lm_runs *r, place *p) {
    for (int k = r->outer - 1; k >= 0; k--) {
        const lm_run_axis *a = &r->axis[r->order[k]];
        int64_t *i = &p->index[r->order[k]];
        p->run += a->stride;
        if (++*i < a->n) return;
        p->run -= a->n * a->stride;
        *i = 0;
    }
}

/* Whole runs of affine values, as many as follow each other along the next axis. Returns how many. */
static int64_t write_rows(const job *j, place *p, int64_t most) {
    const lm_runs *r = j->runs;
    if (!r->affine || !straight(r) || r->chunks > 1 || r->outer == 0 || !lm_affine_has_rows(j->data))
        return 0;
    const int across = r->order[r->outer - 1];
    const int64_t left = r->axis[across].n - p->index[across], rows = left < most ? left : most;
    const lm_affine_block block = {p->run, across, rows, r->axis[across].stride};
    p->index[r->along] = 0;
    lm_affine_rows(j->data, p->index, r->along, r->n, &block);
    p->index[across] += rows - 1;
    p->run += (rows - 1) * block.pitch;
    next_row(r, p);
    return rows;
}

static void run_part(void *arg, int part) {
    const job *j = arg;
    const lm_runs *r = j->runs;
    const int64_t units = r->rows * r->chunks,
                  first = units / r->parts * part + (part < units % r->parts ? part : units % r->parts);
    const int64_t last = first + units / r->parts + (part < units % r->parts);
    const int64_t stride = r->along >= 0 ? r->axis[r->along].stride : 0;
    place p;
    if (first == last) return;
    start_at(r, &p, first / r->chunks, j->dst);
    int64_t unit = first;
    for (int64_t rows = 1; rows && unit < last; unit += rows) rows = write_rows(j, &p, last - unit);
    for (int64_t at = unit % r->chunks * r->chunk; unit < last; unit++) {
        const int64_t n = r->n - at < r->chunk ? r->n - at : r->chunk;
        if (r->along >= 0) p.index[r->along] = at;
        write_piece(r, j->data, p.index, n, p.run + at * stride);
        at += n;
        if (at < r->n) continue;
        at = 0;
        next_row(r, &p);
    }
    if (r->kernel->stream) lm_kernel_fence();
}

void lm_runs_run(const lm_runs *runs, const lm_settings *settings, void *dst, const void *src) {
    lm_affine affine;
    job j = {runs, dst, runs->data};
    if (runs->affine) {
        lm_affine_read(&affine, runs, src);
        j.data = &affine;
    }
    lm_parallel(settings, runs->parts, run_part, &j);
}
