/* SPDX-License-Identifier: BSD-3-Clause */
/* The one list of plan kinds, in the order in which they are shown; the planner compares them all. */
#ifndef LM_PLANS_LIST_H
#define LM_PLANS_LIST_H

#include "lib/move.h"
#include "lib/planner.h"

extern const lm_kind lm_kind_nop, lm_kind_memcpy, lm_kind_rows, lm_kind_runs, lm_kind_reverse, lm_kind_fill,
    lm_kind_transpose, lm_kind_permute;

static const lm_kind *const lm_kinds[] = {
    &lm_kind_nop,     &lm_kind_memcpy, &lm_kind_rows,      &lm_kind_runs,
    &lm_kind_reverse, &lm_kind_fill,   &lm_kind_transpose, &lm_kind_permute,
};

/* The one list of movers: the first that can do a move does it. */
extern const lm_mover lm_mover_waves, lm_mover_rows, lm_mover_squares, lm_mover_orbit, lm_mover_rectangle,
    lm_mover_blocks;

static const lm_mover *const lm_movers[] = {
    &lm_mover_waves, &lm_mover_rows,      &lm_mover_squares,
    &lm_mover_orbit, &lm_mover_rectangle, &lm_mover_blocks,
};

#endif
