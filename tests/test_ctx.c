/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts: settings, their errors, owners, and many threads at once. */
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/ctx.h"

Suite *lm_suite_ctx(void);

/* Two pools that can be told apart; never called. */
static void run_a(void *data, int count, void (*body)(void *arg, int i), void *arg) {
    (void)data, (void)count, (void)body, (void)arg;
}

static void run_b(void *data, int count, void (*body)(void *arg, int i), void *arg) {
    (void)data, (void)body, (void)arg, (void)count;
}

START_TEST(test_fresh) {
    lmad_ctx *ctx;
    lm_settings settings;
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    lm_ctx_settings(ctx, &settings);
    ck_assert_int_eq(settings.threads, 0);
    ck_assert(settings.time_limit < 0);
    ck_assert(settings.run == NULL);
    ck_assert_ptr_null(settings.run_data);
    lmad_ctx_destroy(ctx);
}
END_TEST

START_TEST(test_set) {
    lmad_ctx *ctx;
    lm_settings settings;
    int data;
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 3), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_time_limit(ctx, 0.25), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_parallel(ctx, run_a, &data), LMAD_OK);
    lm_ctx_settings(ctx, &settings);
    ck_assert_int_eq(settings.threads, 3);
    ck_assert_double_eq(settings.time_limit, 0.25);
    ck_assert(settings.run == run_a);
    ck_assert_ptr_eq(settings.run_data, &data);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 0), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_time_limit(ctx, INFINITY), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_parallel(ctx, NULL, NULL), LMAD_OK);
    lm_ctx_settings(ctx, &settings);
    ck_assert_int_eq(settings.threads, 0);
    ck_assert(settings.run == NULL);
    lmad_ctx_destroy(ctx);
}
END_TEST

START_TEST(test_errors) {
    lmad_ctx *ctx;
    lm_settings settings;
    ck_assert_int_eq(lmad_ctx_create(NULL), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 2), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, -1), LMAD_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(lmad_error_detail(), "-1"));
    ck_assert_int_eq(lmad_ctx_set_time_limit(ctx, NAN), LMAD_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(lmad_error_detail(), "time limit"));
    ck_assert_int_eq(lmad_ctx_set_threads(NULL, -7), LMAD_ERR_ARGUMENT);
    lm_ctx_settings(ctx, &settings);
    ck_assert_int_eq(settings.threads, 2);
    ck_assert(settings.time_limit < 0);
    lmad_ctx_destroy(ctx);
    lmad_ctx_destroy(NULL);
}
END_TEST

START_TEST(test_default) {
    lmad_ctx *ctx;
    lm_settings settings;
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(NULL, 5), LMAD_OK);
    lm_ctx_settings(NULL, &settings);
    ck_assert_int_eq(settings.threads, 5);
    lm_ctx_settings(ctx, &settings);
    ck_assert_int_eq(settings.threads, 0);
    lmad_ctx *owned = lm_ctx_ref(NULL);
    ck_assert_ptr_nonnull(owned);
    ck_assert_ptr_eq(lm_ctx_ref(owned), owned);
    for (int i = 0; i < 4; i++) lm_ctx_unref(owned);
    lmad_ctx_destroy(owned);
    lm_ctx_settings(owned, &settings);
    ck_assert_int_eq(settings.threads, 5);
    ck_assert_int_eq(lmad_ctx_set_threads(NULL, 0), LMAD_OK);
    lmad_ctx_destroy(ctx);
}
END_TEST

START_TEST(test_owners) {
    lmad_ctx *ctx;
    lm_settings settings;
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 9), LMAD_OK);
    ck_assert_ptr_eq(lm_ctx_ref(ctx), ctx);
    lmad_ctx_destroy(ctx);
    lm_ctx_settings(ctx, &settings);
    ck_assert_int_eq(settings.threads, 9);
    lm_ctx_unref(ctx);
}
END_TEST

