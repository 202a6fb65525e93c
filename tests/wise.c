/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts, records and a clock for tests of wisdom. */
#include "wise.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/record.h"
#include "lib/timing.h"
#include "lib/wisdom.h"
#include "pool.h"

lmad_ctx *lm_wise_ctx(void) {
    lmad_ctx *ctx;
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    lmad_wisdom_forget(ctx);
    return ctx;
}

void lm_wise_pool(lmad_ctx *ctx) {
    static pool *workers;
    if (!workers) workers = pool_create(2);
    ck_assert_ptr_nonnull(workers);
    ck_assert_int_eq(lmad_ctx_set_parallel(ctx, pool_run, workers), LMAD_OK);
}

lmad_status lm_wise_make(lmad_plan **p, lmad_ctx *ctx, int64_t rows, int64_t columns, unsigned flags) {
    const lmad_desc d = {2, 0, {{rows, columns}, {columns, 1}}}, s = {2, 0, {{rows, 1}, {columns, rows}}};
    return lmad_plan_copy(p, ctx, &d, &s, 4, flags);
}

lmad_info lm_wise_plan(lmad_ctx *ctx, int64_t rows, int64_t columns, unsigned flags) {
    lmad_plan *p;
    lmad_info info = {.struct_size = sizeof info};
    if (lm_wise_make(&p, ctx, rows, columns, flags) != LMAD_OK)
        ck_abort_msg("no plan: %s", lmad_error_detail());
    ck_assert_int_eq(lmad_plan_info(p, &info), LMAD_OK);
    lmad_plan_destroy(p);
    return info;
}

lmad_status lm_wise_status(lmad_ctx *ctx, int64_t rows, int64_t columns, unsigned flags) {
    lmad_plan *p = NULL;
    const lmad_status status = lm_wise_make(&p, ctx, rows, columns, flags);
    if (status == LMAD_OK) lmad_plan_destroy(p);
    return status;
}

char *lm_wise_text(lmad_ctx *ctx) {
    char *text;
    if (lmad_wisdom_export_string(ctx, &text) != LMAD_OK) ck_abort_msg("no text: %s", lmad_error_detail());
    return text;
}

/* The text of wisdom without the line of a calibration. */
static void drop_calibration(char *text) {
    const char *key = strstr(text, "\t" LM_CALIBRATION_KEY "\t");
    if (!key) return;
    size_t start = (size_t)(key - text), end = start + strcspn(key, "\n") + 1;
    while (start > 0 && text[start - 1] != '\n') start--;
    memmove(text + start, text + end, strlen(text + end) + 1);
}

char *lm_wise_of(int64_t rows, int64_t columns) {
    lmad_ctx *ctx = lm_wise_ctx();
    lm_wise_plan(ctx, rows, columns, LMAD_MEASURE | LMAD_SERIAL);
    char *text;
    ck_assert_int_eq(lmad_wisdom_export_string(ctx, &text), LMAD_OK);
    lmad_ctx_destroy(ctx);
    drop_calibration(text);
    return text;
}

void lm_wise_forge(char *line, size_t size, const char *file, const char *machine, const char *chosen) {
    const char *start = strchr(file, '\n') + 1, *reason;
    lm_record *r = lm_record_read(start, strcspn(start, "\n"), lm_wisdom_machine(), &reason);
    if (!r) ck_abort_msg("no record to forge: %s", reason);
    if (machine) r->machine = machine;
    if (chosen) r->chosen = chosen;
    ck_assert_int_lt(lm_record_write(line, size, r), (int)size);
    lm_record_free(r);
}

int lm_wise_lines(const char *text) {
    int lines = 0;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

/* ---- clock ------------------------------------------------------------------------------------------- */

static double shown, step;

static double look(void) { return shown += step; }

void lm_wise_clock(double tick) {
    step = tick;
    lm_now_from(look);
}

void lm_wise_clock_end(void) { lm_now_from(NULL); }

void lm_wise_pass(double seconds) { shown += seconds; }

double lm_wise_seconds(void) { return shown; }
