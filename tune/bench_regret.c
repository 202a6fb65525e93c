/* SPDX-License-Identifier: BSD-3-Clause */
/* Regret of the planner's efforts. The plans are timed afresh and in turn: what the search itself measured
 * would flatter its choice. */
#include "bench_regret.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_json.h"
#include "bench_time.h"
#include "lib/plan.h"
#include "lib/scale.h"
#include "lib/timing.h"

/* ---- scaling -------------------------------------------------------------------------------------- */

/* A canonical copy or move as descriptors in bytes: the run is one more axis. */
static void describe(const lm_problem *p, lm_case *c) {
    c->elem_size = 1;
    c->dst.rank = c->src.rank = p->rank + 1;
    c->dst.offset = p->doff;
    c->src.offset = p->soff;
    for (int k = 0; k < p->rank; k++) {
        c->dst.dim[k] = (lmad_dim){p->dim[k].n, p->dim[k].ds};
        c->src.dim[k] = (lmad_dim){p->dim[k].n, p->dim[k].ss};
    }
    c->dst.dim[p->rank] = c->src.dim[p->rank] = (lmad_dim){p->run, 1};
}

/* Leaves *c as it is when it is small enough, or nothing that can be scaled. */
static void scale(lm_case *c, int64_t cap) {
    lm_problem p, scaled;
    if (c->op != LM_OP_COPY || lm_problem_make(&p, c->op, &c->dst, &c->src, c->elem_size, 1)) return;
    if (p.count == 0 || p.rank == LMAD_MAX_RANK || (p.dhi - p.dlo <= cap && p.shi - p.slo <= cap)) return;
    lm_scale_problem(&p, cap, &scaled);
    describe(&scaled, c);
}

/* ---- one problem ---------------------------------------------------------------------------------- */

enum { ESTIMATED, MEASURED, BEST, PLANS };
static const unsigned efforts[PLANS] = {LMAD_ESTIMATE, LMAD_MEASURE, LMAD_EXHAUSTIVE};

/* One problem, its plans and their times. */
typedef struct regret {
    lm_case problem;
    lmad_plan *plan[PLANS];
    double ns[PLANS], planning_ns[PLANS];
    int candidates;
    char reason[512];
} regret;

/* Plans of the same canonical steps need no race. */
static bool same_plan(const lmad_plan *a, const lmad_plan *b) {
    char x[1024], y[1024];
    lmad_plan_describe(a, x, sizeof x);
    lmad_plan_describe(b, y, sizeof y);
    return strcmp(x, y) == 0;
}

static int fail(regret *r, const char *what, lmad_status status) {
    snprintf(r->reason, sizeof r->reason, "%s: %s: %s", what, lmad_strerror(status), lmad_error_detail());
    return -1;
}

/* Each effort in a context of its own, which knows nothing. */
static int make_plan(regret *r, int k, int threads) {
    lmad_ctx *ctx;
    lmad_info info = {.struct_size = sizeof info};
    if (lmad_ctx_create(&ctx)) return fail(r, "context", LMAD_ERR_NO_MEMORY);
    lmad_wisdom_forget(ctx);
    lmad_ctx_set_threads(ctx, threads);
    const double start = lm_now_ns();
    const lmad_status status = lm_case_plan(&r->plan[k], &r->problem, LM_HOST, ctx, efforts[k]);
    r->planning_ns[k] = lm_now_ns() - start;
    lmad_ctx_destroy(ctx);
    if (status) return r->plan[k] = NULL, fail(r, "plan", status);
    lmad_plan_info(r->plan[k], &info);
    r->candidates = info.candidates;
    return 0;
}

typedef struct execution {
    const lmad_plan *plan;
    void *dst;
    const void *src;
} execution;

static void run_plan(void *arg, int64_t repeats) {
    const execution *e = arg;
    for (; repeats > 0; repeats--) lmad_execute(e->plan, e->dst, e->src);
}

