/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread limits and parallel execution: built in, the caller's pool, nested, after fork. */
#define _GNU_SOURCE 1 /* sched_setaffinity */
#include <check.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "lib/machine.h"
#include "lib/threads.h"
#include "pool.h"

Suite *lm_suite_threads(void);

static const lm_settings plain = {.time_limit = -1};

enum { MOST = 64 };

/* How often the body ran for each index. */
typedef struct tally {
    atomic_int times[MOST];
} tally;

static void count_index(void *arg, int i) {
    tally *t = arg;
    atomic_fetch_add(&t->times[i], 1);
}

/* Indices that did not run exactly once. */
static int wrong(tally *t, int count) {
    int n = 0;
    for (int i = 0; i < MOST; i++) n += atomic_load(&t->times[i]) != (i < count);
    return n;
}

static int run_wrong(const lm_settings *settings, int count) {
    tally t;
    memset(&t, 0, sizeof t);
    lm_parallel(settings, count, count_index, &t);
    return wrong(&t, count);
}

START_TEST(test_each_index_once) {
    for (int count = 1; count <= MOST; count++) ck_assert_int_eq(run_wrong(&plain, count), 0);
}
END_TEST

START_TEST(test_caller_pool) {
    for (int workers = 0; workers <= 7; workers += 7) {
        pool *p = pool_create(workers);
        ck_assert_ptr_nonnull(p);
        lm_settings settings = {.run = pool_run, .run_data = p};
        for (int count = 2; count <= MOST; count++) ck_assert_int_eq(run_wrong(&settings, count), 0);
        ck_assert_int_eq(pool_runs(p), MOST - 1);
        ck_assert_int_eq(run_wrong(&settings, 1), 0);
        ck_assert_int_eq(pool_runs(p), MOST - 1);
        pool_destroy(p);
    }
}
END_TEST

/* ---- Limits ---- */

START_TEST(test_limits) {
    pool *p = pool_create(1);
    ck_assert_ptr_nonnull(p);
    lm_settings settings = {.threads = 7, .run = pool_run, .run_data = p};
    ck_assert_int_eq(lm_threads_limit(&settings), 7);
    settings.threads = 0;
    ck_assert_int_ge(lm_threads_limit(&settings), 1);
    ck_assert_int_le(lm_threads_limit(&settings), lm_machine_get()->cores_usable);
    settings = plain;
    ck_assert_int_ge(lm_threads_limit(&settings), 1);
    ck_assert_int_le(lm_threads_limit(&settings), lm_machine_get()->cores);
    settings.threads = 7;
    ck_assert_int_eq(lm_threads_limit(&settings), strcmp(lm_threads_built_in(), "none") == 0 ? 1 : 7);
    pool_destroy(p);
}
END_TEST

/* Asking for very many does not get them: a machine may be unable to create so many threads. */
START_TEST(test_most_threads) {
    const int hardware = lm_machine_get()->threads;
    lm_settings settings = plain;
    for (int many = 2000; many > 0; many = many == INT_MAX ? 0 : INT_MAX) {
        settings.threads = many;
        ck_assert_int_le(lm_threads_limit(&settings), 1024);
        ck_assert_int_le(lm_threads_limit(&settings), 4 * hardware > 16 ? 4 * hardware : 16);
    }
}
END_TEST

/* ---- Fork: all checks run with an alarm, because the fault to be found is waiting forever. ---- */

