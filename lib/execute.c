/* SPDX-License-Identifier: BSD-3-Clause */
/* Running plans. No allocation, no lock, no system call but what a memory copy needs. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

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

/* Processes from the first one to this, by fork. A claim of an older one is of a thread that is not here. */
static atomic_uint generation = 1;

static void in_child(void) { atomic_fetch_add(&generation, 1); }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }

/* Scratch belongs to the plan, so executions that need it take turns. */
static void claim_scratch(lmad_plan *p) {
    const unsigned mine = atomic_load_explicit(&generation, memory_order_relaxed);
    unsigned found = 0;
    while (!atomic_compare_exchange_weak_explicit(&p->scratch_claim, &found, mine, memory_order_acquire,
                                                  memory_order_relaxed)) {
        if (found != mine) continue; /* free, or dead: claim what was found */
        found = 0;
        sched_yield();
    }
}
static void leave_scratch(lmad_plan *p) { atomic_store_explicit(&p->scratch_claim, 0, memory_order_release); }

static void run_buffered(lmad_plan *p, void *buffer) {
    claim_scratch(p);
    lm_step_run(&p->step[0], &p->settings, p->scratch, buffer);
    lm_step_run(&p->step[1], &p->settings, buffer, p->scratch);
    leave_scratch(p);
}

/* The element may lie in the destination: work from a copy. */
static void run_value(lmad_plan *p, void *dst, const void *src) {
    const size_t size = (size_t)p->problem.run;
    if (!p->scratch) {
        char value[LM_VALUE_ON_STACK];
        memcpy(value, src, size);
        lm_step_run(&p->step[0], &p->settings, dst, value);
        return;
    }
    claim_scratch(p);
    memcpy(p->scratch, src, size);
    lm_step_run(&p->step[0], &p->settings, dst, p->scratch);
    leave_scratch(p);
}

static lmad_status execute(lmad_plan *p, void *dst, const void *src) {
    if (p->problem.count == 0) return LMAD_OK;
    if (!dst) return lm_fail(LMAD_ERR_NULL, "destination: the buffer is NULL");
    if (!src) return lm_fail(LMAD_ERR_NULL, "source: the buffer is NULL");
    if (p->problem.op == LM_OP_COPY && lm_problem_overlaps(&p->problem, dst, src))
        return lm_fail(LMAD_ERR_OVERLAP, "destination and source share bytes (or sets too intricate to tell): "
                                         "use lmad_plan_move() for views of one buffer");
    if (p->problem.op == LM_OP_MOVE && dst != src)
        return lm_fail(LMAD_ERR_BUFFER, "a move works on one buffer: destination and source must be equal");
    switch (p->recipe) {
    case LM_RECIPE_NOTHING: break;
    case LM_RECIPE_ONE: lm_step_run(&p->step[0], &p->settings, dst, src); break;
    case LM_RECIPE_BUFFERED: run_buffered(p, dst); break;
    case LM_RECIPE_VALUE: run_value(p, dst, src); break;
    }
    return LMAD_OK;
}

lmad_status lmad_execute(const lmad_plan *p, void *dst, const void *src) {
    if (!p) return lm_fail(LMAD_ERR_NULL, "plan: NULL");
    return execute((lmad_plan *)p, dst, src); /* only the scratch and its claim change */
}

/* ---- immediate forms ------------------------------------------------------------------------------ */

lmad_status lmad_ctx_copy(lmad_ctx *ctx, void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc,
                          size_t elem_size, unsigned flags) {
    lmad_plan plan;
    lmad_status status = lm_plan_init(&plan, ctx, LM_OP_COPY, ddst, dsrc, elem_size, flags);
    if (status != LMAD_OK) return status;
    status = execute(&plan, dst, src);
    lm_plan_release(&plan);
    return status;
}

lmad_status lmad_copy(void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc, size_t elem_size) {
    return lmad_ctx_copy(NULL, dst, ddst, src, dsrc, elem_size, LMAD_ESTIMATE);
}
