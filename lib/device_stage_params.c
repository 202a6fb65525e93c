/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways to cross the bus: which there are for a problem, what they should cost, their names. */
#include <stdio.h>
#include <string.h>

#include "device_stage_parts.h"
#include "machine.h"

/* Chunks to choose from: small ones start early and overlap well, large ones lose less to the start of each.
 */
static const int64_t chunk_ladder[] = {256 << 10, 1 << 20, 4 << 20, 16 << 20};
enum { CHUNKS = sizeof chunk_ladder / sizeof *chunk_ladder };

/* ---- what is possible ------------------------------------------------------------------------------ */

static bool between_devices(const lm_problem *p) {
    return p->dst_space != LM_HOST && p->src_space != LM_HOST;
}

/* Do both sides step forwards by whole rows? */
static bool fits_rows(const lm_problem *p) {
    const lm_pdim *row = &p->dim[p->rank - 1];
    return row->ds >= p->run && row->ss >= p->run && row->ds <= INT32_MAX && row->ss <= INT32_MAX;
}

static bool fits_slices(const lm_problem *p) {
    const lm_pdim *slice = &p->dim[0], *row = &p->dim[1];
    return slice->ss > 0 && slice->ds % row->ds == 0 && slice->ss % row->ss == 0 &&
           slice->ds / row->ds >= row->n && slice->ss / row->ss >= row->n;
}

static bool fits_box(const lm_problem *p) {
    if (between_devices(p) || p->rank < 1 || p->rank > 2 || !fits_rows(p)) return false;
    return p->rank == 1 || fits_slices(p);
}

bool lm_stage_allows(const lm_problem *p, const lm_stage_params *params) {
    if (p->count == 0 || p->dst_space == p->src_space || params->chunk < 1 || params->chunk > LM_STAGE_MOST)
        return false;
    switch (params->way) {
    case LM_STAGE_FLAT: return true;
    case LM_STAGE_RAW: return lm_crossing_raw_allowed(p, lm_machine_get()->page_bytes);
    case LM_STAGE_BOX: return fits_box(p);
    case LM_STAGE_REACH: return !between_devices(p);
    }
    return false;
}

/* The host works in the order of its own memory. */
static lm_crossing_order order_of(const lm_problem *p) {
    return p->src_space == LM_HOST ? LM_CROSSING_SRC : LM_CROSSING_DST;
}

void lm_stage_cut(lm_crossing *out, const lm_problem *p, const lm_stage_params *params) {
    if (params->way == LM_STAGE_RAW)
        lm_crossing_raw(out, p, params->chunk);
    else
        lm_crossing_flat(out, p, order_of(p), params->chunk);
}

/* ---- cost ------------------------------------------------------------------------------------------ */

/* Usual speeds, in bytes a second, and what it takes to start something. */
static const double bus_speed = 24e9, device_speed = 400e9, start_seconds = 10e-6;

/* A half of a piece; memory of the host is taken to be pinned, so that what is dense needs no packing. */
static double half_seconds(const lm_problem *half, int space) {
    if (lm_crossing_trivial(half)) return 0;
    if (space != LM_HOST) return (double)half->payload * 2 / device_speed + start_seconds;
    lm_step step;
    lm_planner_choose(half, &step);
    return step.seconds + start_seconds;
}

static double larger(double a, double b) { return a > b ? a : b; }

/* One chunk after the other at the slowest station, and once through the others. */
static double pipeline_seconds(const lm_problem *p, const lm_crossing *c) {
    const lm_piece *piece = &c->piece[0];
    const double in = half_seconds(&piece->in, p->src_space), out = half_seconds(&piece->out, p->dst_space),
                 copy = (double)piece->bytes / bus_speed + start_seconds;
    return in + copy + out + (double)(c->chunks - 1) * larger(larger(in, out), copy);
}

/* Pitches and widths that are not multiples of 4 bytes, and narrow rows, go row by row. */
static double box_seconds(const lm_problem *p) {
    enum { NARROW = 64 };
    const lm_pdim *row = &p->dim[p->rank - 1];
    const bool good = p->run >= NARROW && p->run % 4 == 0 && row->ds % 4 == 0 && row->ss % 4 == 0;
    return (double)p->payload / bus_speed + (double)p->count * (good ? 5e-9 : 8e-6) + start_seconds;
}

double lm_stage_cost(const lm_problem *p, const lm_stage_params *params) {
    if (params->way == LM_STAGE_BOX) return box_seconds(p);
    /* Accesses over the bus are short; nothing overlaps but what the device has in flight. */
    if (params->way == LM_STAGE_REACH) return (double)p->payload * 3 / bus_speed + start_seconds;
    lm_crossing crossing;
    lm_stage_cut(&crossing, p, params);
    return pipeline_seconds(p, &crossing);
}

/* ---- proposals ------------------------------------------------------------------------------------- */

typedef struct proposals {
    lm_stage_params *out;
    int count, max;
    double seconds[LM_STAGE_PROPOSALS];
} proposals;

/* Kept by rising cost. */
static void add(proposals *list, const lm_problem *p, lm_stage_way way, int64_t chunk) {
    const lm_stage_params params = {way, chunk};
    if (!lm_stage_allows(p, &params)) return;
    const double seconds = lm_stage_cost(p, &params);
    int at = list->count;
    for (; at > 0 && seconds < list->seconds[at - 1]; at--) {
        if (at == list->max) continue;
        list->out[at] = list->out[at - 1];
        list->seconds[at] = list->seconds[at - 1];
    }
    if (at == list->max) return;
    list->out[at] = params;
    list->seconds[at] = seconds;
    if (list->count < list->max) list->count++;
}

int lm_stage_propose(const lm_problem *p, int effort, lm_stage_params *out, int max) {
    proposals list = {.out = out, .max = max < LM_STAGE_PROPOSALS ? max : LM_STAGE_PROPOSALS};
    for (int i = 0; i < CHUNKS; i++) {
        if (i > 0 && chunk_ladder[i - 1] >= p->payload) break; /* one chunk already */
        add(&list, p, LM_STAGE_FLAT, chunk_ladder[i]);
        add(&list, p, LM_STAGE_RAW, chunk_ladder[i]);
    }
    add(&list, p, LM_STAGE_BOX, chunk_ladder[CHUNKS - 1]);
    if (effort > LMAD_ESTIMATE) add(&list, p, LM_STAGE_REACH, chunk_ladder[CHUNKS - 1]);
    return list.count;
}

/* ---- text ------------------------------------------------------------------------------------------ */

static const char *const way_names[] = {"flat", "raw", "box", "reach"};
enum { WAYS = sizeof way_names / sizeof *way_names };

int lm_stage_format(char *buf, size_t size, const lm_stage_params *params) {
    return snprintf(buf, size, "stage %s chunk=%lld", way_names[params->way], (long long)params->chunk);
}

bool lm_stage_parse(lm_stage_params *out, const char *text) {
    char name[8], again[64];
    long long chunk;
    lm_stage_params params;
    if (sscanf(text, "stage %7s chunk=%18lld", name, &chunk) != 2) return false;
    for (int i = 0; i < WAYS; i++) {
        params = (lm_stage_params){(lm_stage_way)i, chunk};
        lm_stage_format(again, sizeof again, &params);
        if (chunk < 1 || strcmp(again, text) != 0) continue;
        *out = params;
        return true;
    }
    return false;
}
