/* SPDX-License-Identifier: BSD-3-Clause */
/* Affine values: base + sum i_k*step_k along a run. Loops go by blocks of constant length, which compilers
 * turn into vector code. No value depends on the one before. */
#include "runs.h"

#include <string.h>

#include "cpu.h"

enum { BLOCK = LM_AFFINE_BLOCK };

/* Loops are compiled once for each instruction set below. */
#define INLINE static inline __attribute__((always_inline))

static void read_value(lm_affine *a, int k, const char *at) {
    int32_t i;
    float f;
    switch (a->type) {
    case LMAD_INT32:
        memcpy(&i, at + 4 * k, 4);
        a->whole[k] = i;
        break;
    case LMAD_INT64: memcpy(&a->whole[k], at + 8 * k, 8); break;
    case LMAD_FLOAT:
        memcpy(&f, at + 4 * k, 4);
        a->real[k] = f;
        break;
    case LMAD_DOUBLE: memcpy(&a->real[k], at + 8 * k, 8); break;
    }
}

void lm_affine_read(lm_affine *a, const lm_runs *runs, const void *values) {
    a->rank = runs->rank;
    a->type = runs->type;
    for (int k = 0; k <= a->rank; k++) read_value(a, k, values);
    if (a->type == LMAD_FLOAT || a->type == LMAD_DOUBLE) return;
    const uint64_t step = runs->along < 0 ? 0 : (uint64_t)a->whole[runs->along + 1];
    for (unsigned k = 0; k < BLOCK; k++) {
        a->lane[k] = k * step;
        a->lane32[k] = (uint32_t)(k * step);
    }
}

/* ---- integers, modulo 2^64 or 2^32 ------------------------------------------------------------------ */

static uint64_t whole_start(const lm_affine *a, const int64_t *index) {
    uint64_t value = (uint64_t)a->whole[0];
    for (int k = 0; k < a->rank; k++) value += (uint64_t)index[k] * (uint64_t)a->whole[k + 1];
    return value;
}

INLINE void fill32(const lm_affine *a, uint32_t *restrict out, int64_t n, uint32_t value, uint32_t step) {
    const uint32_t *lane = a->lane32;
    for (; n >= BLOCK; n -= BLOCK, out += BLOCK, value += BLOCK * step)
        for (int k = 0; k < BLOCK; k++) out[k] = value + lane[k];
    for (int64_t k = 0; k < n; k++) out[k] = value + lane[k];
}

INLINE void fill64(const lm_affine *a, uint64_t *restrict out, int64_t n, uint64_t value, uint64_t step) {
    const uint64_t *lane = a->lane;
    for (; n >= BLOCK; n -= BLOCK, out += BLOCK, value += BLOCK * step)
        for (int k = 0; k < BLOCK; k++) out[k] = value + lane[k];
    for (int64_t k = 0; k < n; k++) out[k] = value + lane[k];
}

/* ---- floating point --------------------------------------------------------------------------------- */

/* Terms are added from left to right: those before the run's axis are in `before`, those behind it follow one
 * by one. Products and sums must stay apart: fused, they would round differently on different machines. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

typedef struct real_run {
    double before, step, first; /* first: index along the run */
    int behind;
    double term[LMAD_MAX_RANK];
} real_run;

static real_run real_start(const lm_affine *a, const int64_t *index, int axis) {
    real_run r = {.before = a->real[0]};
    for (int k = 0; k < a->rank; k++) {
        const double term = (double)index[k] * a->real[k + 1];
        if (k < axis) r.before = r.before + term;
        if (k > axis) r.term[r.behind++] = term;
    }
    if (axis >= 0 && axis < a->rank) {
        r.step = a->real[axis + 1];
        r.first = (double)index[axis];
    }
    return r;
}

/* Read from memory, for it is cheaper than to convert a count each time. */
static const double place[BLOCK] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

INLINE void real_block(const real_run *r, double at, double *restrict out) {
    const double before = r->before, step = r->step;
    for (int k = 0; k < BLOCK; k++) out[k] = before + (at + place[k]) * step;
    for (int t = 0; t < r->behind; t++)
        for (int k = 0; k < BLOCK; k++) out[k] += r->term[t];
}

INLINE void fill_double(const real_run *r, int64_t n, double *restrict out) {
    double rest[BLOCK];
    int64_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK) real_block(r, r->first + (double)i, out + i);
    if (i == n) return;
    real_block(r, r->first + (double)i, rest);
    memcpy(out + i, rest, (size_t)(n - i) * sizeof *out);
}

/* Whole blocks without terms behind the run's axis: straight from registers. Returns how many values. */
INLINE int64_t fill_float_blocks(const real_run *r, int64_t n, float *restrict out) {
    const double before = r->before, step = r->step;
    int64_t i = 0;
    if (r->behind) return 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        const double at = r->first + (double)i;
        for (int k = 0; k < BLOCK; k++) out[i + k] = (float)(before + (at + place[k]) * step);
    }
    return i;
}

INLINE void fill_float(const real_run *r, int64_t n, float *restrict out) {
    double block[BLOCK];
    for (int64_t i = fill_float_blocks(r, n, out); i < n; i += BLOCK) {
        real_block(r, r->first + (double)i, block);
        if (i + BLOCK <= n)
            for (int k = 0; k < BLOCK; k++) out[i + k] = (float)block[k];
        else
            for (int k = 0; k < n - i; k++) out[i + k] = (float)block[k];
    }
}

/* ---- by instruction set ----------------------------------------------------------------------------- */

INLINE void fill(const lm_affine *a, const int64_t *index, int axis, int64_t n, void *run) {
    const int64_t step = axis >= 0 && axis < a->rank ? a->whole[axis + 1] : 0;
    real_run r;
    switch (a->type) {
    case LMAD_INT32: fill32(a, run, n, (uint32_t)whole_start(a, index), (uint32_t)step); break;
    case LMAD_INT64: fill64(a, run, n, whole_start(a, index), (uint64_t)step); break;
    case LMAD_FLOAT:
        r = real_start(a, index, axis);
        fill_float(&r, n, run);
        break;
    case LMAD_DOUBLE: r = real_start(a, index, axis); fill_double(&r, n, run);
    }
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) static void fill_avx2(const lm_affine *a, const int64_t *index, int axis,
                                                      int64_t n, void *run) {
    fill(a, index, axis, n, run);
}

/* Compilers differ in how they are told to use the whole width. */
#if defined(__clang__)
__attribute__((target("avx512f"))) static void
#else
__attribute__((target("avx512f,prefer-vector-width=512"))) static void
#endif
fill_avx512(const lm_affine *a, const int64_t *index, int axis, int64_t n, void *run) {
    fill(a, index, axis, n, run);
}

#endif

void lm_affine_fill(void *data, const int64_t *index, int axis, int64_t n, void *run) {
#if defined(__x86_64__)
    const lm_isa isa = lm_cpu_isa();
    if (isa >= LM_ISA_AVX512) {
        fill_avx512(data, index, axis, n, run);
        return;
    }
    if (isa >= LM_ISA_AVX2) {
        fill_avx2(data, index, axis, n, run);
        return;
    }
#endif
    fill(data, index, axis, n, run);
}
