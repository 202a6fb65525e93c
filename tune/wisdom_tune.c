/* SPDX-License-Identifier: BSD-3-Clause */
/* Tuning: plan each problem with more effort than programs have time for. What is done is exported every few
 * seconds, so that neither an interrupt nor a crash costs much, and a second run finds it. */
#define _GNU_SOURCE
#include "wisdom_tune.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/device.h"
#include "lib/files.h"
#include "lib/places.h"
#include "lib/record.h"
#include "lib/timing.h"
#include "lmad-hip.h"

void lm_wisdom_complain(const char *what, lmad_status status) {
    fprintf(stderr, "lmad-wisdom: %s: %s: %s\n", what, lmad_strerror(status), lmad_error_detail());
}

/* ---- where to ------------------------------------------------------------------------------------- */

char *lm_wisdom_output(const lm_wisdom_options *options) {
    char path[PATH_MAX];
    if (options->output) return strdup(options->output);
    const int length = lm_places_user(path, sizeof path);
    if (length <= 0 || length >= (int)sizeof path) {
        fprintf(stderr, "lmad-wisdom: there is no home to keep wisdom in: -o FILE is due\n");
        return NULL;
    }
    lm_make_folders(path, 0777); /* what is missing in the end, the export says */
    return strdup(path);
}

