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

/* What measured well: a kilobyte of each destination row, so that few pages are open at a time, and some
 * lines of each source row; the tile and the next one, which is prefetched, stay within the second-level
 * cache. Where one side is a line wide at most, the other is longer. */
static tile_bytes good_tile(const lm_problem *p) {
    const lm_pdim *inner = &p->dim[lm_dst_dense_axis(p)], *outer = &p->dim[lm_src_dense_axis(p)];
    if (outer->n * p->run <= 64) return (tile_bytes){8192, 512};
    if (inner->n * p->run <= 64) return (tile_bytes){1024, 8192};
    return (tile_bytes){least(1024, rows_held(inner->ss) * p->run), 256};
}

/* One tile in one loop order. Tiles that come out the same for small extents are proposed once. */
static int propose_tile(const lm_problem *p, const lm_params *start, tile_bytes tile, lm_order order,
                        lm_params *out, int count) {
    lm_params params = *start;
    params.inner = lm_dst_dense_axis(p);
    params.outer = lm_src_dense_axis(p);
    params.tile[0] = runs_in(p->dim[params.inner].n, tile.dst, p->run);
    params.tile[1] = runs_in(p->dim[params.outer].n, tile.src, p->run);
    params.order = order;
    for (int k = 0; k < count; k++)
        if (out[k].tile[0] == params.tile[0] && out[k].tile[1] == params.tile[1] && out[k].order == order)
            return count;
    return lm_propose(p, &params, out, count);
}

static int propose_both(const lm_problem *p, const lm_params *start, tile_bytes tile, lm_params *out,
                        int count) {
    count = propose_tile(p, start, tile, LM_ORDER_DST, out, count);
    return propose_tile(p, start, tile, LM_ORDER_SRC, out, count);
}

/* Few source rows at a time, so that their pages and those of the block that is written stay in the first
 * level of the TLB: some lines of each in the order of the source, or a page of each in that of the
 * destination. Not for large problems whose rows share sets of the caches: they lose more there than the
 * TLB gains. */
static int propose_few_rows(const lm_problem *p, const lm_params *start, lm_params *out, int count) {
    const int64_t ss = p->dim[lm_dst_dense_axis(p)].ss;
    if ((ss & -ss) >= PAGE && p->payload >= lm_stream_threshold() / 4) return count;
    const int64_t rows = p->run > 2 ? 32 : 64 / p->run;
    count = propose_tile(p, start, (tile_bytes){rows * p->run, 256}, LM_ORDER_SRC, out, count);
    return propose_tile(p, start, (tile_bytes){rows * p->run, 4096}, LM_ORDER_DST, out, count);
}

static int propose(const lm_problem *p, const lm_params *start, int effort, lm_params *out) {
    const int inner = lm_dst_dense_axis(p), outer = lm_src_dense_axis(p);
    int count = 0;
    if (p->dim[inner].n * p->run <= 512 && p->dim[outer].n * p->run <= 512)
        return lm_propose_axes(p, start, inner, outer, out, 0);
    count = propose_both(p, start, good_tile(p), out, count);
    count = propose_few_rows(p, start, out, count);
    if (effort < LMAD_PATIENT) return count;
    for (int64_t dst = 128; dst <= 65536; dst *= 2)
        for (int64_t src = 64; src <= 2048; src *= 2)
            count = propose_both(p, start, (tile_bytes){dst, src}, out, count);
    return count;
}

static void make(lm_step *step, const lm_problem *p, const lm_params *params) {
    lm_build(step, p, params, LM_TRANSPOSE);
}

const lm_kind lm_kind_transpose = {"transpose", applicable, propose, make};
