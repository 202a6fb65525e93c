/* SPDX-License-Identifier: BSD-3-Clause */
/* Contiguous copies of several sizes. */
#include "bench_roofline.h"

#include <stdio.h>

#include "bench_baseline.h"
#include "bench_json.h"
#include "bench_time.h"
#include "lib/threads.h"

static const size_t sizes[] = {64 << 10, 1 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20, 256 << 20};
enum { SIZES = sizeof sizes / sizeof *sizes };

static int measure(size_t bytes, int threads, lm_arena *arena, double min_seconds, double *ns) {
    char reason[256];
    if (lm_arena_reserve(arena, 2 * bytes, 0, reason, sizeof reason)) {
        fprintf(stderr, "lmad-bench: %s\n", reason);
        return -1;
    }
    lm_span span = {arena->block, arena->block + bytes, bytes, threads};
    lm_contender contender[LM_BASELINES] = {{0}};
    for (int k = 0; k < LM_BASELINES; k++)
        contender[k] = (lm_contender){.work = lm_baseline[k], .arg = &span};
    if (lm_race(contender, LM_BASELINES, min_seconds)) return -1;
    for (int k = 0; k < LM_BASELINES; k++) ns[k] = contender[k].median_ns;
    return 0;
}

/* Bytes read and written. */
static void print_row(size_t bytes, int threads, const double *ns) {
    printf("%9zu KiB %7d", bytes >> 10, threads);
    for (int k = 0; k < LM_BASELINES; k++) printf(" %12.1f", 2 * (double)bytes / ns[k]);
    putchar('\n');
}

static int measure_all(int threads, lm_arena *arena, const lm_bench_options *options) {
    double ns[LM_BASELINES];
    for (int k = 0; k < SIZES; k++) {
        if (measure(sizes[k], threads, arena, options->min_seconds, ns)) return -1;
        if (options->json)
            lm_json_roofline(sizes[k], threads, ns);
        else
            print_row(sizes[k], threads, ns);
        fflush(stdout);
    }
    return 0;
}

int lm_bench_roofline(lm_arena *arena, const lm_bench_options *options) {
    const int threads = options->threads ? options->threads : lm_threads_cores();
    if (!options->json) {
        printf("%13s %7s", "a side", "threads");
        for (int k = 0; k < LM_BASELINES; k++) printf(" %7s GB/s", lm_baseline_name[k]);
        putchar('\n');
    }
    if (measure_all(1, arena, options)) return -1;
    return threads > 1 ? measure_all(threads, arena, options) : 0;
}
