/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing a box: along the fastest axes of the destination, and along those of the source, until rows of both
 * sides have the bytes that are asked for. */
#include "hip_box.h"

enum { ALIGNED = 64, TILE_BYTES = 16384 };
enum { AXES = 6 }; /* of more than one index: views have room for one axis in two parts */

int64_t lm_hip_divisor(int64_t a, int64_t b) {
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void list_axes(lm_hip_box *b, const lm_problem *p, unsigned align) {
    b->unit = lm_hip_power(p->run | lm_hip_steps(p, LM_DST, LM_AXIS_NONE) |
                           lm_hip_steps(p, LM_SRC, LM_AXIS_NONE) | p->doff | p->soff | (int64_t)align);
    b->rank = 0;
    if (p->run > b->unit) b->dim[b->rank++] = (lm_pdim){p->run / b->unit, b->unit, b->unit};
    for (int k = 0; k < p->rank; k++) b->dim[b->rank++] = p->dim[k];
    for (int side = LM_DST; side <= LM_SRC; side++) {
        for (int k = 0; k < b->rank; k++) {
            int at = k;
            for (; at > 0 && lm_hip_faster(&b->dim[k], &b->dim[b->by[side][at - 1]],
                                           side == LM_DST ? LM_ORDER_DST : LM_ORDER_SRC);
                 at--)
                b->by[side][at] = b->by[side][at - 1];
            b->by[side][at] = k;
        }
    }
}

/* ---- extents ---------------------------------------------------------------------------------------- */

static int used_axes(const lm_hip_box *b) {
    int used = 0;
    for (int k = 0; k < b->rank; k++) used += b->t[k] > 1;
    return used;
}

int64_t lm_hip_box_extent(int64_t n, int64_t want, int64_t q) {
    const int64_t t = lm_hip_round_up(want, q);
    if (t >= n) return n;
    const int64_t tiles = (n + t - 1) / t;
    return lm_hip_round_up((n + tiles - 1) / tiles, q);
}

static void grow(lm_hip_box *b, int side, int64_t bytes) {
    int64_t row = b->unit;
    for (int k = 0; k < b->rank && row < bytes; k++) {
        const int axis = b->by[side][k];
        const int64_t n = b->dim[axis].n, q = bytes < ALIGNED ? 1 : ALIGNED / lm_hip_divisor(ALIGNED, row);
        const int64_t want = (bytes + row - 1) / row;
        if (b->t[axis] == 1 && used_axes(b) == AXES) return;
        if (b->t[axis] < want || b->t[axis] % q) {
            const int64_t least = b->t[axis] > want ? b->t[axis] : want;
            b->t[axis] = lm_hip_box_extent(n, least, q);
        }
        row *= b->t[axis];
        if (b->t[axis] < n) return;
    }
}

/* Of a tile. */
static int64_t bytes_of(const lm_hip_box *b) {
    int64_t bytes = b->unit;
    for (int k = 0; k < b->rank; k++) {
        bytes *= b->t[k];
        if (bytes > INT32_MAX) return INT32_MAX;
    }
    return bytes;
}

static void grow_from_one(lm_hip_box *b, const int64_t *bytes) {
    for (int k = 0; k < b->rank; k++) b->t[k] = 1;
    grow(b, LM_DST, bytes[LM_DST]);
    grow(b, LM_SRC, bytes[LM_SRC]);
}

/* Where rows of the two sides share axes, or end soon, they must be longer for a tile of the usual size. */
static void grow_both(lm_hip_box *b, const int64_t *tile) {
    int64_t bytes[2] = {tile[LM_DST], tile[LM_SRC]};
    const int64_t square = tile[LM_DST] * tile[LM_SRC] / b->unit,
                  wanted = square < TILE_BYTES ? square : TILE_BYTES;
    grow_from_one(b, bytes);
    for (int k = 0; k < 8 && bytes_of(b) <= wanted / 2; k++) {
        bytes[LM_DST] *= 2;
        bytes[LM_SRC] *= 2;
        grow_from_one(b, bytes);
    }
    while (bytes_of(b) > TILE_BYTES) {
        bytes[bytes[LM_SRC] >= bytes[LM_DST] ? LM_SRC : LM_DST] /= 2;
        grow_from_one(b, bytes);
    }
}

/* ---- words ------------------------------------------------------------------------------------------ */

/* A run of at most so many axes. */
static void find_run(lm_hip_box *b, int side, int axes) {
    const lm_pdim *first = &b->dim[b->by[side][0]];
    const int64_t sign = lm_hip_step(first, side) < 0 ? -1 : 1;
    int64_t units = 1;
    b->run[side] = 0;
    for (int k = 0; k < b->rank && k < axes; k++) {
        const int axis = b->by[side][k];
        if (b->t[axis] == 1 || lm_hip_step(&b->dim[axis], side) != sign * units * b->unit) break;
        b->run[side]++;
        units *= b->t[axis];
        if (b->t[axis] < b->dim[axis].n) break;
    }
    b->run_units[side] = b->run[side] ? units : b->t[b->by[side][0]];
}

/* All other steps and the first word must be aligned, and the run must be whole words also where it is cut.
 */
static int find_word(const lm_hip_box *b, const lm_problem *p, int side, int most) {
    if (b->run[side] == 0) return b->unit;
    const int last = b->by[side][b->run[side] - 1];
    const int64_t inner = b->run_units[side] / b->t[last];
    int64_t bits = b->run_units[side] * b->unit;
    bits |= b->dim[last].n * inner * b->unit;
    for (int k = b->run[side]; k < b->rank; k++) bits |= lm_hip_step(&b->dim[b->by[side][k]], side);
    bits |=
        (side == LM_DST ? p->doff : p->soff) + (lm_hip_step(&b->dim[b->by[side][0]], side) < 0 ? b->unit : 0);
    int word = lm_hip_power(bits);
    while (word > most) word /= 2;
    return word > b->unit ? word : b->unit;
}

static void choose_words(lm_hip_box *b, const lm_problem *p, const lm_hip_params *params, unsigned align,
                         int axes) {
    for (int side = LM_DST; side <= LM_SRC; side++) {
        const int most = params->word[side] < (int)align ? params->word[side] : (int)align;
        find_run(b, side, axes);
        b->word[side] = find_word(b, p, side, most);
    }
}

/* Words of the source that are as long as a unit need no run, nor do others one longer than themselves. */
static void shorten_run(lm_hip_box *b) {
    const int64_t units = b->word[LM_SRC] / b->unit;
    while (b->run[LM_SRC] > 0) {
        const int last = b->by[LM_SRC][b->run[LM_SRC] - 1];
        const int64_t before = b->run_units[LM_SRC] / b->t[last];
        if (before % units) return;
        b->run[LM_SRC]--;
        b->run_units[LM_SRC] = before;
    }
}

void lm_hip_box_make(lm_hip_box *b, const lm_problem *p, const lm_hip_params *params, unsigned align,
                     bool folded) {
    list_axes(b, p, align);
    grow_both(b, params->tile);
    choose_words(b, p, params, align, folded ? b->rank : 1);
    if (folded) shorten_run(b);
}

void lm_hip_box_square(lm_hip_box *b, const lm_problem *p, const lm_hip_params *params, unsigned align,
                       int64_t extent) {
    list_axes(b, p, align);
    for (int k = 0; k < b->rank; k++) b->t[k] = k ? 1 : b->dim[k].n;
    for (int side = LM_DST; side <= LM_SRC; side++) {
        const int axis = b->by[side][1];
        b->t[axis] = b->dim[axis].n < extent ? b->dim[axis].n : extent;
    }
    choose_words(b, p, params, align, 2); /* rows: elements follow one another, rows may not */
}
