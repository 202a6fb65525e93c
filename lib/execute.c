/* SPDX-License-Identifier: BSD-3-Clause */
/* Running plans. No allocation, no lock, no system call but what a memory copy needs. */
#include <string.h>

#include "device_plan.h"
#include "plan.h"
#include "status.h"
#include "threads.h"

/* ---- steps ---------------------------------------------------------------------------------------- */

typedef struct share {
    const lm_step *step;
    char *dst;
    const char *src;
    int64_t units;
} share;

/* Part i of params.threads: an even share of the units. */
static void run_part(void *arg, int i) {
    const share *s = arg;
    const int64_t parts = s->step->params.threads, base = s->units / parts, more = s->units % parts;
    const int64_t first = i * base + (i < more ? i : more), last = first + base + (i < more);
    if (first < last) lm_nest_run(&s->step->nest, s->step->kernel->fn, s->dst, s->src, first, last);
    if (s->step->kernel->stream) lm_kernel_fence();
}

void lm_step_run(const lm_step *step, const lm_settings *settings, void *dst, const void *src) {
    if (step->nest.split) {
        share all = {step, dst, src, lm_nest_units(&step->nest)};
        lm_parallel(settings, step->params.threads, run_part, &all);
        return;
    }
    lm_nest_run_all(&step->nest, step->kernel->fn, dst, src);
    if (step->kernel->stream) lm_kernel_fence();
}

/* ---- recipes -------------------------------------------------------------------------------------- */

static void run_buffered(const lmad_plan *p, void *buffer, char *work) {
    lm_step_run(&p->step[0], &p->settings, work, buffer);
    lm_step_run(&p->step[1], &p->settings, buffer, work);
}

/* The element may lie in the destination: work from a copy. */
static void run_value(const lmad_plan *p, void *dst, const void *src, char *work) {
    memcpy(work, src, p->work_bytes);
    lm_step_run(&p->step[0], &p->settings, dst, work);
}

static void run_recipe(const lmad_plan *p, void *dst, const void *src, char *work) {
    switch (p->recipe) {
    case LM_RECIPE_NOTHING: break;
    case LM_RECIPE_ONE: lm_step_run(&p->step[0], &p->settings, dst, src); break;
    case LM_RECIPE_BUFFERED: run_buffered(p, dst, work); break;
    case LM_RECIPE_VALUE: run_value(p, dst, src, work); break;
    case LM_RECIPE_MOVE: p->move.mover->run(p, dst, work); break;
    case LM_RECIPE_GENERATE: lm_runs_run(&p->runs, &p->settings, dst, src); break;
    case LM_RECIPE_MANY:
    case LM_RECIPE_DEVICE: break; /* run_elsewhere() */
    }
}

/* Not inlined, for its frame. */
static __attribute__((noinline)) void run_on_stack(const lmad_plan *p, void *dst, const void *src) {
    _Alignas(LM_WORK_ALIGNMENT) char work[LM_WORK_ON_STACK];
    run_recipe(p, dst, src, work);
}

static __attribute__((noinline)) void run_small(const lmad_plan *p, void *buffer) {
    _Alignas(LM_WORK_ALIGNMENT) char work[LM_WORK_ON_STACK];
    p->move.mover->run_small(p, buffer, work);
}

/* Only the flags of the slots change in a plan that executes. */
static void run_in_slot(const lmad_plan *p, void *dst, const void *src) {
    lm_work *work = &((lmad_plan *)p)->work;
    const bool small = p->recipe == LM_RECIPE_MOVE && p->move.small;
    char *slot = lm_work_claim(work, !small);
    if (!slot) {
        run_small(p, dst);
        return;
    }
    run_recipe(p, dst, src, slot);
    lm_work_leave(work, slot);
}

lmad_status lm_plan_check_pointers(const lmad_plan *p, const void *dst, const void *src) {
    if (!dst) return lm_fail(LMAD_ERR_NULL, "destination: the buffer is NULL");
    if (!src && p->problem.op != LM_OP_GENERATE) return lm_fail(LMAD_ERR_NULL, "source: the buffer is NULL");
    if (p->problem.op == LM_OP_COPY && lm_problem_overlaps(&p->problem, dst, src))
        return lm_fail(LMAD_ERR_OVERLAP,
                       "destination and source share bytes (or sets too intricate to tell): "
                       "use lmad_plan_move%s() for views of one buffer",
                       lm_problem_device(&p->problem) == LM_HOST ? "" : "_hip");
    if (p->problem.op == LM_OP_MOVE && dst != src)
        return lm_fail(LMAD_ERR_BUFFER, "a move works on one buffer: destination and source must be equal");
    return LMAD_OK;
}

/* What is no list is for a device. */
static lmad_status run_elsewhere(const lmad_plan *p, void *dst, const void *src, char *work) {
    if (p->problem.op == LM_OP_MANY)
        return lm_fail(LMAD_ERR_ARGUMENT, "plan: a list of copies, to be run by lmad_execute_many()");
    const lmad_status status = lm_plan_check_pointers(p, dst, src);
    return status == LMAD_OK ? lm_device_plan_finish(p, dst, src, work) : status;
}

lmad_status lm_plan_run(const lmad_plan *p, void *dst, const void *src, char *work) {
    if (p->recipe >= LM_RECIPE_MANY) return run_elsewhere(p, dst, src, work);
    if (p->problem.count == 0)
        return p->problem.op == LM_OP_MANY ? run_elsewhere(p, dst, src, work) : LMAD_OK;
    const lmad_status status = lm_plan_check_pointers(p, dst, src);
    if (status != LMAD_OK) return status;
    if (work || p->work_bytes == 0)
        run_recipe(p, dst, src, work);
    else if (p->work_bytes <= LM_WORK_ON_STACK)
        run_on_stack(p, dst, src);
    else
        run_in_slot(p, dst, src);
    return LMAD_OK;
}

lmad_status lmad_execute(const lmad_plan *p, void *dst, const void *src) {
    if (!p) return lm_fail(LMAD_ERR_NULL, "plan: NULL");
    if (lm_quick_run(&p->quick, dst, src)) return LMAD_OK;
    return lm_plan_run(p, dst, src, NULL);
}

lmad_status lmad_execute_with(const lmad_plan *p, void *dst, const void *src, void *work) {
    if (!p) return lm_fail(LMAD_ERR_NULL, "plan: NULL");
    if (!work && p->work_bytes && p->problem.count)
        return lm_fail(LMAD_ERR_NULL, "work: NULL, but the plan needs %zu bytes of it", p->work_bytes);
    return lm_plan_run(p, dst, src, work);
}
