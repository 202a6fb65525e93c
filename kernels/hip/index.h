/* SPDX-License-Identifier: BSD-3-Clause */
/* From the number of a tile and of an item to addresses. The host counts memory segments with the very functions
 * that the kernels use, so what is estimated is what happens.
 *
 * Offsets are counted modulo 2^LM_INDEX from the lowest byte that a side reaches: sums may wrap on the way. */
#ifndef LM_HIP_INDEX_H
#define LM_HIP_INDEX_H

#include "args.h"

#ifdef LM_KERNEL /* on the device */
#define LM_BOTH LM_DEVICE
#else
#define LM_BOTH static inline
#define LM_CONSTANT
#define LM_INDEX     64
#define LM_RANK      36
#define LM_VIEW_RANK 8
#endif

#if LM_INDEX == 32
typedef lm_u32 lm_offset;
typedef lm_u32 lm_count;
#else
typedef lm_i64 lm_offset;
typedef lm_u64 lm_count;
#endif

/* Arguments are read only, and many of them the same for all threads: devices have a place for such. */
typedef const LM_CONSTANT lm_hip_args *lm_args;
typedef const LM_CONSTANT lm_hip_view *lm_view;

LM_BOTH lm_u32 lm_high(lm_u32 a, lm_u32 b) { return (lm_u32)((lm_u64)a * b >> 32); }

/* x / n for n >= 2, quick = 2^32 / n + 1 and x * n < 2^32. */
LM_BOTH lm_u32 lm_quick(lm_u32 x, lm_u32 quick) { return lm_high(x, quick); }

/* The same for n >= 1, where quick is 0 for 1. */
LM_BOTH lm_u32 lm_short(lm_u32 x, lm_u32 quick) { return quick ? lm_high(x, quick) : x; }

/* x / n for n >= 1: multiplier and shift as Granlund and Montgomery's round-up method has them. */
LM_BOTH lm_u32 lm_quotient(lm_u32 x, lm_u32 multiplier, lm_u32 shift) {
    const lm_u32 high = lm_high(x, multiplier);
    return shift < 32 ? (high + ((x - high) >> 1)) >> shift : x; /* 32: n is 1 */
}

LM_BOTH lm_count lm_divide(lm_count x, lm_args a, lm_u32 k) {
#if LM_INDEX == 32
    return lm_quotient(x, a->axis[k].multiplier, a->axis[k].shift);
#else
    return x / a->axis[k].n;
#endif
}

/* ---- flat copies: one order of axes, the words numbered through ------------------------------------- */

/* Where a tile begins. */
typedef struct lm_start {
    lm_count digit[LM_RANK];
    lm_offset doff, soff;
    lm_u32 words;
} lm_start;

typedef struct lm_pair {
    lm_offset d, s;
} lm_pair;

LM_BOTH void lm_flat_start(lm_args a, lm_u32 tile, lm_start *s) {
    lm_count at = (lm_count)tile * a->tile_words;
    const lm_count rest = (lm_count)a->words - at;
    s->words = rest < a->tile_words ? (lm_u32)rest : a->tile_words;
    s->doff = (lm_offset)a->doff;
    s->soff = (lm_offset)a->soff;
    for (lm_u32 k = 0; k < LM_RANK; k++) {
        if (k >= a->rank) break;
        const lm_count next = k + 1 < a->rank ? lm_divide(at, a, k) : 0;
        const lm_count digit = at - next * (lm_count)a->axis[k].n;
        s->digit[k] = digit;
        s->doff += (lm_offset)digit * (lm_offset)a->axis[k].ds;
        s->soff += (lm_offset)digit * (lm_offset)a->axis[k].ss;
        at = next;
    }
}

