/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file lmad-generate.h
 * Plans that write values computed from the index. Part of lmad.h, which includes it.
 */
#ifndef LMAD_GENERATE_H
#define LMAD_GENERATE_H

#include "lmad.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Types of lmad_plan_affine(). */
typedef enum { LMAD_INT32, LMAD_INT64, LMAD_FLOAT, LMAD_DOUBLE } lmad_type;

/** Plan D[i] = base + i_0*step_0 + i_1*step_1 + ..., i the index in @p dst. At execution src points to rank + 1
 *  values of the type: base, step_0, step_1, ... They may lie in dst. Integers are exact modulo 2^32 or 2^64.
 *  Floating-point values are computed from the index in double, terms added from left to right, and rounded
 *  once for LMAD_FLOAT; they never accumulate along a row. The rest as lmad_plan_fill(); an unknown type is
 *  LMAD_ERR_ARGUMENT. */
LMAD_API lmad_status lmad_plan_affine(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, lmad_type type,
                                      unsigned flags);

/** Fills a run: writes @p n elements, one after the other, to @p run: those at @p index (rank entries), with
 *  index[axis] running from there on. Called from any of the plan's threads, many at once, in any order; each
 *  element is asked for once. @p run is aligned as well as the destination, or to 64 bytes. */
typedef void lmad_generate_fn(void *data, const int64_t *index, int axis, int64_t n, void *run);

/** Plan D[i] = what a function says. @p fn and @p data must outlive the plan. The library asks for runs along the
 *  axis that is best for the destination: the one with the shortest stride. Execute with src = NULL. The rest
 *  as lmad_plan_fill(). */
LMAD_API lmad_status lmad_plan_generate(lmad_plan **p, lmad_ctx *ctx, const lmad_desc *dst, size_t elem_size,
                                        lmad_generate_fn *fn, void *data, unsigned flags);

#ifdef __cplusplus
}
#endif

#endif /* LMAD_GENERATE_H */
