/* SPDX-License-Identifier: BSD-3-Clause */
/* Failures: a status for the program, a sentence for the person. */
#ifndef LM_STATUS_H
#define LM_STATUS_H

#include "lmad.h"

/* Remember the sentence for this thread (printf style, cut at some 250 bytes) and return the status, so
 * that a failure is one statement: return lm_fail(LMAD_ERR_RANK, "source: rank %d ...", rank); */
lmad_status lm_fail(lmad_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
