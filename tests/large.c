/* SPDX-License-Identifier: BSD-3-Clause */
/* The problems of reports.json of 2 GiB and more. Element i of a source has a value that follows from i, so
 * results are checked in full without a second copy of anything. What does not fit into the memory that is
 * available is skipped, and said to be. Elements of the problems beyond 16 GiB are cut to one byte: their
 * counts and indices are what broke libraries. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "oracle.h"

enum { PIECE = 4096 }; /* elements compared at a time */

static const int64_t GIB = INT64_C(1) << 30;

/* ---- Values ---- */

/* The bytes of element i: the topmost elem_size bytes of i times an odd number. */
static uint64_t value_of(int64_t i) { return (uint64_t)i * 0x9e3779b97f4a7c15u; }

/* The values of elements i, i + step, ... */
static void write_values(char *out, size_t elem_size, int64_t n, int64_t i, int64_t step) {
    uint64_t value = value_of(i), by = value_of(step);
    switch (elem_size) {
    case 1:
        for (int64_t k = 0; k < n; k++) out[k] = (char)((value + by * (uint64_t)k) >> 56);
        break;
    case 4:
        for (int64_t k = 0; k < n; k++)
            ((uint32_t *)(void *)out)[k] = (uint32_t)((value + by * (uint64_t)k) >> 32);
        break;
    case 8:
        for (int64_t k = 0; k < n; k++) ((uint64_t *)(void *)out)[k] = value + by * (uint64_t)k;
        break;
    default: fprintf(stderr, "element size %zu is not foreseen\n", elem_size); exit(EXIT_FAILURE);
    }
}

/* ---- Rows: the innermost axis of a problem, in pieces ---- */

typedef struct walk {
    const lmad_desc *dst, *src;
    size_t elem_size;
    char *base;  /* of the side that is filled or checked, where its index 0 would be */
    int64_t bad; /* elements that were wrong, the first of them at index: */
    int64_t bad_at;
} walk;

typedef void row_fn(walk *w, int64_t n, int64_t d, int64_t s);

/* Call row for every row of an inner loop over `axis`, the last one. */
static void each_row(walk *w, row_fn *row, int axis, int64_t d, int64_t s) {
    const lmad_dim *a = &w->dst->dim[axis], *b = &w->src->dim[axis];
    if (axis == w->dst->rank - 1) {
        for (int64_t i = 0; i < a->n; i += PIECE)
            row(w, a->n - i < PIECE ? a->n - i : PIECE, d + i * a->stride, s + i * b->stride);
        return;
    }
    for (int64_t i = 0; i < a->n; i++) each_row(w, row, axis + 1, d + i * a->stride, s + i * b->stride);
}

static void check_row(walk *w, int64_t n, int64_t d, int64_t s) {
    static char want[PIECE * 8];
    const int last = w->dst->rank - 1;
    const size_t es = w->elem_size;
    write_values(want, es, n, s, w->src->dim[last].stride);
    if (n == 1 || w->dst->dim[last].stride == 1) {
        if (!memcmp(w->base + d * (int64_t)es, want, (size_t)n * es)) return;
    }
    for (int64_t k = 0; k < n; k++) {
        int64_t at = d + k * w->dst->dim[last].stride;
        if (!memcmp(w->base + at * (int64_t)es, want + (size_t)k * es, es)) continue;
        if (w->bad++ == 0) w->bad_at = at;
    }
}

/* Write the elements of a source that is much larger than what is read of it. */
static void fill_row(walk *w, int64_t n, int64_t d, int64_t s) {
    int64_t stride = w->src->dim[w->src->rank - 1].stride;
    (void)d;
    for (int64_t k = 0; k < n; k++)
        write_values(w->base + (s + k * stride) * (int64_t)w->elem_size, w->elem_size, 1, s + k * stride, 0);
}

/* ---- Blocks: memory for one side, unmapped beyond its ends ---- */

typedef struct block {
    char *map;
    size_t map_size;
    char *base; /* where index 0 is or would be */
    int64_t lo, hi;
} block;

/* The highest element ends at the last page's end. */
static int block_open(block *b, const lmad_desc *d, size_t elem_size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    lm_oracle_bounds(d, &b->lo, &b->hi);
    size_t size = (size_t)(b->hi - b->lo + 1) * elem_size, room = (size + page - 1) / page * page;
    b->map_size = room + 2 * page;
    b->map = mmap(NULL, b->map_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b->map == MAP_FAILED) return -1;
    if (mprotect(b->map + page, room, PROT_READ | PROT_WRITE)) return munmap(b->map, b->map_size), -1;
    madvise(b->map + page, room, MADV_HUGEPAGE);
    b->base = b->map + page + (room - size) - b->lo * (int64_t)elem_size;
    return 0;
}