/* The exit status of a child that runs the check. */
static int in_child(int (*check)(void)) {
    pid_t pid = fork();
    if (pid == 0) {
        alarm(20);
        _exit(check());
    }
    int status = -1;
    return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

static int check_child(void) {
    if (lm_threads_limit(&plain) < 1) return 1;
    for (int count = 1; count <= 8; count++) {
        if (run_wrong(&plain, count) != 0) return 2;
    }
    return 0;
}

START_TEST(test_fork_after_threads) {
    ck_assert_int_eq(run_wrong(&plain, 4), 0);
    ck_assert_int_eq(in_child(check_child), 0);
    ck_assert_int_eq(run_wrong(&plain, 4), 0);
}
END_TEST

static int check_grandchild(void) {
    int status = check_child();
    return status ? status : in_child(check_child) != 0;
}

START_TEST(test_fork_twice) {
    ck_assert_int_eq(run_wrong(&plain, 4), 0);
    ck_assert_int_eq(in_child(check_grandchild), 0);
}
END_TEST

static int check_fresh_pool(void) {
    pool *p = pool_create(2);
    if (!p) return 1;
    lm_settings settings = {.run = pool_run, .run_data = p, .threads = 3};
    int status = lm_threads_limit(&settings) != 3 || run_wrong(&settings, 8) != 0 || pool_runs(p) != 1;
    pool_destroy(p);
    return status;
}

/* A pool that the child makes itself is as good as any. */
START_TEST(test_fork_then_pool) {
    ck_assert_int_eq(run_wrong(&plain, 4), 0);
    ck_assert_int_eq(in_child(check_fresh_pool), 0);
}
END_TEST

/* The parent forks halfway through an execution that owns the plan's scratch memory; the child executes the
 * plan, too. */
typedef struct halfway {
    const lmad_plan *plan;
    char *buffer; /* the child's */
    bool forked;
    int status; /* of the child */
} halfway;

static void run_serially(int count, void (*body)(void *arg, int i), void *arg) {
    for (int i = 0; i < count; i++) body(arg, i);
}

static void fork_halfway(void *data, int count, void (*body)(void *arg, int i), void *arg) {
    halfway *h = data;
    if (!h->forked) {
        h->forked = true;
        pid_t pid = fork();
        if (pid == 0) {
            alarm(20);
            _exit(lmad_execute(h->plan, h->buffer, h->buffer) != LMAD_OK || h->buffer[1] != 2);
        }
        if (pid < 0 || waitpid(pid, &h->status, 0) != pid) h->status = -1;
    }
    run_serially(count, body, arg);
}

START_TEST(test_fork_while_executing) {
    enum { N = 1500 };
    const lmad_desc rows = {2, 0, {{N, N}, {N, 1}}}, columns = {2, 0, {{N, 1}, {N, N}}};
    halfway h = {.buffer = calloc(N, N), .status = -1};
    char *buffer = calloc(N, N);
    lmad_ctx *ctx;
    lmad_plan *plan;
    ck_assert(h.buffer && buffer);
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 4), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_parallel(ctx, fork_halfway, &h), LMAD_OK);
    ck_assert_int_eq(lmad_plan_move(&plan, ctx, &rows, &columns, 1, 0), LMAD_OK);
    h.plan = plan;
    h.buffer[N] = buffer[N] = 2;
    ck_assert_int_eq(lmad_execute(plan, buffer, buffer), LMAD_OK);
    ck_assert(h.forked);
    ck_assert_int_eq(h.status, 0);
    ck_assert_int_eq(buffer[1], 2);
    lmad_plan_destroy(plan);
    lmad_ctx_destroy(ctx);
    free(buffer);
    free(h.buffer);
}
END_TEST

/* ---- The environment is read once: each in a child that has not asked yet. ---- */

static int check_environment(void) {
    setenv("LMAD_NUM_THREADS", "1", 1);
    if (lm_threads_limit(&plain) != 1) return 1;
    pool *p = pool_create(0);
    if (!p) return 2;
    lm_settings settings = {.run = pool_run, .run_data = p};
    if (lm_threads_limit(&settings) != 1) return 3;
    settings.threads = 4;
    if (lm_threads_limit(&settings) != 4) return 4;
    pool_destroy(p);
    return 0;
}

START_TEST(test_environment) { ck_assert_int_eq(in_child(check_environment), 0); }
END_TEST

static int check_environment_garbage(void) {
    setenv("LMAD_NUM_THREADS", "1x", 1);
    int usable = lm_machine_get()->cores_usable, limit = lm_threads_limit(&plain);
#ifdef _OPENMP
    if (omp_get_max_threads() >= usable && limit < usable) return 1;
#endif
    return limit < 1 || usable < 1;
}

