/* SPDX-License-Identifier: BSD-3-Clause */
/* Many threads that plan, execute, import and export at once. .ci/run runs this under ThreadSanitizer, too.
 */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"
#include "trial.h"
#include "wise.h"

Suite *lm_suite_wisdom_threads(void);

enum { THREADS = 32, ROUNDS = 1000, IMPORT_EVERY = 50, MEASURE_EVERY = 333, ROWS = 24, COLUMNS = 20 };

typedef struct worker {
    lmad_ctx *ctx;
    const char *text; /* of some wisdom */
    int id, rounds, wrong;
    float in[ROWS * COLUMNS], out[ROWS * COLUMNS];
} worker;

static bool copy_once(worker *w, unsigned flags) {
    lmad_plan *p;
    const int64_t rows = ROWS - w->id % 3; /* some problems are shared, some known */
    memset(w->out, 0, sizeof w->out);
    if (lm_wise_make(&p, w->ctx, rows, COLUMNS, flags) != LMAD_OK) return false;
    bool right = lmad_execute(p, w->out, w->in) == LMAD_OK;
    lmad_plan_destroy(p);
    for (int64_t i = 0; i < rows * COLUMNS; i++)
        right &= w->out[i] == w->in[i % COLUMNS * rows + i / COLUMNS];
    return right;
}

static bool trade(worker *w, int round) {
    char *text;
    bool right = lmad_wisdom_import_string(w->ctx, w->text, NULL) == LMAD_OK;
    right &= lmad_wisdom_export_string(w->ctx, &text) == LMAD_OK;
    if (right) free(text);
    if (round % (8 * IMPORT_EVERY) == 0 && w->id % 8 == 0) lmad_wisdom_forget(w->ctx);
    return right;
}

static void *work(void *arg) {
    worker *w = arg;
    for (int k = 0; k < ROWS * COLUMNS; k++) w->in[k] = (float)(k + w->id);
    for (int round = 1; round <= w->rounds; round++) {
        const bool measures = round % MEASURE_EVERY == 0 && w->id % 8 == 1;
        w->wrong += !copy_once(w, measures ? LMAD_MEASURE : LMAD_ESTIMATE);
        if (round % IMPORT_EVERY == 0) w->wrong += !trade(w, round);
    }
    return NULL;
}

static void run_all(lmad_ctx *ctx) {
    static worker workers[THREADS];
    pthread_t thread[THREADS];
    char *text = lm_wise_of(ROWS, COLUMNS);
    for (int k = 0; k < THREADS; k++) {
        workers[k] = (worker){.ctx = ctx, .text = text, .id = k, .rounds = ROUNDS};
        ck_assert_int_eq(pthread_create(&thread[k], NULL, work, &workers[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        pthread_join(thread[k], NULL);
        ck_assert_int_eq(workers[k].wrong, 0);
    }
    free(text);
}

START_TEST(one_context) {
    lmad_ctx *ctx = lm_wise_ctx();
    lm_wise_pool(ctx);
    run_all(ctx);
    lmad_ctx_destroy(ctx);
}
END_TEST

START_TEST(the_default_context) {
    lm_wise_pool(NULL);
    run_all(NULL);
    lmad_wisdom_forget(NULL);
    ck_assert_int_eq(lmad_ctx_set_parallel(NULL, NULL, NULL), LMAD_OK);
}
END_TEST

Suite *lm_suite_wisdom_threads(void) {
    Suite *s = suite_create("wisdom_threads");
    TCase *tc = tcase_create("wisdom_threads");
    tcase_set_timeout(tc, 240);
    tcase_add_test(tc, one_context);
    tcase_add_test(tc, the_default_context);
    suite_add_tcase(s, tc);
    return s;
}
