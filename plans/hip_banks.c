/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting LDS bank cycles. Which places of LDS a tile uses does not depend on which tile it is, only on the
 * axes along which it is the last one. */
#include "hip_banks.h"
#include "hip_funnel.h"

/* ---- one access ------------------------------------------------------------------------------------- */

/* The most words that threads from `lane` on want of one bank, or of one set of banks that serves a word. */
static int most_wanted(const lm_bank_access *a, int lane, int banks) {
    uint8_t in[LM_BANKS] = {0}, most = 0;
    for (const int end = lane + banks; lane < end; lane++)
        in[a->at[lane] >> a->shift & (lm_u32)(banks - 1)] += a->part >> lane & 1;
    for (int k = 0; k < LM_BANKS; k++) most = in[k] > most ? in[k] : most;
    return most;
}

/* The same where several threads may want parts of one word, which they get at once. */
static int most_different(const lm_bank_access *a, int lane) {
    lm_u32 words[LM_BANKS][LM_BANKS];
    uint8_t in[LM_BANKS] = {0}, most = 0;
    for (const int end = lane + LM_BANKS; lane < end; lane++) {
        const lm_u32 w = a->at[lane] / LM_BANK, bank = w % LM_BANKS;
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
void lm_bank_count_access(lm_bank_cycles *c, const lm_bank_access *a, int wave, int64_t weight) {
    const int together = LM_BANKS * LM_BANK >> a->shift;
    for (int lane = 0; lane < wave; lane += together) {
        const int taken = a->bytes < LM_BANK ? most_different(a, lane) : most_wanted(a, lane, together);
        c->taken += weight * taken;
        c->ideal += weight * (taken > 0);
    }
}

/* ---- phases of a tile ------------------------------------------------------------------------------- */

lm_bank_phase lm_bank_phase_of(const lm_launch *l, int side) {
    const lm_variant *v = &l->variant;
    const lm_hip_turn turn = lm_hip_turn_of(v);
    const int own = v->word[side], other = v->word[1 - side];
    const int piece = v->unit > LM_BANK ? v->unit : LM_BANK;
    if (turn == LM_TURN_UNITS && side == LM_SRC && l->args.split && own > piece)
        return (lm_bank_phase){LM_BANK_PIECES, side, own / piece, piece};
    if (turn == LM_TURN_UNITS && side == LM_DST)
        return (lm_bank_phase){LM_BANK_UNITS, side, own / v->unit, v->unit};
    if (turn == (side == LM_SRC ? LM_TURN_LOADED : LM_TURN_STORED))
        return (lm_bank_phase){LM_BANK_TURNED, side, own / v->unit, other};
    return (lm_bank_phase){LM_BANK_WHOLE, side, 1, own};
}

/* Squares of elements, from LDS and back. */
static lm_bank_phase square_phase(const lm_launch *l, lm_bank_how how) {
    const int n = LM_HIP_TWICE_SQUARE(l->variant.unit);
    return (lm_bank_phase){how, 2, n * n * l->variant.unit / LM_BANK, LM_BANK};
}

/* Units of a word that lie one after the other: the first of them is where the word's place is. */
bool lm_bank_in_row(const lm_launch *l, const lm_bank_phase *p) {
    return p->how == LM_BANK_UNITS && l->args.in_row;
}

/* Where the k-th word or unit of an item lies. */
lm_u32 lm_bank_part_at(const lm_launch *l, const lm_bank_phase *p, const lm_bank_places *at, int lane,
                       int k) {
    const lm_args a = &l->args;
    const lm_u32 part = (lm_u32)k, n = (lm_u32)p->count, lds = at->lds[lane],
                 row = n / (LM_HIP_TWICE_SQUARE(l->variant.unit));
    switch (p->how) {
    case LM_BANK_PIECES: return lds + part * (lm_u32)p->bytes;
    case LM_BANK_TURNED: return lds + part * (lm_u32)a->slot_step;
    case LM_BANK_READ: return lds + part / row * (lm_u32)a->slot_step + part % row * LM_BANK;
    case LM_BANK_WRITTEN: return at->global[lane] + part / row * (lm_u32)a->row_step + part % row * LM_BANK;
    case LM_BANK_UNITS:
        return lds + (a->in_row ? part * (lm_u32)a->unit[0].lds : lm_unit_at(a, at->first[lane] * n + part));
    default: return lds;
    }
}

/* With which of them threads begin. */
void lm_bank_find_turns(lm_u32 *turn, const lm_launch *l, const lm_bank_phase *p, lm_u32 item,
                        const lm_u32 *row, int lanes) {
    const lm_u32 most = (lm_u32)p->count - 1, word = (lm_u32)l->variant.word[LM_SRC];
    for (int lane = 0; lane < lanes; lane++) {
        const lm_place place = {.row = row[lane]};
        const lm_u32 number = item + (lm_u32)lane;
        turn[lane] = p->how == LM_BANK_PIECES ? lm_piece_turn(&l->args, word, &place, number) & most
                     : p->how == LM_BANK_TURNED || p->how == LM_BANK_UNITS
                         ? lm_turn(&l->args, &place, number) & most
                         : 0;
    }
}

/* The w-th of some warps that stand for all; returns for how many. */
int64_t lm_bank_find_places(lm_bank_places *out, const lm_launch *l, const lm_bank_phase *p, lm_u32 last,
                            int wave, int64_t w, int64_t some) {
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
            place.lds + (lm_bank_in_row(l, p) ? lm_unit_at(&l->args, place.first * (lm_u32)p->count) : 0);
        out->global[lane] = (lm_u32)place.global;
        out->first[lane] = place.first;
        out->row[lane] = place.row;
    }
    return to - from;
}

lm_bank_access lm_bank_access_of(const lm_bank_phase *p, uint64_t part) {
    lm_bank_access a = {.bytes = p->bytes, .shift = 2, .part = part};
    while (1 << a.shift < a.bytes) a.shift++;
    return a;
}

/* So many of an item's accesses are looked at: one of each few. */
int lm_bank_every(const lm_bank_phase *p) { return p->count > 4 ? p->count / 3 : 1; }

int lm_bank_stands_for(const lm_bank_phase *p, int k) {
    return k + lm_bank_every(p) < p->count ? lm_bank_every(p) : p->count - k;
}

/* Some accesses of an item stand for all. */
static void count_places(lm_bank_cycles *c, const lm_launch *l, const lm_bank_phase *p,
                         const lm_bank_places *at, int wave, int64_t weight) {
    lm_bank_access a = lm_bank_access_of(p, at->part);
    lm_u32 turn[LM_BANK_LANES];
    lm_bank_find_turns(turn, l, p, at->item, at->row, wave);
    for (int k = 0; k < p->count; k += lm_bank_every(p)) {
        for (int lane = 0; lane < wave; lane++)
            a.at[lane] = lm_bank_part_at(l, p, at, lane, (k + (int)turn[lane]) % p->count);
        lm_bank_count_access(c, &a, wave, weight * lm_bank_stands_for(p, k));
    }
}

/* ---- launches --------------------------------------------------------------------------------------- */

/* The phases of a kernel; returns how many there are. */
static int phases_of(const lm_launch *l, lm_bank_phase out[4]) {
    if (l->variant.kernel != LM_HIP_TILE && l->variant.kernel != LM_HIP_BLOCK) return 0;
    out[LM_DST] = lm_bank_phase_of(l, LM_DST);
    out[LM_SRC] = lm_bank_phase_of(l, LM_SRC);
    if (lm_hip_turn_of(&l->variant) != LM_TURN_TWICE) return 2;
    out[2] = square_phase(l, LM_BANK_READ);
    out[3] = square_phase(l, LM_BANK_WRITTEN);
    return 4;
}

static void count_phase(lm_bank_cycles *c, const lm_device *device, const lm_launch *l,
                        const lm_bank_phase *p, lm_u32 last, int64_t tiles) {
    enum { SOME = 4 };
    lm_bank_places at;
    for (int w = 0; w < SOME; w++) {
        const int64_t weight = lm_bank_find_places(&at, l, p, last, device->wave, w, SOME);
        if (weight) count_places(c, l, p, &at, device->wave, weight * tiles);
    }
}

void lm_hip_count_banks(const lm_device *device, lm_launch *l) {
    if (l->variant.kernel == LM_HIP_FUNNEL) {
        lm_hip_count_funnel_banks(l);
        return;
    }
    lm_bank_phase phases[4];
    const int count = phases_of(l, phases);
    const lm_u32 cuts = lm_hip_cuts(l);
    lm_bank_cycles c = {0, 0};
    for (lm_u32 last = 0; count && last <= cuts; last++) {
        const int64_t tiles = last & ~cuts ? 0 : lm_hip_tiles_of_sort(l, last);
        for (int k = 0; tiles > 0 && k < count; k++) count_phase(&c, device, l, &phases[k], last, tiles);
    }
    l->lds_cycles = c.taken;
    l->lds_ideal = c.ideal;
}

void lm_hip_guess_banks(lm_launch *l) {
    if (l->variant.kernel == LM_HIP_FUNNEL) {
        lm_hip_guess_funnel_banks(l);
        return;
    }
    lm_bank_phase phases[4];
    const int count = phases_of(l, phases);
    l->lds_ideal = 0;
    for (int k = 0; k < count; k++) {
        const int64_t bytes = phases[k].bytes > LM_BANK ? phases[k].bytes : LM_BANK;
        l->lds_ideal += l->args.view[phases[k].view].items * bytes * phases[k].count / (LM_BANKS * LM_BANK);
    }
    l->lds_cycles = l->lds_ideal *= l->args.tiles;
}
