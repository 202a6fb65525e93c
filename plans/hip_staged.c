/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies through LDS. A tile is a box of the problem's axes; each side walks it in its own order. Two axes
 * with words along both are turned as squares in registers; anything else is put together unit by unit. */
#include "hip_views.h"

/* Views have more axes than three: kernels/hip/main.hip. */
enum { MANY_AXES = 4, FEW_AXES = 3 };

/* ---- layout ----------------------------------------------------------------------------------------- */

/* The side whose threads have several words or units in LDS, and whether they may take turns with them. */
static int several(const lm_staging *s, bool *turns) {
    const lm_hip_box *b = &s->box;
    const int own = s->turn == LM_TURN_LOADED ? LM_DST : LM_SRC;
    *turns = s->turn == LM_TURN_UNITS ? b->word[LM_DST] > 4 && lm_units(b, LM_DST) > 1
                                      : lm_units(b, 1 - own) * b->word[own] <= 64; /* lm_takes_turns */
    return s->turn == LM_TURN_LOADED ? LM_SRC : LM_DST;
}

/* How threads take turns, best for a layout; returns the cycles lost. */
static int64_t choose_turn(const lm_staging *s, const lm_device *device, lm_launch *out) {
    enum { NEVER = 31, SHIFTS = 4, ROWS = 4 };
    static const lm_u32 shifts[SHIFTS] = {3, 1, 2, 4};
    bool turns;
    const int side = several(s, &turns);
    out->args.turn_shift = NEVER;
    out->args.turn_row = 0;
    int64_t best = lm_hip_conflicts(device, out, side);
    lm_u32 shift = NEVER, row = 0;
    for (lm_u32 k = 0; turns && k < SHIFTS * ROWS && best > 0; k++) {
        out->args.turn_shift = shifts[k % SHIFTS];
        out->args.turn_row = k / SHIFTS;
        const int64_t lost = lm_hip_conflicts(device, out, side);
        if (lost >= best) continue;
        best = lost;
        shift = out->args.turn_shift;
        row = out->args.turn_row;
    }
    out->args.turn_shift = shift;
    out->args.turn_row = row;
    return best;
}

/* The best layout so far. */
typedef struct layout {
    int64_t gap, lost;
    lm_u32 shift, row, split;
} layout;

/* Gaps in steps, those that are no multiples of `whole` if split. */
static void try_gaps(lm_staging *s, const lm_device *device, int step, int whole, bool split, lm_launch *out,
                     layout *best) {
    enum { MOST = 128 };
    bool turns;
    const int side = several(s, &turns);
    out->args.split = split;
    for (int64_t gap = 0; gap <= MOST && best->lost > 0; gap += step) {
        if (split && gap % whole == 0) continue;
        lm_staging_lay(s, gap, &out->args);
        if (s->bytes > LM_HIP_LDS) return;
        const int64_t lost = choose_turn(s, device, out) + lm_hip_conflicts(device, out, 1 - side);
        if (lost < best->lost) *best = (layout){gap, lost, out->args.turn_shift, out->args.turn_row, split};
    }
}

/* The layout with the fewest bank conflicts, as far as there is room. */
static void choose_layout(lm_staging *s, const lm_device *device, lm_launch *out) {
    const int word = s->turn == LM_TURN_LOADED ? s->box.word[LM_DST] : s->box.word[LM_SRC];
    layout best = {.lost = INT64_MAX};
    try_gaps(s, device, word < 4 ? 4 : word, word, false, out, &best);
    if (s->turn == LM_TURN_UNITS && word > 4) try_gaps(s, device, 4, word, true, out, &best);
    lm_staging_lay(s, best.gap, &out->args);
    out->args.turn_shift = best.shift;
    out->args.turn_row = best.row;
    out->args.split = best.split;
}

