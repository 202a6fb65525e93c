/* SPDX-License-Identifier: BSD-3-Clause */
/* Collecting candidates, the field of the race, and the verdict. */
#define _GNU_SOURCE 1
#include "search.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "scale.h"
#include "timing.h"

/* Bytes a side of what is timed. */
enum { SCRATCH_CAP = 64 << 20 };

const lm_search_limits *lm_search_limits_of(int effort) {
    static const lm_search_limits limits[] = {[LMAD_ESTIMATE] = {1, 0},
                                              [LMAD_MEASURE] = {12, 0.4},
                                              [LMAD_PATIENT] = {64, 2},
                                              [LMAD_EXHAUSTIVE] = {256, 8}};
    return &limits[effort];
}

/* ---- collecting ----------------------------------------------------------------------------------- */

typedef struct list {
    lm_candidate *item;
    int count, capacity;
    bool no_memory;
} list;

static bool collect(void *arg, const lm_step *step) {
    list *l = arg;
    if (l->count == l->capacity) {
        const int capacity = l->capacity ? 2 * l->capacity : 256;
        lm_candidate *more = realloc(l->item, (size_t)capacity * sizeof *more);
        if (!more) return l->no_memory = true, false;
        l->item = more;
        l->capacity = capacity;
    }
    l->item[l->count++] = (lm_candidate){step->kind, step->params, step->seconds};
    return true;
}

/* By estimate; equal ones in an order that does not depend on the machine's sort. */
static int by_estimate(const void *a, const void *b) {
    const lm_candidate *x = a, *y = b;
    if (x->seconds != y->seconds) return x->seconds < y->seconds ? -1 : 1;
    for (int k = 0; k < 2; k++)
        if (x->params.tile[k] != y->params.tile[k]) return x->params.tile[k] < y->params.tile[k] ? -1 : 1;
    return (int)x->params.order - (int)y->params.order;
}

/* ---- the field ------------------------------------------------------------------------------------ */

static bool same_sort(const lm_candidate *a, const lm_candidate *b) {
    return a->kind == b->kind && a->params.stream == b->params.stream &&
           a->params.threads == b->params.threads;
}

/* The model may be wrong about a whole sort of candidates, so a few places are for the best of each sort. */
static bool is_first_of_sort(const list *l, int at) {
    for (int k = 0; k < at; k++)
        if (same_sort(&l->item[k], &l->item[at])) return false;
    return true;
}

enum { HOPELESS = 5 }; /* times the best estimate */

/* Move the candidates that will be timed to the front of a sorted list; how many there are. The first stays.
 */
static int pick_field(list *l, int places) {
    const int by_rank = places / 2;
    const double hopeless = l->item[0].seconds * HOPELESS;
    int count = l->count < by_rank ? l->count : by_rank;
    for (int k = count; k < l->count && count < places; k++) {
        if (l->item[k].seconds > hopeless) break;
        if (!is_first_of_sort(l, k)) continue;
        const lm_candidate c = l->item[k];
        for (int i = k; i > count; i--) l->item[i] = l->item[i - 1];
        l->item[count++] = c;
    }
    return l->count < places ? l->count : places;
}

/* The estimate's choice leads the list, whatever a wider search takes to be cheaper. */
static void lead(list *l, const lm_step *estimate) {
    const lm_candidate first = {estimate->kind, estimate->params, estimate->seconds};
    int at = 0;
    while (at < l->count &&
           !(l->item[at].kind == first.kind && lm_params_equal(&l->item[at].params, &first.params)))
        at++;
    if (at == l->count) at = l->count - 1; /* cannot be: an estimate is always among the candidates */
    for (; at > 0; at--) l->item[at] = l->item[at - 1];
    l->item[0] = first;
}

/* ---- one search at a time ------------------------------------------------------------------------- */

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* A search takes long, so that a fork does not wait for its end; the thread that ran it is not in the child.
 */
static void in_child(void) { turn = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }

bool lm_search_take_turn(double deadline) {
    const struct timespec nap = {0, 200000};
    if (deadline <= 0) return pthread_mutex_lock(&turn) == 0;
    while (pthread_mutex_trylock(&turn) != 0) {
        if (lm_now() >= deadline) return false;
        nanosleep(&nap, NULL);
    }
    return true;
}

void lm_search_leave_turn(void) { pthread_mutex_unlock(&turn); }

