/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposes of long elements through LDS: kernels/hip/funnel.h. A tile is a matrix of elements: rows of the source,
 * which are elements one after the other there, by rows of the destination. Either may go on over several axes. */
#include "hip_funnel.h"

#include "hip_banks.h"
#include "hip_views.h"
#include "kernels/hip/funnel_at.h"

enum { LEAST = 9 }; /* bytes of an element */
enum { TURN = LM_FUNNEL_TURN, SEGMENT = LM_FUNNEL_SEGMENT };
enum { MOST_AXES = 4 }; /* of a row */
enum { BEYOND = 28 };   /* bytes that may be read after the last row in LDS, for nothing */

/* A row of a side: elements one after the other. */
typedef struct row {
    int axes, axis[MOST_AXES]; /* the fastest first; the last may be cut */
    int64_t elements;
    int word;
} row;

typedef struct funnel {
    lm_staging s; /* the box and the bits of axes */
    int64_t size, offset[2];
    row row[2];
} funnel;

static int64_t bytes_of(const funnel *f, int side) { return f->row[side].elements * f->size; }

/* ---- tiles ------------------------------------------------------------------------------------------ */

/* The axis along which a side goes on after so many bytes; the source may run backwards. */
static int axis_with(const funnel *f, int side, int64_t step) {
    const lm_hip_box *b = &f->s.box;
    for (int k = 0; k < b->rank; k++) {
        const int64_t own = lm_hip_step(&b->dim[k], side);
        if (own == step || (side == LM_SRC && own == -step)) return k;
    }
    return LM_AXIS_NONE;
}

static bool has_axis(const row *r, int axis) {
    for (int k = 0; k < r->axes; k++)
        if (r->axis[k] == axis) return true;
    return false;
}

/* Walk an axis forwards in the source. */
static void turn_round(funnel *f, int axis) {
    lm_pdim *d = &f->s.box.dim[axis];
    if (d->ss >= 0) return;
    f->offset[LM_DST] += (d->n - 1) * d->ds;
    f->offset[LM_SRC] += (d->n - 1) * d->ss;
    d->ds = -d->ds;
    d->ss = -d->ss;
}

/* Indices that are whole segments, or parts of them, or words: as rows are not to become much longer than wanted. */
static int64_t steps_for(int64_t bytes, int word, int64_t want) {
    int64_t align = SEGMENT;
    while (align > word && align / lm_hip_divisor(align, bytes) * bytes > 3 * want) align /= 2;
    return align / lm_hip_divisor(align, bytes);
}

static void take(funnel *f, int side, int axis, int64_t want) {
    lm_hip_box *b = &f->s.box;
    row *r = &f->row[side];
    const int64_t bytes = bytes_of(f, side);
    if (side == LM_SRC) turn_round(f, axis);
    b->t[axis] =
        lm_hip_box_extent(b->dim[axis].n, (want + bytes - 1) / bytes, steps_for(bytes, r->word, want));
    r->axis[r->axes++] = axis;
    r->elements *= b->t[axis];
}

/* At least so many bytes, if there are, without the first axis of the other side. */
static void grow(funnel *f, int side, int64_t want, int other) {
    const lm_hip_box *b = &f->s.box;
    row *r = &f->row[side];
    r->axes = 0;
    r->elements = 1;
    do {
        const int axis = axis_with(f, side, bytes_of(f, side));
        if (axis == LM_AXIS_NONE || axis == other || has_axis(&f->row[1 - side], axis)) return;
        take(f, side, axis, want);
        if (b->t[axis] < b->dim[axis].n) return;
    } while (bytes_of(f, side) < want && r->axes < MOST_AXES);
}

/* All steps of a side or'ed together but for those of its row, and where it begins. */
static int64_t steps_of(const funnel *f, int side) {
    const lm_hip_box *b = &f->s.box;
    int64_t bits = f->offset[side];
    for (int k = 0; k < b->rank; k++)
        if (!has_axis(&f->row[side], k)) bits |= lm_hip_step(&b->dim[k], side);
    return bits;
}

/* Words of rows, also of the last ones. */
static int word_of(const funnel *f, int side) {
    const lm_hip_box *b = &f->s.box;
    const row *r = &f->row[side];
    const int last = r->axis[r->axes - 1];
    const int64_t bytes = bytes_of(f, side), all = bytes / b->t[last] * b->dim[last].n;
    const int word = lm_hip_power(steps_of(f, side) | bytes | all);
    return word < r->word ? word : r->word;
}

/* Rows of the source in LDS lie a whole number of turns of the banks apart, and an element. */
static int64_t gap_of(const funnel *f) {
    return lm_hip_round_up(bytes_of(f, LM_SRC) - f->size + LM_BANK - 1, TURN);
}

