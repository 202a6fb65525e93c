/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts that tests run problems in: several thread counts on the built-in threads and on a pool. */
#ifndef LM_CONTEXTS_H
#define LM_CONTEXTS_H

#include "lmad.h"
#include "pool.h"

enum { LM_CONTEXTS = 6 };

typedef struct lm_contexts {
    pool *workers;
    lmad_ctx *ctx[LM_CONTEXTS];
    const char *name[LM_CONTEXTS];
} lm_contexts;

/* Make them; the test fails when that does. */
void lm_contexts_open(lm_contexts *c);
void lm_contexts_close(lm_contexts *c);

#endif
