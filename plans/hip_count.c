/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting what a launch will touch: memory segments and LDS bank cycles, warp by warp, on tiles of each
 * sort. The addresses come from kernels/hip/index.h, as on the device. */
#include "hip.h"

#include <string.h>

#include "kernels/hip/index.h"

enum { MOST_LANES = 64, BANKS = 32, BANK = 4 };

/* One access of a warp: addresses of those threads that take part. */
typedef struct access {
    int bytes;
    uint64_t part; /* a bit for each thread */
    int64_t at[MOST_LANES];
} access;

/* Sums over warps. */
typedef struct sums {
    int64_t base; /* the pointers */
    int64_t segments[2], ideal[2], accesses[2], cycles, unhindered;
} sums;

/* ---- one access ------------------------------------------------------------------------------------- */

static int64_t floor_div(int64_t x, int64_t n) { return x / n - (x % n < 0); }

/* Segments in the order in which they are first seen are nearly sorted. */
static int insert(int64_t *sorted, int count, int64_t v) {
    int at = count;
    while (at > 0 && sorted[at - 1] > v) at--;
    if (at > 0 && sorted[at - 1] == v) return count;
    memmove(&sorted[at + 1], &sorted[at], (size_t)(count - at) * sizeof *sorted);
    sorted[at] = v;
    return count + 1;
}

static void count_global(sums *s, const access *a, int side, int segment, int64_t weight) {
    int64_t seen[2 * MOST_LANES], words[MOST_LANES];
    int count = 0, distinct = 0;
    if (a->part == 0) return;
    for (int k = 0; k < MOST_LANES; k++) {
        if (!(a->part >> k & 1)) continue;
        const int64_t first = floor_div(a->at[k], segment),
                      last = floor_div(a->at[k] + a->bytes - 1, segment);
        for (int64_t v = first; v <= last; v++) count = insert(seen, count, v);
        distinct = insert(words, distinct, a->at[k]);
    }
    const int64_t offset = words[0] - floor_div(words[0], segment) * segment;
    s->segments[side] += weight * count;
    s->ideal[side] += weight * ((offset + (int64_t)distinct * a->bytes + segment - 1) / segment);
    s->accesses[side] += weight;
}

/* The most words that threads from `lane` on want of one bank; threads that want the same one get it at once.
 */
static int bank_cycles(const access *a, int lane, int end) {
    int64_t words[BANKS][MOST_LANES];
    int in[BANKS] = {0}, most = 0;
    for (; lane < end; lane++) {
        if (!(a->part >> lane & 1)) continue;
        for (int64_t w = a->at[lane] / BANK; w <= (a->at[lane] + a->bytes - 1) / BANK; w++) {
            int *count = &in[w % BANKS];
            *count = insert(words[w % BANKS], *count, w);
            if (*count > most) most = *count;
        }
    }
    return most;
}

/* As many threads at once as ask for 128 bytes. */
static void count_lds(sums *s, const access *a, int64_t weight) {
    const int step = BANKS * BANK / (a->bytes > BANK ? a->bytes : BANK);
    for (int lane = 0; lane < MOST_LANES; lane += step) {
        const int cycles = bank_cycles(a, lane, lane + step);
        s->cycles += weight * cycles;
        s->unhindered += weight * (cycles > 0);
    }
}

/* How much is looked at: tiles of each sort, warps of a tile. */
typedef struct sample {
    int tiles, warps;
} sample;

/* ---- tiles through LDS ------------------------------------------------------------------------------ */

/* How a side of a tile is walked: accesses of an item, their width, steps from one to the next. */
typedef struct phase {
    int side, global, global_bytes, lds, lds_bytes;
    int64_t row_step, slot_step;
    bool units, pieces;
} phase;

static phase phase_of(const lm_launch *l, int side) {
    const lm_variant *v = &l->variant;
    const int units = v->option & 3, d = v->word[LM_DST], s = v->word[LM_SRC], own = v->word[side];
    phase p = {side, 1, own, 1, own, 0, 0, false, false};
    if (units == 2 && side == LM_SRC && l->args.split) {
        p.lds = own / 4;
        p.lds_bytes = 4;
        p.pieces = true;
    } else if (units == 2 && side == LM_DST) {
        p.lds = d / v->unit;
        p.lds_bytes = v->unit;
        p.units = true;
    } else if (units == (side == LM_SRC ? 0 : 1)) {
        p.global = side == LM_SRC ? d / v->unit : s / v->unit;
        p.lds = side == LM_SRC ? s / v->unit : d / v->unit;
        p.lds_bytes = side == LM_SRC ? d : s;
        p.row_step = l->args.row_step;
        p.slot_step = l->args.slot_step;
    }
    return p;
}

