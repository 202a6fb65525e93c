/* SPDX-License-Identifier: BSD-3-Clause */
/* lmad-wisdom's measuring verbs. */
#ifndef LM_WISDOM_TUNE_H
#define LM_WISDOM_TUNE_H

#include "wisdom_args.h"

/* Tune all problems for all thread limits; an exit status. */
int lm_wisdom_tune(const lm_wisdom_options *options);

/* Where measurements go when nobody says otherwise: the user's file, whose folders are made. NULL, having
 * said so, when there is no such place; else the caller's to free. */
char *lm_wisdom_output(const lm_wisdom_options *options);

/* All wisdom of a context on standard output; an exit status. */
int lm_wisdom_print(lmad_ctx *ctx);

/* Say a status with its detail. */
void lm_wisdom_complain(const char *what, lmad_status status);

#endif
