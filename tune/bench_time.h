/* SPDX-License-Identifier: BSD-3-Clause */
/* Timing by interleaved samples: every contender runs once a round, so that whatever else the machine does
 * hits all of them alike. */
#ifndef LM_BENCH_TIME_H
#define LM_BENCH_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* Do the work this many times in a row. */
typedef void lm_sampled(void *arg, int64_t repeats);

/* The same by another clock: nanoseconds of all of it. */
typedef double lm_self_timed(void *arg, int64_t repeats);

/* What takes part, and how it fared (nanoseconds a call). */
typedef struct lm_contender {
    lm_sampled *work;
    lm_self_timed *self_timed; /* in place of work, unless NULL */
    bool once;                 /* one call a sample, whatever it takes */
    void *arg;
    double median_ns, min_ns;
} lm_contender;

enum { LM_CONTENDERS = 8 };

double lm_now_ns(void);

/* Run the contenders (LM_CONTENDERS at most) in turn, at least 5 rounds (3 for calls beyond 0.2 s) and about
 * min_seconds altogether.
 * Short work is repeated within a sample. 0, or -1 when memory is exhausted. */
int lm_race(lm_contender *contender, int count, double min_seconds);

/* Keep the compiler from merging two rounds of one loop. */
static inline void lm_keep(void) { __asm__ volatile("" ::: "memory"); }

#endif
