/* SPDX-License-Identifier: BSD-3-Clause */
/* Destinations written by a function, run by run: affine values and the caller's own. */
#ifndef LM_RUNS_H
#define LM_RUNS_H

#include "ctx.h"
#include "kernels/host/affine.h"
#include "kernels/host/kernel.h"
#include "problem.h"

/* One axis of the destination; stride in bytes. */
typedef struct lm_run_axis {
    int64_t n, stride;
} lm_run_axis;

typedef struct lm_runs {
    int rank, along;          /* the axis that runs lie along; -1 for a single element */
    int order[LMAD_MAX_RANK]; /* the others, the longest steps first */
    int outer;                /* how many others */
    lm_run_axis axis[LMAD_MAX_RANK];
    int64_t size, offset;     /* bytes of an element, of index 0 */
    int64_t n, chunk, chunks; /* elements of a run, of a piece of it; pieces a run */
    int64_t rows;             /* runs */
    int parts;                /* threads */
    bool affine;
    lmad_type type;          /* affine */
    const lm_kernel *kernel; /* from a buffer to the destination */
    lmad_generate_fn *fn;
    void *data;
} lm_runs;

/* Lay out the runs of a checked destination. fn, data, affine and type are the caller's to set. */
void lm_runs_make(lm_runs *runs, const lmad_desc *dst, size_t elem_size, const lm_problem *problem);

/* src: the values of an affine one. */
void lm_runs_run(const lm_runs *runs, const lm_settings *settings, void *dst, const void *src);

/* An lmad_generate_fn whose data is an lm_affine. */
typedef struct lm_affine {
    int rank;
    lmad_type type;
    bool stream; /* dense runs, past the caches */
    lm_exactness exactness;
    lm_series_fn *write;
    int64_t whole[LMAD_MAX_RANK + 1]; /* base and steps of an integer type, in units where they are counted */
    double real[LMAD_MAX_RANK + 1];   /* of the others */
    double unit;
} lm_affine;
void lm_affine_read(lm_affine *affine, const lm_runs *runs, const void *values);
lmad_generate_fn lm_affine_fill;

/* Runs at consecutive indices of another axis, `pitch` bytes apart, the first of which is at `index`: as many as there
 * are, where values may be added up from run to run. */
typedef struct lm_affine_block {
    char *at;
    int across;
    int64_t rows, pitch;
} lm_affine_block;
bool lm_affine_has_rows(const lm_affine *affine);
void lm_affine_rows(const lm_affine *affine, const int64_t *index, int axis, int64_t n,
                    const lm_affine_block *block);

#endif
