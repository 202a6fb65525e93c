/* SPDX-License-Identifier: BSD-3-Clause */
/* lmad-wisdom calibrate. */
#ifndef LM_WISDOM_CALIBRATE_H
#define LM_WISDOM_CALIBRATE_H

#include "wisdom_args.h"

/* Calibrate this machine; an exit status. */
int lm_wisdom_calibrate(const lm_wisdom_options *options);

#endif
