/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting LDS bank cycles. Which places of LDS a tile uses does not depend on which tile it is, only on the
 * axes along which it is the last one. */
#include "hip_banks.h"

enum { BANKS = 32, BANK = 4, LANES = 64 };

/* One access of a warp: addresses of those threads that take part. */
typedef struct access {
    int bytes, shift; /* of a word; of a word that is a bank at least, as a shift */
    uint64_t part;    /* a bit for each thread */
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

/* The most words that threads from `lane` on want of one bank, or of one set of banks that serves a word. */
static int most_wanted(const access *a, int lane, int banks) {
    uint8_t in[BANKS] = {0}, most = 0;
    for (const int end = lane + banks; lane < end; lane++)
        in[a->at[lane] >> a->shift & (lm_u32)(banks - 1)] += a->part >> lane & 1;
    for (int k = 0; k < BANKS; k++) most = in[k] > most ? in[k] : most;
    return most;
}

/* The same where several threads may want parts of one word, which they get at once. */
static int most_different(const access *a, int lane) {
    lm_u32 words[BANKS][BANKS];
    uint8_t in[BANKS] = {0}, most = 0;
    for (const int end = lane + BANKS; lane < end; lane++) {
        const lm_u32 w = a->at[lane] / BANK, bank = w % BANKS;
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
    const int together = BANKS * BANK >> a->shift;
    for (int lane = 0; lane < wave; lane += together) {
        const int taken = a->bytes < BANK ? most_different(a, lane) : most_wanted(a, lane, together);
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

/* Where the k-th word or unit of an item lies. */
static lm_u32 part_at(const lm_launch *l, const phase *p, const places *at, int lane, int k) {
    const lm_args a = &l->args;
    const lm_u32 part = (lm_u32)k, n = (lm_u32)p->count, lds = at->lds[lane],
                 row = n / (LM_HIP_TWICE_SQUARE(l->variant.unit));
    switch (p->how) {
    case PIECES: return lds + part * (lm_u32)p->bytes;
    case TURNED: return lds + part * (lm_u32)a->slot_step;
    case READ: return lds + part / row * (lm_u32)a->slot_step + part % row * BANK;
    case WRITTEN: return at->global[lane] + part / row * (lm_u32)a->row_step + part % row * BANK;
    case UNITS:
        return lds + (a->in_row ? part * (lm_u32)a->unit[0].lds : lm_unit_at(a, at->first[lane] * n + part));
    default: return lds;
    }
}

/* With which of them threads begin. */
static void find_turns(lm_u32 *turn, const lm_launch *l, const phase *p, lm_u32 item, const lm_u32 *row,
                       int lanes) {
    const lm_u32 most = (lm_u32)p->count - 1, word = (lm_u32)l->variant.word[LM_SRC];
    for (int lane = 0; lane < lanes; lane++) {
        const lm_place place = {.row = row[lane]};
        const lm_u32 number = item + (lm_u32)lane;
        turn[lane] = p->how == PIECES ? lm_piece_turn(&l->args, word, &place, number) & most
                     : p->how == TURNED || p->how == UNITS ? lm_turn(&l->args, &place, number) & most
                                                           : 0;
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

static access access_of(const phase *p, uint64_t part) {
    access a = {.bytes = p->bytes, .shift = 2, .part = part};
    while (1 << a.shift < a.bytes) a.shift++;
    return a;
}

/* So many of an item's accesses are looked at: one of each few. */
static int every(const phase *p) { return p->count > 4 ? p->count / 3 : 1; }

static int stands_for(const phase *p, int k) { return k + every(p) < p->count ? every(p) : p->count - k; }

/* Some accesses of an item stand for all. */
static void count_places(cycles *c, const lm_launch *l, const phase *p, const places *at, int wave,
                         int64_t weight) {
    access a = access_of(p, at->part);
    lm_u32 turn[LANES];
    find_turns(turn, l, p, at->item, at->row, wave);
    for (int k = 0; k < p->count; k += every(p)) {
        for (int lane = 0; lane < wave; lane++)
            a.at[lane] = part_at(l, p, at, lane, (k + (int)turn[lane]) % p->count);
        count_access(c, &a, wave, weight * stands_for(p, k));
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
            s->first[lane] = at.first[lane];
            s->row[lane] = at.row[lane];
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

/* Where all words or units of a sample lie does not depend on who takes turns. They are a step apart, but for units
 * that follow several axes. */
static void spread(lm_hip_parts *out, const lm_hip_probe *probe, const lm_launch *l, const phase *p) {
    lm_u32(*parts)[LM_HIP_TOGETHER] = out->at[out->known];
    const bool level = p->how != UNITS || in_row(l, p);
    places at;
    find_again(&at, &probe->sample[out->known++], l, p);
    const lm_u32 step = level ? part_at(l, p, &at, 0, 1) - part_at(l, p, &at, 0, 0) : 0;
    for (int k = 0; k < p->count; k++)
        for (int lane = 0; lane < LM_HIP_TOGETHER; lane++)
            parts[k][lane] = level ? at.lds[lane] + (lm_u32)k * step : part_at(l, p, &at, lane, k);
}

/* Cycles that a sample loses, until they are enough. */
static int64_t sample_lost(const lm_hip_sample *s, lm_u32 (*parts)[LM_HIP_TOGETHER], const lm_launch *l,
                           const phase *p, int64_t enough) {
    access a = access_of(p, s->part);
    cycles c = {0, 0};
    lm_u32 turn[LM_HIP_TOGETHER];
    find_turns(turn, l, p, s->item, s->row, LM_HIP_TOGETHER);
    for (int k = 0; k < p->count && c.taken - c.ideal < enough; k += every(p)) {
        for (int lane = 0; lane < LM_HIP_TOGETHER; lane++) {
            const int part = k + (int)turn[lane];
            a.at[lane] = parts[part < p->count ? part : part - p->count][lane];
        }
        count_access(&c, &a, LM_HIP_TOGETHER, stands_for(p, k));
    }
    return c.taken - c.ideal;
}

static int64_t probe_lost(const lm_hip_probe *probe, lm_hip_parts *parts, const lm_launch *l, const phase *p,
                          int64_t enough) {
    int64_t lost = 0;
    for (int w = 0; w < probe->count && lost < enough; w++) {
        if (w == parts->known) spread(parts, probe, l, p);
        lost += sample_lost(&probe->sample[w], parts->at[w], l, p, enough - lost);
    }
    return lost;
}

int64_t lm_hip_probe_lost(const lm_hip_probe *probe, lm_hip_parts *parts, const lm_launch *l, int side,
                          int64_t enough) {
    const phase p = phase_of(l, side);
    parts->known = 0;
    return probe_lost(probe, parts, l, &p, enough);
}

/* Turns that are tried: after so many threads (as a shift), so much more from row to row, by one or by a
 * bank. */
static const lm_u32 shifts[] = {3, 1, 2, 4, 0};
enum { SHIFTS = sizeof shifts / sizeof *shifts };

/* Rows that follow one another as they are have nothing more to try. */
static int with_rows(lm_hip_turns turns) { return turns.level_row ? 2 * SHIFTS : SHIFTS; }

static int turn_count(lm_hip_turns turns) {
    return !turns.any ? 0 : turns.bank ? 2 * with_rows(turns) : with_rows(turns);
}

static void set_turn(lm_launch *l, lm_hip_turns turns, int k) {
    const bool none = k < 0;
    l->args.turn_shift = none ? LM_HIP_NO_TURNS : shifts[k % SHIFTS];
    l->args.turn_row = none || k % with_rows(turns) >= SHIFTS ? 0 : turns.level_row;
    l->args.turn_up = none || k >= with_rows(turns) ? 0 : turns.bank;
}

int64_t lm_hip_choose_turn(const lm_hip_probe *probe, lm_hip_parts *parts, lm_launch *l, int side,
                           lm_hip_turns turns, int64_t enough) {
    enum { NONE = -1 };
    const phase p = phase_of(l, side);
    const int all = turn_count(turns);
    int chosen = NONE;
    parts->known = 0;
    set_turn(l, turns, NONE);
    int64_t best = probe_lost(probe, parts, l, &p, enough);
    for (int k = 0; k < all && best > 0; k++) {
        set_turn(l, turns, k);
        const int64_t now = probe_lost(probe, parts, l, &p, best);
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
        if (weight) count_places(c, l, p, &at, device->wave, weight * tiles);
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
