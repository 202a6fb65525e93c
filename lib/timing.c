/* SPDX-License-Identifier: BSD-3-Clause */
/* Racing contenders against each other. Everything else that the machine does hits all runners of a round
 * alike, so what counts is how they compare within rounds. */
#define _GNU_SOURCE 1
#include "timing.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "forks.h"

static double system_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double (*now)(void) = system_clock;

double lm_now(void) { return now(); }

void lm_now_from(double (*clock)(void)) { now = clock ? clock : system_clock; }

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double lm_middle(double *value, int count) {
    qsort(value, (size_t)count, sizeof *value, by_value);
    return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

/* ---- one at a time ---------------------------------------------------------------------------------- */

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* A search takes long, so that a fork does not wait for its end; the thread that ran it is not in the child.
 */
__attribute__((constructor)) static void watch_forks(void) { lm_forks_renew(&turn); }

bool lm_timing_take_turn(double deadline) {
    const struct timespec nap = {0, 200000};
    if (deadline <= 0) return pthread_mutex_lock(&turn) == 0;
    while (pthread_mutex_trylock(&turn) != 0) {
        if (lm_now() >= deadline) return false;
        nanosleep(&nap, NULL);
    }
    return true;
}

void lm_timing_leave_turn(void) { pthread_mutex_unlock(&turn); }

/* ---- scratch -------------------------------------------------------------------------------------- */

enum { PAGE = LM_SCRATCH_PAGE, PIECE = 1 << 20 };

static size_t whole_pages(int64_t bytes) { return ((size_t)bytes + PAGE - 1) / PAGE * PAGE; }

/* Fresh pages cost more than a copy, and pages that were never written are all the same one. */
static bool touch(char *block, size_t size, double deadline) {
    for (size_t at = 0; at < size; at += PIECE) {
        if (lm_is_past(deadline)) return false;
        memset(block + at, 0x41 + (int)(at / PIECE % 61), size - at < PIECE ? size - at : PIECE);
    }
    return true;
}

/* Bytes of a side, and where its pointer lies in them. */
static size_t room(int64_t lo, int64_t hi, size_t *origin) {
    const size_t below = lo < 0 ? whole_pages(-lo) : 0;
    *origin = below;
    return below + whole_pages(hi > 0 ? hi : 0) + (1 + LM_SCRATCH_SLACK) * PAGE;
}

/* Used by one search at a time (lm_scratch_keep). */
static struct {
    bool wanted;
    void *block;
    size_t size;
} kept;

void lm_scratch_keep(bool keep) {
    kept.wanted = keep;
    if (keep) return;
    free(kept.block);
    kept.block = NULL;
    kept.size = 0;
}

/* Touched memory of this size, kept from last time or fresh. */
static lm_scratch_result get_block(void **block, size_t size, double deadline) {
    if (kept.wanted && kept.size >= size) return *block = kept.block, LM_SCRATCH_OK;
    if (kept.wanted) lm_scratch_keep(false), kept.wanted = true;
    if (posix_memalign(block, PAGE, size) != 0) return LM_SCRATCH_NO_MEMORY;
    if (!touch(*block, size, deadline)) {
        free(*block);
        return LM_SCRATCH_LATE;
    }
    if (kept.wanted) kept.block = *block, kept.size = size;
    return LM_SCRATCH_OK;
}

lm_scratch_result lm_scratch_open(lm_scratch *scratch, const lm_problem *p, double deadline) {
    size_t d, s;
    const size_t dst = room(p->dlo, p->dhi, &d), src = room(p->slo, p->shi, &s);
    void *block;
    const lm_scratch_result got = get_block(&block, dst + src, deadline);
    if (got == LM_SCRATCH_OK) *scratch = (lm_scratch){block, (char *)block + d, (char *)block + dst + s};
    return got;
}

void lm_scratch_close(lm_scratch *scratch) {
    if (!kept.wanted) free(scratch->block);
}

/* ---- samples -------------------------------------------------------------------------------------- */

typedef struct race {
    lm_runner *runner;
    int count;
    const lm_timing_rules *rules;
    int round;
} race;

static double run(const race *r, const lm_runner *one, int64_t repeats) {
    return r->rules->run(r->rules->arg, (int)(one - r->runner), r->round, repeats);
}

static bool late(const race *r, double seconds) {
    return r->rules->deadline > 0 && lm_now() + seconds > r->rules->deadline;
}

/* The first sample of a runner: how often it has to be repeated comes out, too. A short run is warm then. */
static double first_sample(const race *r, lm_runner *one) {
    const double shortest = r->rules->shortest;
    double seconds = run(r, one, 1);
    one->repeats = 1;
    while (seconds >= 0 && seconds * (double)one->repeats < shortest) {
        const double wanted = seconds > 0 ? 1.2 * shortest / seconds : 1e3;
        one->repeats = wanted > 1e6 ? 1000000 : (int64_t)wanted + 1;
        seconds = run(r, one, one->repeats);
        if (one->repeats == 1000000) break;
    }
    return seconds;
}

static double least_sample(const lm_runner *one) {
    double least = one->sample[0];
    for (int k = 1; k < one->samples; k++)
        if (one->sample[k] < least) least = one->sample[k];
    return least;
}

static bool sample(const race *r, lm_runner *one) {
    const double expected = one->samples ? least_sample(one) * (double)one->repeats : one->predicted;
    const bool warm = one->samples && expected < r->rules->warm_below;
    if (late(r, warm ? 2 * expected : expected)) return false;
    if (warm) run(r, one, 1);
    const double seconds = one->samples ? run(r, one, one->repeats) : first_sample(r, one);
    if (seconds < 0) return false;
    one->sample[one->samples++] = seconds;
    return true;
}

/* ---- rounds --------------------------------------------------------------------------------------- */

/* Drop who is slower than the best by this factor. */
static void prune(const race *r, double factor) {
    double best = 0;
    for (int k = 0; k < r->count; k++) {
        const lm_runner *one = &r->runner[k];
        if (one->out || one->samples == 0) continue;
        const double least = least_sample(one);
        if (best == 0 || least < best) best = least;
    }
    for (int k = 1; k < r->count; k++)
        if (!r->runner[k].out && r->runner[k].samples && least_sample(&r->runner[k]) > factor * best)
            r->runner[k].out = true;
}

/* Everybody's first sample; losers are out at once. */
static bool first_round(const race *r) {
    if (late(r, 2 * r->runner[0].predicted)) return false;
    if (run(r, &r->runner[0], 1) < 0) return false;
    for (int k = 0; k < r->count; k++) {
        if (!sample(r, &r->runner[k])) return false;
        prune(r, 2);
    }
    return true;
}

static int left_in(const race *r) {
    int left = 0;
    for (int k = 0; k < r->count; k++) left += !r->runner[k].out;
    return left;
}

/* Starting with another runner each time, so that nobody always runs after the same one. */
static bool one_more_round(const race *r) {
    for (int i = 0; i < r->count; i++) {
        lm_runner *one = &r->runner[(i + r->round * 7) % r->count];
        if (!one->out && !sample(r, one)) return false;
    }
    return true;
}

/* For a verdict, when samples are long. */
enum { ROUNDS_NEEDED = 4 };

bool lm_timing_race(lm_runner *runner, int count, const lm_timing_rules *rules) {
    static const double factor[] = {1.7, 1.5, 1.4, 1.3, 1.25, 1.2, 1.15, 1.1};
    enum { FACTORS = sizeof factor / sizeof *factor };
    race r = {runner, count, rules, 0};
    const int rounds = rules->rounds ? rules->rounds : LM_SAMPLES;
    const int needed = rules->needed ? rules->needed : ROUNDS_NEEDED;
    const double end = lm_now() + rules->budget;
    for (int k = 0; k < count; k++) runner[k].samples = 0, runner[k].out = false;
    if (!first_round(&r)) return false;
    for (r.round = 1; r.round < rounds && left_in(&r) > 1; r.round++) {
        if (r.round >= needed && lm_now() > end) break;
        if (!one_more_round(&r)) return false;
        prune(&r, factor[r.round < FACTORS ? r.round - 1 : FACTORS - 1]);
    }
    return true;
}

/* ---- verdict -------------------------------------------------------------------------------------- */

double lm_timing_seconds(const lm_runner *one) {
    double sorted[LM_SAMPLES];
    memcpy(sorted, one->sample, sizeof sorted);
    return lm_middle(sorted, one->samples);
}

/* How the time of one runner compares with the leader's, round by round. */
typedef struct comparison {
    double ratio;
    double noise; /* by how much the ratio may be off: two standard errors of a median */
} comparison;

/* The square root of a small number, without the mathematical library. */
static double root(int n) {
    double x = n;
    for (int k = 0; k < 20; k++) x = (x + n / x) / 2;
    return x;
}

/* No clock and no machine is quieter than this; and few samples prove little, however well they agree. */
static double least_noise(int samples) { return samples < 16 ? 0.16 / samples : 0.01; }

static comparison compare(const lm_runner *one, const lm_runner *leader) {
    double ratio[LM_SAMPLES], off[LM_SAMPLES];
    const int n = one->samples < leader->samples ? one->samples : leader->samples;
    for (int k = 0; k < n; k++) ratio[k] = one->sample[k] / leader->sample[k];
    comparison c = {.ratio = lm_middle(ratio, n)};
    for (int k = 0; k < n; k++) off[k] = ratio[k] > c.ratio ? ratio[k] - c.ratio : c.ratio - ratio[k];
    c.noise = 3.7 * lm_middle(off, n) / root(n);
    if (c.noise < least_noise(n)) c.noise = least_noise(n);
    return c;
}

/* Samples that a runner must have to beat another one. */
enum { SAMPLES_TO_WIN = 3 };

static bool may_win(const lm_runner *one) { return !one->out && one->samples >= SAMPLES_TO_WIN; }

/* The fastest in comparison with runner 0; that one when none is clearly faster. */
static int fastest(const lm_runner *runner, int count) {
    int best = 0;
    comparison by = {1, 0};
    for (int k = 1; k < count; k++) {
        if (!may_win(&runner[k])) continue;
        const comparison c = compare(&runner[k], &runner[0]);
        if (c.ratio >= by.ratio) continue;
        best = k;
        by = c;
    }
    return by.ratio < 1 - by.noise ? best : 0;
}

int lm_timing_winner(const lm_runner *runner, int count) {
    const int best = runner[0].samples >= SAMPLES_TO_WIN ? fastest(runner, count) : 0;
    for (int k = 1; k < best; k++) {
        if (!may_win(&runner[k])) continue;
        const comparison c = compare(&runner[k], &runner[best]);
        if (c.ratio <= 1 + c.noise && compare(&runner[k], &runner[0]).ratio < 1) return k;
    }
    return best;
}

int lm_timing_second(const lm_runner *runner, int count, int winner) {
    int second = -1;
    for (int k = 0; k < count; k++) {
        if (k == winner || runner[k].samples == 0) continue;
        if (second < 0 || lm_timing_seconds(&runner[k]) < lm_timing_seconds(&runner[second])) second = k;
    }
    return second;
}
