/* SPDX-License-Identifier: BSD-3-Clause */
/* Wisdom of contexts. Lookups happen at every plan, so they share a lock with each other and take none while
 * a context knows nothing. */
#define _GNU_SOURCE 1
#include "wisdom.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cpu.h"
#include "log.h"
#include "machine.h"
#include "places.h"
#include "status.h"
#include "wisdom_read.h"

/* ---- the lock: for all contexts, so that fork() can hold it and no child finds a half-made store ------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
__attribute__((constructor)) static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork, after_fork);
}

/* ---- this machine --------------------------------------------------------------------------------- */

static char fingerprint[LM_MACHINE_TEXT];

static void find_out(void) {
    lm_machine_fingerprint(lm_machine_get(), fingerprint, sizeof fingerprint);
    for (char *c = fingerprint; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' ';
}

const char *lm_wisdom_machine(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_out);
    return fingerprint;
}

/* ---- looking up ------------------------------------------------------------------------------------- */

enum { UNSEEN, GOOD, NOT_OURS };

/* Stale wisdom may name axes that no kind would take. The answer is the same for each use of a record. */
static bool is_allowed(lm_record *r, const lm_problem *p) {
    int verdict = atomic_load_explicit(&r->verdict, memory_order_relaxed);
    if (verdict == UNSEEN) {
        verdict = lm_planner_allows(r->candidate.kind, p, &r->candidate.params) ? GOOD : NOT_OURS;
        atomic_store_explicit(&r->verdict, verdict, memory_order_relaxed);
    }
    return verdict == GOOD;
}

static bool serves(const lm_record *r, int effort) {
    if (r->distance == 0) return r->effort >= effort;
    return r->distance > 0 && effort == LMAD_ESTIMATE;
}

static bool nearer(const lm_record *a, const lm_record *b) {
    if (a->distance != b->distance) return a->distance < b->distance;
    return lm_record_better(a, b);
}

static lm_record *look_up(const lm_store *store, const lm_problem *p, int effort) {
    const lm_isa isa = lm_cpu_isa();
    const uint64_t hash = lm_key_hash(p, isa);
    lm_record *best = NULL;
    for (lm_record *r = lm_store_chain(store, hash); r; r = r->next) {
        if (!r->key || r->key->hash != hash || !serves(r, effort) || !lm_key_matches(r->key, p, isa))
            continue;
        if ((!best || nearer(r, best)) && is_allowed(r, p)) best = r;
    }
    return best;
}

bool lm_wisdom_find(lmad_ctx *ctx, const lm_problem *p, int effort, lm_wise *out) {
    lm_wisdom *w = lm_ctx_wisdom(ctx);
    if (!atomic_load_explicit(&w->loaded, memory_order_acquire)) lm_places_load(ctx);
    if (!atomic_load_explicit(&w->any, memory_order_acquire)) return false;
    pthread_mutex_lock(&lock);
    const lm_record *r = look_up(&w->store, p, effort);
    if (r) {
        out->candidate = r->candidate;
        out->effort = r->effort;
        out->sibling = r->distance > 0;
        if (out->sibling) snprintf(out->machine, sizeof out->machine, "%s", r->machine);
    }
    pthread_mutex_unlock(&lock);
    if (r && out->sibling) lm_log(ctx, "wisdom of another machine is used: %s", out->machine);
    return r != NULL;
}

/* ---- learning --------------------------------------------------------------------------------------- */

lm_added lm_wisdom_add(lmad_ctx *ctx, lm_record *record) {
    lm_wisdom *w = lm_ctx_wisdom(ctx);
    pthread_mutex_lock(&lock);
    const lm_added added = lm_store_add(&w->store, record);
    if (w->store.count) atomic_store_explicit(&w->any, true, memory_order_release);
    pthread_mutex_unlock(&lock);
    return added;
}

static void write_date(char *buf, size_t size) {
    struct tm utc;
    const time_t now = time(NULL);
    if (!gmtime_r(&now, &utc) || strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        snprintf(buf, size, "1970-01-01T00:00:00Z");
}

void lm_wisdom_learn(lmad_ctx *ctx, const lm_problem *p, int effort, const lm_step *step,
                     const lm_finding *f) {
    char problem[LM_KEY_TEXT], chosen[256], second[256] = "-", date[32], line[LM_RECORD_LINE];
    const char *reason;
    lm_key_format(problem, sizeof problem, p, lm_cpu_isa());
    lm_candidate_format(chosen, sizeof chosen, step->kind, &step->params);
    if (f->runner_up.kind)
        lm_candidate_format(second, sizeof second, f->runner_up.kind, &f->runner_up.params);
    write_date(date, sizeof date);
    const lm_record made = {.machine = lm_wisdom_machine(),
                            .problem = problem,
                            .chosen = chosen,
                            .chosen_ps = (int64_t)(f->seconds * 1e12),
                            .runner_up = second,
                            .runner_up_ps = (int64_t)(f->runner_up.seconds * 1e12),
                            .effort = effort,
                            .date = date};
    const int length = lm_record_write(line, sizeof line, &made);
    if (length >= (int)sizeof line) return;
    lm_record *r = lm_record_read(line, (size_t)length, lm_wisdom_machine(), &reason);
    if (r && !r->key) lm_record_free(r), r = NULL; /* strides beyond what keys can say */
    if (r) lm_wisdom_add(ctx, r);
}

/* ---- all of it -------------------------------------------------------------------------------------- */

char *lm_store_text(const lm_store *store, size_t *length) {
    const lm_record **all = lm_store_sorted(store);
    if (!all && store->count) return NULL;
    size_t size = sizeof LM_WISDOM_HEAD + 1 + 16 + 1; /* with its tab, checksum and end; the NUL is counted */
    for (size_t k = 0; k < store->count; k++) size += strlen(all[k]->line) + 1;
    char *text = malloc(size);
    if (text) {
        char *at = text + lm_wisdom_head(text, size);
        for (size_t k = 0; k < store->count; k++) {
            const size_t n = strlen(all[k]->line);
            memcpy(at, all[k]->line, n);
            at[n] = '\n';
            at += n + 1;
        }
        *at = '\0';
        *length = (size_t)(at - text);
    }
    free(all);
    return text;
}

char *lm_wisdom_text(lmad_ctx *ctx, size_t *length) {
    pthread_mutex_lock(&lock);
    char *text = lm_store_text(&lm_ctx_wisdom(ctx)->store, length);
    pthread_mutex_unlock(&lock);
    if (!text) lm_fail(LMAD_ERR_NO_MEMORY, "wisdom: no memory for its text");
    return text;
}

void lm_wisdom_clear(lm_wisdom *w) {
    pthread_mutex_lock(&lock);
    lm_store old = w->store;
    w->store = (lm_store){0};
    atomic_store_explicit(&w->any, false, memory_order_release);
    atomic_store_explicit(&w->loaded, true, memory_order_release);
    pthread_mutex_unlock(&lock);
    lm_store_clear(&old);
}

void lmad_wisdom_forget(lmad_ctx *ctx) { lm_wisdom_clear(lm_ctx_wisdom(ctx)); }
