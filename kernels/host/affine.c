/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic series, a cache line at a time. What is carried from line to line is exact: integers modulo
 * their size, and the index as a double, which holds any index that an array in memory can have. */
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

enum { VECS = LM_LINE / VEC, MOST = LM_LINE / 4 };

/* Where a walk is: what the next line is made of, and by how much that changes from one line to the next. */
typedef struct walk {
    words32 w32[VECS];
    words64 w64[VECS];
    vec_reals index[2 * VECS];
    uint32_t step32;
    uint64_t step64;
    double lanes;
} walk;

LM_INLINE int64_t size_of(lm_number type) { return type == LM_INT32 || type == LM_FLOAT ? 4 : 8; }

LM_INLINE void start(walk *w, const lm_series *s, int64_t from, lm_number type) {
    const uint64_t first = s->whole_first + (uint64_t)from * s->whole_step, step = s->whole_step;
    const uint64_t lanes = (uint64_t)(LM_LINE / size_of(type));
    uint32_t v32[MOST];
    uint64_t v64[MOST];
    double real[MOST];
    for (unsigned k = 0; k < MOST; k++) {
        v32[k] = (uint32_t)(first + k * step);
        v64[k] = first + k * step;
        real[k] = s->index + (double)from + (double)k;
    }
    memcpy(w->w32, v32, sizeof w->w32);
    memcpy(w->w64, v64, sizeof w->w64);
    memcpy(w->index, real, sizeof w->index);
    w->step32 = (uint32_t)(lanes * step);
    w->step64 = lanes * step;
    w->lanes = (double)lanes;
}

LM_INLINE vec_reals next_reals(walk *w, const lm_series *s, int k) {
    vec_reals v = s->before + w->index[k] * s->step;
    for (int t = 0; t < s->behind; t++) v += s->term[t];
    w->index[k] += w->lanes;
    return v;
}

/* Vector number k of the next line. */
LM_INLINE vec next(walk *w, const lm_series *s, int k, lm_number type) {
    vec v;
    switch (type) {
    case LM_INT32:
        v = (vec)w->w32[k];
        w->w32[k] += w->step32;
        return v;
    case LM_INT64:
        v = (vec)w->w64[k];
        w->w64[k] += w->step64;
        return v;
    case LM_FLOAT: {
        const vec_reals low = next_reals(w, s, 2 * k);
        return vec_narrow(low, next_reals(w, s, 2 * k + 1));
    }
    default: return (vec)next_reals(w, s, k);
    }
}

LM_INLINE void lines(const lm_series *series, int64_t from, int64_t n, char *out, lm_number type,
                     bool stream) {
    const lm_series s = *series;
    const int64_t size = size_of(type), each = LM_LINE / size;
    walk w;
    start(&w, &s, from, type);
    for (; n >= each; n -= each, out += LM_LINE)
#pragma GCC unroll 4
        for (int k = 0; k < VECS; k++) {
            const vec v = next(&w, &s, k, type);
            if (stream)
                vec_stream(out + k * VEC, v);
            else
                vec_store(out + k * VEC, v);
        }
    if (n == 0) return;
    char rest[LM_LINE];
#pragma GCC unroll 4
    for (int k = 0; k < VECS; k++) vec_store(rest + k * VEC, next(&w, &s, k, type));
    memcpy(out, rest, (size_t)(n * size));
}

/* Streaming begins with the first whole line. */
LM_INLINE void write_run(const lm_series *s, char *out, int64_t n, lm_number type) {
    const int64_t size = size_of(type);
    const bool stream = s->stream && (uintptr_t)out % (uintptr_t)size == 0;
    const int64_t head = stream ? least(n, lm_to_line(out) / size) : n;
    if (head) lines(s, 0, head, out, type, false);
    if (n > head) lines(s, head, n - head, out + head * size, type, true);
}

void LM_KERNEL(affine)(const lm_series *series, char *out, int64_t n) {
    switch (series->type) {
    case LM_INT32: write_run(series, out, n, LM_INT32); break;
    case LM_INT64: write_run(series, out, n, LM_INT64); break;
    case LM_FLOAT: write_run(series, out, n, LM_FLOAT); break;
    case LM_DOUBLE: write_run(series, out, n, LM_DOUBLE); break;
    }
}