START_TEST(test_environment_garbage) { ck_assert_int_eq(in_child(check_environment_garbage), 0); }
END_TEST

static int check_affinity(void) {
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0) return 0;
    int cpu = 0;
    while (!CPU_ISSET(cpu, &all)) cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) return 0;
    if (lm_machine_get()->cores_usable != 1) return 0; /* another thread may still use more */
    pool *p = pool_create(0);
    lm_settings settings = {.run = pool_run, .run_data = p};
    int limit = lm_threads_limit(&settings);
    pool_destroy(p);
    return limit != 1;
}

START_TEST(test_affinity) { ck_assert_int_eq(in_child(check_affinity), 0); }
END_TEST

/* ---- Inside the program's own parallel region ---- */

#ifdef _OPENMP

START_TEST(test_nested) {
    atomic_int failed = 0, limit_above_1 = 0;
#pragma omp parallel num_threads(4)
    {
        if (omp_in_parallel()) atomic_fetch_add(&limit_above_1, lm_threads_limit(&plain) != 1);
        for (int count = 1; count <= 8; count++) atomic_fetch_add(&failed, run_wrong(&plain, count));
    }
    ck_assert_int_eq(failed, 0);
    ck_assert_int_eq(limit_above_1, 0);
}
END_TEST

static void count_inner(void *arg, int i) {
    (void)i;
    atomic_fetch_add((atomic_int *)arg, run_wrong(&plain, 4));
}

/* A body that itself runs something in parallel, with nesting allowed: it finishes, and is right. */
START_TEST(test_nested_in_body) {
    atomic_int failed = 0;
    int before = omp_get_max_active_levels();
    omp_set_max_active_levels(4);
    lm_parallel(&plain, 4, count_inner, &failed);
    omp_set_max_active_levels(before);
    ck_assert_int_eq(failed, 0);
}
END_TEST

/* A limit of the program's own is kept. */
START_TEST(test_openmp_limit) {
    int before = omp_get_max_threads();
    omp_set_num_threads(1);
    ck_assert_int_eq(lm_threads_limit(&plain), 1);
    omp_set_num_threads(before);
}
END_TEST

#endif

/* Several threads of the program at once, all on the built-in back end. */
static void *run_many(void *arg) {
    int *failed = arg;
    for (int i = 0; i < 50; i++) *failed += run_wrong(&plain, 1 + i % 4);
    return NULL;
}

START_TEST(test_concurrent) {
    pthread_t thread[8];
    int failed[8] = {0};
    for (int i = 0; i < 8; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, run_many, &failed[i]), 0);
    for (int i = 0; i < 8; i++) {
        pthread_join(thread[i], NULL);
        ck_assert_int_eq(failed[i], 0);
    }
}
END_TEST

static TCase *once_case(void) {
    TCase *tc = tcase_create("read once");
    tcase_add_test(tc, test_environment);
    tcase_add_test(tc, test_environment_garbage);
    tcase_add_test(tc, test_affinity);
    return tc;
}

Suite *lm_suite_threads(void) {
    Suite *s = suite_create("threads");
    /* All tests in one process: another one may have asked already. */
    const char *fork_mode = getenv("CK_FORK");
    if (!fork_mode || strcmp(fork_mode, "no") != 0) suite_add_tcase(s, once_case());
    TCase *tc = tcase_create("threads");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, test_each_index_once);
    tcase_add_test(tc, test_caller_pool);
    tcase_add_test(tc, test_limits);
    tcase_add_test(tc, test_most_threads);
    tcase_add_test(tc, test_fork_after_threads);
    tcase_add_test(tc, test_fork_twice);
    tcase_add_test(tc, test_fork_then_pool);
    tcase_add_test(tc, test_fork_while_executing);
#ifdef _OPENMP
    tcase_add_test(tc, test_nested);
    tcase_add_test(tc, test_nested_in_body);
    tcase_add_test(tc, test_openmp_limit);
#endif
    tcase_add_test(tc, test_concurrent);
    suite_add_tcase(s, tc);
    return s;
}