/* Tiles along all axes that one tile does not cover, in the order asked for. */
static int64_t set_tiles(lm_staging *s, lm_order order, lm_launch *out) {
    const lm_hip_box *b = &s->box;
    lm_hip_form f = {0};
    int64_t tiles = 1;
    int bits = 0, bit_of[LM_HIP_AXES];
    for (int k = 0; k < b->rank; k++) {
        const int64_t n = lm_hip_box_tiles(b, k);
        const lm_pdim step = {n, b->dim[k].ds * b->t[k], b->dim[k].ss * b->t[k]};
        s->bit[k] = b->dim[k].n % b->t[k] ? bits++ : LM_UNCUT;
        if (n == 1) continue;
        int at = f.rank++;
        for (; at > 0 && lm_hip_faster(&step, &f.dim[at - 1], order); at--) {
            f.dim[at] = f.dim[at - 1];
            bit_of[at] = bit_of[at - 1];
        }
        f.dim[at] = step;
        bit_of[at] = s->bit[k] == LM_UNCUT ? 31 : s->bit[k];
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

/* Threads enough for the items, of which squares are the fewer. */
static int threads_for(const lm_staging *s, const lm_device *device, const lm_launch *out) {
    const lm_hip_view *v = out->args.view;
    const int side = s->turn == LM_TURN_UNITS ? LM_SRC : s->turn == LM_TURN_LOADED ? LM_SRC : LM_DST;
    const int64_t items =
        s->turn == LM_TURN_UNITS && v[LM_DST].items > v[side].items ? v[LM_DST].items : v[side].items;
    const int64_t waves = (items + device->wave - 1) / device->wave, most = LM_HIP_THREADS / device->wave;
    return (int)(waves < most ? waves : most) * device->wave;
}

static bool many_axes(const lm_hip_args *a) {
    return a->view[LM_DST].rank > FEW_AXES || a->view[LM_SRC].rank > FEW_AXES || a->units > FEW_AXES;
}

static bool finish(lm_staging *s, const lm_problem *p, const lm_device *device, const lm_hip_params *params,
                   lm_launch *out) {
    const int64_t tiles = set_tiles(s, params->order, out);
    if (tiles == 0) return false;
    lm_hip_set_reach(p, out);
    out->variant.kernel = s->turn == LM_TURN_UNITS ? LM_HIP_BLOCK : LM_HIP_TILE;
    out->variant.unit = s->box.unit;
    out->variant.word[LM_DST] = s->box.word[LM_DST];
    out->variant.word[LM_SRC] = s->box.word[LM_SRC];
    out->variant.items = params->items;
    out->variant.stream = params->stream;
    out->variant.option = s->turn;
    choose_layout(s, device, out);
    if (many_axes(&out->args)) out->variant.option |= MANY_AXES;
    return s->bytes <= LM_HIP_LDS && lm_hip_set_grid(device, tiles, threads_for(s, device, out), out);
}

static bool make_block(const lm_problem *p, const lm_device *device, const lm_hip_params *params,
                       unsigned align, lm_launch *out) {
    lm_staging s = {.turn = LM_TURN_UNITS};
    lm_hip_box_make(&s.box, p, params, align, true);
    return finish(&s, p, device, params, out);
}

/* Rows of a tile on a side, in bytes. */
static int64_t row_bytes(const lm_hip_box *b, int side) { return b->t[lm_fastest(b, side)] * b->unit; }

static bool make_tile(const lm_problem *p, const lm_device *device, const lm_hip_params *params,
                      unsigned align, lm_launch *out) {
    lm_staging s = {.turn = LM_TURN_LOADED};
    lm_hip_box_make(&s.box, p, params, align, false);
    if (s.box.unit != p->run || lm_fastest(&s.box, LM_DST) == lm_fastest(&s.box, LM_SRC))
        return make_block(p, device, params, align, out);
    if (row_bytes(&s.box, LM_SRC) < row_bytes(&s.box, LM_DST)) s.turn = LM_TURN_STORED;
    return finish(&s, p, device, params, out);
}

/* ---- candidates ------------------------------------------------------------------------------------- */

static bool is_box(const lm_problem *p) {
    return p->rank > 0 && (p->op == LM_OP_COPY || p->op == LM_OP_MOVE || p->op == LM_OP_MANY);
}

/* The fastest axis of a side. */
static int fastest_of(const lm_problem *p, lm_order order) {
    int best = 0;
    for (int k = 1; k < p->rank; k++)
        if (lm_hip_faster(&p->dim[k], &p->dim[best], order)) best = k;
    return best;
}

static bool is_tile(const lm_problem *p) {
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

/* Long axes on both sides are better off as squares. */
static bool squares_do(const lm_problem *p) {
    enum { LONG = 64 };
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
