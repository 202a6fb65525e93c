/* SPDX-License-Identifier: BSD-3-Clause */
/* Clock, medians, and interleaved sampling. */
#include "bench_time.h"

#include <stdlib.h>

#include "lib/timing.h"

enum { MIN_ROUNDS = 5, MAX_ROUNDS = 4096, USUAL_ROUNDS = 1000, SLOW_ROUNDS = 3 };

/* The clock's own cost and grain, some 20 ns, must vanish in a sample. */
static const double shortest_sample_ns = 20e3;

/* Calls longer than this are steady, and are sampled SLOW_ROUNDS times only. */
static const double slow_ns = 200e6;

double lm_now_ns(void) { return lm_now() * 1e9; }

static double sample(const lm_contender *c, int64_t repeats) {
    if (c->self_timed) return c->self_timed(c->arg, repeats);
    const double start = lm_now_ns();
    c->work(c->arg, repeats);
    return lm_now_ns() - start;
}

/* How often to call in a sample; 0 for slow work, which takes part in SLOW_ROUNDS. Warms up, too. */
static int64_t calibrate(const lm_contender *c, double target_ns) {
    int64_t repeats = 1;
    double ns = sample(c, 1);
    if (ns > slow_ns || c->once) return 0;
    while (ns < target_ns && repeats < INT64_C(1) << 40) {
        ns = sample(c, repeats);
        if (ns >= target_ns / 4) return (int64_t)((double)repeats * target_ns / ns) + 1;
        repeats *= 2;
    }
    return repeats;
}

static void run_round(double (*taken)[MAX_ROUNDS], const lm_contender *contender, int count,
                      const int64_t *repeats, int round) {
    for (int k = 0; k < count; k++) {
        const int64_t calls = repeats[k] ? repeats[k] : 1;
        if (repeats[k] || round < SLOW_ROUNDS) taken[k][round] = sample(&contender[k], calls) / (double)calls;
    }
}

int lm_race(lm_contender *contender, int count, double min_seconds) {
    double(*taken)[MAX_ROUNDS] = malloc((size_t)count * sizeof *taken);
    int64_t repeats[LM_CONTENDERS];
    if (!taken) return -1;

    const double share_ns = min_seconds * 1e9 / USUAL_ROUNDS / count;
    const double target_ns = share_ns > shortest_sample_ns ? share_ns : shortest_sample_ns;
    for (int k = 0; k < count; k++) repeats[k] = calibrate(&contender[k], target_ns);

    const double end = lm_now_ns() + min_seconds * 1e9;
    int rounds = 0;
    for (; rounds < MAX_ROUNDS && (rounds < MIN_ROUNDS || lm_now_ns() < end); rounds++)
        run_round(taken, contender, count, repeats, rounds);

    for (int k = 0; k < count; k++) {
        contender[k].median_ns = lm_middle(taken[k], repeats[k] ? rounds : SLOW_ROUNDS);
        contender[k].min_ns = taken[k][0];
    }
    free(taken);
    return 0;
}