/* The item-th word of a tile: the digits of its number grow by those of the item. Long axes carry at most one. */
LM_BOTH lm_pair lm_flat_at(lm_args a, const lm_start *s, lm_u32 item) {
    lm_pair at = {s->doff, s->soff};
    lm_u32 carry = item;
    for (lm_u32 k = 0; k < LM_RANK; k++) {
        if (k >= a->rank || carry == 0) break;
        const lm_count n = (lm_count)a->axis[k].n, x = s->digit[k] + carry;
        carry = a->axis[k].quick ? lm_quick((lm_u32)x, a->axis[k].quick) : x >= n;
        const lm_offset by = (lm_offset)(x - carry * n - s->digit[k]);
        at.d += by * (lm_offset)a->axis[k].ds;
        at.s += by * (lm_offset)a->axis[k].ss;
    }
    return at;
}

/* ---- through LDS: tiles, and what each side does with one ------------------------------------------- */

typedef struct lm_tile_start {
    lm_offset doff, soff;
    lm_u32 last; /* a bit for each cut axis along which this is the last tile */
} lm_tile_start;

LM_BOTH lm_tile_start lm_tile_at(lm_args a, lm_u32 tile) {
    lm_tile_start s = {(lm_offset)a->doff, (lm_offset)a->soff, 0};
    for (lm_u32 k = 0; k < a->rank; k++) {
        const lm_u32 n = (lm_u32)a->axis[k].n;
        const lm_u32 next = lm_quotient(tile, a->axis[k].multiplier, a->axis[k].shift),
                     digit = tile - next * n;
        s.doff += (lm_offset)digit * (lm_offset)a->axis[k].ds;
        s.soff += (lm_offset)digit * (lm_offset)a->axis[k].ss;
        s.last |= (lm_u32)(digit == n - 1) << a->axis[k].bit;
        tile = next;
    }
    return s;
}

/* Where an item lies; outside = beyond the edge of the problem. */
typedef struct lm_place {
    lm_offset global;
    lm_u32 lds;
    lm_u32 first, row; /* its index along the fastest axis, and along all others as one */
    lm_u32 outside;
} lm_place;

LM_BOTH lm_place lm_view_at(lm_view v, lm_offset tile, lm_u32 last, lm_u32 item) {
    lm_place p = {tile + (lm_offset)v->start, (lm_u32)v->lds_start, 0, 0, item >= v->items};
    if (v->idle) {
        const lm_u32 periods = lm_short(item, v->quick);
        p.outside |= item - periods * v->period >= v->period - v->idle;
        item -= periods * v->idle;
    }
    for (lm_u32 k = 0; k < LM_VIEW_RANK; k++) {
        if (k >= v->rank) break;
        const lm_u32 next = lm_short(item, v->axis[k].quick), digit = item - next * v->axis[k].n;
        if (k == 0) {
            p.first = digit;
            p.row = next;
        }
        const lm_u32 limit = last >> v->axis[k].bit & 1 ? v->axis[k].left : v->axis[k].whole;
        p.outside |= (k == v->pair ? item : digit) >= limit;
        p.global += (lm_offset)digit * (lm_offset)v->axis[k].step;
        p.lds += digit * (lm_u32)v->axis[k].lds;
        item = next;
    }
    return p;
}

/* Neighbouring threads that put words together from units, or turn squares of words, are a multiple of a word or square
 * apart in LDS. That they do not meet in the banks, each begins with another unit or word than some neighbours. */
LM_BOTH lm_u32 lm_turn(lm_args a, const lm_place *p, lm_u32 item) {
    return ((item >> a->turn_shift) + p->row * a->turn_row) << a->turn_up;
}

/* The same for words that go to LDS in pieces: so many threads as move 128 bytes begin with the same piece. */
LM_BOTH lm_u32 lm_piece_turn(lm_args a, lm_u32 word, const lm_place *p, lm_u32 item) {
    return item * word / 128 + p->row * a->piece_row;
}

/* Where the unit-th unit of the destination's run lies in LDS. */
LM_BOTH lm_u32 lm_unit_at(lm_args a, lm_u32 unit) {
    lm_u32 lds = 0;
    for (lm_u32 k = 0; k < LM_VIEW_RANK; k++) {
        if (k >= a->units) break;
        const lm_u32 next = lm_short(unit, a->unit[k].quick);
        lds += (unit - next * a->unit[k].n) * (lm_u32)a->unit[k].lds;
        unit = next;
    }
    return lds;
}

#endif
