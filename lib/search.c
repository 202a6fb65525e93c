/* SPDX-License-Identifier: BSD-3-Clause */
/* Collecting candidates, the field of the race, and the verdict. */
#include "search.h"

#include <stdlib.h>

#include "scale.h"
#include "timing.h"

/* Bytes a side of what is timed. */
enum { SCRATCH_CAP = 64 << 20 };

const lm_search_limits *lm_search_limits_of(int effort) {
    static const lm_search_limits limits[] = {[LMAD_ESTIMATE] = {1, 0},
                                              [LMAD_MEASURE] = {20, 0.5},
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

/* Move an item forwards; those that it passes keep their order. */
static void promote(list *l, int from, int to) {
    const lm_candidate c = l->item[from];
    for (int i = from; i > to; i--) l->item[i] = l->item[i - 1];
    l->item[to] = c;
}

static int find(const list *l, int from, const lm_candidate *c) {
    while (from < l->count &&
           !(l->item[from].kind == c->kind && lm_params_equal(&l->item[from].params, &c->params)))
        from++;
    return from;
}

/* Are two extents of tiles less than this factor apart? */
static bool close_to(int64_t a, int64_t b, int factor) { return a < factor * b && b < factor * a; }

/* Are two candidates the same but for tiles that are less than this factor apart, and perhaps for the order?
 */
static bool similar(const lm_candidate *a, const lm_candidate *b, int factor) {
    return same_sort(a, b) && a->params.inner == b->params.inner && a->params.outer == b->params.outer &&
           close_to(a->params.tile[0], b->params.tile[0], factor) &&
           close_to(a->params.tile[1], b->params.tile[1], factor);
}

/* Is it nearly the same as one of the first ones? */
static bool stands_for_another(const list *l, int at, int count) {
    for (int k = 0; k < count; k++)
        if (l->item[k].params.order == l->item[at].params.order && similar(&l->item[k], &l->item[at], 2))
            return true;
    return false;
}

/* Promote by estimate until there are so many; those that differ first. */
static int fill_field(list *l, int count, int places, double hopeless) {
    for (int k = count; k < l->count && count < places && l->item[k].seconds <= hopeless; k++)
        if (!stands_for_another(l, k, count)) promote(l, k, count++);
    return count;
}

/* Move the candidates that will be timed to the front of a list that is sorted by estimate; how many there
 * are. First comes the estimate's choice, then what plan kinds propose without a search, for these are the
 * shapes that have proved their worth; the rest by estimate, and a few of other sorts. */
static int pick_field(list *l, const lm_candidate *estimate, const list *proposals, int places) {
    int count = 0;
    const int at = find(l, 0, estimate);
    if (at < l->count) promote(l, at, count++);
    const double hopeless = l->item[0].seconds * HOPELESS;
    for (int k = 0; k < proposals->count && count < places * 2 / 3; k++) {
        const int found = find(l, count, &proposals->item[k]);
        if (found < l->count && l->item[found].seconds <= hopeless) promote(l, found, count++);
    }
    count = fill_field(l, count, count + (places - count) / 2, hopeless);
    for (int k = count; k < l->count && count < places; k++) {
        if (l->item[k].seconds > hopeless) break;
        if (is_first_of_sort(l, k)) promote(l, k, count++);
    }
    fill_field(l, count, places, hopeless);
    return l->count < places ? l->count : places;
}

/* ---- the race ------------------------------------------------------------------------------------- */

/* Everything about one search. */
typedef struct search {
    const lm_problem *problem;
    const lm_search_rules *rules;
    lm_problem scaled;
    list proposals, all;
    lm_runner *runner;
    lm_step *step; /* of each runner */
    int field;     /* the first so many of all are timed in the heat at hand */
    int timed;     /* in all heats */
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

/* Each round elsewhere in the scratch, all of its runners at the same place. */
static double run_step(void *arg, int k, int round, int64_t repeats) {
    const search *s = arg;
    char *dst = s->scratch.dst + round * 11 % (LM_SCRATCH_SLACK + 1) * LM_SCRATCH_PAGE;
    const char *src = s->scratch.src + round * 19 % (LM_SCRATCH_SLACK + 1) * LM_SCRATCH_PAGE;
    const double start = lm_now();
    for (int64_t i = 0; i < repeats; i++) lm_step_run(&s->step[k], s->rules->settings, dst, src);
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
    lm_planner_make(out, best->kind, s->problem, &best->params);
    if (s->runner[winner].samples) finding->seconds = full_seconds(s, &s->runner[winner]);
    if (second >= 0) {
        finding->runner_up = s->all.item[second];
        finding->runner_up.seconds = full_seconds(s, &s->runner[second]);
    }
}

/* Who is still in it after a heat, by time, and what lies around the fastest; then by estimate, for of those
 * that noise does not tell apart the first one wins. The estimate's choice stays the one to beat. */
enum { FINALISTS = 6, NEIGHBOURS = 10, FINAL = 1 + FINALISTS + NEIGHBOURS, AROUND = 3 };

static int fastest_from(const search *s, int from) {
    int best = -1;
    for (int k = from; k < s->field; k++) {
        if (s->runner[k].out || s->runner[k].samples == 0) continue;
        if (best < 0 || lm_timing_seconds(&s->runner[k]) < lm_timing_seconds(&s->runner[best])) best = k;
    }
    return best;
}

/* Move a runner along with its candidate. */
static void promote_runner(search *s, int from, int to) {
    const lm_runner r = s->runner[from];
    promote(&s->all, from, to);
    for (int i = from; i > to; i--) s->runner[i] = s->runner[i - 1];
    s->runner[to] = r;
}

/* The field of the final, in front of the list. */
static void pick_finalists(search *s) {
    list *l = &s->all;
    int count = 1, k;
    while (count <= FINALISTS && (k = fastest_from(s, count)) >= 0) promote_runner(s, k, count++);
    const bool beaten = count > 1 && lm_timing_seconds(&s->runner[1]) < lm_timing_seconds(&s->runner[0]);
    const lm_candidate best = l->item[beaten];
    const int most = count + NEIGHBOURS, finalists = count;
    for (k = s->field; k < l->count && count < most; k++)
        if (similar(&best, &l->item[k], AROUND)) promote(l, k, count++);
    if (count > 2) qsort(l->item + 1, (size_t)(count - 1), sizeof *l->item, by_estimate);
    s->timed += count - finalists;
    s->field = count;
}

static bool run_heat(search *s, int rounds, int needed) {
    const lm_timing_rules rules = {.deadline = s->rules->deadline,
                                   .budget = lm_search_limits_of(s->rules->effort)->budget,
                                   .rounds = rounds,
                                   .needed = needed,
                                   .shortest = 100e-6, /* the clock's own cost and grain must vanish in it */
                                   .warm_below = 5e-3,
                                   .run = run_step,
                                   .arg = s};
    line_up(s);
    return lm_timing_race(s->runner, s->field, &rules);
}

enum { ROUNDS_OF_HEAT = 9, NEEDED_IN_HEAT = 2, NEEDED_IN_FINAL = 4 };

/* With the turn taken and the candidates collected. A heat tells who is fast; a final among these, where luck
 * in the heat does not count, who is the fastest. */
static void race(search *s, lm_step *out, lm_finding *finding) {
    const lm_scratch_result got = lm_scratch_open(&s->scratch, &s->scaled, s->rules->deadline);
    finding->source = got == LM_SCRATCH_LATE ? LMAD_SOURCE_TIMED_OUT : LMAD_SOURCE_ESTIMATED;
    if (got != LM_SCRATCH_OK) return;
    s->timed = s->field;
    bool through = run_heat(s, ROUNDS_OF_HEAT, NEEDED_IN_HEAT);
    judge(s, out, finding);
    if (through) {
        pick_finalists(s);
        through = run_heat(s, LM_SAMPLES, NEEDED_IN_FINAL);
        if (through) judge(s, out, finding);
    }
    finding->candidates = s->timed;
    finding->source = through ? LMAD_SOURCE_MEASURED : LMAD_SOURCE_TIMED_OUT;
    lm_scratch_close(&s->scratch);
}

static void sort(list *l) {
    if (l->count) qsort(l->item, (size_t)l->count, sizeof *l->item, by_estimate);
}

/* Collect the candidates and put the field in front; looking at many costs little. */
static bool line_up_all(search *s, const lm_step *estimate) {
    const lm_candidate first = {estimate->kind, estimate->params, estimate->seconds};
    lm_planner_each(s->problem, LMAD_MEASURE, collect, &s->proposals);
    lm_planner_each(s->problem, LMAD_EXHAUSTIVE, collect, &s->all);
    if (s->all.count == 0 || s->all.no_memory || s->proposals.no_memory) return false;
    sort(&s->proposals);
    sort(&s->all);
    s->field = pick_field(&s->all, &first, &s->proposals, lm_search_limits_of(s->rules->effort)->field);
    return true;
}

void lm_search(const lm_problem *problem, const lm_search_rules *rules, lm_step *out, lm_finding *finding) {
    search s = {.problem = problem, .rules = rules};
    *finding = (lm_finding){.source = LMAD_SOURCE_ESTIMATED};
    lm_planner_choose(problem, out);
    if (lm_is_past(rules->deadline)) {
        finding->source = LMAD_SOURCE_TIMED_OUT;
        return;
    }
    if (!line_up_all(&s, out)) goto free_lists;
    const size_t most = (size_t)(s.field > FINAL ? s.field : FINAL);
    s.runner = malloc(most * sizeof *s.runner);
    s.step = malloc(most * sizeof *s.step);
    if (!s.runner || !s.step) goto free_runners;
    lm_scale_problem(problem, SCRATCH_CAP, &s.scaled);
    if (lm_timing_take_turn(rules->deadline)) {
        race(&s, out, finding);
        lm_timing_leave_turn();
    } else {
        finding->source = LMAD_SOURCE_TIMED_OUT;
    }

free_runners:
    free(s.step);
    free(s.runner);
free_lists:
    free(s.proposals.item);
    free(s.all.item);
}
