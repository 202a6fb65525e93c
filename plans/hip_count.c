/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting the memory segments that a launch will touch, warp by warp: of all warps where they are few, else
 * of some that are spread over tiles of each sort. The addresses come from kernels/hip/index.h, as on the
 * device. */
#include "hip.h"

#include "hip_funnel.h"

enum { MOST_LANES = 64 };

/* Bytes that neighbouring threads of a warp access one after the other. */
typedef struct range {
    int64_t begin, end;
} range;

/* One access of a warp. */
typedef struct access {
    int count;
    range range[MOST_LANES];
} access;

/* Sums over warps. */
typedef struct sums {
    int64_t segments, ideal, accesses;
} sums;

typedef struct counting {
    const lm_device *device;
    const lm_launch *launch;
    int64_t base;   /* the pointers */
    int64_t budget; /* warps of a side */
    sums side[2];
} counting;

/* ---- one access ------------------------------------------------------------------------------------- */

static void add_thread(access *a, int64_t at, int bytes) {
    const range added = {at, at + bytes};
    if (a->count == 0) {
        a->range[a->count++] = added;
        return;
    }
    range *last = &a->range[a->count - 1];
    if (at == last->end)
        last->end = added.end;
    else if (at != last->begin || added.end != last->end)
        a->range[a->count++] = added;
}

/* Warps come nearly sorted, upwards or downwards. */
static void sort(access *a) {
    if (a->count > 1 && a->range[0].begin > a->range[a->count - 1].begin) {
        for (int i = 0, j = a->count - 1; i < j; i++, j--) {
            const range r = a->range[i];
            a->range[i] = a->range[j];
            a->range[j] = r;
        }
    }
    for (int k = 1; k < a->count; k++) {
        const range r = a->range[k];
        int at = k;
        for (; at > 0 && a->range[at - 1].begin > r.begin; at--) a->range[at] = a->range[at - 1];
        a->range[at] = r;
    }
}

static int64_t floor_to(int64_t x, int64_t power) { return x & -power; }

/* Segments of a power of two. Bytes that several threads access count once. */
static void count_access(sums *s, access *a, int64_t segment, int64_t weight) {
    int64_t segments = 0, bytes = 0, next = INT64_MIN, end = INT64_MIN;
    if (a->count == 0) return;
    sort(a);
    const int64_t first = a->range[0].begin;
    for (int k = 0; k < a->count; k++) {
        const range r = a->range[k];
        const int64_t low = floor_to(r.begin, segment), high = floor_to(r.end - 1, segment) + segment,
                      from = low > next ? low : next, fresh = r.begin > end ? r.begin : end;
        if (from < high) segments += (high - from) / segment;
        if (high > next) next = high;
        if (fresh < r.end) bytes += r.end - fresh;
        if (r.end > end) end = r.end;
    }
    s->segments += weight * segments;
    s->ideal += weight * ((first - floor_to(first, segment) + bytes + segment - 1) / segment);
    s->accesses += weight;
}

/* ---- samples ---------------------------------------------------------------------------------------- */

/* The k-th of some samples of all, and how many it stands for: one from each stretch. */
static int64_t sample(int64_t all, int64_t some, int64_t k, int64_t *weight) {
    const double each = (double)all / (double)some;
    const int64_t from = (int64_t)(each * (double)k),
                  to = k + 1 == some ? all : (int64_t)(each * (double)(k + 1));
    *weight = to - from;
    return lm_hip_any_of(from, to);
}

/* ---- tiles through LDS ------------------------------------------------------------------------------ */

/* The accesses of global memory that an item has: words of a square that is turned where this side is walked.
 */
static int rows_of(const lm_launch *l, int side) {
    const lm_variant *v = &l->variant;
    const lm_hip_turn turn = lm_hip_turn_of(v);
    if (v->kernel == LM_HIP_FUNNEL) return 1;
    return turn == LM_TURN_LOADED && side == LM_SRC   ? v->word[LM_DST] / v->unit
           : turn == LM_TURN_STORED && side == LM_DST ? v->word[LM_SRC] / v->unit
                                                      : 1;
}

static void count_tile_warp(counting *c, int side, const lm_tile_start *tile, lm_u32 first, int64_t weight) {
    const lm_launch *l = c->launch;
    const int64_t low = c->base + (side == LM_DST ? l->args.dlow : l->args.slow);
    const int rows = rows_of(l, side), bytes = l->variant.word[side];
    int64_t at[MOST_LANES];
    int count = 0;
    for (lm_u32 lane = 0; lane < (lm_u32)c->device->wave; lane++) {
        const lm_place p = lm_hip_place_of(l, side, tile, first + lane);
        if (!p.outside) at[count++] = low + p.global;
    }
    for (int k = 0; k < rows; k++) {
        access a = {.count = 0};
        for (int i = 0; i < count; i++) add_thread(&a, at[i] + k * l->args.row_step, bytes);
        count_access(&c->side[side], &a, c->device->segment, weight);
    }
}

