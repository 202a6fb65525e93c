/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing the steps of plans. */
#include "choose.h"

#include <string.h>

#include "calibrate.h"
#include "log.h"
#include "status.h"
#include "timing.h"

lm_choosing lm_choosing_of(lmad_ctx *ctx, unsigned flags, const lm_settings *settings) {
    lm_choosing how = {
        .ctx = ctx, .effort = (int)(flags & LMAD_EFFORT_MASK), .wisdom_only = flags & LMAD_WISDOM_ONLY};
    if (how.effort > LMAD_ESTIMATE && settings->time_limit >= 0)
        how.deadline = lm_now() + settings->time_limit;
    return how;
}

static bool from_wisdom(lmad_plan *plan, int which, const lm_problem *problem, const lm_choosing *how) {
    lm_wise wise;
    if (!lm_wisdom_find(how->ctx, problem, how->effort, &wise)) return false;
    lm_planner_make(&plan->step[which], wise.candidate.kind, problem, &wise.candidate.params);
    plan->origin[which] = (lm_origin){.source = LMAD_SOURCE_WISDOM,
                                      .effort = wise.effort,
                                      .sibling = wise.sibling,
                                      .seconds = wise.candidate.seconds};
    if (wise.sibling) memcpy(plan->machine, wise.machine, sizeof plan->machine);
    return true;
}

static void note(const lm_step *step, const lm_finding *finding, const lm_choosing *how) {
    char text[300];
    lm_step_describe(step, text, sizeof text);
    lm_log(how->ctx, "%s %s: %.3f us, %d candidates", lm_effort_name(how->effort), text,
           finding->seconds * 1e6, finding->candidates);
}

/* The first measurement of a context that knows nothing of the machine. What is measured is wisdom like any other. Half of
 * the time that there is must do: the other half is for what was asked for. */
static const lm_calibration *calibrate(lmad_plan *plan, const lm_choosing *how) {
    lm_calibration values;
    const double deadline = how->deadline > 0 ? (how->deadline + lm_now()) / 2 : 0;
    if (!lm_calibrate(&values, LMAD_MEASURE, &plan->settings, deadline)) return NULL;
    lm_wisdom_calibrated(how->ctx, LMAD_MEASURE, &values);
    plan->problem.calibration = lm_wisdom_calibration(how->ctx);
    return plan->problem.calibration;
}

static void by_search(lmad_plan *plan, int which, const lm_problem *problem, const lm_choosing *how) {
    const lm_search_rules rules = {how->effort, &plan->settings, how->deadline};
    lm_step *step = &plan->step[which];
    lm_finding found;
    lm_problem calibrated = *problem;
    if (!calibrated.calibration) calibrated.calibration = calibrate(plan, how);
    lm_search(&calibrated, &rules, step, &found);
    const bool through = found.source == LMAD_SOURCE_MEASURED;
    if (through) lm_wisdom_learn(how->ctx, problem, how->effort, step, &found);
    plan->origin[which] = (lm_origin){.source = found.source,
                                      .effort = through ? how->effort : LMAD_ESTIMATE,
                                      .candidates = found.candidates,
                                      .seconds = found.seconds};
    note(step, &found, how);
}

lmad_status lm_choose(lmad_plan *plan, int which, const lm_problem *problem, const lm_choosing *how) {
    if (problem->count == 0 || plan->recipe == LM_RECIPE_NOTHING) {
        lm_planner_choose(problem, &plan->step[which]);
        return LMAD_OK;
    }
    if (from_wisdom(plan, which, problem, how)) return LMAD_OK;
    if (how->wisdom_only)
        return lm_fail(LMAD_ERR_NO_WISDOM, "no wisdom of effort %s or better for this problem",
                       lm_effort_name(how->effort));
    if (how->effort == LMAD_ESTIMATE)
        lm_planner_choose(problem, &plan->step[which]);
    else
        by_search(plan, which, problem, how);
    return LMAD_OK;
}

/* What a plan of two steps says of itself: nothing better than its weaker step. */
static int rank_of(lmad_source source) {
    switch (source) {
    case LMAD_SOURCE_TIMED_OUT: return 0;
    case LMAD_SOURCE_ESTIMATED: return 1;
    case LMAD_SOURCE_MEASURED: return 2;
    case LMAD_SOURCE_WISDOM: return 3;
    }
    return 0;
}

lm_origin lm_plan_origin(const lmad_plan *plan) {
    const lm_origin *a = &plan->origin[0], *b = &plan->origin[1];
    const bool both =
        plan->recipe == LM_RECIPE_BUFFERED || (plan->recipe == LM_RECIPE_DEVICE && plan->work_bytes);
    if (!both) return *a;
    return (lm_origin){.source = rank_of(a->source) < rank_of(b->source) ? a->source : b->source,
                       .effort = a->effort < b->effort ? a->effort : b->effort,
                       .sibling = a->sibling || b->sibling,
                       .candidates = a->candidates + b->candidates,
                       .seconds = a->seconds > 0 && b->seconds > 0 ? a->seconds + b->seconds : 0};
}
