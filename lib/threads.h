/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel execution: OpenMP, the caller's parallel-for, or serial. */
#ifndef LM_THREADS_H
#define LM_THREADS_H

#include "ctx.h"

/* How many threads a plan made now may use: the context's number, or automatic; at most 16 or four for
 * each hardware thread of the machine, whichever is more, and 1024 in any case. >= 1. */
int lm_threads_limit(const lm_settings *settings);

/* Call body(arg, i) once for each i in [0, count), count >= 1, and return when all are done. Serial when
 * count is 1; while the caller's pool works for another execution of its context; and, on the built-in back end, inside
 * an enclosing OpenMP parallel region and in a child whose parent had threads when it forked. */
void lm_parallel(const lm_settings *settings, int count, void (*body)(void *arg, int i), void *arg);

/* Cores that the built-in back end may use, quota and OpenMP's binding included. >= 1. */
int lm_threads_cores(void);

/* What LMAD_NUM_THREADS bounds automatic counts to; INT_MAX where it is unset or no such number. */
int lm_threads_environment(void);

/* The built-in back end in words: "OpenMP" or "none". */
const char *lm_threads_built_in(void);

#endif
