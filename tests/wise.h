/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of planning share: contexts without wisdom, transposes of float matrices, forged records, a clock.
 */
#ifndef LM_WISE_H
#define LM_WISE_H

#include "lmad.h"

/* A context that knows nothing and loads nothing. */
lmad_ctx *lm_wise_ctx(void);

/* Give it a pool of the caller's, so that threads do not depend on OpenMP. The pool lives as long as the
 * test. */
void lm_wise_pool(lmad_ctx *ctx);

/* Plan the transpose of rows x columns floats; what comes out, or only whether it does. */
lmad_status lm_wise_make(lmad_plan **p, lmad_ctx *ctx, int64_t rows, int64_t columns, unsigned flags);
lmad_info lm_wise_plan(lmad_ctx *ctx, int64_t rows, int64_t columns, unsigned flags);
lmad_status lm_wise_status(lmad_ctx *ctx, int64_t rows, int64_t columns, unsigned flags);

/* Wisdom as text; the caller's to free. */
char *lm_wise_text(lmad_ctx *ctx);

/* A file of the wisdom on this one serial transpose (measured), and nothing else. */
char *lm_wise_of(int64_t rows, int64_t columns);

/* The record of a file with one record, as a line with another machine or choice (NULL = as it is) and a
 * checksum that fits. */
void lm_wise_forge(char *line, size_t size, const char *file, const char *machine, const char *chosen);

int lm_wise_lines(const char *text);

/* In place of the clock that planning goes by, until lm_wise_clock_end(): one that goes on by `tick` seconds with each
 * look at it, and by what lm_wise_pass() says. What it shows, without a look: lm_wise_seconds(). */
void lm_wise_clock(double tick);
void lm_wise_clock_end(void);
void lm_wise_pass(double seconds);
double lm_wise_seconds(void);

#endif
