/* SPDX-License-Identifier: BSD-3-Clause */
/* Long chunks of a matrix permuted along the cycles of the transpose, a bit a chunk to know where one has
 * been. A chunk is cut into slices; each slice of all chunks is a permutation of its own, so threads share
 * slices. */
#include <string.h>

#include "lib/plan.h"
#include "move_rectangle.h"
#include "plans.h"

/* Bytes of the shortest slice that is worth a thread of its own. */
enum { LEAST = 512, LINE = 64 };

int64_t lm_chunks_work(int64_t count, int64_t slice) { return slice + count / 8 + 8; }

typedef struct slice {
    char *at; /* of chunk 0 */
    int64_t bytes;
} slice;

/* Chunk number i of the result comes from number i/rows + i%rows * columns. */
static int64_t origin(const lm_chunks *c, int64_t i) { return i / c->rows + i % c->rows * c->columns; }

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
    char *kept = c->work;
    int64_t to = start;
    memcpy(kept, s->at + start * c->chunk, (size_t)s->bytes);
    for (;;) {
        const int64_t from = origin(c, to);
        seen[to >> 3] |= (unsigned char)(1 << (to & 7));
        if (from == start) break;
        copy_slice(s->at + to * c->chunk, s->at + from * c->chunk, s->at + origin(c, from) * c->chunk,
                   s->bytes);
        to = from;
    }
    memcpy(s->at + to * c->chunk, kept, (size_t)s->bytes);
}

static void permute(const lm_chunks *c, const slice *s) {
    const int64_t count = c->rows * c->columns;
    unsigned char *seen = (unsigned char *)c->work + least(c->slice, c->chunk);
    memset(seen, 0, (size_t)(count / 8 + 1));
    for (int64_t i = 1; i < count - 1; i++)
        if (!(seen[i >> 3] >> (i & 7) & 1) && origin(c, i) != i) follow(c, s, i, seen);
}

void lm_chunks_transpose(const lm_chunks *c) {
    if (c->rows == 1 || c->columns == 1) return;
    int64_t slices = (c->chunk + c->slice - 1) / c->slice;
    if (c->blocks * slices < c->parts && c->chunk / LEAST > slices)
        slices = least(c->parts, c->chunk / LEAST);
    int64_t step = (c->chunk + slices - 1) / slices;
    if (step > LINE && c->slice % LINE == 0) step = (step + LINE - 1) & -(int64_t)LINE; /* whole lines */
    for (int64_t unit = c->part; unit < c->blocks * slices; unit += c->parts) {
        const int64_t first = unit % slices * step;
        if (first >= c->chunk) continue;
        const slice s = {c->at + unit / slices * c->pitch + first, least(step, c->chunk - first)};
        permute(c, &s);
    }
}
