/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that change places, as they are or turned round: what permutations in place do that leave the dense
 * axis where it is. Both rows are read before either is written, a vector at a time, so no scratch is needed;
 * stores go through the caches, where the lines are. */
#include "kernel.h"
#include "name.h"
#include "stream.h"
#include "turn.h"

/* Ask for the line of the next tile that lies where this one does. */
LM_INLINE void fetch(const char *at, int64_t ahead) {
    if (ahead) __builtin_prefetch(at + ahead, 0, 2);
}

/* A known number of bytes. */
LM_INLINE void swap_bytes(char *d, char *s, int64_t n) {
    char a[16], b[16];
    memcpy(a, d, (size_t)n);
    memcpy(b, s, (size_t)n);
    memcpy(d, b, (size_t)n);
    memcpy(s, a, (size_t)n);
}

/* Less than a vector. */
LM_INLINE void swap_short(char *d, char *s, int64_t n) {
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) swap_bytes(d + i, s + i, 16);
    for (; i + 4 <= n; i += 4) swap_bytes(d + i, s + i, 4);
    for (; i < n; i++) swap_bytes(d + i, s + i, 1);
}

LM_INLINE void swap_row(char *d, char *s, int64_t n, const lm_tile *t) {
    int64_t i = 0;
    for (; i + VEC <= n; i += VEC) {
        const vec a = vec_load(d + i), b = vec_load(s + i);
        fetch(d + i, t->before);
        fetch(s + i, t->ahead);
        vec_store(d + i, b);
        vec_store(s + i, a);
    }
    if (i < n) swap_short(d + i, s + i, n - i);
}

/* `count` runs of a constant length: d forwards, s backwards from its first (highest) run. */
LM_INLINE void swap_runs(char *d, char *s, int64_t count, int64_t run, const lm_tile *t) {
    int64_t i = 0;
    if (can_turn(run, VEC) && count * run >= VEC) {
        const turner turned = turner_make(run, VEC);
        const int64_t step = VEC / run;
        for (; i + step <= count; i += step) {
            char *low = s - (i + step - 1) * run;
            const vec a = vec_load(d + i * run), b = vec_load(low);
            fetch(d + i * run, t->before);
            fetch(low, t->ahead);
            vec_store(d + i * run, turn(b, &turned));
            vec_store(low, turn(a, &turned));
        }
    }
    for (; i < count; i++) swap_bytes(d + i * run, s - i * run, run);
}

static void swap_turned(char *d, char *s, int64_t n, int64_t run, const lm_tile *t) {
    switch (run) {
    case 1: swap_runs(d, s, n, 1, t); break;
    case 2: swap_runs(d, s, n, 2, t); break;
    case 3: swap_runs(d, s, n, 3, t); break;
    case 4: swap_runs(d, s, n, 4, t); break;
    case 8: swap_runs(d, s, n, 8, t); break;
    case 12: swap_runs(d, s, n, 12, t); break;
    case 16: swap_runs(d, s, n, 16, t); break;
    default:
        for (int64_t i = 0; i < n; i++) swap_row(d + i * run, s - i * run, run, t);
    }
}

void LM_KERNEL(swap)(char *dst, const char *src, const lm_tile *t) {
    char *other = (char *)src; /* written, too */
    for (int64_t j = 0; j < t->n1; j++)
        if (t->ss0 < 0)
            swap_turned(dst + j * t->ds1, other + j * t->ss1, t->n0, t->run, t);
        else
            swap_row(dst + j * t->ds1, other + j * t->ss1, t->n0 * t->run, t);
}
