/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts. Settings are read at every plan, from any number of threads, and hardly ever written: so readers
 * take no lock unless a writer is at work. */
#include "ctx.h"

#include <pthread.h>
#include <stdlib.h>

#include "forks.h"
#include "status.h"
#include "wisdom.h"

/* version is odd while a writer changes the settings. A reader that finds the same even number before and
 * after has read one state. */
struct lmad_ctx {
    atomic_int owners;
    atomic_uint version;
    atomic_int threads;
    _Atomic(double) time_limit;
    _Atomic(int64_t) work_limit;
    _Atomic(lmad_parallel_for *) run;
    _Atomic(void *) run_data;
    atomic_bool busy;
    _Atomic(lmad_log *) log;
    _Atomic(void *) log_data;
    lm_wisdom wisdom;
};

static lmad_ctx default_ctx = {.owners = 1, .time_limit = -1.0};

/* One for all contexts, because it is held over fork(): no child starts with a half-written context or with a
 * lock whose owner is not there. */
static pthread_mutex_t writer = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) { pthread_mutex_lock(&writer); }
static void unlock(void) { pthread_mutex_unlock(&writer); }

__attribute__((constructor)) static void watch_forks(void) { lm_forks_hold(&writer); }

static lmad_ctx *or_default(lmad_ctx *ctx) { return ctx ? ctx : &default_ctx; }

/* Acquire, so that no load moves behind the second look at the version. */
static void read_fields(lmad_ctx *ctx, lm_settings *out) {
    out->threads = atomic_load_explicit(&ctx->threads, memory_order_acquire);
    out->time_limit = atomic_load_explicit(&ctx->time_limit, memory_order_acquire);
    out->work_limit = atomic_load_explicit(&ctx->work_limit, memory_order_acquire);
    out->run = atomic_load_explicit(&ctx->run, memory_order_acquire);
    out->run_data = atomic_load_explicit(&ctx->run_data, memory_order_acquire);
    out->busy = &ctx->busy;
    out->log = atomic_load_explicit(&ctx->log, memory_order_acquire);
    out->log_data = atomic_load_explicit(&ctx->log_data, memory_order_acquire);
}

void lm_ctx_settings(lmad_ctx *ctx, lm_settings *out) {
    ctx = or_default(ctx);
    unsigned before = atomic_load_explicit(&ctx->version, memory_order_acquire);
    read_fields(ctx, out);
    if (before % 2 == 0 && atomic_load_explicit(&ctx->version, memory_order_relaxed) == before) return;
    lock();
    read_fields(ctx, out);
    unlock();
}

static void begin_write(lmad_ctx *ctx) {
    lock();
    atomic_fetch_add(&ctx->version, 1);
}

static void end_write(lmad_ctx *ctx) {
    atomic_fetch_add(&ctx->version, 1);
    unlock();
}

lmad_status lmad_ctx_create(lmad_ctx **ctx) {
    if (!ctx) return lm_fail(LMAD_ERR_NULL, "context: no place to put it");
    lmad_ctx *made = calloc(1, sizeof *made);
    if (!made) return lm_fail(LMAD_ERR_NO_MEMORY, "context: no memory");
    atomic_init(&made->owners, 1);
    atomic_init(&made->time_limit, -1.0);
    *ctx = made;
    return LMAD_OK;
}

void lmad_ctx_destroy(lmad_ctx *ctx) {
    if (ctx) lm_ctx_unref(ctx);
}

lmad_status lmad_ctx_set_threads(lmad_ctx *ctx, int n) {
    if (n < 0) return lm_fail(LMAD_ERR_ARGUMENT, "context: thread count %d is negative", n);
    ctx = or_default(ctx);
    begin_write(ctx);
    atomic_store(&ctx->threads, n);
    end_write(ctx);
    return LMAD_OK;
}

lmad_status lmad_ctx_set_time_limit(lmad_ctx *ctx, double seconds) {
    if (seconds != seconds) return lm_fail(LMAD_ERR_ARGUMENT, "context: time limit is not a number");
    ctx = or_default(ctx);
    begin_write(ctx);
    atomic_store(&ctx->time_limit, seconds);
    end_write(ctx);
    return LMAD_OK;
}

lmad_status lmad_ctx_set_work_limit(lmad_ctx *ctx, size_t bytes) {
    ctx = or_default(ctx);
    begin_write(ctx);
    atomic_store(&ctx->work_limit, bytes < INT64_MAX / 2 ? (int64_t)bytes : INT64_MAX / 2);
    end_write(ctx);
    return LMAD_OK;
}

lmad_status lmad_ctx_set_parallel(lmad_ctx *ctx, lmad_parallel_for *run, void *data) {
    ctx = or_default(ctx);
    begin_write(ctx);
    atomic_store(&ctx->run, run);
    atomic_store(&ctx->run_data, data);
    end_write(ctx);
    return LMAD_OK;
}

lmad_status lmad_ctx_set_log(lmad_ctx *ctx, lmad_log *log, void *data) {
    ctx = or_default(ctx);
    begin_write(ctx);
    atomic_store(&ctx->log, log);
    atomic_store(&ctx->log_data, data);
    end_write(ctx);
    return LMAD_OK;
}

lm_wisdom *lm_ctx_wisdom(lmad_ctx *ctx) { return &or_default(ctx)->wisdom; }

lmad_ctx *lm_ctx_ref(lmad_ctx *ctx) {
    ctx = or_default(ctx);
    if (ctx != &default_ctx) atomic_fetch_add_explicit(&ctx->owners, 1, memory_order_relaxed);
    return ctx;
}

void lm_ctx_unref(lmad_ctx *ctx) {
    if (!ctx || ctx == &default_ctx) return;
    if (atomic_fetch_sub(&ctx->owners, 1) != 1) return;
    lm_wisdom_close(&ctx->wisdom);
    free(ctx);
}