static int64_t lds_of(const funnel *f) {
    return (f->row[LM_DST].elements - 1) * (f->size + gap_of(f)) + bytes_of(f, LM_SRC) + BEYOND;
}

static void begin(funnel *f, const lm_problem *p) {
    f->size = p->run;
    f->offset[LM_DST] = p->doff;
    f->offset[LM_SRC] = p->soff;
    f->s.box.rank = p->rank;
    for (int k = 0; k < p->rank; k++) {
        f->s.box.dim[k] = p->dim[k];
        f->s.box.t[k] = 1;
    }
}

static int larger(int64_t dst, int64_t src) { return dst > src ? LM_DST : LM_SRC; }

/* A tile with words of these widths, if the problem has them, and rows as long as wanted, if there is room; false
 * otherwise. */
static bool fit(funnel *f, const lm_problem *p, const int word[2], const int64_t tile[2]) {
    int64_t want[2] = {tile[LM_DST] > 0 ? tile[LM_DST] : 1, tile[LM_SRC] > 0 ? tile[LM_SRC] : 1};
    for (;;) {
        begin(f, p);
        const int first[2] = {axis_with(f, LM_DST, f->size), axis_with(f, LM_SRC, f->size)};
        if (first[LM_DST] == LM_AXIS_NONE || first[LM_SRC] == LM_AXIS_NONE || first[LM_DST] == first[LM_SRC])
            return false;
        f->row[LM_SRC].axes = 0;
        for (int side = LM_DST; side <= LM_SRC; side++) {
            f->row[side].word = word[side];
            grow(f, side, want[side], first[1 - side]);
        }
        if (word_of(f, LM_DST) < word[LM_DST] || word_of(f, LM_SRC) < word[LM_SRC]) return false;
        if (lds_of(f) <= LM_HIP_FUNNEL_LDS) return true;
        if (want[LM_DST] <= 1 && want[LM_SRC] <= 1) return false;
        want[larger(want[LM_DST], want[LM_SRC])] /= 2;
    }
}

/* The widest words that there are tiles with. */
static bool lay_out(funnel *f, const lm_problem *p, const lm_hip_params *params, unsigned align) {
    static const int words[][2] = {{16, 16}, {8, 16}, {16, 8}, {8, 8}, {4, 16},
                                   {16, 4},  {4, 8},  {8, 4},  {4, 4}};
    enum { WORDS = sizeof words / sizeof *words };
    for (int k = 0; k < WORDS; k++) {
        const int dst = words[k][LM_DST], src = words[k][LM_SRC];
        const bool allowed = dst <= params->word[LM_DST] && src <= params->word[LM_SRC] &&
                             dst <= (int)align && src <= (int)align;
        if (allowed && fit(f, p, words[k], params->tile)) return true;
    }
    return false;
}

/* ---- arguments -------------------------------------------------------------------------------------- */

static void add_axis(lm_hip_view *v, int64_t n, int64_t step, int64_t whole, int64_t left, int bit) {
    v->axis[v->rank++] = (lm_hip_view_axis){.step = step,
                                            .n = (lm_u32)n,
                                            .quick = lm_hip_quick(n),
                                            .whole = (lm_u32)whole,
                                            .left = (lm_u32)left,
                                            .bit = (lm_u32)bit};
    v->items *= (lm_u32)n;
}

static int64_t left_of(const funnel *f, int axis) {
    return f->s.bit[axis] == LM_UNCUT ? f->s.box.t[axis] : lm_hip_box_left(&f->s.box, axis);
}

/* The elements of a row, as the other side walks them. */
static void add_row(const funnel *f, int side, lm_hip_view *v) {
    const row *r = &f->row[side];
    const lm_hip_box *b = &f->s.box;
    for (int k = 0; k < r->axes; k++)
        add_axis(v, b->t[r->axis[k]], lm_hip_step(&b->dim[r->axis[k]], 1 - side), b->t[r->axis[k]],
                 left_of(f, r->axis[k]), f->s.bit[r->axis[k]]);
}

/* Of the last row along its axis. */
static int64_t left_bytes(const funnel *f, int side) {
    const int last = f->row[side].axis[f->row[side].axes - 1];
    return bytes_of(f, side) / f->s.box.t[last] * left_of(f, last);
}

static int bit_of(const funnel *f, int side) { return f->s.bit[f->row[side].axis[f->row[side].axes - 1]]; }

/* Threads that a row of the source has: no row ends among those that are served together, nor, where rows are no whole
 * segments, among those of a wave if one has several rows. */
