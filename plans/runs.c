/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of any length, also single elements, at any strides: "4 of 5 floats", every second element, columns.
 * The kernel walks along the dense side where there is one. Solves every problem that is not empty. */
#include "lib/build.h"
#include "plans.h"

static bool applicable(const lm_problem *p) { return p->count > 1; }

static int longest_axis(const lm_problem *p, int but) {
    int best = LM_AXIS_NONE;
    for (int k = p->rank - 1; k >= 0; k--)
        if (k != but && (best < 0 || p->dim[k].n > p->dim[best].n)) best = k;
    return best;
}

/* Few long rows scattered in pieces: a piece's part of the destination stays in the first cache while the others are
 * written into it. Words of few rows are for transposes. */
static int propose_pieces(const lm_problem *p, const lm_params *start, int inner, int outer, lm_params *out,
                          int count) {
    enum { BYTES = 3072, LEAST = 16 };
    lm_params params = *start;
    const int64_t rows = p->dim[outer].n, piece = BYTES / (rows * p->run);
    if (lm_is_word(p->run) || piece < LEAST || p->dim[inner].n < 4 * piece) return count;
    params.inner = inner;
    params.outer = outer;
    params.tile[0] = piece;
    params.tile[1] = rows;
    return lm_propose(p, &params, out, count);
}

/* Along the shortest steps of one side or the other; the kernel's second axis is the next shortest one there,
 * or on the other side, or, where all axes are short and calls cost most, the longest one. */
static int propose(const lm_problem *p, const lm_params *start, int effort, lm_params *out) {
    (void)effort;
    const int dst = lm_dst_next_axis(p, LM_AXIS_NONE), src = lm_src_next_axis(p, LM_AXIS_NONE);
    const int next = lm_dst_next_axis(p, dst), across = lm_src_next_axis(p, dst),
              longest = longest_axis(p, dst);
    int count = lm_propose_axes(p, start, dst, next, out, 0);
    if (across >= 0 && across != next) count = lm_propose_axes(p, start, dst, across, out, count);
    if (longest != next && longest != across) count = lm_propose_axes(p, start, dst, longest, out, count);
    if (src < 0 || src == dst) return count;
    count = propose_pieces(p, start, src, dst, out, count);
    return lm_propose_axes(p, start, src, lm_src_next_axis(p, src), out, count);
}

static void make(lm_step *step, const lm_problem *p, const lm_params *params) {
    const lm_pdim *d = &p->dim[params->inner];
    lm_build(step, p, params, d->ds == p->run ? LM_GATHER : d->ss == p->run ? LM_SCATTER : LM_STRIDED);
}

const lm_kind lm_kind_runs = {"runs", applicable, propose, make};