static void block_close(block *b) { munmap(b->map, b->map_size); }

/* Write the values of a source: all, or, where few are used, only those. */
static void block_fill(block *b, const lm_case *c) {
    walk w = {.dst = &c->dst, .src = &c->src, .elem_size = c->elem_size, .base = b->base};
    int64_t used = 1;
    for (int k = 0; k < c->src.rank; k++) used *= c->src.dim[k].n;
    if (b->hi - b->lo > 4 * used)
        each_row(&w, fill_row, 0, c->dst.offset, c->src.offset);
    else
        write_values(b->base + b->lo * (int64_t)c->elem_size, c->elem_size, b->hi - b->lo + 1, b->lo, 1);
}

/* ---- One problem ---- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Plan and execute from one block to the other, and check everything; 0 when it is right. */
static int copy_and_check(const lm_case *c, block *dst, block *src) {
    lmad_plan *p;
    walk w = {.dst = &c->dst, .src = &c->src, .elem_size = c->elem_size, .base = dst->base};
    lmad_status status = lmad_plan_copy(&p, NULL, &c->dst, &c->src, c->elem_size, LMAD_ESTIMATE);
    if (status == LMAD_OK) {
        status = lmad_execute(p, dst->base, src->base);
        lmad_plan_destroy(p);
    }
    if (status != LMAD_OK) return printf("FAILED: %s\n", lmad_error_detail()), 1;
    each_row(&w, check_row, 0, c->dst.offset, c->src.offset);
    if (w.bad)
        return printf("FAILED: %" PRId64 " wrong elements, the first at index %" PRId64 "\n", w.bad,
                      w.bad_at),
               1;
    return 0;
}

static int run(const lm_case *c) {
    block dst, src;
    double start = now();
    if (block_open(&dst, &c->dst, c->elem_size)) return printf("FAILED: no address space\n"), 1;
    if (block_open(&src, &c->src, c->elem_size)) {
        block_close(&dst);
        return printf("FAILED: no address space\n"), 1;
    }
    block_fill(&src, c);
    int failed = copy_and_check(c, &dst, &src);
    if (!failed) printf("ok, %.1f s\n", now() - start);
    block_close(&src);
    block_close(&dst);
    return failed;
}

/* ---- The list ---- */

/* The first number in a file, after `key` where there is one; -1 without. */
static int64_t number_in(const char *path, const char *key) {
    FILE *file = fopen(path, "r");
    char line[256];
    int64_t value = -1;
    while (file && value < 0 && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key))) sscanf(line + strlen(key), "%" SCNd64, &value);
    if (file) fclose(file);
    return value;
}

/* Bytes that may be used, of the machine and of this container. */
static int64_t available(void) {
    int64_t kib = number_in("/proc/meminfo", "MemAvailable:"),
            limit = number_in("/sys/fs/cgroup/memory.max", "");
    int64_t used = number_in("/sys/fs/cgroup/memory.current", ""), bytes = kib < 0 ? 4 * GIB : kib * 1024;
    return limit >= 0 && used >= 0 && limit - used < bytes ? limit - used : bytes;
}

enum { SKIPPED = -1 };

static int try_case(lm_case c) {
    const int64_t spare = GIB / 2;
    if (c.mem_bytes > 16 * GIB) {
        c.mem_bytes /= (int64_t)c.elem_size;
        c.elem_size = 1;
    }
    printf("%-6s elements of %zu, %5.2f GiB, %s: ", c.id, c.elem_size, (double)c.mem_bytes / (double)GIB,
           c.kind);
    fflush(stdout);
    if (c.mem_bytes + spare > available())
        return printf("skipped: only %.2f GiB of memory available\n", (double)available() / (double)GIB),
               SKIPPED;
    return run(&c);
}

int main(void) {
    lm_cases all;
    int count = 0, skipped = 0, failed = 0;
    lm_cases_open(&all);
    for (int i = 0; i < all.count; i++) {
        if (all.list[i].mem_bytes < LM_CASE_LARGE) continue;
        int outcome = try_case(all.list[i]);
        count++;
        skipped += outcome == SKIPPED;
        failed += outcome > 0;
    }
    printf("large: %d problems, %d skipped, %d failed\n", count, skipped, failed);
    lm_cases_close(&all);
    return count == 0 || failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