static int64_t lds_at(const lm_launch *l, const phase *p, const lm_place *place, lm_u32 item, int k) {
    const lm_args a = &l->args;
    const lm_u32 n = (lm_u32)p->lds;
    const lm_u32 by =
        p->pieces ? lm_piece_turn((lm_u32)l->variant.word[LM_SRC], item) : lm_turn(a, place, item);
    const lm_u32 turn = ((lm_u32)k + by) % n;
    if (p->pieces) return (int64_t)place->lds + 4 * turn;
    if (!p->units) return (int64_t)place->lds + (int64_t)turn * p->slot_step;
    if (!a->in_row) return (lm_u32)(place->lds + lm_unit_at(a, place->first * n + turn));
    return (lm_u32)(place->lds + lm_unit_at(a, place->first * n) + turn * (lm_u32)a->unit[0].lds);
}

/* Warp `first / wave` of the items of a phase. */
static uint64_t places_of(lm_place *place, const lm_device *device, const lm_launch *l, int side,
                          const lm_tile_start *tile, lm_u32 first) {
    uint64_t part = 0;
    for (int lane = 0; lane < device->wave; lane++) {
        const lm_offset from = side == LM_DST ? tile->doff : tile->soff;
        place[lane] = lm_view_at(&l->args.view[side], from, tile->last, first + (lm_u32)lane);
        part |= (uint64_t)!place[lane].outside << lane;
    }
    return part;
}

/* Every so many of the accesses of an item. */
static void count_lds_warp(sums *s, const lm_device *device, const lm_launch *l, const phase *p,
                           const lm_tile_start *tile, lm_u32 first, int every, int64_t weight) {
    lm_place place[MOST_LANES];
    access a = {.bytes = p->lds_bytes, .part = places_of(place, device, l, p->side, tile, first)};
    for (int k = 0; k < p->lds; k += every) {
        for (int lane = 0; lane < device->wave; lane++)
            a.at[lane] = lds_at(l, p, &place[lane], first + (lm_u32)lane, k);
        count_lds(s, &a, weight);
    }
}

static void count_warp(sums *s, const lm_device *device, const lm_launch *l, const phase *p,
                       const lm_tile_start *tile, lm_u32 first, int64_t weight) {
    lm_place place[MOST_LANES];
    access a = {.bytes = p->global_bytes, .part = places_of(place, device, l, p->side, tile, first)};
    const int64_t low = s->base + (p->side == LM_DST ? l->args.dlow : l->args.slow);
    for (int k = 0; k < p->global; k++) {
        for (int lane = 0; lane < device->wave; lane++)
            a.at[lane] = low + place[lane].global + k * p->row_step;
        count_global(s, &a, p->side, device->segment, weight);
    }
    count_lds_warp(s, device, l, p, tile, first, 1, weight);
}

/* Some warps of a phase, evenly spread; the weight makes up for the others. */
static void count_phase(sums *s, const lm_device *device, const lm_launch *l, int side,
                        const lm_tile_start *tile, int warps, int64_t weight) {
    const phase p = phase_of(l, side);
    const int64_t all = (l->args.view[side].items + (lm_u32)device->wave - 1) / (lm_u32)device->wave;
    const int64_t some = all < warps ? all : warps;
    for (int64_t k = 0; k < some; k++) {
        const int64_t from = all * k / some, to = all * (k + 1) / some;
        count_warp(s, device, l, &p, tile, (lm_u32)((from + (to - from) / 2) * device->wave),
                   weight * (to - from));
    }
}

/* Tiles that are last along the axes of `last`: how many there are, and the which-th of them. */
static int64_t tiles_of(const lm_launch *l, lm_u32 last, int64_t which, lm_u32 *number) {
    int64_t count = 1, scale = 1;
    *number = 0;
    for (lm_u32 k = 0; k < l->args.rank; k++) {
        const lm_hip_axis *a = &l->args.axis[k];
        const bool cut = a->bit < 31, end = last >> a->bit & 1;
        const int64_t n = (int64_t)a->n, choices = !cut ? n : end ? 1 : n - 1;
        if (choices == 0) return 0;
        *number += (lm_u32)(scale * (cut && end ? n - 1 : which % choices));
        which /= choices;
        count *= choices;
        scale *= n;
    }
    return count;
}

