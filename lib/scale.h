/* SPDX-License-Identifier: BSD-3-Clause */
/* A smaller problem that behaves like a large one: for timing on scratch memory of bounded size. */
#ifndef LM_SCALE_H
#define LM_SCALE_H

#include "planner.h"

/* Shrink a problem that is not empty until each side reaches over `cap` bytes at most, where that can be
 * done: *out has the same axes in the same places, fewer steps along the longest ones, and strides that are
 * the same modulo a page (short ones: modulo a part of it, at least a line). Both sides then begin at or just
 * above their pointers, at the same place of a page as before. A problem that is small enough only gets the
 * latter. */
void lm_scale_problem(const lm_problem *full, int64_t cap, lm_problem *out);

/* A candidate of the full problem as one of the scaled one. */
lm_params lm_scale_params(const lm_problem *full, const lm_problem *scaled, const lm_params *params);

#endif
