/* SPDX-License-Identifier: BSD-3-Clause */
/* Cutting a nest among threads. A thread's share is a band of one axis, the one whose steps in the
 * destination are the longest of those that can be cut evenly: so it writes one stretch of memory where the
 * problem allows it, begins and ends between pages or lines, and thread k of one plan writes about where
 * thread k of another one does, which keeps pages on the node of the thread that touched them first. Bands
 * are a page long on either side if that can be: two threads that read the same stretch of memory in turns
 * have twice the traffic. Where no axis can be cut evenly, two are cut. */
#include "cut.h"

enum { UNITS_A_THREAD = 4, LINE = 64, PAGE = 4096, LEAST_BAND = 4 * LINE };

/* ---- choosing ------------------------------------------------------------------------------------- */

/* Has the longest band at most an eighth more than its share? */
static bool is_even(int64_t n, int threads) { return ((n - 1) / threads + 1) * threads - n <= n / 8; }

/* Are the bands of an axis so many bytes long, on either side? A source that is read again and again need not
 * be. */
static bool is_apart(const lm_pdim *a, int threads, int64_t bytes) {
    const int64_t band = a->n / threads;
    return a->ds * band >= bytes && (a->ss == 0 || lm_magnitude(a->ss) * band >= bytes);
}

/* The axis with the longest step in the destination of those that have not been seen; -1 when all have. */
static int next_axis(const lm_nest *nest, bool *seen) {
    int best = -1;
    for (int k = 0; k < nest->dims; k++)
        if (!seen[k] && nest->dim[k].n > 1 && (best < 0 || nest->dim[k].ds > nest->dim[best].ds)) best = k;
    if (best >= 0) seen[best] = true;
    return best;
}

static int even_axis(const lm_nest *nest, int threads, int64_t bytes) {
    bool seen[LM_NEST_DIMS] = {false};
    int k;
    while ((k = next_axis(nest, seen)) >= 0)
        if (is_even(nest->dim[k].n, threads) && is_apart(&nest->dim[k], threads, bytes)) break;
    return k;
}

/* The longest axes from number `least_axis` on, that of the longer steps first. */
static void two_axes(const lm_nest *nest, int least_axis, int *outer, int *inner) {
    bool seen[LM_NEST_DIMS] = {false};
    int k;
    for (k = 0; k < least_axis; k++) seen[k] = true;
    *outer = *inner = -1;
    while ((k = next_axis(nest, seen)) >= 0) {
        const int64_t n = nest->dim[k].n;
        if (*inner < 0 || n > nest->dim[*inner].n) {
            if (*outer < 0 || nest->dim[*inner].n > nest->dim[*outer].n) *outer = *inner;
            *inner = k;
        } else if (*outer < 0 || n > nest->dim[*outer].n) {
            *outer = k;
        }
    }
    if (*outer >= 0 && nest->dim[*outer].ds < nest->dim[*inner].ds) {
        const int swap = *outer;
        *outer = *inner;
        *inner = swap;
    }
}

/* Not those of the tile, which would leave kernels little, if others are enough. */
static void choose_two(const lm_nest *nest, int threads, int *outer, int *inner) {
    two_axes(nest, 2, outer, inner);
    const int64_t parts = (*outer < 0 ? 1 : nest->dim[*outer].n) * (*inner < 0 ? 1 : nest->dim[*inner].n);
    if (parts < threads) two_axes(nest, 0, outer, inner);
}

void lm_cut(lm_nest *nest, int threads) {
    const int64_t units = (int64_t)UNITS_A_THREAD * threads;
    nest->split = 0;
    nest->cut[0] = nest->cut[1] = (lm_share){.parts = 1};
    if (threads <= 1) return;
    int outer = -1, inner = even_axis(nest, threads, PAGE);
    if (inner < 0) inner = even_axis(nest, threads, LEAST_BAND);
    if (inner >= 0) {
        const int64_t n = nest->dim[inner].n;
        nest->cut[1] = (lm_share){inner, n >= units && is_even(n, threads) ? units : threads};
    } else {
        choose_two(nest, threads, &outer, &inner);
        if (inner < 0) return;
        if (outer >= 0) nest->cut[0] = (lm_share){outer, least(units, nest->dim[outer].n)};
        nest->cut[1] = (lm_share){inner, least((units - 1) / nest->cut[0].parts + 1, nest->dim[inner].n)};
    }
    nest->split = 1 + (outer >= 0);
}

int64_t lm_nest_units(const lm_nest *nest) {
    return nest->split ? nest->cut[0].parts * nest->cut[1].parts : 1;
}

/* ---- bands ---------------------------------------------------------------------------------------- */

/* The inverse of an odd number modulo 2^64. */
static uint64_t inverse(uint64_t odd) {
    uint64_t x = odd; /* right in 3 bits; each round doubles them */
    for (int bits = 3; bits < 64; bits *= 2) x *= 2 - odd * x;
    return x;
}

/* How far index i is from the nearest one whose address is a multiple of unit, a power of two; unit where
 * there is none at all. The address of i is `at`, that of i + 1 is `step` further. */
static int64_t to_boundary(uintptr_t at, int64_t step, int64_t unit) {
    const uint64_t u = (uint64_t)unit, s = (uint64_t)step, common = least(unit, (int64_t)(s & -s));
    const uint64_t over = at & (u - 1), period = u / common;
    if (over & (common - 1)) return unit;
    if (period == 1) return 0;
    const uint64_t up = (0 - over / common * inverse(s / common)) & (period - 1);
    return up > period / 2 ? (int64_t)up - (int64_t)period : (int64_t)up;
}

int64_t lm_cut_edge(const char *dst, const lm_pdim *a, int64_t parts, int64_t k) {
    if (k == 0 || k == parts) return k ? a->n : 0;
    const int64_t each = a->n / parts, i = each * k + a->n % parts * k / parts, slack = each / 4;
    for (int64_t unit = PAGE; unit >= LINE; unit = unit == PAGE ? LINE : 0) {
        const int64_t shift = to_boundary((uintptr_t)dst + (uintptr_t)(i * a->ds), a->ds, unit);
        if (lm_magnitude(shift) <= slack) return i + shift;
    }
    return i;
}

/* Narrow the part down to the bands [first, last) of one axis. */
static void take(lm_nest *part, const char *dst, const lm_share *cut, int64_t first, int64_t last) {
    if (cut->parts == 1) return;
    lm_pdim *a = &part->dim[cut->dim];
    const int64_t from = lm_cut_edge(dst, a, cut->parts, first), to = lm_cut_edge(dst, a, cut->parts, last);
    a->n = to - from;
    if (cut->dim == 0) part->tile.n0 = a->n;
    if (cut->dim == 1) part->tile.n1 = a->n;
    part->doff += from * a->ds;
    part->soff += from * a->ss;
}

void lm_nest_run(const lm_nest *nest, lm_kernel_fn *kernel, char *dst, const char *src, int64_t first,
                 int64_t last) {
    if (!nest->split) {
        if (first < last) lm_nest_run_all(nest, kernel, dst, src);
        return;
    }
    const int64_t inner = nest->cut[1].parts;
    while (first < last) {
        lm_nest part = *nest;
        const int64_t row = first / inner, end = least(last, (row + 1) * inner);
        take(&part, dst + nest->doff, &nest->cut[0], row, row + 1);
        take(&part, dst + part.doff, &nest->cut[1], first - row * inner, end - row * inner);
        lm_nest_run_all(&part, kernel, dst, src);
        first = end;
    }
}
