/* SPDX-License-Identifier: BSD-3-Clause */
/* Long chunks of a matrix permuted along the cycles of a transpose, a bit a chunk to know where one has been.
 * A chunk is cut into slices; each slice of all chunks is a permutation of its own, so threads share slices.
 */
#include <string.h>

#include "lib/plan.h"
#include "move_rectangle.h"
#include "plans.h"

/* Bytes of the shortest slice that is worth a thread of its own. */
enum { LEAST = 512, LINE = 64 };

int64_t lm_chunks_work(int64_t count, int64_t slice) { return slice + count / 8 + 8; }

/* A stretch of every chunk. */
typedef struct slice {
    char *at; /* of chunk 0 */
    int64_t bytes;
} slice;

/* Number i of the result, which is [inner][middle][outer], comes from this one. */
static int64_t origin(const lm_chunks *c, int64_t i) {
    const int64_t group = i / c->outer;
    return (i % c->outer * c->middle + group % c->middle) * c->inner + group / c->middle;
}

/* Copy a slice while the one to be copied next is on its way to the second cache, line by line: what is asked
 * for in bursts, or into the first cache, takes half as long again. */
static void copy_slice(char *to, const char *from, const char *next, int64_t bytes) {
    int64_t i = 0;
    for (; i + LINE <= bytes; i += LINE) {
        __builtin_prefetch(next + i, 0, 2);
        memcpy(to + i, from + i, LINE);
    }
    memcpy(to + i, from + i, (size_t)(bytes - i));
}

static void follow(const lm_chunks *c, const slice *s, int64_t start, unsigned char *seen) {
    char *to = s->at + lm_slot(&c->slots, start);
    memcpy(c->work, to, (size_t)s->bytes);
    for (int64_t from = origin(c, start), next; from != start; from = next) {
        char *at = s->at + lm_slot(&c->slots, from);
        next = origin(c, from);
        seen[from >> 3] |= (unsigned char)(1 << (from & 7));
        copy_slice(to, at, s->at + lm_slot(&c->slots, next), s->bytes);
        to = at;
    }
    memcpy(to, c->work, (size_t)s->bytes);
}

static void permute(const lm_chunks *c, const slice *s) {
    const int64_t count = c->outer * c->middle * c->inner;
    unsigned char *seen = (unsigned char *)c->work + least(c->slice, c->slots.chunk);
    memset(seen, 0, (size_t)(count / 8 + 1));
    for (int64_t i = 1; i < count - 1; i++)
        if (!(seen[i >> 3] >> (i & 7) & 1) && origin(c, i) != i) follow(c, s, i, seen);
}

void lm_chunks_permute(const lm_chunks *c) {
    const int64_t chunk = c->slots.chunk;
    if (c->outer * c->middle == 1 || c->middle * c->inner == 1 || c->outer * c->inner == 1) return;
    int64_t slices = (chunk + c->slice - 1) / c->slice;
    if (slices < c->parts && chunk / LEAST > slices) slices = least(c->parts, chunk / LEAST);
    int64_t step = (chunk + slices - 1) / slices;
    if (step > LINE && c->slice % LINE == 0) step = (step + LINE - 1) & -(int64_t)LINE; /* whole lines */
    for (int64_t unit = c->part; unit < slices; unit += c->parts) {
        const int64_t first = unit * step;
        if (first >= chunk) continue;
        const slice s = {c->at + first, least(step, chunk - first)};
        permute(c, &s);
    }
}

/* ---- to other slots ------------------------------------------------------------------------------- */

/* How far a chunk moves, in bytes. */
static int64_t distance(const lm_slots *from, const lm_slots *to, int64_t k) {
    return lm_slot(to, k) - lm_slot(from, k);
}

/* As no chunk passes another one, those that move down can go one after the other, and of those that follow
 * each other upwards the last one first. */
void lm_chunks_settle(char *at, const lm_slots *from, const lm_slots *to, int64_t count) {
    const size_t bytes = (size_t)from->chunk;
    for (int64_t k = 0, next; k < count; k = next) {
        next = k + 1;
        if (distance(from, to, k) <= 0) {
            memmove(at + lm_slot(to, k), at + lm_slot(from, k), bytes);
            continue;
        }
        while (next < count && distance(from, to, next) > 0) next++;
        for (int64_t i = next - 1; i >= k; i--) memmove(at + lm_slot(to, i), at + lm_slot(from, i), bytes);
    }
}
