/* SPDX-License-Identifier: BSD-3-Clause */
/* Affine values: base + sum i_k*step_k. Along a run they are an arithmetic series, which a kernel writes. */
#include "kernels/host/affine.h"

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

void lm_affine_read(lm_affine *a, const lm_runs *runs, const void *values) {
    a->rank = runs->rank;
    a->type = runs->type;
    a->stream = runs->kernel->stream;
    a->write = lm_series_find(lm_cpu_isa());
    for (int k = 0; k <= a->rank; k++) read_value(a, k, values);
}

static bool is_whole(lmad_type type) { return type == LMAD_INT32 || type == LMAD_INT64; }

/* Modulo 2^64, of which 32-bit integers take the lower half. */
static void whole_series(lm_series *s, const lm_affine *a, const int64_t *index, int axis) {
    s->whole_first = (uint64_t)a->whole[0];
    for (int k = 0; k < a->rank; k++) s->whole_first += (uint64_t)index[k] * (uint64_t)a->whole[k + 1];
    s->whole_step = axis >= 0 ? (uint64_t)a->whole[axis + 1] : 0;
}

/* Terms are added from left to right: those before the run's axis are in `before`, those behind it follow one
 * by one. */
static void real_series(lm_series *s, const lm_affine *a, const int64_t *index, int axis, double *term) {
    s->before = a->real[0];
    for (int k = 0; k < a->rank; k++) {
        const double value = (double)index[k] * a->real[k + 1];
        if (k < axis) s->before += value;
        if (k > axis) term[s->behind++] = value;
    }
    if (axis < 0) return; /* rank 0 */
    s->index = (double)index[axis];
    s->step = a->real[axis + 1];
}

void lm_affine_fill(void *data, const int64_t *index, int axis, int64_t n, void *run) {
    const lm_affine *a = data;
    double term[LMAD_MAX_RANK];
    lm_series s = {.type = (lm_number)a->type, .stream = a->stream, .term = term};
    if (is_whole(a->type))
        whole_series(&s, a, index, axis);
    else
        real_series(&s, a, index, axis, term);
    a->write(&s, run, n);
}
