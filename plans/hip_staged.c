/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies through LDS. A tile is a box of the problem's axes; each side walks it in its own order. Two axes
 * with words along both are turned as squares in registers; elements of 3, 5, 6 and 7 bytes along two
 * long axes as squares in LDS; anything else is put together unit by unit. */
#include "hip_layout.h"

int64_t lm_staging_set_tiles(lm_staging *s, lm_order order, lm_launch *out) {
    const lm_hip_box *b = &s->box;
    lm_hip_form f = {0};
    int64_t tiles = 1;
    int bits = 0, bit_of[LM_HIP_AXES];
    for (int k = 0; k < b->rank; k++) {
        const int64_t n = lm_hip_box_tiles(b, k);
        s->bit[k] = b->dim[k].n % b->t[k] ? bits++ : LM_UNCUT;
        if (n == 1) continue;
        const lm_pdim step = {n, b->dim[k].ds * b->t[k], b->dim[k].ss * b->t[k]};
        int at = f.rank++;
        for (; at > 0 && lm_hip_faster(&step, &f.dim[at - 1], order); at--) {
            f.dim[at] = f.dim[at - 1];
            bit_of[at] = bit_of[at - 1];
        }
        f.dim[at] = step;
        bit_of[at] = s->bit[k] == LM_UNCUT ? LM_HIP_NO_BIT : s->bit[k];
        if (n > UINT32_MAX / tiles) return 0;
        tiles *= n;
    }
    for (int k = 0; k < f.rank; k++) {
        lm_hip_set_axis(&out->args.axis[k], &f.dim[k]);
        out->args.axis[k].bit = (lm_u32)bit_of[k];
    }
    out->args.rank = (lm_u32)f.rank;
    return tiles;
}

static lm_u32 larger(lm_u32 a, lm_u32 b) { return a > b ? a : b; }

/* Threads enough for the items, of which squares are the fewer. */
static int threads_for(const lm_staging *s, const lm_device *device, const lm_launch *out) {
    const lm_hip_view *v = out->args.view;
    const int64_t items = s->turn == LM_TURN_LOADED ? v[LM_SRC].items
                          : s->turn == LM_TURN_STORED
                              ? v[LM_DST].items
                              : larger(larger(v[LM_DST].items, v[LM_SRC].items), v[2].items);
    const int64_t waves = (items + device->wave - 1) / device->wave, most = LM_HIP_THREADS / device->wave;
    return (int)(waves < most ? waves : most) * device->wave;
}

static bool finish(lm_staging *s, const lm_problem *p, const lm_device *device, const lm_hip_params *params,
                   bool final, lm_launch *out) {
    const int64_t tiles = lm_staging_set_tiles(s, params->order, out);
    if (tiles == 0) return false;
    lm_hip_set_reach(p, out);
    out->variant.kernel = s->turn == LM_TURN_UNITS ? LM_HIP_BLOCK : LM_HIP_TILE;
    out->variant.unit = s->box.unit;
    out->variant.word[LM_DST] = s->box.word[LM_DST];
    out->variant.word[LM_SRC] = s->box.word[LM_SRC];
    out->variant.items = params->items;
    out->variant.stream = params->stream;
    out->variant.option = s->turn;
    if (s->turn == LM_TURN_TWICE) {
        out->variant.unit = (int)p->run;
        lm_staging_lay_twice(s, p->run, &out->args);
    } else {
        if (final)
            lm_staging_choose(s, device, out);
        else
            lm_staging_lay(s, &out->args);
        lm_staging_join(&out->args);
    }
    out->variant.option |= lm_staging_axes_option(&out->args);
    const int lds = lm_hip_lds(out);
    return s->bytes <= lds && lds <= device->lds_bytes &&
           lm_hip_set_grid(device, tiles, threads_for(s, device, out), out);
}

static bool make_block(const lm_problem *p, const lm_device *device, const lm_hip_params *params,
                       unsigned align, bool final, lm_launch *out) {
    lm_staging s = {.turn = LM_TURN_UNITS};
    lm_hip_box_make(&s.box, p, params, align, true);
    return finish(&s, p, device, params, final, out);
}

/* The fastest axis of a side. */
static int fastest_of(const lm_problem *p, lm_order order) {
    int best = 0;
    for (int k = 1; k < p->rank; k++)
        if (lm_hip_faster(&p->dim[k], &p->dim[best], order)) best = k;
    return best;
}

