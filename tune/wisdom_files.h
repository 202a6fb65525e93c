/* SPDX-License-Identifier: BSD-3-Clause */
/* lmad-wisdom's verbs that look after files; each returns an exit status. */
#ifndef LM_WISDOM_FILES_H
#define LM_WISDOM_FILES_H

#include "wisdom_args.h"

int lm_wisdom_merge(const lm_wisdom_options *options);
int lm_wisdom_list(const lm_wisdom_options *options);
int lm_wisdom_check(const lm_wisdom_options *options);
int lm_wisdom_diff(const lm_wisdom_options *options);
int lm_wisdom_prune(const lm_wisdom_options *options);

#endif
