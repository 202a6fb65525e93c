/* SPDX-License-Identifier: BSD-3-Clause */
/* Timing on memory of the planner's own: clock, scratch, and a race. */
#ifndef LM_TIMING_H
#define LM_TIMING_H

#include "planner.h"

/* Seconds of a clock that never goes back. */
double lm_now(void);

/* For tests: let lm_now() ask this clock; NULL = the system's again. Not to be called while anybody plans. */
void lm_now_from(double (*clock)(void));

/* Has a deadline come? 0 = there is none. */
static inline bool lm_is_past(double deadline) { return deadline > 0 && lm_now() >= deadline; }

/* The median of count >= 1 values, which are sorted. */
double lm_middle(double *value, int count);

/* Whoever times anything takes its turn, for two at once would time each other. False when that takes until
 * the deadline (0 = none). */
bool lm_timing_take_turn(double deadline);
void lm_timing_leave_turn(void);

/* Memory for both sides of a problem: touched, and not zero. Pointers are at the start of a page, but for
 * what offsets below 0 ask for. */
typedef struct lm_scratch {
    void *block;
    char *dst, *src; /* to execute with, or up to LM_SCRATCH_SLACK pages further on */
} lm_scratch;

/* How pages share the sets of a cache is chance: one place may suit one candidate. */
enum { LM_SCRATCH_SLACK = 31, LM_SCRATCH_PAGE = 4096 };

typedef enum lm_scratch_result { LM_SCRATCH_OK, LM_SCRATCH_NO_MEMORY, LM_SCRATCH_LATE } lm_scratch_result;

/* Get it and write to all of it, unless that takes until the deadline (lm_now(); 0 = none). On anything but
 * LM_SCRATCH_OK there is nothing to free. */
lm_scratch_result lm_scratch_open(lm_scratch *scratch, const lm_problem *problem, double deadline);
void lm_scratch_close(lm_scratch *scratch);

/* From now on keep the memory for the next one, or do not any more and free it: for programs that do little
 * else than search. One scratch is open at a time; not to be called while a search is running. */
void lm_scratch_keep(bool keep);

enum { LM_SAMPLES = 61 };

/* One of those in a race. The caller sets predicted; everything else is the race's. */
typedef struct lm_runner {
    double predicted;          /* seconds an execution */
    double sample[LM_SAMPLES]; /* seconds an execution; all runners of a round ran right after one another */
    int samples;
    int64_t repeats; /* executions a sample */
    bool out;        /* pruned */
} lm_runner;

/* Limits of a race, and who runs. */
typedef struct lm_timing_rules {
    double deadline;   /* no sample that is expected to end after it is begun; 0 = none */
    double budget;     /* seconds after which there are no more rounds than needed for a verdict */
    int rounds;        /* at most; 0 = LM_SAMPLES */
    int needed;        /* for a verdict, when samples are long; 0 = 4 */
    double shortest;   /* seconds: shorter executions are repeated within a sample */
    double warm_below; /* seconds: samples shorter than this are taken right after a run that does not count,
                          for what the runner before has left in the caches would flatter one runner in every
                          round */
    /* Runner k, so often: seconds an execution; < 0 = it cannot. */
    double (*run)(void *arg, int k, int round, int64_t repeats);
    void *arg;
} lm_timing_rules;

/* Run them in turn, again and again; runner 0 is the one to beat and is never pruned, the others are
 * when they are clearly slower. False when the deadline, or a runner that cannot run, ended it. */
bool lm_timing_race(lm_runner *runner, int count, const lm_timing_rules *rules);

/* Which runner has won: runner 0 unless another one was faster in the same rounds by more than the noise. Of
 * those that the noise does not tell from the fastest one it is the first, so that the order of runners
 * decides, and not luck. */
int lm_timing_winner(const lm_runner *runner, int count);

/* The fastest of the others; -1 when no other one was timed. */
int lm_timing_second(const lm_runner *runner, int count, int winner);

/* The time of a runner with at least one sample. */
double lm_timing_seconds(const lm_runner *runner);

#endif
