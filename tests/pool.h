/* SPDX-License-Identifier: BSD-3-Clause */
/* A small thread pool of the kind that a program may bring along, for lmad_ctx_set_parallel() in tests. */
#ifndef TESTS_POOL_H
#define TESTS_POOL_H

typedef struct pool pool;

/* A pool of @p workers >= 0 threads besides the callers; NULL when there is no memory or thread. */
pool *pool_create(int workers);

/* NULL is fine. No pool_run() may be under way. */
void pool_destroy(pool *p);

/* An lmad_parallel_for; @p data is the pool. The caller works, too. Callers from several threads take turns.
 * Not to be called from a body. */
void pool_run(void *data, int count, void (*body)(void *arg, int i), void *arg);

/* How many times pool_run() was called. */
int pool_runs(pool *p);

#endif
