/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting LDS bank cycles. Which places of LDS a tile uses does not depend on which tile it is, only on the
 * axes along which it is the last one. */
#include "hip_banks.h"

enum { BANKS = 32, BANK = 4, LANES = 64 };

/* One access of a warp: addresses of those threads that take part. */
typedef struct access {
    int bytes;
    uint64_t part; /* a bit for each thread */
    lm_u32 at[LANES];
} access;

/* Where the items of a warp lie, as lm_place has it; those that take part. */
typedef struct places {
    lm_u32 item; /* the first */
    uint64_t part;
    lm_u32 lds[LANES], global[LANES], first[LANES], row[LANES];
} places;

typedef struct cycles {
    int64_t taken, ideal;
} cycles;

/* ---- one access ------------------------------------------------------------------------------------- */

/* The most words that threads from `lane` on want of one bank, or of one set of banks that serves a word;
 * threads that want the same one get it at once. */
static int bank_cycles(const access *a, int lane, int banks) {
    const lm_u32 width = (lm_u32)(BANKS * BANK / banks);
    lm_u32 words[BANKS][BANKS];
    uint8_t in[BANKS] = {0}, most = 0;
    for (const int end = lane + banks; lane < end; lane++) {
        const lm_u32 w = a->at[lane] / width, bank = w % (lm_u32)banks;
        int k = 0;
        if (!(a->part >> lane & 1)) continue;
        while (k < in[bank] && words[bank][k] != w) k++;
        if (k < in[bank]) continue;
        words[bank][in[bank]++] = w;
        if (in[bank] > most) most = in[bank];
    }
    return most;
}

/* As many threads at once as ask for 128 bytes. */
static void count_access(cycles *c, const access *a, int wave, int64_t weight) {
    const int together = BANKS * BANK / (a->bytes > BANK ? a->bytes : BANK);
    for (int lane = 0; lane < wave; lane += together) {
        const int taken = bank_cycles(a, lane, together);
        c->taken += weight * taken;
        c->ideal += weight * (taken > 0);
    }
}

/* ---- phases of a tile ------------------------------------------------------------------------------- */

/* How items are moved to LDS, or from it: accesses of an item, and their width. */
typedef enum how { WHOLE, PIECES, UNITS, TURNED, READ, WRITTEN } how;
typedef struct phase {
    how how;
    int view, count, bytes;
} phase;

static phase phase_of(const lm_launch *l, int side) {
    const lm_variant *v = &l->variant;
    const lm_hip_turn turn = lm_hip_turn_of(v);
    const int own = v->word[side], other = v->word[1 - side];
    const int piece = v->unit > BANK ? v->unit : BANK;
    if (turn == LM_TURN_UNITS && side == LM_SRC && l->args.split && own > piece)
        return (phase){PIECES, side, own / piece, piece};
    if (turn == LM_TURN_UNITS && side == LM_DST) return (phase){UNITS, side, own / v->unit, v->unit};
    if (turn == (side == LM_SRC ? LM_TURN_LOADED : LM_TURN_STORED))
        return (phase){TURNED, side, own / v->unit, other};
    return (phase){WHOLE, side, 1, own};
}

/* Squares of elements, from LDS and back. */
static phase square_phase(const lm_launch *l, how how) {
    const int n = LM_HIP_TWICE_SQUARE(l->variant.unit);
    return (phase){how, 2, n * n * l->variant.unit / BANK, BANK};
}

/* Units of a word that lie one after the other: the first of them is where the word's place is. */
static bool in_row(const lm_launch *l, const phase *p) { return p->how == UNITS && l->args.in_row; }

/* The k-th access of an item. */
static lm_u32 address(const lm_launch *l, const phase *p, const places *at, int lane, int k) {
    const lm_args a = &l->args;
    const lm_place place = {.row = at->row[lane]};
    const lm_u32 n = (lm_u32)p->count, item = at->item + (lm_u32)lane, lds = at->lds[lane],
                 turn = ((lm_u32)k + lm_turn(a, &place, item)) % n,
                 row = n / (LM_HIP_TWICE_SQUARE(l->variant.unit));
    switch (p->how) {
    case PIECES:
        return lds + ((lm_u32)k + lm_piece_turn(a, (lm_u32)l->variant.word[LM_SRC], &place, item)) % n *
                         (lm_u32)p->bytes;
    case TURNED: return lds + turn * (lm_u32)a->slot_step;
    case READ: return lds + (lm_u32)k / row * (lm_u32)a->slot_step + (lm_u32)k % row * BANK;
    case WRITTEN: return at->global[lane] + (lm_u32)k / row * (lm_u32)a->row_step + (lm_u32)k % row * BANK;
    case UNITS:
        return lds + (a->in_row ? turn * (lm_u32)a->unit[0].lds : lm_unit_at(a, at->first[lane] * n + turn));
    default: return lds;
    }
}

