/* SPDX-License-Identifier: BSD-3-Clause */
/* Planning, verifying and timing one problem. */
#include "bench_row.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench_baseline.h"
#include "bench_time.h"
#include "bench_verify.h"
#include "naive.h"

enum { MIN_PLANNINGS = 21, MAX_PLANNINGS = 101 };

/* Planning is timed no longer than this, once there are enough samples. */
static const double planning_ns = 50e6;

/* The argument of run_plan(). */
typedef struct execution {
    const lmad_plan *plan;
    void *dst;
    const void *src;
} execution;

/* The argument of run_naive(): one nest, or through a temporary and back for a move. */
typedef struct nests {
    lm_naive nest, back;
    void *dst, *temporary;
    const void *src;
    bool through_temporary;
} nests;

static void run_plan(void *arg, int64_t repeats) {
    const execution *e = arg;
    for (; repeats > 0; repeats--) lmad_execute(e->plan, e->dst, e->src);
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
    const lmad_desc between = c->op == LM_OP_FILL ? broadcast(&c->dst) : dense(&c->dst);
    *n = (nests){.dst = b->dst.origin, .src = b->src.origin, .temporary = b->src.body};
    switch (c->op) {
    case LM_OP_COPY: lm_naive_make(&n->nest, &c->dst, &c->src, c->elem_size); break;
    case LM_OP_FILL: lm_naive_make(&n->nest, &c->dst, &between, c->elem_size); break;
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

static lmad_status timed_plan(lmad_plan **plan, const lm_case *c, lmad_ctx *ctx, unsigned effort,
                              double *ns) {
    const double start = lm_now_ns();
    const lmad_status status = lm_case_plan(plan, c, ctx, effort);
    *ns = lm_now_ns() - start;
    return status;
}

/* Plans, and for the estimate, which is quick, plans again and again to have a median. A planning is timed
 * together with the destruction of its plan. */
static lmad_status plan_row(lm_row *row, lmad_plan **plan, lmad_ctx *ctx, unsigned effort) {
    double taken[MAX_PLANNINGS];
    int count = 0;
    const lmad_status status = timed_plan(plan, row->problem, ctx, effort, &row->plan_ns);
    if (status || effort != LMAD_ESTIMATE) return status;
    for (const double first = lm_now_ns(); count < MAX_PLANNINGS; count++) {
        const double start = lm_now_ns();
        lmad_plan *again = NULL;
        if (count >= MIN_PLANNINGS && start - first > planning_ns) break;
        if (lm_case_plan(&again, row->problem, ctx, effort)) break;
        lmad_plan_destroy(again);
        taken[count] = lm_now_ns() - start;
    }
    if (count) row->plan_ns = lm_median(taken, count);
    return LMAD_OK;
}

/* The fastest contiguous copy, scaled by the lines that the problem touches over those of two contiguous
 * payloads (one for a fill). */
static double ideal_of(const lm_row *row) {
    const lmad_info *info = &row->info;
    const int64_t line = info->lines_touched > 0 ? info->bytes_touched / info->lines_touched : 0;
    if (line <= 0) return row->ceiling_ns;
    const int64_t sides = row->problem->op == LM_OP_FILL ? 1 : 2;
    const int64_t payload_lines = sides * ((info->payload_bytes + line - 1) / line);
    if (info->lines_touched <= payload_lines || payload_lines == 0) return row->ceiling_ns;
    return row->ceiling_ns * (double)info->lines_touched / (double)payload_lines;
}

static int time_row(lm_row *row, const lmad_plan *plan, const lm_buffers *b,
                    const lm_bench_options *options) {
    const bool move = row->problem->op == LM_OP_MOVE;
    execution execution = {plan, b->dst.origin, move ? b->dst.origin : b->src.origin};
    lm_span span = {b->dst.body, b->src.body, (size_t)row->info.payload_bytes,
                    row->info.threads > 1 ? row->info.threads : 1};
    nests nests;
    lm_contender contender[LM_CONTENDERS] = {{.work = run_plan, .arg = &execution}};
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

static void fail(lm_row *row, const char *what, lmad_status status) {
    row->outcome = LM_ROW_FAILED;
    snprintf(row->reason, sizeof row->reason, "%s: %s: %s", what, lmad_strerror(status), lmad_error_detail());
}

/* The part of a row that needs its buffers. */
static void run_planned(lm_row *row, const lmad_plan *plan, lm_arena *arena,
                        const lm_bench_options *options) {
    lm_buffers b;
    const size_t payload = (size_t)row->info.payload_bytes, work = row->info.work_size;
    if (lm_buffers_place(&b, row->problem, payload, work, arena, row->reason, sizeof row->reason)) {
        row->outcome = LM_ROW_SKIPPED;
        return;
    }
    if (options->verify && !lm_verify(plan, row->problem, &b, row->reason, sizeof row->reason)) {
        row->outcome = LM_ROW_WRONG;
        return;
    }
    const void *src = row->problem->op == LM_OP_MOVE ? b.dst.origin : b.src.origin;
    const lmad_status status = lmad_execute(plan, b.dst.origin, src);
    if (status)
        fail(row, "execute", status);
    else if (time_row(row, plan, &b, options))
        fail(row, "timing", LMAD_ERR_NO_MEMORY);
}

void lm_row_run(lm_row *row, const lm_case *problem, lmad_ctx *ctx, lm_arena *arena,
                const lm_bench_options *options) {
    lmad_plan *plan = NULL;
    *row = (lm_row){.problem = problem, .info.struct_size = sizeof row->info};
    lmad_status status = plan_row(row, &plan, ctx, options->effort);
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
