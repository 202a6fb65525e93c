/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts: settings that plans are made with, shared and counted. */
#ifndef LM_CTX_H
#define LM_CTX_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lmad.h"

/* The settings of a context at one moment. */
typedef struct lm_settings {
    int threads;            /* 0 = automatic */
    double time_limit;      /* seconds, < 0 = none */
    int64_t work_limit;     /* bytes of scratch of a move; 0 = the usual */
    lmad_parallel_for *run; /* NULL = built in */
    void *run_data;
    atomic_bool *busy; /* is run at work? The context's; NULL = nobody looks */
    lmad_log *log;     /* NULL = nobody's */
    void *log_data;
} lm_settings;

struct lm_wisdom;

/* A consistent snapshot of the settings of ctx; NULL is the default context. */
void lm_ctx_settings(lmad_ctx *ctx, lm_settings *out);

/* The wisdom of a context (wisdom.h); lives as long as the context. */
struct lm_wisdom *lm_ctx_wisdom(lmad_ctx *ctx);

/* One more owner; NULL gives the default context, which lives as long as the process. */
lmad_ctx *lm_ctx_ref(lmad_ctx *ctx);
void lm_ctx_unref(lmad_ctx *ctx);

#endif