/* The w-th of some warps that stand for all; returns for how many. */
static int64_t find_places(places *out, const lm_launch *l, const phase *p, lm_u32 last, int wave, int64_t w,
                           int64_t some) {
    const lm_hip_view *v = &l->args.view[p->view];
    const int64_t all = (v->items + (lm_u32)wave - 1) / (lm_u32)wave, from = all * w / some,
                  to = all * (w + 1) / some;
    if (from == to) return 0;
    out->item = (lm_u32)(lm_hip_any_of(from, to) * wave);
    out->part = 0;
    for (int lane = 0; lane < wave; lane++) {
        const lm_place place = lm_view_at(v, 0, last, out->item + (lm_u32)lane);
        out->part |= (uint64_t)!place.outside << lane;
        out->lds[lane] =
            place.lds + (in_row(l, p) ? lm_unit_at(&l->args, place.first * (lm_u32)p->count) : 0);
        out->global[lane] = (lm_u32)place.global;
        out->first[lane] = place.first;
        out->row[lane] = place.row;
    }
    return to - from;
}

/* Some accesses of an item stand for all; until enough cycles are lost. */
static void count_places(cycles *c, const lm_launch *l, const phase *p, const places *at, int wave,
                         int64_t enough, int64_t weight) {
    const int every = p->count > 4 ? p->count / 3 : 1;
    access a = {.bytes = p->bytes, .part = at->part};
    for (int k = 0; k < p->count && c->taken - c->ideal < enough; k += every) {
        const int stands_for = k + every < p->count ? every : p->count - k;
        for (int lane = 0; lane < wave; lane++)
            a.at[lane] = p->count == 1 ? at->lds[lane] : address(l, p, at, lane, k);
        count_access(c, &a, wave, weight * stands_for);
    }
}

/* ---- comparing layouts ------------------------------------------------------------------------------ */

/* Indices of an item along the axes of a view, and of its first unit along theirs. */
static void set_digits(lm_hip_sample *out, int lane, const lm_launch *l, const phase *p) {
    const lm_hip_view *v = &l->args.view[p->view];
    lm_u32 item = out->first[lane] + out->row[lane] * v->axis[0].n,
           unit = out->first[lane] * (lm_u32)p->count, k;
    for (k = 0; k < v->rank; k++) {
        const lm_u32 next = lm_short(item, v->axis[k].quick);
        out->digit[k][lane] = (uint16_t)(item - next * v->axis[k].n);
        item = next;
    }
    for (lm_u32 j = 0; in_row(l, p) && j < l->args.units; j++) {
        const lm_u32 next = lm_short(unit, l->args.unit[j].quick);
        out->digit[k + j][lane] = (uint16_t)(unit - next * l->args.unit[j].n);
        unit = next;
    }
}

void lm_hip_probe_make(lm_hip_probe *probe, const lm_launch *l, int side) {
    const phase p = phase_of(l, side);
    probe->count = 0;
    for (int w = 0; w < LM_HIP_PROBES; w++) {
        places at;
        if (!find_places(&at, l, &p, 0, LM_HIP_TOGETHER, w, LM_HIP_PROBES)) continue;
        lm_hip_sample *s = &probe->sample[probe->count++];
        s->item = at.item;
        s->part = (uint32_t)at.part;
        for (int lane = 0; lane < LM_HIP_TOGETHER; lane++) {
            s->first[lane] = (uint16_t)at.first[lane];
            s->row[lane] = (uint16_t)at.row[lane];
            set_digits(s, lane, l, &p);
        }
    }
}

/* Where they lie with this layout. */
static void find_again(places *out, const lm_hip_sample *s, const lm_launch *l, const phase *p) {
    const lm_hip_view *v = &l->args.view[p->view];
    const lm_u32 units = in_row(l, p) ? l->args.units : 0;
    out->item = s->item;
    out->part = s->part;
    for (int lane = 0; lane < LM_HIP_TOGETHER; lane++) {
        out->lds[lane] = (lm_u32)v->lds_start;
        out->first[lane] = s->first[lane];
        out->row[lane] = s->row[lane];
    }
    for (lm_u32 k = 0; k < v->rank + units; k++) {
        const lm_u32 step = (lm_u32)(k < v->rank ? v->axis[k].lds : l->args.unit[k - v->rank].lds);
        for (int lane = 0; lane < LM_HIP_TOGETHER; lane++) out->lds[lane] += step * s->digit[k][lane];
    }
}

