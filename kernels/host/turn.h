/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors turned round in registers, run by run. */
#ifndef LM_TURN_H
#define LM_TURN_H

#include "vec.h"

/* A vector's rows of `row` bytes (a power of two up to VEC), each turned round by runs of `run` bytes. */
typedef struct turner {
    vec order;
    int swap; /* the lanes too */
} turner;

#if defined(__AVX2__) || defined(LM_NEON)

#if defined(__AVX512VBMI__)
enum { TURN_ACROSS = VEC }; /* the widest permutation of bytes in one instruction */
#else
enum { TURN_ACROSS = 16 };
#endif

LM_INLINE turner turner_make(int64_t run, int64_t row) {
    uint8_t order[VEC];
    const int64_t across = least(row, TURN_ACROSS);
    for (int64_t k = 0; k < VEC; k++) {
        const int64_t at = k % across;
        order[k] = (uint8_t)(k % TURN_ACROSS - at + (across / run - 1 - at / run) * run + at % run);
    }
    return (turner){vec_load((const char *)order), row > TURN_ACROSS};
}

LM_INLINE vec turn(vec v, const turner *t) {
#if defined(__AVX512VBMI__)
    return _mm512_permutexvar_epi8(t->order, v);
#elif defined(__AVX2__)
    v = vec_shuffle(v, t->order);
    return t->swap ? _mm256_permute4x64_epi64(v, 0x4e) : v;
#else
    return vec_shuffle(v, t->order);
#endif
}

LM_INLINE int can_turn(int64_t run, int64_t row) {
    return row <= VEC && (row & (row - 1)) == 0 && row % run == 0 && run <= 16;
}

#else

LM_INLINE turner turner_make(int64_t run, int64_t row) {
    (void)run, (void)row;
    return (turner){vec_load((const char[VEC]){0}), 0};
}
LM_INLINE vec turn(vec v, const turner *t) {
    (void)t;
    return v;
}
LM_INLINE int can_turn(int64_t run, int64_t row) {
    (void)run, (void)row;
    return 0;
}

#endif

#endif