static void count_staged(sums *s, const lm_device *device, const lm_launch *l, const sample *some) {
    lm_u32 bits = 0;
    for (lm_u32 k = 0; k < l->args.rank; k++)
        if (l->args.axis[k].bit < 31) bits |= 1u << l->args.axis[k].bit;
    for (lm_u32 last = 0; last <= bits; last++) {
        if (last & ~bits) continue;
        for (int k = 0; k < some->tiles; k++) {
            lm_u32 number;
            const int64_t count = tiles_of(l, last, 0, &number), first = count * k / some->tiles;
            const int64_t share = count * (k + 1) / some->tiles - first;
            if (share == 0) continue;
            tiles_of(l, last, first + share * 5 / 8, &number); /* no multiple of what axes have */
            const lm_tile_start tile = lm_tile_at(&l->args, number);
            for (int side = LM_DST; side <= LM_SRC; side++)
                count_phase(s, device, l, side, &tile, some->warps, share);
        }
    }
}

int64_t lm_hip_conflicts(const lm_device *device, const lm_launch *l, int side) {
    const lm_tile_start tile = {0, 0, 0};
    const phase p = phase_of(l, side);
    const lm_u32 wave = (lm_u32)device->wave, warps = (l->args.view[side].items + wave - 1) / wave;
    sums s = {.cycles = 0};
    count_lds_warp(&s, device, l, &p, &tile, warps / 2 * wave, p.lds > 4 ? p.lds / 3 : 1, 1);
    return s.cycles - s.unhindered;
}

/* ---- flat copies ------------------------------------------------------------------------------------ */

static void count_flat_warp(sums *s, const lm_device *device, const lm_launch *l, const lm_start *start,
                            lm_u32 first, int64_t weight) {
    access to = {.bytes = l->variant.word[LM_DST]}, from = {.bytes = l->variant.word[LM_SRC]};
    for (lm_u32 lane = 0; lane < (lm_u32)device->wave && first + lane < start->words; lane++) {
        const lm_pair at = lm_flat_at(&l->args, start, first + lane);
        to.at[lane] = s->base + l->args.dlow + at.d;
        from.at[lane] = s->base + l->args.slow + at.s;
        to.part = from.part |= UINT64_C(1) << lane;
    }
    count_global(s, &to, LM_DST, device->segment, weight);
    if (l->variant.kernel == LM_HIP_COPY) count_global(s, &from, LM_SRC, device->segment, weight);
}

static void count_flat_tile(sums *s, const lm_device *device, const lm_launch *l, lm_u32 tile, int warps,
                            int64_t weight) {
    lm_start start;
    lm_flat_start(&l->args, tile, &start);
    const int64_t all = (start.words + (lm_u32)device->wave - 1) / (lm_u32)device->wave;
    const int64_t some = all < warps ? all : warps;
    for (int64_t k = 0; k < some; k++) {
        const int64_t from = all * k / some, to = all * (k + 1) / some;
        count_flat_warp(s, device, l, &start, (lm_u32)((from + (to - from) / 2) * device->wave),
                        weight * (to - from));
    }
}

static void count_flat(sums *s, const lm_device *device, const lm_launch *l, const sample *of) {
    const int64_t whole = (int64_t)(l->args.words / l->args.tile_words), most = 3 * of->tiles;
    const int64_t some = whole < most ? whole : most;
    for (int64_t k = 0; k < some; k++) {
        const int64_t from = whole * k / some, to = whole * (k + 1) / some;
        count_flat_tile(s, device, l, (lm_u32)(from + (to - from) * 5 / 8), of->warps, to - from);
    }
    if (whole < (int64_t)l->args.tiles) count_flat_tile(s, device, l, (lm_u32)whole, of->warps, 1);
}

/* ---- all of it -------------------------------------------------------------------------------------- */

void lm_hip_count(const lm_device *device, lm_launch *l, unsigned align, bool careful, int64_t accesses[2]) {
    const sample of = careful ? (sample){16, 32} : (sample){3, 6};
    sums s = {.base = align < 16 ? align : 0};
    if (l->variant.kernel == LM_HIP_COPY || l->variant.kernel == LM_HIP_FILL)
        count_flat(&s, device, l, &of);
    else
        count_staged(&s, device, l, &of);
    memcpy(l->segments, s.segments, sizeof s.segments);
    memcpy(l->ideal, s.ideal, sizeof s.ideal);
    memcpy(accesses, s.accesses, sizeof s.accesses);
    l->lds_cycles = s.cycles;
    l->lds_ideal = s.unhindered;
}
