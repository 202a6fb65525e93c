/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposes with any number of batch axes, gaps allowed: one axis is dense in the destination, another one
 * in the source, and a kernel turns tiles of the two. */
#include "lib/build.h"
#include "lib/cost.h"
#include "plans.h"

/* Two different axes are dense, one on each side, and runs are short: longer ones are copied one by one. */
static bool applicable(const lm_problem *p) {
    const int inner = lm_dst_dense_axis(p), outer = lm_src_dense_axis(p);
    return p->count > 1 && p->run < 32 && inner >= 0 && outer >= 0 && inner != outer;
}

/* Runs of an axis that make up so many bytes, some at least; a round number of them, so that the tiles of a
 * row begin at the same place of a line. */
static int64_t runs_in(int64_t n, int64_t bytes, int64_t run) {
    const int64_t runs = bytes / run, whole = runs >= 64 ? runs & -64 : runs >= 16 ? runs & -16 : runs;
    return least(n, whole < 4 ? 4 : whole);
}

enum { PAGE = 4096 };

/* Source rows whose lines the second-level cache holds all at once: with steps of a multiple of a page they
 * share so few sets that more of them drive each other out. How few depends on where the system put the
 * pages; this is between pages at random, which hold 256 rows of any step, and pages in sequence, which hold
 * a megabyte's worth. */
static int64_t rows_held(int64_t ss) {
    enum { LEAST = 64, MOST = 256, REACH = 4 << 20 };
    const int64_t common = ss & -ss, rows = common > 0 ? REACH / common : LEAST;
    if (common > 0 && common < PAGE) return MOST * (PAGE / common);
    return rows < LEAST ? LEAST : least(rows, MOST);
}

/* A tile: so many source rows, so many bytes of each; 0 = all. */
typedef struct shape {
    int64_t rows, bytes;
    lm_order order;
} shape;

/* Tiles that come out the same for small extents are proposed once. */
static int propose_shape(const lm_problem *p, const lm_params *start, shape s, lm_params *out, int count) {
    lm_params params = *start;
    params.inner = lm_dst_dense_axis(p);
    params.outer = lm_src_dense_axis(p);
    const int64_t n0 = p->dim[params.inner].n, n1 = p->dim[params.outer].n;
    params.tile[0] = s.rows ? runs_in(n0, s.rows * p->run, p->run) : n0;
    params.tile[1] = s.bytes ? runs_in(n1, s.bytes, p->run) : n1;
    params.order = s.order;
    for (int k = 0; k < count; k++)
        if (out[k].tile[0] == params.tile[0] && out[k].tile[1] == params.tile[1] && out[k].order == s.order)
            return count;
    return lm_propose(p, &params, out, count);
}

static int propose_both(const lm_problem *p, const lm_params *start, shape s, lm_params *out, int count) {
    for (int order = LM_ORDER_DST; order <= LM_ORDER_SRC; order++) {
        s.order = (lm_order)order;
        count = propose_shape(p, start, s, out, count);
    }
    return count;
}

/* Shapes that measured well on many permutations; the model says which one suits. Of 256 bytes of each source
 * row few pages of the destination are open at a time, and the tile and the next one, which is prefetched,
 * stay within the second-level cache; half a kilobyte of destination rows is what kernels write lines in
 * pairs for. The pages of few source rows stay in the first level of the TLB, too, and hardware follows 16 of
 * them; up to a page of each in the order of the destination, where the next tile lies elsewhere anyhow. Only
 * the first one for large problems whose rows share sets of the caches: they lose more there than the TLB
 * gains. */
static int propose_shapes(const lm_problem *p, const lm_params *start, lm_params *out, int count) {
    static const shape usual[] = {
        {16, 0, LM_ORDER_SRC}, {48, 0, LM_ORDER_SRC}, {48, 4096, LM_ORDER_DST}, {0, 512, LM_ORDER_SRC}};
    const int64_t ss = p->dim[lm_dst_dense_axis(p)].ss, held = rows_held(ss);
    count = propose_shape(p, start, (shape){least(1024 / p->run, held), 256, LM_ORDER_SRC}, out, count);
    if ((ss & -ss) >= PAGE && p->payload >= lm_stream_threshold() / 4) return count;
    const shape second =
        p->run < 16 ? (shape){least(512 / p->run, held), 256, LM_ORDER_SRC} : (shape){64, 512, LM_ORDER_SRC};
    count = propose_shape(p, start, second, out, count);
    if (p->run <= 2) count = propose_shape(p, start, (shape){128 / p->run, 256, LM_ORDER_SRC}, out, count);
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
        count = propose_shape(p, start, usual[k], out, count);
    return count;
}

/* Where one side is a line wide at most, the other is long. */
static int propose(const lm_problem *p, const lm_params *start, int effort, lm_params *out) {
    const int inner = lm_dst_dense_axis(p), outer = lm_src_dense_axis(p);
    const int64_t high = p->dim[inner].n * p->run, wide = p->dim[outer].n * p->run;
    int count = 0;
    if (high <= 512 && wide <= 512) return lm_propose_axes(p, start, inner, outer, out, 0);
    if (wide <= 64)
        count = propose_both(p, start, (shape){8192 / p->run, 0, LM_ORDER_DST}, out, count);
    else if (high <= 64)
        count = propose_both(p, start, (shape){0, (128 << 10) / p->dim[inner].n, LM_ORDER_DST}, out, count);
    else
        count = propose_shapes(p, start, out, count);
    if (effort < LMAD_PATIENT) return count;
    for (int64_t row = 128; row <= 65536; row *= 2) /* bytes of a destination row */
        for (int64_t bytes = 64; bytes <= 2048; bytes *= 2)
            count =
                propose_both(p, start, (shape){(row + p->run - 1) / p->run, bytes, LM_ORDER_DST}, out, count);
    return count;
}

static void make(lm_step *step, const lm_problem *p, const lm_params *params) {
    lm_build(step, p, params, LM_TRANSPOSE);
}

const lm_kind lm_kind_transpose = {"transpose", applicable, propose, make};
