/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting segments and bank cycles. */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

#include "abi.h"

enum { SPACES = 2, MAX_THREADS = 1024, BANKS = 32, BANK_BYTES = 4, MAX_WARP = 64 };

/* One access of a warp; work-items that take no part have 0 bytes. */
typedef struct group {
    uint64_t address[MAX_WARP];
    uint8_t bytes[MAX_WARP];
    uint8_t store;
} group;

/* A place in the source, in the block that runs now. */
typedef struct place {
    group *groups; /* [nth time][warp] */
    int used, room;
    uint32_t *times; /* each thread has been here */
} place;

bool emu_tracing;
static place places[SPACES][HIPEMU_SITES];
static hipemu_trace sites[HIPEMU_SITES];
static int threads, warps;

/* ---- Recording ---------------------------------------------------------------------------------- */

void emu_trace_begin(int count) {
    threads = count;
    warps = (count + emu.warp - 1) / emu.warp;
}

static bool make_room(place *p, int index) {
    if (!p->times) p->times = calloc(MAX_THREADS, sizeof *p->times);
    if (!p->times) return false;
    if (index >= p->room) {
        int room = index < 16 ? 32 : 2 * index;
        group *larger = realloc(p->groups, (size_t)room * sizeof *larger);
        if (!larger) return false;
        p->groups = larger;
        p->room = room;
    }
    if (index >= p->used) {
        memset(p->groups + p->used, 0, (size_t)(index + 1 - p->used) * sizeof *p->groups);
        p->used = index + 1;
    }
    return true;
}

void emu_trace_access(int space, int site, int thread, const volatile void *p, int bytes, int store) {
    place *here = &places[space][site & (HIPEMU_SITES - 1)];
    int nth = here->times ? (int)here->times[thread] : 0;
    int index = nth * warps + thread / emu.warp;
    if (!make_room(here, index)) return;
    here->times[thread]++;
    if (bytes == 0) return;
    group *g = &here->groups[index];
    int lane = thread % emu.warp;
    g->address[lane] = (uint64_t)(uintptr_t)p;
    g->bytes[lane] = (uint8_t)bytes;
    g->store = (uint8_t)(store != 0);
}

/* ---- Global memory ------------------------------------------------------------------------------- */

typedef struct range {
    uint64_t begin, end;
} range;

/* Most warps come sorted, upwards or downwards. */
static int ranges_of(const group *g, range *r) {
    int count = 0;
    for (int lane = 0; lane < emu.warp; lane++) {
        if (!g->bytes[lane]) continue;
        range next = {g->address[lane], g->address[lane] + g->bytes[lane]};
        int k = count++;
        for (; k > 0 && r[k - 1].begin > next.begin; k--) r[k] = r[k - 1];
        r[k] = next;
    }
    return count;
}

static void count_global(const group *g, hipemu_trace *t) {
    range r[MAX_WARP];
    int count = ranges_of(g, r);
    if (count == 0) return;
    uint64_t size = emu.warp == 64 ? 64 : 32, end = r[0].begin, next_segment = 0;
    int64_t bytes = 0, segments = 0;
    for (int i = 0; i < count; i++) {
        uint64_t first = r[i].begin / size, last = (r[i].end - 1) / size;
        if (first < next_segment) first = next_segment;
        if (first <= last) segments += (int64_t)(last + 1 - first), next_segment = last + 1;
        uint64_t begin = r[i].begin > end ? r[i].begin : end;
        if (r[i].end > begin) bytes += (int64_t)(r[i].end - begin), end = r[i].end;
    }
    t->accesses[g->store]++;
    t->bytes[g->store] += bytes;
    t->segments[g->store] += segments;
    t->ideal[g->store] += (int64_t)((r[0].begin % size + (uint64_t)bytes + size - 1) / size);
}

/* ---- LDS ----------------------------------------------------------------------------------------- */

/* Cycles for lanes that are served together: the most different words that one bank must give. Words are few:
 * at most one for each bank without conflicts. */
static int64_t bank_cycles(const group *g, int lane, int end) {
    uint64_t word[BANKS][BANKS];
    int count[BANKS] = {0}, most = 0;
    for (; lane < end; lane++) {
        if (!g->bytes[lane]) continue;
        uint64_t last = (g->address[lane] + g->bytes[lane] - 1) / BANK_BYTES;
        for (uint64_t w = g->address[lane] / BANK_BYTES; w <= last; w++) {
            int bank = (int)(w % BANKS), k = 0;
            while (k < count[bank] && word[bank][k] != w) k++;
            if (k == count[bank] && k < BANKS) word[bank][count[bank]++] = w;
            if (count[bank] > most) most = count[bank];
        }
    }
    return most;
}

/* As many lanes at once as ask for 128 bytes: 32 of 4 bytes (and less), 16 of 8, 8 of 16. */
static void count_lds(const group *g, hipemu_trace *t) {
    int bytes = BANK_BYTES;
    for (int lane = 0; lane < emu.warp; lane++)
        if (g->bytes[lane] > bytes) bytes = g->bytes[lane];
    int step = BANKS * BANK_BYTES / bytes;
    int64_t cycles = 0, ideal = 0;
    for (int lane = 0; lane < emu.warp; lane += step) {
        int64_t some = bank_cycles(g, lane, lane + step < emu.warp ? lane + step : emu.warp);
        cycles += some;
        ideal += some > 0;
    }
    t->lds_accesses[g->store] += ideal > 0;
    t->lds_cycles[g->store] += cycles;
    t->lds_ideal[g->store] += ideal;
}

/* ---- Totals -------------------------------------------------------------------------------------- */

int64_t emu_trace_end(void) {
    int64_t segments = 0;
    for (int site = 0; site < HIPEMU_SITES; site++) {
        hipemu_trace *t = &sites[site];
        int64_t before = t->segments[0] + t->segments[1];
        for (int space = 0; space < SPACES; space++) {
            place *p = &places[space][site];
            for (int i = 0; i < p->used; i++)
                (space == HIPEMU_GLOBAL ? count_global : count_lds)(&p->groups[i], t);
            if (p->used) memset(p->times, 0, (size_t)threads * sizeof *p->times);
            p->used = 0;
        }
        segments += t->segments[0] + t->segments[1] - before;
    }
    return segments;
}

static void add(hipemu_trace *sum, const hipemu_trace *t) {
    for (int i = 0; i < 2; i++) {
        sum->accesses[i] += t->accesses[i];
        sum->bytes[i] += t->bytes[i];
        sum->segments[i] += t->segments[i];
        sum->ideal[i] += t->ideal[i];
        sum->lds_accesses[i] += t->lds_accesses[i];
        sum->lds_cycles[i] += t->lds_cycles[i];
        sum->lds_ideal[i] += t->lds_ideal[i];
    }
}

void emu_trace_clear(void) { memset(sites, 0, sizeof sites); }

void emu_trace_site(int site, hipemu_trace *of_site) { *of_site = sites[site & (HIPEMU_SITES - 1)]; }

void emu_trace_total(hipemu_trace *total) {
    memset(total, 0, sizeof *total);
    for (int i = 0; i < HIPEMU_SITES; i++) add(total, &sites[i]);
}

void emu_trace_drop(void) {
    for (int space = 0; space < SPACES; space++)
        for (int site = 0; site < HIPEMU_SITES; site++) {
            free(places[space][site].groups);
            free(places[space][site].times);
            places[space][site] = (place){0};
        }
    emu_trace_clear();
}
