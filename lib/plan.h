/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans inside the library: fixed-size values that can live anywhere, also on the stack. */
#ifndef LM_PLAN_H
#define LM_PLAN_H

#include <stdatomic.h>

#include "wisdom.h"

/* How the steps make up the operation. */
typedef enum lm_recipe {
    LM_RECIPE_NOTHING,  /* no step: an empty problem, or a move onto itself */
    LM_RECIPE_ONE,      /* step[0] from src to dst */
    LM_RECIPE_BUFFERED, /* step[0] from src to scratch, step[1] from scratch to dst */
    LM_RECIPE_VALUE     /* step[0] from a private copy of the element at src to dst */
} lm_recipe;

/* Bytes of the largest element whose private copy during a fill lies on the stack. */
enum { LM_VALUE_ON_STACK = 4096 };

/* Where a choice came from. */
typedef struct lm_origin {
    lmad_source source;
    int effort;     /* what it rests on */
    bool sibling;   /* wisdom of another machine */
    int candidates; /* timed now */
    double seconds; /* measured; 0 = was not */
} lm_origin;

struct lmad_plan {
    lm_problem problem;
    lm_recipe recipe;
    lm_step step[2];
    lm_settings settings;
    lmad_ctx *ctx; /* owned reference */
    lm_origin origin[2]; /* of the steps */
    char machine[LM_MACHINE_TEXT]; /* whose wisdom, for a sibling's */
    char *scratch; /* owned */
    size_t scratch_bytes;
    atomic_uint scratch_claim; /* generation of the process that claimed it; 0 = free */
};

/* Make a plan in storage that the caller gives. On failure there is nothing to release. */
lmad_status lm_plan_init(lmad_plan *plan, lmad_ctx *ctx, lm_op op, const lmad_desc *dst, const lmad_desc *src,
                         size_t elem_size, unsigned flags);

/* Both origins as one: the weaker one, with the times of both. */
lm_origin lm_plan_origin(const lmad_plan *plan);

/* Release what the plan owns, not its storage. */
void lm_plan_release(lmad_plan *plan);

#endif
