/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels in the cache, except those with streaming stores, which are for what does not fit there. */
#include "bench_kernels.h"

#include <stdio.h>
#include <string.h>

#include "bench_json.h"
#include "bench_time.h"
#include "lib/cpu.h"
#include "naive.h"

/* Bytes that a tile copies, about. */
enum { CACHED_BYTES = 16 << 10, STREAMED_BYTES = 32 << 20, ROW_BYTES = 1024, ROW_GAP = 64 };

/* What kernels that take any run are timed with. */
static const int64_t usual_runs[] = {1, 2, 4, 8, 12, 16};

/* The argument of run_kernel(). */
typedef struct call {
    const lm_kernel *kernel;
    const lm_tile *tile;
    char *dst;
    const char *src;
} call;

static void run_kernel(void *arg, int64_t repeats) {
    const call *c = arg;
    for (; repeats > 0; repeats--) {
        c->kernel->fn(c->dst, c->src, c->tile);
        if (c->kernel->stream) lm_kernel_fence();
    }
}

/* The argument of run_plain(). */
typedef struct plain_call {
    lm_naive nest;
    char *dst;
    const char *src;
} plain_call;

static void run_plain(void *arg, int64_t repeats) {
    const plain_call *c = arg;
    for (; repeats > 0; repeats--) {
        lm_naive_run(&c->nest, c->dst, c->src);
        lm_keep();
    }
}

/* What somebody writes for the tile: a loop over elements, which are runs, or words where a run is a row's
 * byte. */
static lm_naive plain_nest(const lm_tile *t, lm_pattern pattern) {
    const int64_t size = pattern == LM_ROWS ? 8 : t->run, n0 = t->n0 * t->run / size;
    const int64_t ds0 = pattern == LM_ROWS ? 1 : t->ds0 / size, ss0 = pattern == LM_ROWS ? 1 : t->ss0 / size;
    const lmad_desc dst = {2, 0, {{t->n1, t->ds1 / size}, {n0, ds0}}};
    const lmad_desc src = {2, 0, {{t->n1, t->ss1 / size}, {n0, ss0}}};
    lm_naive nest;
    lm_naive_make(&nest, &dst, &src, (size_t)size);
    return nest;
}

/* n0 runs along axis 0, and as many along axis 1 as make up the bytes. */
static lm_tile tile_for(const lm_kernel *kernel, int64_t run) {
    const int64_t n0 = kernel->pattern == LM_ROWS ? ROW_BYTES : 64;
    const int64_t all = (kernel->stream ? STREAMED_BYTES : CACHED_BYTES) / (n0 * run), n1 = all ? all : 1;
    const int64_t dense = n0 * run, sparse = 3 * dense;
    lm_tile t = {.run = run, .n0 = n0, .ds0 = run, .ss0 = run, .n1 = n1, .ds1 = dense, .ss1 = dense};
    switch (kernel->pattern) {
    case LM_ROWS: t.ss1 += ROW_GAP; break;
    case LM_GATHER: t.ss0 = 3 * run, t.ss1 = sparse; break;
    case LM_SCATTER: t.ds0 = 3 * run, t.ds1 = sparse; break;
    case LM_REVERSE: t.ss0 = -run; break;
    case LM_FILL: t.ss0 = t.ss1 = 0; break;
    case LM_EXCHANGE:
    case LM_TRANSPOSE: t.ss0 = n1 * run, t.ss1 = run; break;
    case LM_SWAP: break;
    default: t.ds0 = t.ss0 = 3 * run, t.ds1 = t.ss1 = sparse;
    }
    return t;
}

static int64_t axis_reach(int64_t n, int64_t stride) { return (n - 1) * (stride < 0 ? -stride : stride); }

/* Runs the kernel and the plain loop on one tile, each with sides of its own, for an exchange writes to both
 * (and moves twice as much as the loop); compares and times them. */
static int measure(lm_kernel_row *row, lm_arena *arena, double min_seconds) {
    char reason[256];
    const lm_tile *t = &row->tile;
    const size_t page = LM_GUARD;
    const size_t dst =
        (size_t)(t->run + axis_reach(t->n0, t->ds0) + axis_reach(t->n1, t->ds1) + LM_GUARD) & -page;
    const size_t src =
        (size_t)(t->run + axis_reach(t->n0, t->ss0) + axis_reach(t->n1, t->ss1) + LM_GUARD) & -page;
    if (lm_arena_reserve(arena, 2 * (dst + src), 0, reason, sizeof reason)) {
        fprintf(stderr, "lmad-bench: %s: %s\n", row->kernel->name, reason);
        return -1;
    }
    char *source = arena->block + 2 * dst;
    for (size_t i = 0; i < src; i++) source[i] = source[src + i] = (char)(i * 31 + (i >> 8) + 1);
    if (t->ss0 < 0) source += axis_reach(t->n0, t->ss0);
    call mine = {row->kernel, t, arena->block, source};
    plain_call other = {plain_nest(t, row->kernel->pattern), arena->block + dst, source + src};
    memset(arena->block, 0x5a, 2 * dst);
    run_kernel(&mine, 1);
    run_plain(&other, 1);
    row->right = !memcmp(mine.dst, other.dst, dst);

    lm_contender contender[] = {{.work = run_kernel, .arg = &mine}, {.work = run_plain, .arg = &other}};
    if (lm_race(contender, 2, min_seconds)) return -1;
    row->median_ns = contender[0].median_ns;
    row->plain_ns = contender[1].median_ns;
    return 0;
}

static void print_kernel(const lm_kernel_row *row, const lm_bench_options *options) {
    if (options->json) {
        lm_json_kernel(row);
        return;
    }
    printf("%-28s %-7s %4d %10lld %12.1f %12.1f %8.2f %8.2f  %s\n", row->kernel->name,
           lm_isa_name(row->kernel->isa), (int)row->tile.run, (long long)row->bytes, row->median_ns,
           row->plain_ns, row->plain_ns / row->median_ns, 2 * (double)row->bytes / row->median_ns,
           row->right ? "yes" : "WRONG");
}

/* 0, or -1 when the kernel could not be timed or was wrong. */
static int run_one(const lm_kernel *kernel, int64_t run, lm_arena *arena, const lm_bench_options *options) {
    lm_kernel_row row = {.kernel = kernel, .tile = tile_for(kernel, run)};
    row.bytes = run * row.tile.n0 * row.tile.n1;
    if (measure(&row, arena, options->min_seconds)) return -1;
    print_kernel(&row, options);
    fflush(stdout);
    return row.right ? 0 : -1;
}

int lm_bench_kernels(lm_arena *arena, const lm_bench_options *options) {
    int count, failed = 0;
    const lm_kernel *list = lm_kernel_list(&count);
    if (!options->json)
        printf("%-28s %-7s %4s %10s %12s %12s %8s %8s  %s\n", "kernel", "isa", "run", "bytes", "ns",
               "plain ns", "/plain", "GB/s", "right");
    for (int k = 0; k < count; k++) {
        const int runs = list[k].run ? 1 : (int)(sizeof usual_runs / sizeof *usual_runs);
        if (!lm_isa_supported(list[k].isa)) continue;
        for (int r = 0; r < runs; r++)
            failed += run_one(&list[k], list[k].run ? list[k].run : usual_runs[r], arena, options) != 0;
    }
    return failed;
}
