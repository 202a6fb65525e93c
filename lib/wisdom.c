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
#include "forks.h"
#include "log.h"
#include "machine.h"
#include "places.h"
#include "sibling.h"
#include "status.h"
#include "wisdom_read.h"

/* ---- the lock: for all contexts, so that fork() can hold it and no child finds a half-made store ------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((constructor)) static void watch_forks(void) { lm_forks_hold(&lock); }

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

/* Stale wisdom may name axes that no kind would take. On the host the answer is the same for each use of a
 * record. */
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

static lm_wisdom *loaded_wisdom(lmad_ctx *ctx) {
    lm_wisdom *w = lm_ctx_wisdom(ctx);
    if (!atomic_load_explicit(&w->loaded, memory_order_acquire)) lm_places_load(ctx);
    return w;
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

const lm_calibration *lm_wisdom_calibration(lmad_ctx *ctx) {
    return atomic_load_explicit(&loaded_wisdom(ctx)->calibration, memory_order_acquire);
}

/* Is there anything to look through? */
static bool has_any(lmad_ctx *ctx) {
    return atomic_load_explicit(&loaded_wisdom(ctx)->any, memory_order_acquire);
}

bool lm_wisdom_find(lmad_ctx *ctx, const lm_problem *p, int effort, lm_wise *out) {
    if (!has_any(ctx)) return false;
    const asker a = {p, NULL, NULL, lm_cpu_isa(), effort};
    return find(ctx, &a, out);
}

bool lm_wisdom_find_device(lmad_ctx *ctx, const lm_problem *p, const lm_device *device, int effort,
                           lm_wise *out) {
    char machine[LM_MACHINE_TEXT];
    if (!has_any(ctx)) return false;
    lm_device_fingerprint(device, machine, sizeof machine);
    const asker a = {p, device, machine, LM_ISA_BASE, effort};
    return find(ctx, &a, out);
}

/* ---- learning --------------------------------------------------------------------------------------- */

typedef struct lm_calibrations {
    struct lm_calibrations *next;
    lm_calibration value;
} lm_calibrations;

/* From now on plan with these values; without memory it stays as it is. With the lock held. */
static void publish(lm_wisdom *w, const lm_calibration *value) {
    lm_calibrations *made = malloc(sizeof *made);
    if (!made) return;
    *made = (lm_calibrations){w->calibrations, *value};
    w->calibrations = made;
    atomic_store_explicit(&w->calibration, &made->value, memory_order_release);
}

lm_added lm_wisdom_add(lmad_ctx *ctx, lm_record *record) {
    lm_wisdom *w = lm_ctx_wisdom(ctx);
    const bool ours = record->calibration && record->distance == 0, usable = record->key;
    const lm_calibration value = ours ? *record->calibration : lm_usual_calibration;
    pthread_mutex_lock(&lock);
    const lm_added added = lm_store_add(&w->store, record);
    if (ours && (added == LM_ADDED || added == LM_ADDED_INSTEAD)) publish(w, &value);
    if (usable) atomic_store_explicit(&w->any, true, memory_order_release);
    pthread_mutex_unlock(&lock);
    return added;
}

static void write_date(char *buf, size_t size) {
    struct tm utc;
    const time_t now = time(NULL);
    if (!gmtime_r(&now, &utc) || strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        snprintf(buf, size, "1970-01-01T00:00:00Z");
}

/* Add a record of this moment, as it will be read again, so that nothing is kept that could not be (strides
 * beyond what keys can say). */
static void add_new(lmad_ctx *ctx, lm_record made) {
    char date[32], line[LM_RECORD_LINE];
    const char *reason;
    write_date(date, sizeof date);
    made.date = date;
    const int length = lm_record_write(line, sizeof line, &made);
    if (length >= (int)sizeof line) return;
    lm_record *r = lm_record_read(line, (size_t)length, lm_wisdom_machine(), &reason);
    if (r && !lm_record_is_known(r)) lm_record_free(r), r = NULL;
    if (r) lm_wisdom_add(ctx, r);
}

void lm_wisdom_calibrated(lmad_ctx *ctx, int effort, const lm_calibration *calibration) {
    char values[LM_CALIBRATION_TEXT];
    lm_calibration_format(values, sizeof values, calibration);
    add_new(ctx, (lm_record){.machine = lm_wisdom_machine(),
                             .problem = LM_CALIBRATION_KEY,
                             .chosen = values,
                             .runner_up = "-",
                             .effort = effort});
}

void lm_wisdom_learn(lmad_ctx *ctx, const lm_problem *p, int effort, const lm_step *step,
                     const lm_finding *f) {
    char problem[LM_KEY_TEXT], chosen[256], second[256] = "-";
    lm_key_format(problem, sizeof problem, p, lm_cpu_isa());
    lm_candidate_format(chosen, sizeof chosen, step->kind, &step->params);
    if (f->runner_up.kind)
        lm_candidate_format(second, sizeof second, f->runner_up.kind, &f->runner_up.params);
    add_new(ctx, (lm_record){.machine = lm_wisdom_machine(),
                             .problem = problem,
                             .chosen = chosen,
                             .chosen_ps = (int64_t)(f->seconds * 1e12),
                             .runner_up = second,
                             .runner_up_ps = (int64_t)(f->runner_up.seconds * 1e12),
                             .effort = effort});
}

void lm_wisdom_learn_device(lmad_ctx *ctx, const lm_problem *p, const lm_device *device, int effort,
                            const lm_device_way *way, const lm_device_finding *f) {
    char machine[LM_MACHINE_TEXT], problem[LM_KEY_TEXT], chosen[256], second[256] = "-";
    lm_device_fingerprint(device, machine, sizeof machine);
    lm_key_format(problem, sizeof problem, p, LM_ISA_BASE);
    lm_device_way_format(chosen, sizeof chosen, way);
    if (f->has_second) lm_device_way_format(second, sizeof second, &f->second);
    add_new(ctx, (lm_record){.machine = machine,
                             .problem = problem,
                             .chosen = chosen,
                             .chosen_ps = (int64_t)(f->seconds * 1e12),
                             .runner_up = second,
                             .runner_up_ps = (int64_t)(f->second_seconds * 1e12),
                             .effort = effort});
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
    atomic_store_explicit(&w->calibration, NULL, memory_order_release);
    atomic_store_explicit(&w->loaded, true, memory_order_release);
    pthread_mutex_unlock(&lock);
    lm_store_clear(&old);
}

void lm_wisdom_close(lm_wisdom *w) {
    lm_wisdom_clear(w);
    for (lm_calibrations *c = w->calibrations, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    w->calibrations = NULL;
}

void lmad_wisdom_forget(lmad_ctx *ctx) { lm_wisdom_clear(lm_ctx_wisdom(ctx)); }