static int race(regret *r, lm_arena *arena, double seconds) {
    lm_buffers b;
    lmad_info info = {.struct_size = sizeof info};
    execution run[PLANS];
    lm_contender contender[PLANS];
    int count = 0, who[PLANS];
    lmad_plan_info(r->plan[BEST], &info);
    if (lm_buffers_place(&b, &r->problem, (size_t)info.payload_bytes, info.work_size, arena, r->reason,
                         sizeof r->reason))
        return -1;
    for (int k = 0; k < PLANS; k++) {
        who[k] = count;
        for (int i = 0; i < k; i++)
            if (same_plan(r->plan[i], r->plan[k])) who[k] = who[i];
        if (who[k] < count) continue;
        run[count] =
            (execution){r->plan[k], b.dst.origin, r->problem.op == LM_OP_MOVE ? b.dst.origin : b.src.origin};
        contender[count] = (lm_contender){.work = run_plan, .arg = &run[count]};
        count++;
    }
    if (lm_race(contender, count, seconds)) return fail(r, "timing", LMAD_ERR_NO_MEMORY);
    for (int k = 0; k < PLANS; k++) r->ns[k] = contender[who[k]].median_ns;
    return 0;
}

static int run(regret *r, lm_arena *arena, const lm_bench_options *o) {
    int failed = 0;
    for (int k = 0; k < PLANS && !failed; k++) failed = make_plan(r, k, o->threads);
    if (!failed) failed = race(r, arena, o->min_seconds);
    for (int k = 0; k < PLANS; k++) lmad_plan_destroy(r->plan[k]);
    return failed;
}

/* ---- all of them ---------------------------------------------------------------------------------- */

/* The ratios of one effort. */
typedef struct ratios {
    double *value;
    int count;
} ratios;

static void print_ratios(const char *name, ratios *r) {
    double log_sum = 0;
    if (r->count == 0) return;
    for (int k = 0; k < r->count; k++) log_sum += log(r->value[k]);
    lm_middle(r->value, r->count); /* sorts */
    printf("%-9s geometric mean %.3f, median %.3f, 95%% are at most %.3f, worst %.3f\n", name,
           exp(log_sum / r->count), r->value[r->count / 2], r->value[(r->count * 95 + 99) / 100 - 1],
           r->value[r->count - 1]);
}

static void print_row(const regret *r, const lm_bench_options *o) {
    const double estimate = r->ns[ESTIMATED] / r->ns[BEST], measure = r->ns[MEASURED] / r->ns[BEST];
    if (o->json) {
        lm_json_regret(r->problem.name, r->candidates, r->ns, r->planning_ns);
        return;
    }
    printf("%-40.40s %5d %12.3f %9.3f %9.3f %10.1f\n", r->problem.name, r->candidates, r->ns[BEST] / 1e3,
           estimate, measure, r->planning_ns[MEASURED] / 1e6);
}

int lm_bench_regret(lm_arena *arena, const lm_bench_options *o) {
    ratios estimate = {calloc(o->cases.count, sizeof(double)), 0},
           measure = {calloc(o->cases.count, sizeof(double)), 0};
    int failures = 0;
    if (!o->json)
        printf("%-40s %5s %12s %9s %9s %10s\n", "name", "tried", "best us", "estimate", "measure",
               "measure ms");
    for (size_t k = 0; estimate.value && measure.value && k < o->cases.count; k++) {
        regret r = {.problem = o->cases.item[k]};
        scale(&r.problem, o->scale_bytes);
        if (run(&r, arena, o)) {
            printf("%-40.40s FAILED: %s\n", r.problem.name, r.reason);
            failures++;
            continue;
        }
        print_row(&r, o);
        fflush(stdout);
        estimate.value[estimate.count++] = r.ns[ESTIMATED] / r.ns[BEST];
        measure.value[measure.count++] = r.ns[MEASURED] / r.ns[BEST];
    }
    if (!o->json) print_ratios("estimate", &estimate), print_ratios("measure", &measure);
    free(estimate.value);
    free(measure.value);
    return failures;
}