static int64_t threads_of_row(const funnel *f, const lm_device *device) {
    const row *r = &f->row[LM_SRC];
    const int64_t bytes = bytes_of(f, LM_SRC), threads = lm_hip_round_up(bytes / r->word, TURN / r->word);
    if ((bytes | steps_of(f, LM_SRC)) % device->segment == 0 || threads >= device->wave) return threads;
    return device->wave / (device->wave / threads);
}

static void set_source(const funnel *f, const lm_device *device, lm_hip_view *v) {
    const int word = f->row[LM_SRC].word;
    *v = (lm_hip_view){.items = 1, .pair = LM_HIP_VIEW};
    add_axis(v, threads_of_row(f, device), word, bytes_of(f, LM_SRC) / word, left_bytes(f, LM_SRC) / word,
             bit_of(f, LM_SRC));
    add_row(f, LM_DST, v);
}

/* Rows begin where segments do, or up to so many bytes after that. */
static int64_t most_before(const funnel *f) {
    const int64_t bits = steps_of(f, LM_DST) | SEGMENT |
                         (bit_of(f, LM_DST) == LM_UNCUT ? 0 : left_bytes(f, LM_DST)) | bytes_of(f, LM_DST);
    return SEGMENT - (bits & -bits);
}

static void set_destination(const funnel *f, lm_hip_args *a) {
    const int word = f->row[LM_DST].word, rows = word / LM_BANK;
    const int apart = f->size % 4 == 0 ? 0 : f->size % 2 == 0 ? 1 : 2;
    const int64_t turns = lm_hip_round_up(bytes_of(f, LM_DST) + most_before(f), TURN) / TURN,
                  across = lm_hip_round_up(f->row[LM_SRC].elements, (int64_t)rows << apart);
    a->view[LM_DST] = (lm_hip_view){.items = 1, .pair = LM_HIP_VIEW};
    add_row(f, LM_SRC, &a->view[LM_DST]);
    a->funnel = (lm_hip_rows){.size = (lm_u32)f->size,
                              .size_quick = lm_hip_quick(f->size),
                              .gap = (lm_u32)gap_of(f),
                              .parts = (lm_u32)((word - 2) / f->size + 2),
                              .apart = (lm_u32)apart,
                              .turns = (lm_u32)turns,
                              .turns_quick = lm_hip_quick(turns),
                              .items = (lm_u32)(across * turns * TURN / word),
                              .whole = (lm_u32)bytes_of(f, LM_DST),
                              .left = (lm_u32)left_bytes(f, LM_DST),
                              .bit = (lm_u32)bit_of(f, LM_DST)};
}

static void set_variant(const funnel *f, const lm_hip_params *params, lm_launch *out) {
    out->variant.kernel = LM_HIP_FUNNEL;
    out->variant.unit = f->size % 4 ? 1 : 4;
    out->variant.word[LM_DST] = f->row[LM_DST].word;
    out->variant.word[LM_SRC] = f->row[LM_SRC].word;
    out->variant.items = params->items;
    out->variant.stream = params->stream;
    out->variant.option = lm_staging_axes_option(&out->args);
}

static int block_for(const lm_launch *l, const lm_device *device) {
    const lm_u32 dst = lm_hip_items(l, LM_DST), src = lm_hip_items(l, LM_SRC);
    const int64_t waves = ((dst > src ? dst : src) + device->wave - 1) / device->wave,
                  most = LM_HIP_THREADS / device->wave;
    return (int)(waves < most ? waves : most) * device->wave;
}

/* Pointers may be aligned worse than the problem: word by word then. */
static bool make(const lm_problem *p, const lm_device *device, const lm_hip_params *params, unsigned align,
                 bool final, lm_launch *out) {
    funnel f;
    if (!lay_out(&f, p, params, align)) return lm_hip_copy.make(p, device, params, align, final, out);
    const int64_t tiles = lm_staging_set_tiles(&f.s, params->order, out);
    if (tiles == 0 || lds_of(&f) > device->lds_bytes) return false;
    lm_hip_set_reach(p, out);
    out->args.doff += f.offset[LM_DST] - p->doff;
    out->args.soff += f.offset[LM_SRC] - p->soff;
    set_source(&f, device, &out->args.view[LM_SRC]);
    set_destination(&f, &out->args);
    set_variant(&f, params, out);
    out->lds = (uint32_t)lds_of(&f);
    return lm_hip_set_grid(device, tiles, block_for(out, device), out);
}

/* ---- bank cycles ------------------------------------------------------------------------------------ */

enum { TOGETHER = LM_BANKS };

