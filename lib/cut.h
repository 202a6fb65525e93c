/* SPDX-License-Identifier: BSD-3-Clause */
/* Cutting a nest among threads: units of about equal size, in the order of their addresses in the
 * destination. */
#ifndef LM_CUT_H
#define LM_CUT_H

#include "nest.h"

/* Set split and cut; with one thread, or where there is nothing to cut, split is 0. */
void lm_cut(lm_nest *nest, int threads);

/* Where band k of an axis begins, 0 <= k <= parts <= n, when index 0 is at dst: between two pages or at least
 * lines of the destination where one is near. */
int64_t lm_cut_edge(const char *dst, const lm_pdim *axis, int64_t parts, int64_t k);

#endif
