/* SPDX-License-Identifier: BSD-3-Clause */
/* The short path: a check that a problem is simple, which takes some nanoseconds, and a loop. */
#include "short.h"

#include <stdatomic.h>
#include <string.h>

#include "cpu.h"
#include "kernels/host/kernel.h"
#include "problem.h"

/* Bytes of payload below which no thread and no streaming store pays; numbers so small that no sum overflows; the
 * largest element. */
enum { PAYLOAD = 128 << 10, ELEMENT = 16, FEW = 12, NARROW = 16, NARROW_FILL = 48 };
static const int64_t bound = INT64_C(1) << 40;

/* A problem: axis 0 is the inner one. Strides in bytes. */
typedef struct small {
    int64_t n0, ds0, ss0, n1, ds1, ss1, size;
    char *d;
    const char *s;
} small;

static inline bool is_near(int64_t v) { return (uint64_t)v + (uint64_t)bound < 2 * (uint64_t)bound; }

static inline void swap_axes(small *p) {
    const small q = *p;
    p->n0 = q.n1, p->ds0 = q.ds1, p->ss0 = q.ss1;
    p->n1 = q.n0, p->ds1 = q.ds0, p->ss1 = q.ss0;
}

/* Take an axis: false when it is not simple. Extent 1 says nothing of its stride. */
static inline bool take_axis(small *p, const lmad_dim *d, int64_t ss) {
    if ((uint64_t)(d->n - 1) >= PAYLOAD) return false;
    if (d->n == 1) return true;
    if (!is_near(d->stride) || !is_near(ss)) return false;
    if (p->n0 > 1) {
        p->n1 = p->n0, p->ds1 = p->ds0, p->ss1 = p->ss0;
    }
    p->n0 = d->n, p->ds0 = d->stride * p->size, p->ss0 = ss * p->size;
    return true;
}

/* The shorter destination step inside, forwards; two axes that fold are one. */
static inline void normalise(small *p) {
    if (p->n1 > 1 && lm_magnitude(p->ds1) < lm_magnitude(p->ds0)) swap_axes(p);
    if (p->n1 > 1 && p->ds1 == p->n0 * p->ds0 && p->ss1 == p->n0 * p->ss0) {
        p->n0 *= p->n1;
        p->n1 = 1;
    }
    if (p->ds0 >= 0) return;
    p->d += (p->n0 - 1) * p->ds0;
    p->s += (p->n0 - 1) * p->ss0;
    p->ds0 = -p->ds0;
    p->ss0 = -p->ss0;
}

/* Nested steps reach no element twice; others may or may not. */
static inline bool is_nested(const small *p) {
    if (p->n0 > 1 && p->ds0 == 0) return false;
    return p->n1 == 1 || lm_magnitude(p->ds1) > (p->n0 - 1) * p->ds0;
}

/* A fill has no source axes. */
static inline bool take(small *p, void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc,
                        size_t size) {
    if (!dst || !src || !ddst || size - 1 >= ELEMENT) return false;
    const int rank = ddst->rank;
    if ((unsigned)rank > 2 || !is_near(ddst->offset)) return false;
    p->n0 = p->n1 = 1;
    p->ds0 = p->ss0 = p->ds1 = p->ss1 = 0;
    p->size = (int64_t)size;
    p->d = (char *)dst + ddst->offset * p->size;
    p->s = src;
    if (dsrc) {
        if (dsrc->rank != rank || !is_near(dsrc->offset)) return false;
        p->s += dsrc->offset * p->size;
    }
    for (int k = 0; k < rank; k++) {
        if (dsrc && dsrc->dim[k].n != ddst->dim[k].n) return false;
        if (!take_axis(p, &ddst->dim[k], dsrc ? dsrc->dim[k].stride : 0)) return false;
    }
    if (p->n0 * p->n1 * p->size > PAYLOAD) return false;
    normalise(p);
    return is_nested(p);
}

/* Bytes below and above the first element that a side touches. */
static inline void reach(int64_t n0, int64_t s0, int64_t n1, int64_t s1, int64_t *lo, int64_t *hi) {
    const int64_t a = (n0 - 1) * s0, b = (n1 - 1) * s1;
    *lo = (a < 0 ? a : 0) + (b < 0 ? b : 0);
    *hi = (a > 0 ? a : 0) + (b > 0 ? b : 0);
}

static inline bool is_disjoint(const small *p) {
    int64_t dlo, dhi, slo, shi;
    reach(p->n0, p->ds0, p->n1, p->ds1, &dlo, &dhi);
    reach(p->n0, p->ss0, p->n1, p->ss1, &slo, &shi);
    const uintptr_t d = (uintptr_t)p->d, s = (uintptr_t)p->s, size = (uintptr_t)p->size;
    return d + (uintptr_t)dhi + size <= s + (uintptr_t)slo || s + (uintptr_t)shi + size <= d + (uintptr_t)dlo;
}

/* ---- loops ---------------------------------------------------------------------------------------- */

/* Kernels found so far. */
static _Atomic(lm_kernel_fn *) found[LM_PATTERN_COUNT][ELEMENT + 1];

static inline lm_kernel_fn *kernel(lm_pattern pattern, int64_t run) {
    lm_kernel_fn *fn = atomic_load_explicit(&found[pattern][run], memory_order_relaxed);
    if (fn) return fn;
    fn = lm_kernel_find(pattern, run, false, lm_cpu_isa())->fn;
    atomic_store_explicit(&found[pattern][run], fn, memory_order_relaxed);
    return fn;
}