int64_t lm_hip_tile_of_sort(const lm_launch *l, lm_u32 last, int64_t which, lm_u32 *number) {
    int64_t count = 1, scale = 1;
    *number = 0;
    for (lm_u32 k = 0; k < l->args.rank; k++) {
        const lm_hip_axis *a = &l->args.axis[k];
        const bool cut = a->bit < LM_HIP_NO_BIT, end = last >> a->bit & 1;
        const int64_t n = (int64_t)a->n, choices = !cut ? n : end ? 1 : n - 1;
        if (choices == 0) return 0;
        *number += (lm_u32)(scale * (cut && end ? n - 1 : which % choices));
        which /= choices;
        count *= choices;
        scale *= n;
    }
    return count;
}

lm_u32 lm_hip_cuts(const lm_launch *l) {
    lm_u32 bits = 0;
    for (lm_u32 k = 0; k < l->args.rank; k++)
        if (l->args.axis[k].bit < LM_HIP_NO_BIT) bits |= 1u << l->args.axis[k].bit;
    return bits;
}

int64_t lm_hip_tiles_of_sort(const lm_launch *l, lm_u32 last) {
    lm_u32 number;
    return lm_hip_tile_of_sort(l, last, 0, &number);
}

/* Tiles of a sort get their share of the samples, and a few at least. */
static void count_sort(counting *c, int side, lm_u32 last, int64_t tiles) {
    enum { FEWEST = 8 };
    const lm_launch *l = c->launch;
    const lm_u32 wave = (lm_u32)c->device->wave;
    const int64_t warps = (lm_hip_items(l, side) + wave - 1) / wave, all = tiles * warps;
    const int64_t share = (int64_t)((double)c->budget * (double)tiles / (double)l->args.tiles),
                  most = share > FEWEST ? share : FEWEST;
    const int64_t some = all <= c->budget || all < most ? all : most;
    for (int64_t k = 0; k < some; k++) {
        int64_t weight;
        const int64_t it = sample(all, some, k, &weight);
        lm_u32 number;
        lm_hip_tile_of_sort(l, last, it / warps, &number);
        const lm_tile_start tile = lm_tile_at(&l->args, number);
        count_tile_warp(c, side, &tile, (lm_u32)(it % warps) * wave, weight);
    }
}

static void count_staged(counting *c) {
    const lm_u32 cuts = lm_hip_cuts(c->launch);
    for (lm_u32 last = 0; last <= cuts; last++) {
        const int64_t tiles = last & ~cuts ? 0 : lm_hip_tiles_of_sort(c->launch, last);
        for (int side = LM_DST; tiles > 0 && side <= LM_SRC; side++) count_sort(c, side, last, tiles);
    }
}

/* ---- flat copies ------------------------------------------------------------------------------------ */

static void count_flat_warp(counting *c, lm_u32 tile, lm_u32 first, int64_t weight) {
    const lm_launch *l = c->launch;
    access to = {.count = 0}, from = {.count = 0};
    lm_start start;
    lm_flat_start(&l->args, tile, &start);
    for (lm_u32 lane = 0; lane < (lm_u32)c->device->wave && first + lane < start.words; lane++) {
        const lm_pair at = lm_flat_at(&l->args, &start, first + lane);
        add_thread(&to, c->base + l->args.dlow + at.d, l->variant.word[LM_DST]);
        add_thread(&from, c->base + l->args.slow + at.s, l->variant.word[LM_SRC]);
    }
    count_access(&c->side[LM_DST], &to, c->device->segment, weight);
    if (l->variant.kernel == LM_HIP_COPY) count_access(&c->side[LM_SRC], &from, c->device->segment, weight);
}

/* Blocks are whole warps: they are numbered through. The last one may have less to do. */
static void count_flat(counting *c) {
    const lm_hip_args *a = &c->launch->args;
    const int64_t wave = c->device->wave, each = a->tile_words / wave,
                  whole = (int64_t)(a->words / (lm_u64)wave), rest = (int64_t)(a->words % (lm_u64)wave),
                  some = whole < c->budget ? whole : c->budget;
    for (int64_t k = 0; k < some; k++) {
        int64_t weight;
        const int64_t it = sample(whole, some, k, &weight);
        count_flat_warp(c, (lm_u32)(it / each), (lm_u32)(it % each * wave), weight);
    }
    if (rest) count_flat_warp(c, (lm_u32)(whole / each), (lm_u32)(whole % each * wave), 1);
}

/* ---- all of it -------------------------------------------------------------------------------------- */

void lm_hip_count(const lm_device *device, lm_launch *l, unsigned align, bool careful, int64_t accesses[2]) {
    enum { SOME = 16, MANY = 1024 };
    const int some = l->variant.kernel == LM_HIP_FUNNEL ? 2 * SOME : SOME; /* whose warps are less alike */
    counting c = {
        .device = device, .launch = l, .base = align < 16 ? align : 0, .budget = careful ? MANY : some};
    if (l->variant.kernel == LM_HIP_COPY || l->variant.kernel == LM_HIP_FILL)
        count_flat(&c);
    else
        count_staged(&c);
    for (int side = LM_DST; side <= LM_SRC; side++) {
        l->segments[side] = c.side[side].segments;
        l->ideal[side] = c.side[side].ideal;
        accesses[side] = c.side[side].accesses;
    }
}
