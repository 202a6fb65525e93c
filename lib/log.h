/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes for people who want them (lmad_ctx_set_log, LMAD_VERBOSE). */
#ifndef LM_LOG_H
#define LM_LOG_H

#include "ctx.h"

/* A note, printf style, cut at some 500 bytes. Costs next to nothing where nobody listens. */
void lm_log(lmad_ctx *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
