/* SPDX-License-Identifier: BSD-3-Clause */
/* The planner: plan kinds propose candidates with a cost, the cheapest becomes the step of the plan. */
#ifndef LM_PLANNER_H
#define LM_PLANNER_H

#include "ctx.h"
#include "machine.h"
#include "nest.h"
#include "problem.h"

struct lm_kind;

/* The order of loops, outermost first: by falling step in the destination, or in the source. */
typedef enum lm_order { LM_ORDER_DST, LM_ORDER_SRC } lm_order;

/* In place of an axis: none, or the bytes of the run. */
enum { LM_AXIS_NONE = -1, LM_AXIS_RUN = -2 };

/* Extent of an axis, of LM_AXIS_RUN (bytes) and LM_AXIS_NONE (1). */
static inline int64_t lm_axis_extent(const lm_problem *problem, int axis) {
    return axis == LM_AXIS_RUN ? problem->run : axis == LM_AXIS_NONE ? 1 : problem->dim[axis].n;
}

/* What tells one candidate of a kind from another. */
typedef struct lm_params {
    int inner, outer; /* axes of the problem that the kernel runs over (its axes 0 and 1) */
    int64_t tile[2];  /* blocks of them, <= their extents */
    lm_order order;
    bool stream; /* stores past the caches */
    int threads; /* >= 1 */
} lm_params;

/* A candidate made ready to run. A value: no pointers to free. */
typedef struct lm_step {
    const struct lm_kind *kind;
    const lm_kernel *kernel;
    lm_params params;
    double seconds; /* predicted */
    lm_nest nest;
} lm_step;

/* One way to solve a class of problems (plans/, one a file). */
typedef struct lm_kind {
    const char *name;
    /* Can it solve the problem at all? */
    bool (*applicable)(const lm_problem *problem);
    /* Write the candidates worth a look with this effort, at most LM_PROPOSALS; at least one for an applicable
     * problem. Threads are set already and stay. */
    int (*propose)(const lm_problem *problem, const lm_params *start, int effort, lm_params *out);
    /* Make a proposal ready to run: kernel and nest. */
    void (*make)(lm_step *step, const lm_problem *problem, const lm_params *params);
} lm_kind;

enum { LM_PROPOSALS = 256 };

/* The kind of this name (not ended by NUL); NULL when there is none. */
const lm_kind *lm_planner_kind(const char *name, size_t length);

/* May the candidate be made ready? It may if the kind solves the problem and proposes these axes, and the other
 * parameters are in range, whatever their values: so one that comes from a file can be slow, but not wrong. */
bool lm_planner_allows(const lm_kind *kind, const lm_problem *problem, const lm_params *params);

/* Make a candidate ready to run: nest, kernel and estimate. */
void lm_planner_make(lm_step *step, const lm_kind *kind, const lm_problem *problem, const lm_params *params);

/* Choose by estimate. Never fails: the list of kinds covers every problem. */
void lm_planner_choose(const lm_problem *problem, lm_step *out);

/* Make every candidate that the planner looks at with this effort and show it, until visit returns false. This
 * is how the search collects, tests verify, and lmad_plan_explain() lists what the planner could choose. Up to
 * LMAD_MEASURE it is what the kinds propose (and from there on for several numbers of threads), with more effort
 * also the cross product of tiles, orders, store types and threads around these. */
void lm_planner_each(const lm_problem *problem, int effort, bool (*visit)(void *arg, const lm_step *step),
                     void *arg);

/* Execute one step (execute.c): serial, or cut over params.threads. */
void lm_step_run(const lm_step *step, const lm_settings *settings, void *dst, const void *src);

/* "(transpose 4 tile=64x64 ...)". As snprintf. */
int lm_step_describe(const lm_step *step, char *buf, size_t size);

#endif
