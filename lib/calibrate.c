/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes of this machine. None of them is exactly what the cost model speaks of: each is compared with what
 * it gave on the machine that the usual values are right for, and the value changes in proportion. */
#include "calibrate.h"

#include <stdint.h>
#include <string.h>

#include "cpu.h"
#include "kernels/host/kernel.h"
#include "machine.h"
#include "threads.h"
#include "timing.h"

/* What a calibration takes at most on a machine that does nothing else; with less left none is begun. */
static const double most_seconds = 0.3;

/* What probes work on: larger than the caches that are believed in, half of it for each side. */
typedef struct bench {
    char *block;
    int64_t size;
    const lm_settings *settings;
    uint64_t place; /* where a random walk goes on */
} bench;

enum { LINE = 64, PAGE = 4096, PIECE = 4096, TOUCHED = 64 << 20, LLC_BELIEVED = 32 << 20 };

/* ---- probes: seconds for `count` things, of which *count says how many ------------------------------- */

static void copy(char *dst, const char *src, int64_t bytes, bool stream) {
    const lm_tile tile = {.run = 1, .n0 = bytes, .ds0 = 1, .ss0 = 1, .n1 = 1};
    lm_kernel_find(LM_ROWS, 1, stream, lm_cpu_isa())->fn(dst, src, &tile);
}

static int64_t cache(int level) {
    const int64_t bytes = lm_machine_get()->cache_bytes[level];
    return bytes > 0 ? bytes : 1 << 20;
}

/* Read `bytes` from offset 0 on, a piece at a time, into the same few lines. */
static void read_all(bench *b, int64_t bytes) {
    char *sink = b->block + b->size - PIECE;
    for (int64_t at = 0; at + PIECE <= bytes && at + 2 * PIECE <= b->size; at += PIECE)
        copy(sink, b->block + at, PIECE, false);
}

static int64_t lines_of_l2(bench *b) {
    const int64_t bytes = cache(1) / 2 / PIECE * PIECE;
    for (int k = 0; k < 4; k++) read_all(b, bytes);
    return 4 * bytes / LINE;
}

static int64_t lines_of_l3(bench *b) {
    const int64_t most = cache(2) < LLC_BELIEVED ? cache(2) : LLC_BELIEVED;
    int64_t bytes = cache(1) * 4 < most / 2 ? cache(1) * 4 : most / 2;
    bytes = bytes / PIECE * PIECE;
    for (int k = 0; k < 2; k++) read_all(b, bytes);
    return 2 * bytes / LINE;
}

static int64_t lines_read(bench *b) {
    read_all(b, b->size);
    return b->size / LINE;
}

static int64_t write_all(bench *b, bool stream) {
    for (int64_t at = PIECE; at < b->size; at += PIECE) copy(b->block + at, b->block, PIECE, stream);
    lm_kernel_fence();
    return b->size / LINE;
}

static int64_t lines_written(bench *b) { return write_all(b, false); }
static int64_t lines_streamed(bench *b) { return write_all(b, true); }

/* One byte of each of `pages` pages, each in another cache set. */
static int64_t touch_pages(bench *b, int64_t pages, int rounds) {
    int sum = 0;
    for (int r = 0; r < rounds; r++)
        for (int64_t k = 0; k < pages; k++)
            sum += *(const volatile char *)(b->block + k * PAGE + k % (PAGE / LINE) * LINE);
    (void)sum;
    return pages * rounds;
}

static int64_t pages_of_tlb(bench *b) { return touch_pages(b, 512, 8); }
static int64_t pages_walked(bench *b) { return touch_pages(b, b->size / PAGE, 1); }

/* Each place depends on what is read at the one before; the bytes are all below 128. */
static int64_t lines_awaited(bench *b) {
    enum { STEPS = 4096 };
    for (int k = 0; k < STEPS; k++) {
        const uint64_t at = (b->place >> 20) % (uint64_t)b->size;
        const unsigned char byte = *(const volatile unsigned char *)(b->block + at);
        b->place = (b->place + (byte >> 7)) * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    }
    return STEPS;
}

static int64_t calls(bench *b) {
    enum { CALLS = 20000 };
    const lm_tile tile = {.run = 1, .n0 = 32, .ds0 = 1, .ss0 = 1, .n1 = 1};
    lm_kernel_fn *fn = lm_kernel_find(LM_ROWS, 1, false, lm_cpu_isa())->fn;
    for (int k = 0; k < CALLS; k++) fn(b->block + k % 64 * 64, b->block + 8192, &tile);
    return CALLS;
}