/* Accesses of an item. */
static int64_t accesses_of(const lm_launch *l, int side) {
    const int64_t registers = l->variant.word[side] / LM_BANK;
    if (side == LM_SRC || l->variant.unit == LM_BANK) return registers;
    return (registers + 2) * l->args.funnel.parts;
}

lm_place lm_hip_place_of(const lm_launch *l, int side, const lm_tile_start *tile, lm_u32 item) {
    if (l->variant.kernel == LM_HIP_FUNNEL && side == LM_DST)
        return lm_funnel_at(&l->args, tile, (lm_u32)l->variant.word[LM_DST], item);
    return lm_view_at(&l->args.view[side], side == LM_DST ? tile->doff : tile->soff, tile->last, item);
}

/* Is there a thread at work of those that are served together? */
static bool works(const lm_launch *l, int side, const lm_tile_start *tile, lm_u32 first) {
    for (lm_u32 item = first; item < first + TOGETHER; item++)
        if (!lm_hip_place_of(l, side, tile, item).outside) return true;
    return false;
}

static int64_t cycles_of(const lm_launch *l, int side, lm_u32 number) {
    const lm_tile_start tile = lm_tile_at(&l->args, number);
    int64_t working = 0;
    for (lm_u32 first = 0; first < lm_hip_items(l, side); first += TOGETHER)
        working += works(l, side, &tile, first);
    return working * accesses_of(l, side);
}

/* Do rows of all tiles begin at the same place of a segment? */
static bool is_even(const lm_hip_args *a) {
    int64_t bits = 0;
    for (lm_u32 k = 0; k < a->rank; k++) bits |= a->axis[k].ds;
    return bits % SEGMENT == 0;
}

/* One tile stands for its sort, or a few. */
void lm_hip_count_funnel_banks(lm_launch *l) {
    enum { SOME = 8 };
    const lm_u32 cuts = lm_hip_cuts(l);
    l->lds_cycles = 0;
    for (lm_u32 last = 0; last <= cuts; last++) {
        const int64_t tiles = last & ~cuts ? 0 : lm_hip_tiles_of_sort(l, last),
                      some = tiles == 0 || is_even(&l->args) ? tiles > 0
                             : tiles < SOME                  ? tiles
                                                             : SOME;
        for (int64_t k = 0; k < some; k++) {
            const int64_t from = tiles * k / some, to = tiles * (k + 1) / some;
            lm_u32 number;
            lm_hip_tile_of_sort(l, last, lm_hip_any_of(from, to), &number);
            l->lds_cycles += (to - from) * (cycles_of(l, LM_DST, number) + cycles_of(l, LM_SRC, number));
        }
    }
    l->lds_ideal = l->lds_cycles;
}

void lm_hip_guess_funnel_banks(lm_launch *l) {
    int64_t cycles = 0;
    for (int side = LM_DST; side <= LM_SRC; side++)
        cycles += lm_hip_items(l, side) * accesses_of(l, side) / TOGETHER;
    l->lds_cycles = l->lds_ideal = cycles * l->args.tiles;
}

/* ---- candidates ------------------------------------------------------------------------------------- */

static bool applicable(const lm_problem *p) {
    const lm_hip_params any = {.word = {16, 16}, .tile = {1, 1}};
    funnel f;
    if (p->op != LM_OP_COPY && p->op != LM_OP_MOVE && p->op != LM_OP_MANY) return false;
    return p->run >= LEAST && p->run != 16 && p->run < LM_HIP_FUNNEL_LDS && p->rank >= 2 &&
           lay_out(&f, p, &any, 16);
}

static int propose(const lm_problem *p, int effort, lm_hip_params *out, int count, int max) {
    static const int64_t rows[][2] = {{512, 512}, {1024, 512}, {1024, 1024}, {512, 1024},
                                      {256, 256}, {2048, 512}, {2048, 1024}};
    enum { SOME = 5, ALL = sizeof rows / sizeof *rows };
    const int last = effort < LMAD_PATIENT ? LM_ORDER_DST : LM_ORDER_SRC;
    (void)p;
    for (int k = 0; k < (effort < LMAD_PATIENT ? SOME : ALL); k++)
        for (int order = LM_ORDER_DST; order <= last && count < max; order++)
            out[count++] = (lm_hip_params){.kernel = LM_HIP_FUNNEL,
                                           .word = {16, 16},
                                           .tile = {rows[k][LM_DST], rows[k][LM_SRC]},
                                           .order = (lm_order)order,
                                           .items = 4};
    return count;
}

const lm_hip_kind lm_hip_funnel = {"hip-funnel", applicable, propose, make};