/* A few elements of constant size; called with a constant count where that is known. */
static inline __attribute__((always_inline)) void copy_row(char *d, const char *s, int64_t n, int64_t ds,
                                                           int64_t ss, size_t size) {
    for (; n >= 4; n -= 4, d += 4 * ds, s += 4 * ss) {
        memcpy(d, s, size);
        memcpy(d + ds, s + ss, size);
        memcpy(d + 2 * ds, s + 2 * ss, size);
        memcpy(d + 3 * ds, s + 3 * ss, size);
    }
    if (n > 0) memcpy(d, s, size);
    if (n > 1) memcpy(d + ds, s + ss, size);
    if (n > 2) memcpy(d + 2 * ds, s + 2 * ss, size);
}

static inline __attribute__((always_inline)) void loop(const small *p, int64_t n0, size_t size) {
    const int64_t n1 = p->n1, ds0 = p->ds0, ss0 = p->ss0, ds1 = p->ds1, ss1 = p->ss1;
    char *d = p->d;
    const char *s = p->s;
    for (int64_t j = 0; j < n1; j++, d += ds1, s += ss1) copy_row(d, s, n0, ds0, ss0, size);
}

/* Many rows of two to four are worth loops of their own. */
static inline __attribute__((always_inline)) void rows(const small *p, size_t size) {
    switch (p->n0) {
    case 2: loop(p, 2, size); break;
    case 3: loop(p, 3, size); break;
    case 4: loop(p, 4, size); break;
    default: loop(p, p->n0, size);
    }
}

static inline void few(const small *p) {
    switch (p->size) {
    case 1: rows(p, 1); break;
    case 2: rows(p, 2); break;
    case 4: rows(p, 4); break;
    case 8: rows(p, 8); break;
    case 16: rows(p, 16); break;
    default: loop(p, p->n0, (size_t)p->size);
    }
}

static inline lm_pattern choose_pattern(const small *p) {
    const int64_t size = p->size;
    if (p->ds0 == size) {
        if (p->ss0 == 0) return LM_FILL;
        if (p->n1 > 1 && (p->ss1 == size || p->ss1 == -size)) return LM_TRANSPOSE;
        return p->ss0 == -size ? LM_REVERSE : LM_GATHER;
    }
    return p->ss0 == size ? LM_SCATTER : LM_STRIDED;
}

static void run_kernel(const small *p) {
    lm_tile tile = {p->size, p->n0, p->ds0, p->ss0, p->n1, p->ds1, p->ss1, 0, 0, 0};
    lm_pattern pattern = LM_ROWS;
    if (p->ds0 == p->size && p->ss0 == p->size) {
        tile.n0 *= p->size;
        tile.run = tile.ds0 = tile.ss0 = 1;
    } else {
        pattern = choose_pattern(p);
    }
    kernel(pattern, tile.run)(p->d, p->s, &tile);
}

/* Rows so short that a kernel's preparations for each are not worth it; but a transpose or dense rows are. */
static inline bool is_narrow(const small *p) {
    if (p->ss0 == 0) return p->n0 <= NARROW_FILL;
    if (p->n0 > NARROW || (p->ds0 == p->size && p->ss0 == p->size)) return false;
    return p->ds0 != p->size || (lm_magnitude(p->ss1) != p->size);
}

static inline void run(const small *p) {
    if (p->n1 == 1 && p->ds0 == p->size && p->ss0 == p->size)
        memcpy(p->d, p->s, (size_t)(p->n0 * p->size));
    else if (p->n0 * p->n1 <= FEW || is_narrow(p))
        few(p);
    else
        run_kernel(p);
}

/* ---- operations ----------------------------------------------------------------------------------- */

bool lm_short_copy(void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc,
                   size_t elem_size) {
    small p;
    if (!dsrc || !take(&p, dst, ddst, src, dsrc, elem_size) || !is_disjoint(&p)) return false;
    run(&p);
    return true;
}

/* Overlapping, with equal steps, on one axis: the way that memmove goes. */
static bool shift(small *p) {
    if (p->n1 != 1 || p->ds0 != p->ss0) return false;
    if (p->ds0 == p->size) {
        memmove(p->d, p->s, (size_t)(p->n0 * p->size));
        return true;
    }
    if ((uintptr_t)p->s < (uintptr_t)p->d) { /* the last one first */
        p->d += (p->n0 - 1) * p->ds0;
        p->s += (p->n0 - 1) * p->ss0;
        p->ds0 = p->ss0 = -p->ds0;
    }
    for (int64_t i = 0; i < p->n0; i++) memmove(p->d + i * p->ds0, p->s + i * p->ss0, (size_t)p->size);
    return true;
}

bool lm_short_move(void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc,
                   size_t elem_size) {
    small p;
    if (!dsrc || !take(&p, dst, ddst, src, dsrc, elem_size)) return false;
    if (!is_disjoint(&p)) return shift(&p);
    run(&p);
    return true;
}

/* The element may lie in the destination. */
bool lm_short_fill(void *dst, const lmad_desc *ddst, const void *value, size_t elem_size) {
    small p;
    char copy[ELEMENT];
    if (!take(&p, dst, ddst, value, NULL, elem_size)) return false;
    memcpy(copy, value, elem_size);
    p.s = copy;
    run(&p);
    return true;
}