static void nothing(void *arg, int i) { (void)arg, (void)i; }

static int64_t threads(bench *b) {
    enum { STARTS = 20 };
    for (int k = 0; k < STARTS; k++) lm_parallel(b->settings, 2, nothing, NULL);
    return STARTS;
}

/* ---- from probes to values ------------------------------------------------------------------------------
 */

/* A probe, the value that it is about, and the nanoseconds that it takes where the usual values are right. */
static const struct {
    int64_t (*run)(bench *b);
    size_t at;
    double usual_ns;
} probe[] = {
    {lines_of_l2, offsetof(lm_calibration, l2), 0.73},
    {lines_of_l3, offsetof(lm_calibration, l3), 0.78},
    {lines_read, offsetof(lm_calibration, read), 3.2},
    {lines_written, offsetof(lm_calibration, write), 3.9},
    {lines_streamed, offsetof(lm_calibration, write_stream), 2.27},
    {pages_of_tlb, offsetof(lm_calibration, tlb), 0.57},
    {pages_walked, offsetof(lm_calibration, walk), 6.5},
    {lines_awaited, offsetof(lm_calibration, latency), 174},
    {calls, offsetof(lm_calibration, call), 1.9},
    {threads, offsetof(lm_calibration, thread), 640},
};
enum { PROBES = sizeof probe / sizeof *probe, REPEATS = 5, REPEATS_MORE = 31 };

/* The best of several times: whatever else the machine does only adds to them. The first one does not count. False when
 * the deadline comes before two of them. */
static bool measure(bench *b, int k, int repeats, double deadline, double *ns) {
    double best = 1e9;
    probe[k].run(b);
    for (int i = 0; i < repeats; i++) {
        if (lm_is_past(deadline)) {
            if (i < 2) return false;
            break;
        }
        const double start = lm_now();
        const int64_t count = probe[k].run(b);
        const double took = (lm_now() - start) * 1e9 / (double)count;
        if (took < best) best = took;
    }
    *ns = best;
    return true;
}

/* What is known of this machine so far. */
typedef struct knowledge {
    lm_calibration values;
    int effort; /* 0: nothing; that of the probes up to `next` */
    int next;   /* PROBES: all of them */
} knowledge;

/* The probes that are left, as far as there is time. */
static bool go_on(knowledge *k, bench *b, double deadline) {
    for (; k->next < PROBES; k->next++) {
        double ns;
        if (probe[k->next].run == threads && lm_threads_limit(b->settings) < 2) continue;
        const int repeats = k->effort > LMAD_MEASURE ? REPEATS_MORE : REPEATS;
        if (lm_is_past(deadline) || !measure(b, k->next, repeats, deadline, &ns)) return false;
        double *value = (double *)((char *)&k->values + probe[k->next].at);
        *value *= ns / probe[k->next].usual_ns;
    }
    lm_calibration_clamp(&k->values);
    return true;
}

/* With the turn taken, which guards what is known. */
static bool once(lm_calibration *out, int effort, const lm_settings *settings, double deadline) {
    static knowledge known, under_way;
    if (known.effort < effort) {
        const lm_problem extent = {.dhi = TOUCHED / 2 - 2 * PAGE, .shi = TOUCHED / 2 - 2 * PAGE};
        lm_scratch scratch;
        if (under_way.effort < effort)
            under_way = (knowledge){.values = lm_usual_calibration, .effort = effort};
        if (lm_scratch_open(&scratch, &extent, deadline) != LM_SCRATCH_OK) return false;
        bench b = {scratch.dst, TOUCHED - 4 * PAGE, settings, 1};
        const bool done = go_on(&under_way, &b, deadline);
        lm_scratch_close(&scratch);
        if (!done) return false;
        known = under_way;
        under_way.effort = 0;
    }
    *out = known.values;
    return true;
}

bool lm_calibrate(lm_calibration *out, int effort, const lm_settings *settings, double deadline) {
    if (deadline > 0 && lm_now() + most_seconds > deadline) return false;
    if (!lm_timing_take_turn(deadline)) return false;
    const bool done = once(out, effort, settings, deadline);
    lm_timing_leave_turn();
    return done;
}