/* ---- the race ------------------------------------------------------------------------------------- */

/* Everything about one search. */
typedef struct search {
    const lm_problem *problem;
    const lm_search_rules *rules;
    lm_problem scaled;
    list all;
    lm_runner *runner;
    lm_step *step; /* of each runner */
    int field;
    lm_scratch scratch;
} search;

static void line_up(search *s) {
    for (int k = 0; k < s->field; k++) {
        const lm_candidate *c = &s->all.item[k];
        const lm_params params = lm_scale_params(s->problem, &s->scaled, &c->params);
        lm_planner_make(&s->step[k], c->kind, &s->scaled, &params);
        s->runner[k].predicted = s->step[k].seconds;
    }
}

static double run_step(void *arg, int k, int64_t repeats) {
    const search *s = arg;
    const double start = lm_now();
    for (int64_t i = 0; i < repeats; i++)
        lm_step_run(&s->step[k], s->rules->settings, s->scratch.dst, s->scratch.src);
    return (lm_now() - start) / (double)repeats;
}

/* What was timed on the scaled problem, for the whole one. */
static double full_seconds(const search *s, const lm_runner *one) {
    return lm_timing_seconds(one) * ((double)s->problem->payload / (double)s->scaled.payload);
}

static void judge(const search *s, lm_step *out, lm_finding *finding) {
    const int winner = lm_timing_winner(s->runner, s->field),
              second = lm_timing_second(s->runner, s->field, winner);
    const lm_candidate *best = &s->all.item[winner];
    if (winner > 0) lm_planner_make(out, best->kind, s->problem, &best->params);
    if (s->runner[winner].samples) finding->seconds = full_seconds(s, &s->runner[winner]);
    if (second >= 0) {
        finding->runner_up = s->all.item[second];
        finding->runner_up.seconds = full_seconds(s, &s->runner[second]);
    }
    finding->candidates = s->field;
}

/* With the turn taken and the candidates collected. */
static void race(search *s, lm_step *out, lm_finding *finding) {
    const double clock_grain = 100e-6; /* its own cost and grain must vanish in a sample */
    const lm_timing_rules rules = {s->rules->deadline, lm_search_limits_of(s->rules->effort)->budget, clock_grain, run_step, s};
    const lm_scratch_result got = lm_scratch_open(&s->scratch, &s->scaled, rules.deadline);
    finding->source = got == LM_SCRATCH_LATE ? LMAD_SOURCE_TIMED_OUT : LMAD_SOURCE_ESTIMATED;
    if (got != LM_SCRATCH_OK) return;
    line_up(s);
    const bool through = lm_timing_race(s->runner, s->field, &rules);
    judge(s, out, finding);
    finding->source = through ? LMAD_SOURCE_MEASURED : LMAD_SOURCE_TIMED_OUT;
    lm_scratch_close(&s->scratch);
}

void lm_search(const lm_problem *problem, const lm_search_rules *rules, lm_step *out, lm_finding *finding) {
    search s = {.problem = problem, .rules = rules};
    *finding = (lm_finding){.source = LMAD_SOURCE_ESTIMATED};
    lm_planner_choose(problem, out);
    if (rules->deadline > 0 && lm_now() >= rules->deadline) {
        finding->source = LMAD_SOURCE_TIMED_OUT;
        return;
    }
    const int wide = rules->effort > LMAD_PATIENT ? rules->effort : LMAD_PATIENT; /* looking costs little */
    lm_planner_each(problem, wide, collect, &s.all);
    if (s.all.count == 0 || s.all.no_memory) goto free_list;
    qsort(s.all.item, (size_t)s.all.count, sizeof *s.all.item, by_estimate);
    lead(&s.all, out);
    s.field = pick_field(&s.all, lm_search_limits_of(rules->effort)->field);
    s.runner = malloc((size_t)s.field * sizeof *s.runner);
    s.step = malloc((size_t)s.field * sizeof *s.step);
    if (!s.runner || !s.step) goto free_runners;
    lm_scale_problem(problem, SCRATCH_CAP, &s.scaled);
    if (lm_search_take_turn(rules->deadline)) {
        race(&s, out, finding);
        lm_search_leave_turn();
    } else {
        finding->source = LMAD_SOURCE_TIMED_OUT;
    }

free_runners:
    free(s.step);
    free(s.runner);
free_list:
    free(s.all.item);
}
