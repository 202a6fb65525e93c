/* SPDX-License-Identifier: BSD-3-Clause */
/* Planning, verifying and timing one problem. */
#include "bench_row.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench_baseline.h"
#include "bench_device.h"
#include "bench_operation.h"
#include "bench_time.h"
#include "bench_verify.h"
#include "lib/timing.h"
#include "naive.h"

enum { MIN_PLANNINGS = 21, MAX_PLANNINGS = 101 };

/* Planning is timed no longer than this, once there are enough samples. */
static const double planning_ns = 50e6;

/* The argument of run_naive(): one nest, or through a temporary and back for a move. */
typedef struct nests {
    lm_naive nest, back;
    void *dst, *temporary;
    const void *src;
    bool through_temporary;
} nests;

static void run_plan(void *arg, int64_t repeats) {
    const lm_operation *o = arg;
    for (; repeats > 0; repeats--) lm_operation_run(o);
}

static void run_naive(void *arg, int64_t repeats) {
    const nests *n = arg;
    for (; repeats > 0; repeats--) {
        lm_naive_run(&n->nest, n->through_temporary ? n->temporary : n->dst, n->src);
        if (n->through_temporary) lm_naive_run(&n->back, n->dst, n->temporary);
        lm_keep();
    }
}

/* The plain loop of a fill reads one element again and again. */
static lmad_desc broadcast(const lmad_desc *shape) {
    lmad_desc d = *shape;
    d.offset = 0;
    for (int k = 0; k < d.rank; k++) d.dim[k].stride = 0;
    return d;
}

/* Row-major; a shape that was planned does not overflow. */
static lmad_desc dense(const lmad_desc *shape) {
    lmad_desc d = *shape;
    int64_t n[LMAD_MAX_RANK];
    for (int k = 0; k < d.rank; k++) n[k] = d.dim[k].n;
    lmad_row_major(&d, d.rank, n);
    return d;
}

static void make_nests(nests *n, const lm_case *c, const lm_buffers *b) {
    const lmad_desc between = lm_op_sourceless(c->op) ? broadcast(&c->dst) : dense(&c->dst);
    *n = (nests){.dst = b->dst.origin, .src = b->src.origin, .temporary = b->src.body};
    switch (c->op) {
    case LM_OP_COPY:
    case LM_OP_MANY: lm_naive_make(&n->nest, &c->dst, &c->src, c->elem_size); break;
    case LM_OP_FILL:
    case LM_OP_AFFINE:
    case LM_OP_GENERATE: lm_naive_make(&n->nest, &c->dst, &between, c->elem_size); break;
    case LM_OP_MOVE:
        n->src = n->dst;
        n->through_temporary = true;
        lm_naive_make(&n->nest, &between, &c->src, c->elem_size);
        lm_naive_make(&n->back, &c->dst, &between, c->elem_size);
    }
}

/* What describe or explain says; the caller's to free. */
static char *text_of(int (*write)(const lmad_plan *, char *, size_t), const lmad_plan *plan) {
    const int length = write(plan, NULL, 0);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) write(plan, text, (size_t)length + 1);
    return text;
}

static lmad_status timed_plan(lmad_plan **plan, const lm_case *c, int device, lmad_ctx *ctx, unsigned effort,
                              double *ns) {
    const double start = lm_now_ns();
    const lmad_status status = lm_operation_plan(plan, c, device, ctx, effort);
    *ns = lm_now_ns() - start;
    return status;
}

/* Plans, and for the estimate, which is quick, plans again and again to have a median. A planning is timed
 * together with the destruction of its plan. */
static lmad_status plan_row(lm_row *row, lmad_plan **plan, lmad_ctx *ctx, const lm_bench_options *options) {
    double taken[MAX_PLANNINGS];
    int count = 0;
    const unsigned effort = options->effort;
    const lmad_status status = timed_plan(plan, row->problem, options->device, ctx, effort, &row->plan_ns);
    if (status || effort != LMAD_ESTIMATE) return status;
    for (const double first = lm_now_ns(); count < MAX_PLANNINGS; count++) {
        const double start = lm_now_ns();
        lmad_plan *again = NULL;
        if (count >= MIN_PLANNINGS && start - first > planning_ns) break;
        if (lm_operation_plan(&again, row->problem, options->device, ctx, effort)) break;
        lmad_plan_destroy(again);
        taken[count] = lm_now_ns() - start;
    }
    if (count) row->plan_ns = lm_middle(taken, count);
    return LMAD_OK;
}

/* The fastest contiguous copy, scaled by the lines that the problem touches over those of two contiguous
 * payloads (one for a fill). */
static double ideal_of(const lm_row *row) {
    const lmad_info *info = &row->info;
    const int64_t line = info->lines_touched > 0 ? info->bytes_touched / info->lines_touched : 0;
    if (line <= 0) return row->ceiling_ns;
    const int64_t sides = lm_op_sourceless(row->problem->op) ? 1 : 2;
    const int64_t payload_lines = sides * ((info->payload_bytes + line - 1) / line);
    if (info->lines_touched <= payload_lines || payload_lines == 0) return row->ceiling_ns;
    return row->ceiling_ns * (double)info->lines_touched / (double)payload_lines;
}