/* ---- Many threads ---- */

enum { THREADS = 32, ROUNDS = 2000 };

static char data_a, data_b;

typedef struct hammer {
    lmad_ctx *ctx;
    int id;
    int torn, failed; /* snapshots that mix two settings; calls that failed */
} hammer;

static void *hammer_settings(void *arg) {
    hammer *h = arg;
    for (int i = 0; i < ROUNDS; i++) {
        lmad_ctx *ctx = lm_ctx_ref(h->ctx);
        int a = (h->id + i) % 2;
        lm_settings settings;
        if (h->id % 4 == 0) {
            h->failed += lmad_ctx_set_parallel(ctx, a ? run_a : run_b, a ? &data_a : &data_b) != LMAD_OK;
            h->failed += lmad_ctx_set_threads(ctx, i) != LMAD_OK;
        }
        lm_ctx_settings(ctx, &settings);
        h->torn += (settings.run == run_a) != (settings.run_data == &data_a);
        h->failed += settings.threads < 0 || settings.threads >= ROUNDS;
        lm_ctx_unref(ctx);
    }
    lm_ctx_unref(h->ctx);
    return NULL;
}

static void hammer_ctx(lmad_ctx *ctx) {
    static hammer work[THREADS];
    pthread_t thread[THREADS];
    ck_assert_int_eq(lmad_ctx_set_parallel(ctx, run_a, &data_a), LMAD_OK);
    for (int i = 0; i < THREADS; i++) {
        work[i] = (hammer){.ctx = lm_ctx_ref(ctx), .id = i};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, hammer_settings, &work[i]), 0);
    }
    lmad_ctx_destroy(ctx);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        ck_assert_int_eq(work[i].torn, 0);
        ck_assert_int_eq(work[i].failed, 0);
    }
}

START_TEST(test_hammer) {
    lmad_ctx *ctx;
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    hammer_ctx(ctx);
}
END_TEST

START_TEST(test_hammer_default) {
    hammer_ctx(NULL);
    ck_assert_int_eq(lmad_ctx_set_parallel(NULL, NULL, NULL), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(NULL, 0), LMAD_OK);
}
END_TEST

/* ---- Fork while another thread is writing ---- */

static atomic_int forking;

static void *write_on(void *arg) {
    while (atomic_load(&forking)) {
        lmad_ctx_set_threads(arg, 1);
        lmad_ctx_set_parallel(arg, run_a, &data_a);
    }
    return NULL;
}

/* A child that gets at the settings, both ways; 0 when it could. */
static int fork_and_use(lmad_ctx *ctx) {
    pid_t pid = fork();
    if (pid == 0) {
        lm_settings settings;
        alarm(20);
        lm_ctx_settings(ctx, &settings);
        if (lmad_ctx_set_threads(ctx, 2) != LMAD_OK) _exit(1);
        lm_ctx_settings(ctx, &settings);
        _exit(settings.threads == 2 ? 0 : 2);
    }
    int status;
    return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

START_TEST(test_fork) {
    lmad_ctx *ctx;
    pthread_t thread;
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    atomic_store(&forking, 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, write_on, ctx), 0);
    for (int i = 0; i < 100; i++) ck_assert_int_eq(fork_and_use(ctx), 0);
    atomic_store(&forking, 0);
    pthread_join(thread, NULL);
    lmad_ctx_destroy(ctx);
}
END_TEST

Suite *lm_suite_ctx(void) {
    Suite *s = suite_create("ctx");
    TCase *tc = tcase_create("ctx");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, test_fresh);
    tcase_add_test(tc, test_set);
    tcase_add_test(tc, test_errors);
    tcase_add_test(tc, test_default);
    tcase_add_test(tc, test_owners);
    tcase_add_test(tc, test_hammer);
    tcase_add_test(tc, test_hammer_default);
    tcase_add_test(tc, test_fork);
    suite_add_tcase(s, tc);
    return s;
}
