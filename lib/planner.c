/* SPDX-License-Identifier: BSD-3-Clause */
/* The planner: every applicable kind proposes, the cost model judges. */
#include "planner.h"

#include "cost.h"
#include "move.h"
#include "plan.h"
#include "plans/list.h"

enum { KINDS = sizeof lm_kinds / sizeof lm_kinds[0] };

static lm_params start(const lm_problem *problem) {
    return (lm_params){.inner = LM_AXIS_NONE,
                       .outer = LM_AXIS_NONE,
                       .tile = {1, 1},
                       .threads = lm_worthwhile_threads(problem->payload, problem->threads)};
}

static void make(lm_step *step, const lm_kind *kind, const lm_problem *problem, const lm_params *params) {
    step->kind = kind;
    kind->make(step, problem, params);
    step->seconds = lm_cost(problem, step);
}

void lm_planner_each(const lm_problem *problem, int effort, bool (*visit)(void *arg, const lm_step *step),
                     void *arg) {
    const lm_params from = start(problem);
    lm_params proposals[LM_PROPOSALS];
    lm_step step;
    for (int k = 0; k < KINDS; k++) {
        if (!lm_kinds[k]->applicable(problem)) continue;
        const int count = lm_kinds[k]->propose(problem, &from, effort, proposals);
        for (int i = 0; i < count; i++) {
            make(&step, lm_kinds[k], problem, &proposals[i]);
            if (!visit(arg, &step)) return;
        }
    }
}

typedef struct choice {
    const lm_kind *kind;
    lm_params params;
    double seconds;
} choice;

static bool keep_cheapest(void *arg, const lm_step *step) {
    choice *best = arg;
    if (best->kind && step->seconds >= best->seconds) return true;
    *best = (choice){step->kind, step->params, step->seconds};
    return true;
}

void lm_planner_choose(const lm_problem *problem, lm_step *out) {
    choice best = {0};
    lm_planner_each(problem, LMAD_ESTIMATE, keep_cheapest, &best);
    make(out, best.kind, problem, &best.params);
}

enum { MOVERS = sizeof lm_movers / sizeof lm_movers[0] };

bool lm_planner_mover(lmad_plan *plan, int k, const lm_move_limits *limits, bool *can) {
    if (k >= MOVERS) return false;
    plan->move.parts = 1;
    plan->move.mover = lm_movers[k];
    plan->work_bytes = 0;
    *can = lm_movers[k]->make(plan, limits);
    return true;
}

bool lm_planner_move(lmad_plan *plan) {
    bool can = false;
    for (int k = 0; !can && lm_planner_mover(plan, k, &lm_usual_limits, &can); k++) {
    }
    return can;
}
