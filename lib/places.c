/* SPDX-License-Identifier: BSD-3-Clause */
/* The usual places of wisdom, and loading them at the first plan of a context. */
#define _GNU_SOURCE 1
#include "places.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "environment.h"
#include "forks.h"
#include "log.h"
#include "wisdom.h"
#include "wisdom_read.h"

int lm_places_user(char *buf, size_t size) {
    const char *config = lm_environment("XDG_CONFIG_HOME"), *home = lm_environment("HOME");
    if (config && config[0] == '/') return snprintf(buf, size, "%s/lmad/wisdom", config);
    if (home && home[0] == '/') return snprintf(buf, size, "%s/.config/lmad/wisdom", home);
    return 0;
}

/* The parts of a colon list. */
static void each_of(const char *list, void (*visit)(void *arg, const char *path), void *arg) {
    char path[PATH_MAX];
    for (const char *at = list; *at; at += *at == ':') {
        const size_t length = strcspn(at, ":");
        if (length > 0 && length < sizeof path) {
            memcpy(path, at, length);
            path[length] = '\0';
            visit(arg, path);
        }
        at += length;
    }
}

void lm_places_each(void (*visit)(void *arg, const char *path), void *arg) {
    char path[PATH_MAX];
    const char *list = lm_environment("LMAD_WISDOM");
    if (list) {
        each_of(list, visit, arg);
        return;
    }
    visit(arg, LM_DATADIR "/lmad/wisdom");
    visit(arg, LM_SYSCONFDIR "/lmad/wisdom");
    const int length = lm_places_user(path, sizeof path);
    if (length > 0 && length < (int)sizeof path) visit(arg, path);
}

/* One file under way. */
typedef struct loading {
    lmad_ctx *ctx;
    const char *path;
} loading;

static void note_line(void *data, int64_t number, lmad_wisdom_verdict verdict, const char *reason) {
    const loading *l = data;
    if (verdict == LMAD_WISDOM_BAD)
        lm_log(l->ctx, "%s:%lld: skipped: %s", l->path, (long long)number, reason);
}

static void load(void *arg, const char *path) {
    loading l = {arg, path};
    const lm_sink sink = lm_sink_context(l.ctx);
    lmad_wisdom_report report = {.struct_size = sizeof report, .line = note_line, .data = &l};
    const lmad_status status = lm_wisdom_read_file(&sink, path, true, &report);
    if (status != LMAD_OK)
        lm_log(l.ctx, "%s: %s: not loaded", path, lmad_strerror(status));
    else if (report.taken || report.kept || report.bad)
        lm_log(l.ctx, "%s: %lld records of wisdom (%lld for other machines), %lld lines skipped", path,
               (long long)report.taken, (long long)report.foreign, (long long)report.bad);
}

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* The loading thread is not in the child; what it has loaded by then is, and is loaded again. */
__attribute__((constructor)) static void watch_forks(void) { lm_forks_renew(&turn); }

void lm_places_load(lmad_ctx *ctx) {
    lm_wisdom *w = lm_ctx_wisdom(ctx);
    pthread_mutex_lock(&turn);
    if (!atomic_load_explicit(&w->loaded, memory_order_acquire)) {
        lm_places_each(load, ctx);
        atomic_store_explicit(&w->loaded, true, memory_order_release);
    }
    pthread_mutex_unlock(&turn);
}
