/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic series, a few cache lines at a time. What is carried from one block to the next is exact:
 * integers modulo their size, the index as a double, which holds any index that an array in memory can have,
 * or values that are known never to be rounded. */
#include "affine.h"

#include "name.h"
#include "stream.h"

/* Products and sums must stay apart: fused, they would round differently on different machines. (gcc keeps
 * them apart in standard C.) */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

typedef uint32_t words32 __attribute__((vector_size(VEC)));
typedef uint64_t words64 __attribute__((vector_size(VEC)));
typedef int32_t counts __attribute__((vector_size(VEC)));
typedef float floats __attribute__((vector_size(VEC)));

/* A block: two lines where registers hold them, so that one addition need not wait for the other. */
enum { BLOCK = VEC == LM_LINE ? 2 * LM_LINE : LM_LINE, VECS = BLOCK / VEC, MOST = BLOCK / 4 };

/* Ways to the next vector. */
typedef enum way { WORDS32, WORDS64, REALS, REALS_EXACT, FLOATS, FLOATS_EXACT, FLOATS_COUNTED } way;

/* Where a walk is: what the next block is made of, and by how much that changes from block to block. */
typedef struct walk {
    words32 w32[VECS];
    words64 w64[VECS];
    vec_reals real[2 * VECS]; /* indices, or values */
    uint32_t step32;
    uint64_t step64;
    double step;
} walk;

LM_INLINE int64_t size_of(way way) { return way == WORDS64 || way == REALS || way == REALS_EXACT ? 8 : 4; }

LM_INLINE void start_words(walk *w, uint64_t first, uint64_t step, uint64_t values) {
    words32 lane32;
    words64 lane64;
    for (unsigned k = 0; k < VEC / 4; k++) lane32[k] = k;
    for (unsigned k = 0; k < VEC / 8; k++) lane64[k] = k;
    for (unsigned k = 0; k < VECS; k++) {
        w->w32[k] = (uint32_t)first + (lane32 + k * (VEC / 4)) * (uint32_t)step;
        w->w64[k] = first + (lane64 + k * (VEC / 8)) * step;
    }
    w->step32 = (uint32_t)(values * step);
    w->step64 = values * step;
}

LM_INLINE void start_reals(walk *w, const lm_series *s, double first, double values, bool exact) {
    vec_reals lane;
    for (int k = 0; k < VEC / 8; k++) lane[k] = k;
    for (int k = 0; k < 2 * VECS; k++) {
        w->real[k] = first + (lane + (double)(k * (VEC / 8)));
        if (exact) w->real[k] = s->before + w->real[k] * s->step;
    }
    w->step = exact ? values * s->step : values;
}

LM_INLINE void start(walk *w, const lm_series *s, int64_t from, way way) {
    const int64_t values = BLOCK / size_of(way);
    start_words(w, s->whole_first + (uint64_t)from * s->whole_step, s->whole_step, (uint64_t)values);
    start_reals(w, s, s->index + (double)from, (double)values, way == REALS_EXACT || way == FLOATS_EXACT);
}

LM_INLINE vec_reals next_reals(walk *w, const lm_series *s, int k, bool exact) {
    vec_reals v = w->real[k];
    w->real[k] = vec_add(v, w->step);
    if (exact) return v;
    v = s->before + v * s->step;
    for (int t = 0; t < s->behind; t++) v += s->term[t];
    return v;
}

/* Vector number k of the next block. */
LM_INLINE vec next(walk *w, const lm_series *s, int k, way way) {
    vec v;
    switch (way) {
    case WORDS32:
    case FLOATS_COUNTED:
        v = (vec)w->w32[k];
        w->w32[k] += w->step32;
        return way == WORDS32 ? v : (vec)(s->unit * __builtin_convertvector((counts)v, floats));
    case WORDS64:
        v = (vec)w->w64[k];
        w->w64[k] += w->step64;
        return v;
    case FLOATS:
    case FLOATS_EXACT: {
        const vec_reals low = next_reals(w, s, 2 * k, way == FLOATS_EXACT);
        return vec_narrow(low, next_reals(w, s, 2 * k + 1, way == FLOATS_EXACT));
    }
    default: return (vec)next_reals(w, s, k, way == REALS_EXACT);
    }
}

LM_INLINE void blocks(const lm_series *series, int64_t from, int64_t n, char *out, way way, bool stream) {
    const lm_series s = *series;
    const int64_t size = size_of(way), each = BLOCK / size;
    walk w;
    start(&w, &s, from, way);
    for (; n >= each; n -= each, out += BLOCK)
#pragma GCC unroll 4
        for (int k = 0; k < VECS; k++) {
            const vec v = next(&w, &s, k, way);
            if (stream)
                vec_stream(out + k * VEC, v);
            else
                vec_store(out + k * VEC, v);
        }
    if (n == 0) return;
    char rest[BLOCK];
#pragma GCC unroll 4
    for (int k = 0; k < VECS; k++) vec_store(rest + k * VEC, next(&w, &s, k, way));
    lm_copy_short(out, rest, n * size);
}

/* Streaming begins with the first whole line. */
LM_INLINE void write_run(const lm_series *s, char *out, int64_t n, way way) {
    const int64_t size = size_of(way);
    const bool stream = s->stream && (uintptr_t)out % (uintptr_t)size == 0;
    const int64_t head = stream ? least(n, lm_to_line(out) / size) : n;
    if (head) blocks(s, 0, head, out, way, false);
    if (n > head) blocks(s, head, n - head, out + head * size, way, true);
}

LM_INLINE void write_rows(const lm_series *series, char *out, int64_t n, way way) {
    lm_series s = *series;
    for (int64_t j = 0; j < s.rows; j++, out += s.pitch) {
        write_run(&s, out, n, way);
        s.whole_first += s.whole_row;
        s.before += s.row;
    }
}

/* Terms behind are rare, and a loop over none of them costs as much as the rest. */
LM_INLINE void write_rounded(const lm_series *s, char *out, int64_t n, way way) {
    lm_series none = *s;
    none.behind = 0;
    if (s->behind)
        write_rows(s, out, n, way);
    else
        write_rows(&none, out, n, way);
}

void LM_KERNEL(affine)(const lm_series *series, char *out, int64_t n) {
    switch (series->type) {
    case LM_INT32: write_rows(series, out, n, WORDS32); break;
    case LM_INT64: write_rows(series, out, n, WORDS64); break;
    case LM_FLOAT:
        switch (series->exactness) {
        case LM_ROUNDED: write_rounded(series, out, n, FLOATS); break;
        case LM_EXACT: write_rows(series, out, n, FLOATS_EXACT); break;
        case LM_COUNTED: write_rows(series, out, n, FLOATS_COUNTED); break;
        }
        break;
    case LM_DOUBLE:
        if (series->exactness == LM_ROUNDED)
            write_rounded(series, out, n, REALS);
        else
            write_rows(series, out, n, REALS_EXACT);
        break;
    }
}
