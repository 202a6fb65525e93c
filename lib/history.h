/* SPDX-License-Identifier: BSD-3-Clause */
/* LMAD_RECORD: which problems a program plans, as a suite. */
#ifndef LM_HISTORY_H
#define LM_HISTORY_H

#include "problem.h"

/* Append the copy, move or fill that a plan was made for to the file, unless it has been there already. The source's
 * addresses are `shift` bytes further on than its descriptor says; a line cannot say so where that is no whole number of
 * elements, and is left out. Does nothing, and costs next to nothing, where nobody asked for it. */
void lm_history_add(const lm_problem *problem, const lmad_desc *dst, const lmad_desc *src, size_t elem_size,
                    int64_t shift);

#endif