/* Elements of 3, 5, 6 and 7 bytes are turned in LDS, where they are along long axes. */
static bool is_twice(const lm_problem *p) {
    enum { LONG = 16 };
    if (p->run % 4 == 0 || p->run < 3 || p->run > LM_HIP_TWICE) return false;
    const lm_pdim *d = &p->dim[fastest_of(p, LM_ORDER_DST)], *s = &p->dim[fastest_of(p, LM_ORDER_SRC)];
    return d != s && d->ds == p->run && s->ss == p->run && d->n >= LONG && s->n >= LONG;
}

static bool make_twice(const lm_problem *p, const lm_device *device, const lm_hip_params *params,
                       unsigned align, bool final, lm_launch *out) {
    lm_staging s = {.turn = LM_TURN_TWICE};
    lm_hip_box_square(&s.box, p, params, align, LM_HIP_TWICE_SIDE(p->run));
    return finish(&s, p, device, params, final, out);
}

/* Rows of a tile on a side, in bytes. */
static int64_t row_bytes(const lm_hip_box *b, int side) { return b->t[lm_fastest(b, side)] * b->unit; }

static bool make_tile(const lm_problem *p, const lm_device *device, const lm_hip_params *params,
                      unsigned align, bool final, lm_launch *out) {
    lm_staging s = {.turn = LM_TURN_LOADED};
    if (is_twice(p)) return make_twice(p, device, params, align, final, out);
    lm_hip_box_make(&s.box, p, params, align, false);
    if (s.box.unit != p->run || lm_fastest(&s.box, LM_DST) == lm_fastest(&s.box, LM_SRC))
        return make_block(p, device, params, align, final, out);
    if (row_bytes(&s.box, LM_SRC) < row_bytes(&s.box, LM_DST)) s.turn = LM_TURN_STORED;
    return finish(&s, p, device, params, final, out);
}

/* ---- candidates ------------------------------------------------------------------------------------- */

static bool is_box(const lm_problem *p) {
    return p->rank > 0 && (p->op == LM_OP_COPY || p->op == LM_OP_MOVE || p->op == LM_OP_MANY);
}

static bool is_tile(const lm_problem *p) {
    if (is_box(p) && is_twice(p)) return true;
    return is_box(p) && p->run <= 16 && (p->run & (p->run - 1)) == 0 &&
           fastest_of(p, LM_ORDER_DST) != fastest_of(p, LM_ORDER_SRC) &&
           p->dim[fastest_of(p, LM_ORDER_SRC)].ss != 0;
}

/* Rows of a tile: those that measure, and then the others. */
static const int64_t rows[][2] = {{256, 256}, {128, 128}, {512, 512}, {128, 256},
                                  {256, 128}, {64, 64},   {1024, 64}, {64, 1024}};
enum { FEW = 4, ALL = sizeof rows / sizeof *rows };

static int add_tiles(int effort, lm_hip_kernel kernel, lm_hip_params *out, int count, int max) {
    const int last = effort < LMAD_PATIENT ? LM_ORDER_DST : LM_ORDER_SRC;
    for (int k = 0; k < (effort < LMAD_PATIENT ? FEW : ALL); k++) {
        for (int order = LM_ORDER_DST; order <= last && count < max; order++) {
            lm_hip_params *p = &out[count++];
            *p = (lm_hip_params){.kernel = kernel, .word = {16, 16}, .order = (lm_order)order, .items = 4};
            p->tile[LM_DST] = rows[k][LM_DST];
            p->tile[LM_SRC] = rows[k][LM_SRC];
        }
    }
    return count;
}

static int propose_tile(const lm_problem *p, int effort, lm_hip_params *out, int count, int max) {
    (void)p;
    return add_tiles(effort, LM_HIP_TILE, out, count, max);
}

/* Long axes on both sides are better off as squares, and so are long elements as rows. */
static bool squares_do(const lm_problem *p) {
    enum { LONG = 64 };
    if (p->run % 4 && lm_hip_funnel.applicable(p)) return true;
    return is_tile(p) && p->dim[fastest_of(p, LM_ORDER_DST)].n * p->run >= LONG &&
           p->dim[fastest_of(p, LM_ORDER_SRC)].n * p->run >= LONG;
}

/* Rows this long need no LDS. */
enum { ROW = 128 };

static int propose_block(const lm_problem *p, int effort, lm_hip_params *out, int count, int max) {
    if (effort < LMAD_PATIENT && (p->run >= ROW || squares_do(p))) return count;
    return add_tiles(effort, LM_HIP_BLOCK, out, count, max);
}

const lm_hip_kind lm_hip_tile = {"hip-tile", is_tile, propose_tile, make_tile};
const lm_hip_kind lm_hip_block = {"hip-block", is_box, propose_block, make_block};
