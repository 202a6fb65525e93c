/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders in which a move may be walked: what the movers that walk share. */
#ifndef LM_MOVE_ORDER_H
#define LM_MOVE_ORDER_H

#include "lib/move.h"
#include "lib/plan.h"

/* Add levels, the axes with the longest steps first, each in a direction that is safe inside the levels before,
 * until a slice (one index of each level) has at most `most` bytes. False when there is no safe axis left. */
bool lm_order_levels(const lm_form *form, int64_t most, lm_ordered *out);

/* Boxes between the views and a buffer that is dense but for having the last level outermost. */
void lm_order_boxes(lm_move *move);

/* How many of `threads` can share the outermost level, which must be the last one too where `buffer` bytes a thread
 * are needed besides what must be saved; all of it at most `most`. Sets reach, parts, part_bytes. */
void lm_order_parts(lm_move *move, int threads, int64_t buffer, int64_t most);

/* Run the body for each part, between saving the ends of the parts and restoring them. */
void lm_order_run(const lmad_plan *plan, char *buffer, char *work, void (*body)(void *arg, int part));

/* What the bodies get. Indices count in the order of the walk. */
typedef struct lm_order_job {
    const lmad_plan *plan;
    char *buffer, *work;
} lm_order_job;

/* Indices [first, last) of the outermost level that part walks itself. */
void lm_order_range(const lm_move *move, int part, int64_t *first, int64_t *last);

/* The index along a level that comes at place `at` of the walk when `count` indices are taken from there. */
int64_t lm_order_index(const lm_move *move, int level, int64_t at, int64_t count);

#endif
