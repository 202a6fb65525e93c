/* SPDX-License-Identifier: BSD-3-Clause */
/* 1, 2 and 5 threads, built in and on a pool of the caller's. */
#include "contexts.h"

#include <check.h>

static const struct {
    const char *name;
    int threads, on_pool;
} kinds[LM_CONTEXTS] = {
    {"1 thread", 1, 0},  {"5 threads", 5, 0},           {"5 threads of a pool", 5, 1},
    {"2 threads", 2, 0}, {"2 threads of a pool", 2, 1}, {"automatic threads", 0, 0},
};

void lm_contexts_open(lm_contexts *c) {
    c->workers = pool_create(2);
    ck_assert_ptr_nonnull(c->workers);
    for (int i = 0; i < LM_CONTEXTS; i++) {
        ck_assert_int_eq(lmad_ctx_create(&c->ctx[i]), LMAD_OK);
        ck_assert_int_eq(lmad_ctx_set_threads(c->ctx[i], kinds[i].threads), LMAD_OK);
        if (kinds[i].on_pool)
            ck_assert_int_eq(lmad_ctx_set_parallel(c->ctx[i], pool_run, c->workers), LMAD_OK);
        c->name[i] = kinds[i].name;
    }
}

void lm_contexts_close(lm_contexts *c) {
    for (int i = 0; i < LM_CONTEXTS; i++) lmad_ctx_destroy(c->ctx[i]);
    pool_destroy(c->workers);
}
