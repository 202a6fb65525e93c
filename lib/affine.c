/* SPDX-License-Identifier: BSD-3-Clause */
/* Affine values: base + sum i_k*step_k. Along a run they are an arithmetic series, which a kernel writes.
 * Where floating-point values are such that nothing is ever rounded, it need not go by the definition. */
#include "kernels/host/affine.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu.h"
#include "runs.h"

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

static bool is_whole(lmad_type type) { return type == LMAD_INT32 || type == LMAD_INT64; }

/* ---- exactness ------------------------------------------------------------------------------------- */

/* The exponent of the lowest bit that is set in a finite number other than 0. */
static int lowest_bit(double x) {
    enum { DIGITS = DBL_MANT_DIG - 1, BIAS = DBL_MAX_EXP - 1 };
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int exponent = (int)(bits >> DIGITS & (2 * BIAS + 1));
    bits &= (UINT64_C(1) << DIGITS) - 1;
    if (exponent) bits |= UINT64_C(1) << DIGITS;
    return (exponent ? exponent : 1) - BIAS - DIGITS + __builtin_ctzll(bits);
}

/* Does value k, the base or a step, matter? That of an axis of one index is never multiplied by more than 0.
 */
static bool counts(const lm_runs *runs, int k) { return k == 0 || runs->axis[k - 1].n > 1; }

/* All products and sums are multiples of the lowest bit of all values, and none exceeds the sum of what each
 * axis can add; a factor of 2 makes up for the rounding of that sum. */
static lm_exactness exactness_of(lm_affine *a, const lm_runs *runs) {
    double most = 0;
    int lowest = DBL_MAX_EXP;
    for (int k = 0; k <= a->rank; k++) {
        if (!isfinite(a->real[k])) return LM_ROUNDED;
        if (a->real[k] == 0 || !counts(runs, k)) continue;
        const int bit = lowest_bit(a->real[k]);
        most += (k ? (double)(runs->axis[k - 1].n - 1) : 1) * fabs(a->real[k]);
        if (bit < lowest) lowest = bit;
    }
    a->unit = lowest < DBL_MAX_EXP ? ldexp(1, lowest) : 1;
    if (!(most / a->unit < 1 / DBL_EPSILON)) return LM_ROUNDED;
    const bool negative_zero = a->real[0] == 0 && signbit(a->real[0]);
    const bool countable =
        most / a->unit <= INT32_MAX && a->unit >= (double)FLT_MIN && most <= (double)FLT_MAX;
    return a->type == LMAD_FLOAT && countable && !negative_zero ? LM_COUNTED : LM_EXACT;
}

void lm_affine_read(lm_affine *a, const lm_runs *runs, const void *values) {
    a->rank = runs->rank;
    a->type = runs->type;
    a->stream = runs->kernel->stream;
    a->write = lm_series_find(lm_cpu_isa());
    a->exactness = LM_ROUNDED;
    a->unit = 1;
    for (int k = 0; k <= a->rank; k++) read_value(a, k, values);
    if (is_whole(a->type)) return;
    a->exactness = exactness_of(a, runs);
    for (int k = 0; k <= a->rank && a->exactness == LM_COUNTED; k++)
        a->whole[k] = counts(runs, k) ? (int64_t)(a->real[k] / a->unit) : 0;
}

/* ---- series ---------------------------------------------------------------------------------------- */

/* Modulo 2^64, of which 32-bit integers take the lower half. */
static void whole_series(lm_series *s, const lm_affine *a, const int64_t *index, int axis) {
    s->whole_first = (uint64_t)a->whole[0];
    for (int k = 0; k < a->rank; k++) s->whole_first += (uint64_t)index[k] * (uint64_t)a->whole[k + 1];
    s->whole_step = axis >= 0 ? (uint64_t)a->whole[axis + 1] : 0;
}

/* Terms are added from left to right: those before the run's axis are in `before`, those behind it follow one
 * by one, unless their order does not matter. */
static void real_series(lm_series *s, const lm_affine *a, const int64_t *index, int axis, double *term) {
    s->before = a->real[0];
    for (int k = 0; k < a->rank; k++) {
        const double value = (double)index[k] * a->real[k + 1];
        if (k < axis || (k > axis && a->exactness != LM_ROUNDED)) s->before += value;
        if (k > axis && a->exactness == LM_ROUNDED) term[s->behind++] = value;
    }
    s->index = axis < 0 ? 0 : (double)index[axis];
    s->step = axis < 0 ? -0.0 : a->real[axis + 1]; /* rank 0: to add it changes nothing, not even a sign */
}

/* Are values counted in whole steps? */
static bool is_counted(const lm_affine *a) { return is_whole(a->type) || a->exactness == LM_COUNTED; }

static void series_at(lm_series *s, const lm_affine *a, const int64_t *index, int axis, double *term) {
    *s = (lm_series){.type = (lm_number)a->type,
                     .exactness = a->exactness,
                     .stream = a->stream,
                     .term = term,
                     .unit = (float)a->unit,
                     .rows = 1};
    if (is_counted(a))
        whole_series(s, a, index, axis);
    else
        real_series(s, a, index, axis, term);
}

void lm_affine_fill(void *data, const int64_t *index, int axis, int64_t n, void *run) {
    const lm_affine *a = data;
    double term[LMAD_MAX_RANK];
    lm_series s;
    series_at(&s, a, index, axis, term);
    a->write(&s, run, n);
}

bool lm_affine_has_rows(const lm_affine *a) { return is_whole(a->type) || a->exactness != LM_ROUNDED; }

void lm_affine_rows(const lm_affine *a, const int64_t *index, int axis, int64_t n,
                    const lm_affine_block *block) {
    double term[LMAD_MAX_RANK];
    lm_series s;
    series_at(&s, a, index, axis, term);
    s.rows = block->rows;
    s.pitch = block->pitch;
    if (is_counted(a))
        s.whole_row = (uint64_t)a->whole[block->across + 1];
    else
        s.row = a->real[block->across + 1];
    a->write(&s, block->at, n);
}
