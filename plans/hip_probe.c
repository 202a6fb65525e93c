/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparing layouts by a few accesses of each side, whose threads and indices are found once. */
#include "hip_probe.h"

#include "hip_banks.h"

/* Indices of an item along the axes of a view, and of its first unit along theirs. */
static void set_digits(lm_hip_sample *out, int lane, const lm_launch *l, const lm_bank_phase *p) {
    const lm_hip_view *v = &l->args.view[p->view];
    lm_u32 item = out->first[lane] + out->row[lane] * v->axis[0].n,
           unit = out->first[lane] * (lm_u32)p->count, k;
    for (k = 0; k < v->rank; k++) {
        const lm_u32 next = lm_short(item, v->axis[k].quick);
        out->digit[k][lane] = (uint16_t)(item - next * v->axis[k].n);
        item = next;
    }
    for (lm_u32 j = 0; lm_bank_in_row(l, p) && j < l->args.units; j++) {
        const lm_u32 next = lm_short(unit, l->args.unit[j].quick);
        out->digit[k + j][lane] = (uint16_t)(unit - next * l->args.unit[j].n);
        unit = next;
    }
}

void lm_hip_probe_make(lm_hip_probe *probe, const lm_launch *l, int side) {
    const lm_bank_phase p = lm_bank_phase_of(l, side);
    probe->count = 0;
    for (int w = 0; w < LM_HIP_PROBES; w++) {
        lm_bank_places at;
        if (!lm_bank_find_places(&at, l, &p, 0, LM_HIP_TOGETHER, w, LM_HIP_PROBES)) continue;
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
static void find_again(lm_bank_places *out, const lm_hip_sample *s, const lm_launch *l,
                       const lm_bank_phase *p) {
    const lm_hip_view *v = &l->args.view[p->view];
    const lm_u32 units = lm_bank_in_row(l, p) ? l->args.units : 0;
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
static void spread(lm_hip_parts *out, const lm_hip_probe *probe, const lm_launch *l, const lm_bank_phase *p) {
    lm_u32(*parts)[LM_HIP_TOGETHER] = out->at[out->known];
    const bool level = p->how != LM_BANK_UNITS || lm_bank_in_row(l, p);
    lm_bank_places at;
    find_again(&at, &probe->sample[out->known++], l, p);
    const lm_u32 step = level ? lm_bank_part_at(l, p, &at, 0, 1) - lm_bank_part_at(l, p, &at, 0, 0) : 0;
    for (int k = 0; k < p->count; k++)
        for (int lane = 0; lane < LM_HIP_TOGETHER; lane++)
            parts[k][lane] = level ? at.lds[lane] + (lm_u32)k * step : lm_bank_part_at(l, p, &at, lane, k);
}

/* Cycles that a sample loses, until they are enough. */
static int64_t sample_lost(const lm_hip_sample *s, lm_u32 (*parts)[LM_HIP_TOGETHER], const lm_launch *l,
                           const lm_bank_phase *p, int64_t enough) {
    lm_bank_access a = lm_bank_access_of(p, s->part);
    lm_bank_cycles c = {0, 0};
    lm_u32 turn[LM_HIP_TOGETHER];
    lm_bank_find_turns(turn, l, p, s->item, s->row, LM_HIP_TOGETHER);
    for (int k = 0; k < p->count && c.taken - c.ideal < enough; k += lm_bank_every(p)) {
        for (int lane = 0; lane < LM_HIP_TOGETHER; lane++) {
            const int part = k + (int)turn[lane];
            a.at[lane] = parts[part < p->count ? part : part - p->count][lane];
        }
        lm_bank_count_access(&c, &a, LM_HIP_TOGETHER, lm_bank_stands_for(p, k));
    }
    return c.taken - c.ideal;
}

static int64_t probe_lost(const lm_hip_probe *probe, lm_hip_parts *parts, const lm_launch *l,
                          const lm_bank_phase *p, int64_t enough) {
    int64_t lost = 0;
    for (int w = 0; w < probe->count && lost < enough; w++) {
        if (w == parts->known) spread(parts, probe, l, p);
        lost += sample_lost(&probe->sample[w], parts->at[w], l, p, enough - lost);
    }
    return lost;
}

int64_t lm_hip_probe_lost(const lm_hip_probe *probe, lm_hip_parts *parts, const lm_launch *l, int side,
                          int64_t enough) {
    const lm_bank_phase p = lm_bank_phase_of(l, side);
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
    const lm_bank_phase p = lm_bank_phase_of(l, side);
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