/* ---- interrupts ----------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;

static void interrupt(int number) {
    (void)number;
    interrupted = 1;
}

/* The second one ends the program. */
static void catch_interrupts(void) {
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESETHAND | SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* ---- progress ------------------------------------------------------------------------------------- */

/* One run of the tool. */
typedef struct tuning {
    const lm_wisdom_options *options;
    const char *output;
    lmad_ctx *ctx;
    bool terminal;
    double start, exported; /* lm_now() */
    size_t total, done, measured, known, failed, late;
} tuning;

static void print_left(const tuning *t) {
    const double taken = lm_now() - t->start;
    if (t->measured == 0) return;
    const double a_problem = taken / (double)t->measured;
    fprintf(stderr, "  %.1f a minute, %.0f s left", 60 / a_problem, a_problem * (double)(t->total - t->done));
}

static void before(const tuning *t, const char *name) {
    if (!t->terminal) return;
    fprintf(stderr, "\r\033[K[%zu/%zu] %.50s", t->done + 1, t->total, name);
    print_left(t);
}

static bool is_emulated(int number) {
    const lm_device *device;
    return number != LMAD_HOST && lm_device_get(number, &device) == LMAD_OK && device->emulated;
}

static void after(const tuning *t, const char *name, const lmad_plan *plan, const lmad_info *info) {
    char text[400];
    if (t->terminal) fprintf(stderr, "\r\033[K");
    lmad_plan_describe(plan, text, sizeof text);
    printf("%zu/%zu %s: %s", t->done, t->total, name, text);
    if (info->measured_seconds > 0) printf(" %.3f us", info->measured_seconds * 1e6);
    if (is_emulated(info->device)) printf(" (emulated: means nothing)");
    if (info->source == LMAD_SOURCE_WISDOM) printf(" (known, %s)", lm_effort_name(info->effort));
    if (info->source == LMAD_SOURCE_TIMED_OUT) printf(" (time is up: not kept)");
    if (info->source == LMAD_SOURCE_ESTIMATED && info->payload_bytes) printf(" (not measured)");
    putchar('\n');
    fflush(stdout);
}

/* ---- the work ------------------------------------------------------------------------------------- */

static lmad_status export(tuning *t) {
    t->exported = lm_now();
    if (strcmp(t->output, "-") == 0) return LMAD_OK;
    const lmad_status status = lmad_wisdom_export_file(t->ctx, t->output);
    if (status != LMAD_OK) lm_wisdom_complain(t->output, status);
    return status;
}

static double time_left(const tuning *t) {
    return t->options->time_limit < 0 ? -1 : t->start + t->options->time_limit - lm_now();
}

static bool is_over(const tuning *t) {
    return interrupted || (t->options->time_limit >= 0 && time_left(t) <= 0);
}

static void tune_one(tuning *t, const lm_case *c, int device) {
    lmad_plan *plan;
    lmad_info info = {.struct_size = sizeof info};
    before(t, c->name);
    lmad_ctx_set_time_limit(t->ctx, time_left(t));
    const lmad_status status = lm_case_plan(&plan, c, device, t->ctx, (unsigned)t->options->effort);
    t->done++;
    if (status != LMAD_OK) {
        if (t->terminal) fputc('\n', stderr);
        lm_wisdom_complain(c->name, status);
        t->failed++;
        return;
    }
    lmad_plan_info(plan, &info);
    t->known += info.source == LMAD_SOURCE_WISDOM;
    t->measured += info.source == LMAD_SOURCE_MEASURED;
    t->late += info.source == LMAD_SOURCE_TIMED_OUT;
    after(t, c->name, plan, &info);
    lmad_plan_destroy(plan);
}

enum { EXPORT_EVERY = 5 }; /* seconds */

static lmad_status tune_cases(tuning *t, int device) {
    const lm_cases *cases = &t->options->cases;
    for (size_t i = 0; i < cases->count && !is_over(t); i++) {
        tune_one(t, &cases->item[i], device);
        if (lm_now() - t->exported < EXPORT_EVERY) continue;
        const lmad_status status = export(t);
        if (status != LMAD_OK) return status;
    }
    return LMAD_OK;
}

/* Limits of threads mean nothing within a device. */
static int thread_limits(const lm_wisdom_options *o, int device) {
    return device == LMAD_HOST ? o->thread_limits : 1;
}

static lmad_status tune_all(tuning *t) {
    const lm_wisdom_options *o = t->options;
    for (int d = 0; d < o->devices; d++) {
        for (int k = 0; k < thread_limits(o, o->device[d]); k++) {
            lmad_ctx_set_threads(t->ctx, o->threads[k]);
            const lmad_status status = tune_cases(t, o->device[d]);
            if (status != LMAD_OK) return status;
        }
    }
    return export(t);
}

static void sum_up(const tuning *t) {
    printf("%zu measured, %zu known, %zu failed", t->measured, t->known, t->failed);
    const size_t left = t->total - t->done + t->late;
    if (left) printf(", %zu left for the next run%s", left, interrupted ? " (interrupted)" : "");
    putchar('\n');
}

int lm_wisdom_print(lmad_ctx *ctx) {
    char *text;
    if (lmad_wisdom_export_string(ctx, &text) != LMAD_OK) return LM_WISDOM_USAGE;
    fputs(text, stdout);
    free(text);
    return LM_WISDOM_OK;
}

/* Only what the output has counts as known. */
static lmad_status open_context(tuning *t) {
    lmad_status status = lmad_ctx_create(&t->ctx);
    if (status != LMAD_OK) return status;
    lmad_wisdom_forget(t->ctx);
    return strcmp(t->output, "-") == 0 ? LMAD_OK : lmad_wisdom_import_file(t->ctx, t->output, NULL);
}

int lm_wisdom_tune(const lm_wisdom_options *o) {
    char *output = lm_wisdom_output(o);
    if (!output) return LM_WISDOM_USAGE;
    tuning t = {.options = o, .output = output, .terminal = isatty(STDERR_FILENO)};
    int result = LM_WISDOM_USAGE;
    for (int d = 0; d < o->devices; d++) t.total += o->cases.count * (size_t)thread_limits(o, o->device[d]);
    t.start = t.exported = lm_now();
    const lmad_status opened = open_context(&t);
    if (opened != LMAD_OK) {
        lm_wisdom_complain(output, opened);
    } else {
        catch_interrupts();
        lm_scratch_keep(true);
        if (tune_all(&t) == LMAD_OK) result = t.failed ? LM_WISDOM_WRONG : LM_WISDOM_OK;
        lm_scratch_keep(false);
        sum_up(&t);
        if (strcmp(output, "-") == 0) result = lm_wisdom_print(t.ctx);
    }
    lmad_ctx_destroy(t.ctx);
    free(output);
    return result;
}
