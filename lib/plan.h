/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans inside the library: fixed-size values that can live anywhere, also on the stack. */
#ifndef LM_PLAN_H
#define LM_PLAN_H

#include "many.h"
#include "move.h"
#include "planner.h"
#include "quick.h"
#include "runs.h"
#include "wisdom.h"
#include "work.h"

/* How the steps make up the operation. */
typedef enum lm_recipe {
    LM_RECIPE_NOTHING,  /* no step: an empty problem, or a move onto itself */
    LM_RECIPE_ONE,      /* step[0] from src to dst */
    LM_RECIPE_BUFFERED, /* step[0] from src to scratch, step[1] from scratch to dst */
    LM_RECIPE_VALUE,    /* step[0] from a private copy of the element at src to dst */
    LM_RECIPE_MOVE,     /* as move.mover does it, which may use the steps */
    LM_RECIPE_GENERATE, /* as runs says */
    LM_RECIPE_MANY,     /* the items of the list; from here on lm_plan_run() does not do it by itself */
    LM_RECIPE_DEVICE    /* as device does it */
} lm_recipe;

/* Where a choice came from. */
typedef struct lm_origin {
    lmad_source source;
    int effort;     /* what it rests on */
    bool sibling;   /* wisdom of another machine */
    int candidates; /* timed now */
    double seconds; /* measured; 0 = was not */
} lm_origin;

struct lmad_plan {
    /* First, for it is all that an execution of a small copy looks at; only of plans on the heap. */
    lm_quick quick;
    lm_problem problem;
    lm_recipe recipe;
    lm_step step[2];
    lm_move move;
    lm_many *many; /* owned; NULL unless it is a list */
    lm_runs runs;
    struct lm_device_plan *device; /* owned; NULL unless it is for a device */
    lm_settings settings;
    lmad_ctx *ctx;                 /* owned reference */
    lm_origin origin[2];           /* of the steps */
    char machine[LM_MACHINE_TEXT]; /* whose wisdom, for a sibling's */
    size_t work_bytes;             /* scratch that an execution needs */
    lm_work work;                  /* scratch that the plan owns */
};

/* Make a plan in storage that the caller gives. It owns no scratch: whoever executes it brings
 * work_bytes. @p shift is added to the source's addresses (bytes): 0, or for an immediate move the distance of its
 * two pointers. On failure there is nothing to release. */
lmad_status lm_plan_init(lmad_plan *plan, lmad_ctx *ctx, lm_op op, const lmad_desc *dst, const lmad_desc *src,
                         size_t elem_size, unsigned flags, int64_t shift);

/* A plan of its own kind on the heap: takes what `fill` puts into it. */
lmad_status lm_plan_create(lmad_plan **out, lmad_status (*fill)(lmad_plan *plan, const void *arg),
                           const void *arg);

/* The beginning of every plan: settings, flags. *threads is the limit. */
lmad_status lm_plan_start(lmad_plan *plan, lmad_ctx *ctx, unsigned flags, int *threads);

/* Both origins as one: the weaker one, with the times of both. */
lm_origin lm_plan_origin(const lmad_plan *plan);

/* Release what the plan owns, not its storage. */
void lm_plan_release(lmad_plan *plan);

/* Is anything wrong with the pointers for a plan that is not empty? */
lmad_status lm_plan_check_pointers(const lmad_plan *plan, const void *dst, const void *src);

/* Bytes of a value of lmad_plan_affine(); an unknown type is LMAD_ERR_ARGUMENT. */
lmad_status lm_type_size(lmad_type type, size_t *size);

/* Check the pointers and run with scratch at @p work, or with the plan's own when it is NULL. */
lmad_status lm_plan_run(const lmad_plan *plan, void *dst, const void *src, char *work);

#endif
