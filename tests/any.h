/* SPDX-License-Identifier: BSD-3-Clause */
/* Random problems: any rank, element size, layout, operation and placement. */
#ifndef LM_ANY_H
#define LM_ANY_H

#include "rng.h"
#include "trial.h"

/* One that fits the rig, with one of `count` operations; its payload is mostly small, and rarely about `most`
 * bytes. */
void lm_any_trial(lm_rng *rng, lm_trial *t, const lm_rig *rig, const lm_op *ops, int count, int64_t most);

#endif
