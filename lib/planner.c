/* SPDX-License-Identifier: BSD-3-Clause */
/* The planner: every applicable kind proposes, the cost model judges. */
#include "planner.h"

#include <string.h>

#include "candidate.h"
#include "cost.h"
#include "move.h"
#include "plan.h"
#include "plans/list.h"

enum { KINDS = sizeof lm_kinds / sizeof lm_kinds[0] };

static lm_params start(int threads) {
    return (lm_params){.inner = LM_AXIS_NONE, .outer = LM_AXIS_NONE, .tile = {1, 1}, .threads = threads};
}

void lm_planner_make(lm_step *step, const lm_kind *kind, const lm_problem *problem, const lm_params *params) {
    step->kind = kind;
    kind->make(step, problem, params);
    step->seconds = lm_cost(problem, step);
}

const lm_kind *lm_planner_kind(const char *name, size_t length) {
    for (int k = 0; k < KINDS; k++)
        if (strlen(lm_kinds[k]->name) == length && memcmp(lm_kinds[k]->name, name, length) == 0)
            return lm_kinds[k];
    return NULL;
}

/* ---- is a candidate one of ours? ------------------------------------------------------------------- */

static bool in_range(const lm_problem *p, const lm_params *params) {
    return params->inner >= LM_AXIS_RUN && params->inner < p->rank && params->outer >= LM_AXIS_NONE &&
           params->outer < p->rank && params->tile[0] >= 1 &&
           params->tile[0] <= lm_axis_extent(p, params->inner) && params->tile[1] >= 1 &&
           params->tile[1] <= lm_axis_extent(p, params->outer) && params->threads >= 1 &&
           params->threads <= p->threads && (params->order == LM_ORDER_DST || params->order == LM_ORDER_SRC);
}

bool lm_planner_allows(const lm_kind *kind, const lm_problem *problem, const lm_params *params) {
    lm_params proposals[LM_PROPOSALS];
    if (problem->count == 0 || !kind->applicable(problem) || !in_range(problem, params)) return false;
    const lm_params from = start(1);
    const int count = kind->propose(problem, &from, LMAD_EXHAUSTIVE, proposals);
    for (int i = 0; i < count; i++)
        if (proposals[i].inner == params->inner && proposals[i].outer == params->outer) return true;
    return false;
}

/* ---- walking the candidates ------------------------------------------------------------------------ */

/* How many threads to try. */
typedef struct thread_counts {
    int count, at[8];
} thread_counts;

static void add_threads(thread_counts *t, int threads) {
    for (int i = 0; i < t->count; i++)
        if (t->at[i] == threads) return;
    if (t->count < (int)(sizeof t->at / sizeof *t->at)) t->at[t->count++] = threads;
}

/* What the model takes to be worthwhile comes first. Payloads that are over before a thread has started are
 * not worth a look. */
static thread_counts threads_to_try(const lm_problem *p, int effort) {
    enum { OVER_AT_ONCE = 32 << 10 };
    thread_counts t = {0};
    add_threads(&t, lm_threads_for(p));
    if (effort < LMAD_MEASURE || p->payload < OVER_AT_ONCE) return t;
    add_threads(&t, p->threads);
    add_threads(&t, 1);
    if (effort < LMAD_PATIENT) return t;
    for (int n = p->threads / 2; n > 1; n /= 2) add_threads(&t, n);
    return t;
}

/* One walk over the candidates of a problem. */
typedef struct walk {
    const lm_problem *problem;
    int effort;
    thread_counts threads;
    bool (*visit)(void *arg, const lm_step *step);
    void *arg;
    const lm_kind *kind;
    int count; /* what the kind proposes */
    lm_params proposals[LM_PROPOSALS];
    lm_step step;
} walk;

static bool show(walk *w, const lm_params *params) {
    lm_planner_make(&w->step, w->kind, w->problem, params);
    if (params->stream && !w->step.kernel->stream) return true; /* the plain one is on the list, too */
    return w->visit(w->arg, &w->step);
}

static bool show_proposals(walk *w) {
    for (int t = 0; t < w->threads.count; t++) {
        for (int i = 0; i < w->count; i++) {
            lm_params params = w->proposals[i];
            params.threads = w->threads.at[t];
            lm_planner_make(&w->step, w->kind, w->problem, &params);
            if (!w->visit(w->arg, &w->step)) return false;
        }
    }
    return true;
}

/* Blocks of an axis: the whole of it, and shorter ones. */
typedef struct ladder {
    int count;
    int64_t at[24];
} ladder;

/* Every second power of two, or with the most effort all of them and what is half-way between. */
static ladder blocks(const lm_problem *p, int axis, int effort) {
    const bool fine = effort == LMAD_EXHAUSTIVE;
    const int64_t n = lm_axis_extent(p, axis), least = axis == LM_AXIS_RUN ? 1024 : fine ? 4 : 8;
    ladder l = {1, {n}};
    for (int64_t b = least; b < n && b <= least * 512; b *= fine ? 2 : 4) {
        l.at[l.count++] = b;
        if (fine && b + b / 2 < n) l.at[l.count++] = b + b / 2;
    }
    return l;
}

/* From this payload on the widest search tries stores past the caches. */
enum { STREAMABLE = 64 << 10 };

