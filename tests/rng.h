/* SPDX-License-Identifier: BSD-3-Clause */
/* Repeatable random numbers for tests (splitmix64): a seed says everything. */
#ifndef LM_RNG_H
#define LM_RNG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lm_rng {
    uint64_t state;
} lm_rng;

/* A well mixed function of x. */
static inline uint64_t lm_mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint64_t lm_rng_next(lm_rng *rng) { return lm_mix(rng->state++); }

/* Any of lo .. hi, both included. */
static inline int64_t lm_rng_range(lm_rng *rng, int64_t lo, int64_t hi) {
    return lo + (int64_t)(lm_rng_next(rng) % (uint64_t)(hi - lo + 1));
}

/* True once in `in` times. */
static inline bool lm_rng_chance(lm_rng *rng, int in) { return lm_rng_next(rng) % (uint64_t)in == 0; }

/* The numbers 0 .. n-1 in any order. */
static inline void lm_rng_shuffle(lm_rng *rng, int n, int *order) {
    for (int k = 0; k < n; k++) order[k] = k;
    for (int k = n - 1; k > 0; k--) {
        const int j = (int)lm_rng_range(rng, 0, k), other = order[k];
        order[k] = order[j];
        order[j] = other;
    }
}

#endif
