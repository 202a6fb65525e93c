/* SPDX-License-Identifier: BSD-3-Clause */
/* Bank conflicts in the choice of candidates. Which layout a tile has in LDS is found out only for the few that
 * are about to be chosen; where all of these are hindered by conflicts, for others, of other tiles and of
 * narrower words: the threads of such a side ask for neighbouring units. */
#include "hip.h"

/* Cycles over those without conflicts: up to here nothing better is looked for; beyond here others are tried. */
static const double unhindered = 1.05, hindered = 1.1;

/* A candidate with its layout. */
typedef struct looked_at {
    lm_hip_params params;
    lm_launch launch;
    double taken; /* cycles of LDS over those without conflicts */
} looked_at;

static void look_at(looked_at *out, const lm_problem *p, const lm_device *device,
                    const lm_hip_params *params) {
    lm_launch *l = &out->launch;
    lm_hip_make(p, device, params, 16, l);
    lm_hip_count_banks(device, l);
    out->params = *params;
    out->taken = l->lds_ideal ? (double)l->lds_cycles / (double)l->lds_ideal : 1;
}

/* Of candidates that are about as good as the first, the first one without conflicts, or with the fewest. */
static void find_first(looked_at *best, const lm_hip_ranked *r, const lm_problem *p,
                       const lm_device *device) {
    const double about = 1.1;
    enum { FEW = 6 };
    look_at(best, p, device, &r->params[0]);
    for (int k = 1;
         k < r->count && k < FEW && r->seconds[k] <= r->seconds[0] * about && best->taken > unhindered; k++) {
        looked_at next;
        look_at(&next, p, device, &r->params[k]);
        if (next.taken < best->taken) *best = next;
    }
}

/* ---- where conflicts remain --------------------------------------------------------------------------- */

/* All tiles of a kind in one order, and those of three quarters of their rows. */
static void add_tiles(lm_hip_ranked *tiles, const lm_hip_kind *kind, const lm_problem *p,
                      const lm_device *device, lm_order order) {
    lm_hip_params all[LM_HIP_PROPOSALS];
    const int count = kind->applicable(p) ? kind->propose(p, LMAD_PATIENT, all, 0, LM_HIP_PROPOSALS) : 0;
    for (int k = 0; k < count; k++) {
        if (all[k].order != order) continue;
        lm_hip_rank(tiles, &all[k], lm_hip_predict(p, device, &all[k]));
        for (int side = LM_DST; side <= LM_SRC; side++) all[k].tile[side] -= all[k].tile[side] / 4;
        lm_hip_rank(tiles, &all[k], lm_hip_predict(p, device, &all[k]));
    }
}

/* A tile with narrower words on a side, or on both, down to a unit. */
static void add_words(lm_hip_ranked *others, const lm_problem *p, const lm_device *device,
                      lm_hip_params params, int unit) {
    const int width[3] = {16, unit < 4 ? 4 : unit, unit}, widths = unit < 4 ? 3 : 2;
    for (int k = 1; k < widths * widths && others->count < LM_HIP_PROPOSALS; k++) {
        params.word[LM_DST] = width[k % widths];
        params.word[LM_SRC] = width[k / widths];
        lm_hip_rank(others, &params, lm_hip_predict(p, device, &params));
    }
}

/* Tiles, and the best of them with narrower words. */
static void list_others(lm_hip_ranked *others, const lm_problem *p, const lm_device *device,
                        const looked_at *than) {
    enum { BEST = 4 };
    lm_hip_ranked tiles = {.count = 0};
    add_tiles(&tiles, &lm_hip_tile, p, device, than->params.order);
    add_tiles(&tiles, &lm_hip_block, p, device, than->params.order);
    *others = tiles;
    for (int k = 0, best = 0; k < tiles.count && best < BEST; k++) {
        if (k && tiles.seconds[k] == tiles.seconds[k - 1]) continue;
        add_words(others, p, device, tiles.params[k], lm_hip_power(than->launch.variant.unit));
        best++;
    }
}

static int64_t segments_of(const looked_at *at) {
    return at->launch.segments[LM_DST] + at->launch.segments[LM_SRC];
}

/* The cheapest of the others that is not hindered, or one that is less so and no dearer, if it costs no memory traffic.
 * Candidates that are predicted to take the same time are one, as a rule. */
static void try_others(looked_at *best, const lm_problem *p, const lm_device *device) {
    const double slower = 1.5, segments = 1.02;
    enum { TRIES = 14 };
    lm_hip_ranked others;
    lm_hip_estimate(device, 16, &best->launch);
    const double most = (double)segments_of(best) * segments, seconds = best->launch.seconds * slower;
    list_others(&others, p, device, best);
    for (int k = 0, tries = 0; k < others.count && tries < TRIES && best->taken > hindered; k++) {
        looked_at next;
        if (others.seconds[k] > seconds) return;
        if (k && others.seconds[k] == others.seconds[k - 1]) continue;
        tries++;
        look_at(&next, p, device, &others.params[k]);
        if (next.taken >= best->taken) continue;
        lm_hip_estimate(device, 16, &next.launch);
        if (next.taken > hindered && next.launch.seconds > best->launch.seconds) continue;
        if ((double)segments_of(&next) <= most) *best = next;
    }
}

/* Before all others, whether it was among them or not. */
static void put_first(lm_hip_ranked *r, const lm_hip_params *params) {
    int at = 0;
    while (at < r->count && !lm_hip_params_equal(&r->params[at], params)) at++;
    if (at == r->count && r->count < LM_HIP_PROPOSALS) r->count++;
    if (at == LM_HIP_PROPOSALS) at--;
    for (; at > 0; at--) r->params[at] = r->params[at - 1];
    r->params[0] = *params;
}

void lm_hip_prefer_unhindered(lm_hip_ranked *r, const lm_problem *p, const lm_device *device) {
    looked_at best;
    find_first(&best, r, p, device);
    if (best.taken > hindered) try_others(&best, p, device);
    put_first(r, &best.params);
}
