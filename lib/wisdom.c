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
#include "sibling.h"
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

/* Who wants to know. */
typedef struct asker {
    const lm_problem *problem;
    const lm_device *device; /* NULL = the host */
    const char *machine;     /* of the device */
    lm_isa isa;
    int effort;
} asker;

enum { UNSEEN, GOOD, NOT_OURS };

/* Stale wisdom may name axes that no kind would take. On the host the answer is the same for each use of a record. */
static bool is_allowed(const asker *a, lm_record *r) {
    if (a->device) return lm_device_way_allows(&r->way, a->problem, a->device);
    int verdict = atomic_load_explicit(&r->verdict, memory_order_relaxed);
    if (verdict == UNSEEN) {
        verdict = lm_planner_allows(r->candidate.kind, a->problem, &r->candidate.params) ? GOOD : NOT_OURS;
        atomic_store_explicit(&r->verdict, verdict, memory_order_relaxed);
    }
    return verdict == GOOD;
}

static int distance_to(const asker *a, const lm_record *r) {
    return a->device ? lm_sibling_device(a->machine, r->machine) : r->distance;
}

static bool serves(const asker *a, const lm_record *r) {
    const int distance = distance_to(a, r);
    if (distance == 0) return r->effort >= a->effort;
    return distance > 0 && a->effort == LMAD_ESTIMATE;
}

static bool nearer(const asker *who, const lm_record *a, const lm_record *b) {
    const int mine = distance_to(who, a), other = distance_to(who, b);
    return mine != other ? mine < other : lm_record_better(a, b);
}

static lm_record *look_up(const lm_store *store, const asker *a) {
    const uint64_t hash = lm_key_hash(a->problem, a->isa);
    lm_record *best = NULL;
    for (lm_record *r = lm_store_chain(store, hash); r; r = r->next) {
        if (!r->key || r->key->hash != hash || !lm_key_matches(r->key, a->problem, a->isa) || !serves(a, r))
            continue;
        if ((!best || nearer(a, r, best)) && is_allowed(a, r)) best = r;
    }
    return best;
}

static bool find(lmad_ctx *ctx, const asker *a, lm_wise *out) {
    lm_wisdom *w = lm_ctx_wisdom(ctx);
    pthread_mutex_lock(&lock);
    const lm_record *r = look_up(&w->store, a);
    if (r) {
        out->candidate = r->candidate;
        out->way = r->way;
        out->effort = r->effort;
        out->sibling = distance_to(a, r) > 0;
        if (out->sibling) snprintf(out->machine, sizeof out->machine, "%s", r->machine);
    }
    pthread_mutex_unlock(&lock);
    if (r && out->sibling) lm_log(ctx, "wisdom of another machine is used: %s", out->machine);
    return r != NULL;
}

/* Is there anything to look through? */
static bool has_any(lmad_ctx *ctx) {
    lm_wisdom *w = lm_ctx_wisdom(ctx);
    if (!atomic_load_explicit(&w->loaded, memory_order_acquire)) lm_places_load(ctx);
    return atomic_load_explicit(&w->any, memory_order_acquire);
}

bool lm_wisdom_find(lmad_ctx *ctx, const lm_problem *p, int effort, lm_wise *out) {
    if (!has_any(ctx)) return false;
    const asker a = {p, NULL, NULL, lm_cpu_isa(), effort};
    return find(ctx, &a, out);
}

bool lm_wisdom_find_device(lmad_ctx *ctx, const lm_problem *p, const lm_device *device, int effort, lm_wise *out) {
    char machine[LM_MACHINE_TEXT];
    if (!has_any(ctx)) return false;
    lm_device_fingerprint(device, machine, sizeof machine);
    const asker a = {p, device, machine, LM_ISA_BASE, effort};
    return find(ctx, &a, out);
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

/* A record as it will be read again, so that nothing is kept that could not be. */
static void keep(lmad_ctx *ctx, const lm_record *made) {
    char line[LM_RECORD_LINE];
    const char *reason;
    const int length = lm_record_write(line, sizeof line, made);
    if (length >= (int)sizeof line) return;
    lm_record *r = lm_record_read(line, (size_t)length, lm_wisdom_machine(), &reason);
    if (r && !r->key) lm_record_free(r), r = NULL; /* strides beyond what keys can say */
    if (r) lm_wisdom_add(ctx, r);
}

void lm_wisdom_learn(lmad_ctx *ctx, const lm_problem *p, int effort, const lm_step *step,
                     const lm_finding *f) {
    char problem[LM_KEY_TEXT], chosen[256], second[256] = "-", date[32];
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
    keep(ctx, &made);
}

void lm_wisdom_learn_device(lmad_ctx *ctx, const lm_problem *p, const lm_device *device, int effort,
                            const lm_device_way *way, const lm_device_finding *f) {
    char machine[LM_MACHINE_TEXT], problem[LM_KEY_TEXT], chosen[256], second[256] = "-", date[32];
    lm_device_fingerprint(device, machine, sizeof machine);
    lm_key_format(problem, sizeof problem, p, LM_ISA_BASE);
    lm_device_way_format(chosen, sizeof chosen, way);
    if (f->has_second) lm_device_way_format(second, sizeof second, &f->second);
    write_date(date, sizeof date);
    const lm_record made = {.machine = machine,
                            .problem = problem,
                            .chosen = chosen,
                            .chosen_ps = (int64_t)(f->seconds * 1e12),
                            .runner_up = second,
                            .runner_up_ps = (int64_t)(f->second_seconds * 1e12),
                            .effort = effort,
                            .date = date};
    keep(ctx, &made);
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