int64_t lm_hip_probe_lost(const lm_hip_probe *p, const lm_launch *l, int side, int64_t enough) {
    const phase ph = phase_of(l, side);
    places at;
    cycles c = {0, 0};
    for (int w = 0; w < p->count && c.taken - c.ideal < enough; w++) {
        find_again(&at, &p->sample[w], l, &ph);
        count_places(&c, l, &ph, &at, LM_HIP_TOGETHER, enough, 1);
    }
    return c.taken - c.ideal;
}

/* Turns that are tried: after so many threads (as a shift), so much more from row to row, by one or by a
 * bank. */
static const lm_u32 shifts[] = {3, 1, 2, 4};
enum { SHIFTS = sizeof shifts / sizeof *shifts };

/* Rows that follow one another as they are have nothing more to try. */
static int with_rows(lm_hip_turns turns) { return turns.level_row ? 2 * SHIFTS : SHIFTS; }

int lm_hip_turn_count(lm_hip_turns turns) {
    return 1 + (!turns.any ? 0 : turns.bank ? 2 * with_rows(turns) : with_rows(turns));
}

static void set_turn(lm_launch *l, lm_hip_turns turns, int k) {
    const bool none = k < 0;
    l->args.turn_shift = none ? LM_HIP_NO_TURNS : shifts[k % SHIFTS];
    l->args.turn_row = none || k % with_rows(turns) >= SHIFTS ? 0 : turns.level_row;
    l->args.turn_up = none || k >= with_rows(turns) ? 0 : turns.bank;
}

int64_t lm_hip_choose_turn(const lm_hip_probe *p, lm_launch *l, int side, lm_hip_turns turns,
                           int64_t enough) {
    enum { NONE = -1 };
    const int all = lm_hip_turn_count(turns) - 1;
    int chosen = NONE;
    set_turn(l, turns, NONE);
    int64_t best = lm_hip_probe_lost(p, l, side, enough);
    for (int k = 0; k < all && best > 0; k++) {
        set_turn(l, turns, k);
        const int64_t now = lm_hip_probe_lost(p, l, side, best);
        if (now >= best) continue;
        best = now;
        chosen = k;
    }
    set_turn(l, turns, chosen);
    return best;
}

/* ---- launches --------------------------------------------------------------------------------------- */

/* The phases of a kernel; returns how many there are. */
static int phases_of(const lm_launch *l, phase out[4]) {
    if (l->variant.kernel != LM_HIP_TILE && l->variant.kernel != LM_HIP_BLOCK) return 0;
    out[LM_DST] = phase_of(l, LM_DST);
    out[LM_SRC] = phase_of(l, LM_SRC);
    if (lm_hip_turn_of(&l->variant) != LM_TURN_TWICE) return 2;
    out[2] = square_phase(l, READ);
    out[3] = square_phase(l, WRITTEN);
    return 4;
}

static void count_phase(cycles *c, const lm_device *device, const lm_launch *l, const phase *p, lm_u32 last,
                        int64_t tiles) {
    enum { SOME = 4 };
    places at;
    for (int w = 0; w < SOME; w++) {
        const int64_t weight = find_places(&at, l, p, last, device->wave, w, SOME);
        if (weight) count_places(c, l, p, &at, device->wave, INT64_MAX, weight * tiles);
    }
}

void lm_hip_count_banks(const lm_device *device, lm_launch *l) {
    phase phases[4];
    const int count = phases_of(l, phases);
    const lm_u32 cuts = lm_hip_cuts(l);
    cycles c = {0, 0};
    for (lm_u32 last = 0; count && last <= cuts; last++) {
        const int64_t tiles = last & ~cuts ? 0 : lm_hip_tiles_of_sort(l, last);
        for (int k = 0; tiles > 0 && k < count; k++) count_phase(&c, device, l, &phases[k], last, tiles);
    }
    l->lds_cycles = c.taken;
    l->lds_ideal = c.ideal;
}

void lm_hip_guess_banks(lm_launch *l) {
    phase phases[4];
    const int count = phases_of(l, phases);
    l->lds_ideal = 0;
    for (int k = 0; k < count; k++) {
        const int64_t bytes = phases[k].bytes > BANK ? phases[k].bytes : BANK;
        l->lds_ideal += l->args.view[phases[k].view].items * bytes * phases[k].count / (BANKS * BANK);
    }
    l->lds_cycles = l->lds_ideal *= l->args.tiles;
}
