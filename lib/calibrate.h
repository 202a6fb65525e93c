/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring a calibration of this machine. */
#ifndef LM_CALIBRATE_H
#define LM_CALIBRATE_H

#include "calibration.h"
#include "ctx.h"

/* Measure for LMAD_MEASURE (a tenth of a second or two) or for more (a second). What this process has
 * measured with that effort already is not measured again. False when there is no memory, or not enough time
 * until the deadline (lm_now(); 0 = none); then *out is unchanged, and the next call goes on from there. Takes its turn
 * with searches. */
bool lm_calibrate(lm_calibration *out, int effort, const lm_settings *settings, double deadline);

#endif
