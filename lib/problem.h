/* SPDX-License-Identifier: BSD-3-Clause */
/* The problem: what is to be done, in the one canonical form that plan kinds look at. */
#ifndef LM_PROBLEM_H
#define LM_PROBLEM_H

#include <stdbool.h>

#include "kernels/host/kernel.h"
#include "lmad.h"

typedef enum lm_op { LM_OP_COPY, LM_OP_MOVE, LM_OP_FILL, LM_OP_MANY, LM_OP_AFFINE, LM_OP_GENERATE } lm_op;

/* "copy", "move", ... */
const char *lm_op_text(lm_op op);

/* Does it write a destination without a source of the same shape? */
static inline bool lm_op_sourceless(lm_op op) {
    return op == LM_OP_FILL || op == LM_OP_AFFINE || op == LM_OP_GENERATE;
}

/* A memory space: LM_HOST or a device number. */
enum { LM_HOST = -1 };

/* One axis on both sides; strides in bytes. */
typedef struct lm_pdim {
    int64_t n, ds, ss;
} lm_pdim;

/* For all indices i: run bytes from src + soff + sum i_k*ss_k to dst + doff + sum i_k*ds_k.
 *
 * Canonical: every n >= 2, every ds > 0, axes by falling ds (then falling |ss|), no two axes fold into one,
 * and the run has swallowed every axis that is contiguous on both sides. Equal problems have equal
 * canonical forms, so this is also the key of wisdom. */
typedef struct lm_problem {
    lm_op op;
    int dst_space, src_space;
    int threads; /* limit, >= 1 */
    int grain;   /* largest power of two up to 16 in the element size; not part of keys */
    int rank;
    int64_t run;                /* bytes */
    int64_t count;              /* runs; 0 = nothing to do, and nothing below is set */
    int64_t payload;            /* count * run */
    int64_t doff, soff;         /* bytes, of index 0 after flipping axes */
    int64_t dlo, dhi, slo, shi; /* reach: bytes [lo, hi) relative to the pointers */
    /* What the model is to take this machine for; NULL = a usual one. */
    const struct lm_calibration *calibration;
    lm_pdim dim[LMAD_MAX_RANK];
} lm_problem;

/* Check the descriptors and bring them into canonical form. A fill passes its destination and a NULL source.
 * The destination must not alias itself; overlap between the sides is not looked at here. */
lmad_status lm_problem_make(lm_problem *out, lm_op op, const lmad_desc *dst, const lmad_desc *src,
                            size_t elem_size, int threads);

/* Do the sets of bytes meet when the plan is executed on these two pointers? Undecided counts as yes. */
bool lm_problem_overlaps(const lm_problem *problem, const void *dst, const void *src);

/* Is it from every element onto itself, where both pointers are the same? */
bool lm_problem_is_identity(const lm_problem *problem);

/* Normalise (lib/normalise.c): fill in rank, run, offsets and dims of *out from byte strides; see above.
 * @p out holds rank, run and dim as the descriptors give them (any order and sign, extents >= 1). */
void lm_normalise(lm_problem *out);

#endif
