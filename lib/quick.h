/* SPDX-License-Identifier: BSD-3-Clause */
/* Small copies at once: what an execution comes down to where nothing but the pointers is to be checked. Made
 * with a plan, so that the call costs a few comparisons and a jump. */
#ifndef LM_QUICK_H
#define LM_QUICK_H

#include <string.h>

#include "kernels/host/reorder.h"
#include "planner.h"

/* The most runs that are listed one by one. */
enum { LM_QUICK_RUNS = 1024 };

/* Copying each run from a list is faster than calling a kernel for a handful of them at a time. Offsets in
 * bytes count from the lowest byte of a side. */
typedef struct lm_quick_list {
    int count, run;
    bool dense; /* run k goes to k * run */
    uint16_t from[LM_QUICK_RUNS], to[LM_QUICK_RUNS];
} lm_quick_list;

typedef enum lm_quick_kind {
    LM_QUICK_NOT,     /* the long way */
    LM_QUICK_BYTES,   /* one run */
    LM_QUICK_REORDER, /* in registers */
    LM_QUICK_LIST,    /* from a list of runs */
    LM_QUICK_TILE,    /* one call of the kernel */
    LM_QUICK_NEST     /* the nest, on this thread */
} lm_quick_kind;

typedef struct lm_quick {
    lm_quick_kind kind;
    lm_kernel_fn *fn;
    int64_t doff, soff, dlo, dhi, slo, shi; /* of the problem */
    int64_t bytes;
    lm_reorder_fn *reorder_fn;
    lm_reorder reorder;
    lm_tile tile;
    const lm_nest *nest;
    lm_quick_list list;
} lm_quick;

/* Set the kind, and what belongs to it, for a copy of the step; the step must stay where it is. */
void lm_quick_make(lm_quick *quick, const lm_problem *problem, const lm_step *step);

/* Run the list of a quick copy. */
void lm_quick_list_run(const lm_quick_list *list, char *dst, const char *src);

/* Copy; false, with nothing done, when it is not quick or not for these pointers. Reaches are so short that
 * no sum with an address of memory overflows. */
static inline bool lm_quick_run(const lm_quick *q, char *dst, const char *src) {
    const uintptr_t d = (uintptr_t)dst, s = (uintptr_t)src;
    if (q->kind == LM_QUICK_NOT || !dst || !src) return false;
    if (d + (uintptr_t)q->dhi > s + (uintptr_t)q->slo && s + (uintptr_t)q->shi > d + (uintptr_t)q->dlo)
        return false;
    switch (q->kind) {
    case LM_QUICK_BYTES: memcpy(dst + q->doff, src + q->soff, (size_t)q->bytes); break;
    case LM_QUICK_REORDER: q->reorder_fn(dst + q->dlo, src + q->slo, &q->reorder); break;
    case LM_QUICK_LIST: lm_quick_list_run(&q->list, dst + q->dlo, src + q->slo); break;
    case LM_QUICK_TILE: q->fn(dst + q->doff, src + q->soff, &q->tile); break;
    default: lm_nest_run_all(q->nest, q->fn, dst, src);
    }
    return true;
}

#endif
