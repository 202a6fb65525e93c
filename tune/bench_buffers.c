/* SPDX-License-Identifier: BSD-3-Clause */
/* The arena and what lies where in it. */
#define _GNU_SOURCE
#include "bench_buffers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

/* Bytes [lo, hi) relative to the origin. */
typedef struct reach {
    int64_t lo, hi;
} reach;

/* Without taking from what other programs use; -1 when unknown. */
static int64_t memory_available(void) {
    long long kib = -1;
    char line[256];
    FILE *file = fopen("/proc/meminfo", "re");
    if (!file) return -1;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lld kB", &kib) == 1) break;
    fclose(file);
    return kib < 0 ? -1 : kib * 1024;
}

static int refuse(char *reason, size_t size, size_t bytes, int64_t available) {
    const double gib = 1 << 30;
    snprintf(reason, size, "needs %.3g GiB of memory, %.3g may be used", (double)bytes / gib,
             (double)available / gib);
    return -1;
}

int lm_arena_reserve(lm_arena *arena, size_t bytes, size_t others, char *reason, size_t size) {
    const size_t most = INT64_MAX / 2;
    const int64_t available = memory_available();
    const size_t usable = available < 0 ? SIZE_MAX : (size_t)(available - available / 16);
    if (bytes > most || others > most) return refuse(reason, size, most, available);
    bytes = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
    const size_t growth = bytes > arena->size ? bytes - arena->size : 0, fresh = growth + others;
    if (fresh > usable) return refuse(reason, size, bytes + others, (int64_t)(usable + arena->size));
    if (!growth) return 0;
    void *block = arena->block
                      ? mremap(arena->block, arena->size, bytes, MREMAP_MAYMOVE)
                      : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) {
        snprintf(reason, size, "%zu bytes of memory: %s", bytes, strerror(errno));
        return -1;
    }
    memset((char *)block + arena->size, 0x5a, bytes - arena->size);
    arena->block = block;
    arena->size = bytes;
    return 0;
}

void lm_arena_free(lm_arena *arena) {
    if (arena->block) munmap(arena->block, arena->size);
    *arena = (lm_arena){0};
}

/* -1 on overflow. */
static int reach_of(reach *r, const lmad_desc *d, size_t elem_size) {
    int64_t count, lo, hi;
    *r = (reach){0, 0};
    if (lmad_bounds(d, &count, &lo, &hi)) return -1;
    if (count == 0) return 0;
    if (__builtin_add_overflow(hi, 1, &hi)) return -1;
    return __builtin_mul_overflow(lo, (int64_t)elem_size, &r->lo) ||
                   __builtin_mul_overflow(hi, (int64_t)elem_size, &r->hi) || r->hi - r->lo < 0
               ? -1
               : 0;
}

static reach hull(reach a, reach b) {
    if (a.lo == a.hi) return b;
    if (b.lo == b.hi) return a;
    return (reach){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

static int reaches(const lm_case *c, reach *dst, reach *src) {
    if (reach_of(dst, &c->dst, c->elem_size)) return -1;
    *src = (reach){0, (int64_t)c->elem_size * (1 + c->dst.rank)}; /* an element, or affine values */
    if (!lm_op_sourceless(c->op) && reach_of(src, &c->src, c->elem_size)) return -1;
    if (c->op == LM_OP_MOVE) *dst = *src = hull(*dst, *src);
    return 0;
}

/* Bytes of a side; 0 when that overflows. The first byte lies as far into a page as its distance from the
 * page-aligned origin says. */
static size_t side_size(reach r, size_t payload) {
    size_t body = (size_t)(r.hi - r.lo);
    if (body < payload) body = payload;
    if (body > INT64_MAX / 4) return 0;
    return (2 * LM_GUARD + (size_t)(r.lo & (PAGE - 1)) + body + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static lm_side place(char *block, size_t size, reach r) {
    const uintptr_t first = (uintptr_t)block + LM_GUARD + (uintptr_t)(r.lo & (PAGE - 1));
    return (lm_side){block, size, block + LM_GUARD, (char *)(first - (uintptr_t)r.lo)};
}

int lm_buffers_place(lm_buffers *out, const lm_case *c, size_t payload, size_t others, lm_arena *arena,
                     char *reason, size_t size) {
    reach dst, src;
    if (reaches(c, &dst, &src)) {
        snprintf(reason, size, "its reach in bytes exceeds 2^63");
        return -1;
    }
    const size_t dst_size = side_size(dst, payload), src_size = side_size(src, payload);
    if (!dst_size || !src_size) return refuse(reason, size, INT64_MAX, memory_available());
    if (lm_arena_reserve(arena, dst_size + src_size, others, reason, size)) return -1;
    out->dst = place(arena->block, dst_size, dst);
    out->src = place(arena->block + dst_size, src_size, src);
    return 0;
}
