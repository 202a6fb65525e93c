/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for the rows of a run: one arena that grows on demand and is written before it is ever timed (fresh
 * pages cost seconds a gigabyte), and the places of a problem's two buffers in it. */
#ifndef LM_BENCH_BUFFERS_H
#define LM_BENCH_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#include "suites.h"

enum { LM_GUARD = 4096 };

/* One growing block; starts as {0}. */
typedef struct lm_arena {
    char *block;
    size_t size;
    struct lm_bench_device *device; /* that mirrors it (bench_device.h); NULL = rows run on the host */
} lm_arena;

/* One side of a problem: a guard, then the bytes that the problem reaches (or the payload, if that is more),
 * then a guard. */
typedef struct lm_side {
    char *block;
    size_t size;  /* with both guards */
    char *body;   /* page-aligned, after the guard: room for the payload */
    char *origin; /* the pointer that the descriptor's offset is relative to: page-aligned, perhaps outside */
} lm_side;

typedef struct lm_buffers {
    lm_side dst, src;
} lm_buffers;

/* At least @p bytes of written memory, while @p others more are left for what somebody else is going to
 * touch. 0, or -1 with the reason when that is not to be had. The block may move. */
int lm_arena_reserve(lm_arena *arena, size_t bytes, size_t others, char *reason, size_t size);

void lm_arena_free(lm_arena *arena);

/* Give a problem its buffers. A move works in dst alone; src then has room for a copy of all that dst holds.
 * 0 or -1 as above. */
int lm_buffers_place(lm_buffers *out, const lm_case *c, size_t payload, size_t others, lm_arena *arena,
                     char *reason, size_t size);

#endif