static bool is_proposal(const walk *w, const lm_params *params) {
    for (int i = 0; i < w->count; i++) {
        lm_params proposal = w->proposals[i];
        proposal.threads = params->threads;
        if (lm_params_equal(&proposal, params)) return true;
    }
    return false;
}

/* The store types and thread counts of one tile in one order. */
static bool show_variants(walk *w, lm_params params) {
    const bool both = w->effort == LMAD_EXHAUSTIVE && w->problem->payload >= STREAMABLE,
               stream = params.stream;
    for (int t = 0; t < w->threads.count; t++) {
        for (int i = 0; i < (both ? 2 : 1); i++) {
            params.threads = w->threads.at[t];
            params.stream = i == 0 ? stream : !stream;
            if (!is_proposal(w, &params) && !show(w, &params)) return false;
        }
    }
    return true;
}

/* Do the two orders differ? */
static bool has_orders(const lm_problem *p, const lm_params *params) {
    const int kernel = (params->inner >= 0) + (params->outer >= 0);
    const int blocked = (params->tile[0] < lm_axis_extent(p, params->inner)) +
                        (params->tile[1] < lm_axis_extent(p, params->outer));
    return p->rank - kernel + blocked > 1;
}

/* The tiles and orders over one pair of axes. */
static bool show_grid(walk *w, const lm_params *base) {
    const ladder a = blocks(w->problem, base->inner, w->effort),
                 b = blocks(w->problem, base->outer, w->effort);
    lm_params params = *base;
    for (int i = 0; i < a.count; i++) {
        for (int k = 0; k < b.count; k++) {
            params.tile[0] = a.at[i];
            params.tile[1] = b.at[k];
            for (int order = LM_ORDER_DST; order <= (has_orders(w->problem, &params) ? LM_ORDER_SRC : 0);
                 order++) {
                params.order = (lm_order)order;
                if (!show_variants(w, params)) return false;
            }
        }
    }
    return true;
}

/* Was there a grid over these axes, with these stores? */
static bool had_grid(const walk *w, int proposal) {
    const lm_params *p = &w->proposals[proposal];
    for (int i = 0; i < proposal; i++) {
        const lm_params *q = &w->proposals[i];
        if (q->inner == p->inner && q->outer == p->outer &&
            (q->stream == p->stream || w->effort == LMAD_EXHAUSTIVE))
            return true;
    }
    return false;
}

static bool show_kind(walk *w, const lm_kind *kind) {
    const lm_params from = start(w->threads.at[0]);
    w->kind = kind;
    w->count = kind->propose(w->problem, &from, w->effort, w->proposals);
    if (!show_proposals(w)) return false;
    if (w->effort < LMAD_PATIENT || w->problem->count == 0) return true;
    for (int i = 0; i < w->count; i++)
        if (!had_grid(w, i) && !show_grid(w, &w->proposals[i])) return false;
    return true;
}

void lm_planner_each(const lm_problem *problem, int effort, bool (*visit)(void *arg, const lm_step *step),
                     void *arg) {
    walk w;
    w.problem = problem;
    w.effort = effort;
    w.threads = threads_to_try(problem, effort);
    w.visit = visit;
    w.arg = arg;
    for (int k = 0; k < KINDS; k++)
        if (lm_kinds[k]->applicable(problem) && !show_kind(&w, lm_kinds[k])) return;
}

/* ---- estimate -------------------------------------------------------------------------------------- */

static bool keep_cheapest(void *arg, const lm_step *step) {
    lm_candidate *best = arg;
    if (best->kind && step->seconds >= best->seconds) return true;
    *best = (lm_candidate){step->kind, step->params, step->seconds};
    return true;
}

void lm_planner_choose(const lm_problem *problem, lm_step *out) {
    lm_candidate best = {0};
    lm_planner_each(problem, LMAD_ESTIMATE, keep_cheapest, &best);
    lm_planner_make(out, best.kind, problem, &best.params);
}

enum { MOVERS = sizeof lm_movers / sizeof lm_movers[0] };

bool lm_planner_mover(lmad_plan *plan, int k, const lm_move_limits *limits, bool *can) {
    if (k >= MOVERS) return false;
    plan->move.parts = 1;
    plan->move.small = false;
    plan->move.mover = lm_movers[k];
    plan->work_bytes = 0;
    *can = lm_movers[k]->make(plan, limits);
    return true;
}

static void lower(int64_t *limit, int64_t to) {
    if (*limit > to) *limit = to;
}

/* Room for padding, too, and for tiles of a few runs. */
static lm_move_limits limits_within(int64_t work) {
    lm_move_limits limits = lm_usual_limits;
    limits.work = limits.copy = work;
    lower(&limits.block, work / 2);
    lower(&limits.cycle, work / 2);
    lower(&limits.run, work / 16);
    return limits;
}

bool lm_planner_move(lmad_plan *plan) {
    const int64_t work = plan->settings.work_limit;
    const lm_move_limits limits = work ? limits_within(work) : lm_usual_limits;
    bool can = false;
    for (int k = 0; !can && lm_planner_mover(plan, k, &limits, &can); k++)
        can = can && (int64_t)plan->work_bytes <= limits.work;
    return can;
}