static int time_row(lm_row *row, lm_operation *operation, const lm_buffers *b,
                    const lm_bench_options *options) {
    lm_span span = {b->dst.body, b->src.body, (size_t)row->info.payload_bytes,
                    row->info.threads > 1 ? row->info.threads : 1};
    nests nests;
    lm_contender contender[LM_CONTENDERS] = {{.work = run_plan, .arg = operation}};
    int count = 1;
    for (int k = 0; k < LM_BASELINES; k++)
        contender[count++] = (lm_contender){.work = lm_baseline[k], .arg = &span};
    if (options->naive) {
        make_nests(&nests, row->problem, b);
        contender[count++] = (lm_contender){.work = run_naive, .arg = &nests};
    }
    if (lm_race(contender, count, options->min_seconds)) return -1;

    row->median_ns = contender[0].median_ns;
    row->min_ns = contender[0].min_ns;
    row->memcpy_ns = row->ceiling_ns = contender[1].median_ns;
    for (int k = 2; k <= LM_BASELINES; k++)
        if (contender[k].median_ns < row->ceiling_ns) row->ceiling_ns = contender[k].median_ns;
    if (options->naive) row->naive_ns = contender[count - 1].median_ns;
    row->ideal_ns = ideal_of(row);
    return 0;
}

/* Against the device's own copy, by its own clock. */
static int time_on_device(lm_row *row, const lm_bench_work *work, const lm_bench_options *options) {
    lm_contender contender[] = {
        {.self_timed = lm_bench_device_time, .once = row->emulated, .arg = (void *)work},
        {.self_timed = lm_bench_device_memcpy, .once = row->emulated, .arg = (void *)work}};
    if (lm_race(contender, 2, options->min_seconds)) return -1;
    row->median_ns = contender[0].median_ns;
    row->min_ns = contender[0].min_ns;
    row->memcpy_ns = row->ceiling_ns = contender[1].median_ns;
    row->ideal_ns = ideal_of(row);
    return 0;
}

static void fail(lm_row *row, const char *what, lmad_status status) {
    row->outcome = LM_ROW_FAILED;
    snprintf(row->reason, sizeof row->reason, "%s: %s: %s", what, lmad_strerror(status), lmad_error_detail());
}

static void run_operation(lm_row *row, lm_operation *operation, const lm_buffers *b,
                          const lm_bench_options *options) {
    if (options->verify && !lm_verify(operation, row->problem, b, row->reason, sizeof row->reason)) {
        row->outcome = LM_ROW_WRONG;
        return;
    }
    const lmad_status status = lm_operation_run(operation);
    if (status)
        fail(row, "execute", status);
    else if (operation->elsewhere ? time_on_device(row, operation->elsewhere, options)
                                  : time_row(row, operation, b, options))
        fail(row, "timing", LMAD_ERR_NO_MEMORY);
}

/* The part of a row that needs its buffers. */
static void run_planned(lm_row *row, const lmad_plan *plan, lm_arena *arena,
                        const lm_bench_options *options) {
    lm_buffers b;
    const size_t payload = (size_t)row->info.payload_bytes, work = arena->device ? 0 : row->info.work_size;
    if (lm_buffers_place(&b, row->problem, payload, work, arena, row->reason, sizeof row->reason)) {
        row->outcome = LM_ROW_SKIPPED;
        return;
    }
    if (arena->device && lm_bench_device_reserve(arena->device, arena, row->reason, sizeof row->reason)) {
        row->outcome = LM_ROW_SKIPPED;
        return;
    }
    lm_operation operation;
    if (lm_operation_open(&operation, plan, row->problem, &b)) {
        fail(row, "execute", LMAD_ERR_NO_MEMORY);
        return;
    }
    const lm_bench_work there = {arena->device, arena, &operation, &b, payload};
    if (arena->device) operation.elsewhere = &there;
    run_operation(row, &operation, &b, options);
    lm_operation_close(&operation);
}

void lm_row_run(lm_row *row, const lm_case *problem, lmad_ctx *ctx, lm_arena *arena,
                const lm_bench_options *options) {
    lmad_plan *plan = NULL;
    *row = (lm_row){.problem = problem,
                    .info.struct_size = sizeof row->info,
                    .emulated = arena->device && arena->device->device->emulated};
    lmad_status status = plan_row(row, &plan, ctx, options);
    if (status) {
        fail(row, "plan", status);
        return;
    }
    status = lmad_plan_info(plan, &row->info);
    if (status) {
        fail(row, "plan info", status);
    } else {
        row->planned = true;
        row->plan = text_of(lmad_plan_describe, plan);
        if (options->explain) row->explain = text_of(lmad_plan_explain, plan);
        run_planned(row, plan, arena, options);
    }
    lmad_plan_destroy(plan);
}

void lm_row_free(lm_row *row) {
    free(row->plan);
    free(row->explain);
    row->plan = row->explain = NULL;
}

double lm_row_ratio(const lm_row *row, double reference_ns) {
    return row->median_ns > 0 && reference_ns > 0 ? reference_ns / row->median_ns : 0;
}
