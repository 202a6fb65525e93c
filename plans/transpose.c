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

/* A tile in bytes, along the destination row and along the source row. */
typedef struct tile_bytes {
    int64_t dst, src;
} tile_bytes;

/* Source rows whose lines the second-level cache holds all at once: with steps of a multiple of a page they
 * share so few sets that more of them drive each other out. How few depends on where the system put the
 * pages; this is between pages at random, which hold 256 rows of any step, and pages in sequence, which hold
 * a megabyte's worth. */
static int64_t rows_held(int64_t ss) {
    enum { PAGE = 4096, LEAST = 64, MOST = 256, REACH = 4 << 20 };
    const int64_t common = ss & -ss, rows = common > 0 ? REACH / common : LEAST;
    if (common > 0 && common < PAGE) return MOST * (PAGE / common);
    return rows < LEAST ? LEAST : least(rows, MOST);
}

/* What measured well: a kilobyte of each destination row, so that few pages are open at a time, and some
 * lines of each source row; the tile and the next one, which is prefetched, stay within the second-level
 * cache. Where one side is a line wide at most, the other is longer. */
static tile_bytes good_tile(const lm_problem *p) {
    const lm_pdim *inner = &p->dim[lm_dst_dense_axis(p)], *outer = &p->dim[lm_src_dense_axis(p)];
    if (outer->n * p->run <= 64) return (tile_bytes){8192, 512};
    if (inner->n * p->run <= 64) return (tile_bytes){1024, 8192};
    return (tile_bytes){least(1024, rows_held(inner->ss) * p->run), 256};
}

/* One tile in both loop orders. Tiles that come out the same for small extents are proposed once. */
static int propose_tile(const lm_problem *p, const lm_params *start, tile_bytes tile, lm_params *out,
                        int count) {
    lm_params params = *start;
    params.inner = lm_dst_dense_axis(p);
    params.outer = lm_src_dense_axis(p);
    params.tile[0] = runs_in(p->dim[params.inner].n, tile.dst, p->run);
    params.tile[1] = runs_in(p->dim[params.outer].n, tile.src, p->run);
    for (int k = 0; k < count; k++)
        if (out[k].tile[0] == params.tile[0] && out[k].tile[1] == params.tile[1]) return count;
    for (int order = LM_ORDER_DST; order <= LM_ORDER_SRC; order++) {
        params.order = (lm_order)order;
        count = lm_propose(p, &params, out, count);
    }
    return count;
}

static int propose(const lm_problem *p, const lm_params *start, int effort, lm_params *out) {
    const int inner = lm_dst_dense_axis(p), outer = lm_src_dense_axis(p);
    int count = 0;
    if (p->dim[inner].n * p->run <= 512 && p->dim[outer].n * p->run <= 512)
        return lm_propose_axes(p, start, inner, outer, out, 0);
    count = propose_tile(p, start, good_tile(p), out, count);
    if (effort < LMAD_PATIENT) return count;
    for (int64_t dst = 128; dst <= 65536; dst *= 2)
        for (int64_t src = 64; src <= 2048; src *= 2)
            count = propose_tile(p, start, (tile_bytes){dst, src}, out, count);
    return count;
}

static void make(lm_step *step, const lm_problem *p, const lm_params *params) {
    lm_build(step, p, params, LM_TRANSPOSE);
}

const lm_kind lm_kind_transpose = {"transpose", applicable, propose, make};
