/* SPDX-License-Identifier: BSD-3-Clause */
/* A cost model of launches: memory segments, warp accesses, LDS cycles, whichever takes longest; and the
 * start of a kernel, and how much is in flight where there is little to do. Rates are those of no certain
 * device: they only have to order candidates. */
#include "hip.h"

static const double launch_s = 3e-6, clock_hz = 1.5e9;
static const double memory_unit = 16e9; /* bytes a second that a compute unit gets from memory */
static const double latency_s = 0.7e-6;
static const double access_cycles = 10; /* of 64 threads that compute an address and use it */
static const double unit_cycles[2] = {
    14, 4}; /* of 64 threads that put a unit into a word: from anywhere, in a row */
static const double window_cycles = 30; /* of 64 threads that take what a word has of an element */
static const double exposed = 0.15;     /* of what is not the longest */

static double larger(double a, double b) { return a > b ? a : b; }

/* Threads that are at work at the same time, in all of the device: as many blocks as LDS and waves allow. */
static double threads_at_once(const lm_device *d, const lm_launch *l) {
    const int bytes = lm_hip_lds(l);
    const double waves = 2048.0 / l->block[0], lds = bytes ? 65536.0 / bytes : waves;
    const double most = d->units * (waves < lds ? waves : lds), blocks = (double)l->args.tiles;
    return (blocks < most ? blocks : most) * l->block[0];
}

/* Bytes that a thread asks for before it waits. */
static double thread_bytes(const lm_launch *l) {
    const lm_variant *v = &l->variant;
    const int square =
        v->kernel == LM_HIP_TILE && lm_hip_turn_of(v) == LM_TURN_LOADED ? v->word[LM_DST] / v->unit : 1;
    return (double)(square > v->items ? square : v->items) * v->word[LM_SRC];
}

/* Units, and parts of elements, are put into words by many instructions. */
static double units_cycles(const lm_device *d, const lm_launch *l, int64_t words) {
    const double accesses = (double)words * d->wave / 64,
                 units = accesses * l->variant.word[LM_DST] / l->variant.unit;
    if (l->variant.kernel == LM_HIP_FUNNEL)
        return l->variant.unit == 1 ? accesses * l->args.funnel.parts * window_cycles
                                    : units * unit_cycles[1];
    return l->variant.kernel == LM_HIP_BLOCK ? units * unit_cycles[l->args.in_row] : 0;
}

double lm_hip_cost(const lm_device *d, const lm_launch *l, const int64_t accesses[2]) {
    const double bytes = (double)(l->segments[LM_DST] + l->segments[LM_SRC]) * d->segment;
    const double in_flight = threads_at_once(d, l) * thread_bytes(l);
    double rate = d->units * memory_unit;
    if (in_flight / latency_s < rate) rate = in_flight / latency_s;
    const double cycles = d->units * clock_hz;
    const double memory = bytes / rate;
    const double issue =
        (double)(accesses[LM_DST] + accesses[LM_SRC]) * access_cycles * d->wave / 64 / cycles;
    const double lds = (double)l->lds_cycles / cycles + units_cycles(d, l, accesses[LM_DST]) / cycles;
    const double longest = larger(memory, larger(issue, lds));
    return launch_s + longest + (memory + issue + lds - longest) * exposed;
}
