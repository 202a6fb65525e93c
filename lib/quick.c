/* SPDX-License-Identifier: BSD-3-Clause */
/* Making small copies quick: lists of runs, and reorderings made from them. */
#include "quick.h"

#include "cpu.h"

/* ---- lists ---------------------------------------------------------------------------------------- */

/* One call of a kernel takes as long as so many runs of a list, one that turns tiles in registers or another
 * one. */
enum { RUNS_A_TILE = 24, RUNS_A_CALL = 64 };

static int64_t kernel_calls(const lm_nest *nest) {
    int64_t calls = 1;
    for (int k = 0; k < nest->loops; k++)
        calls *= (nest->dim[nest->loop[k].dim].n - 1) / nest->loop[k].step + 1;
    return calls;
}

static bool list_pays(const lm_problem *p, const lm_step *step) {
    const int runs = step->kernel->pattern == LM_TRANSPOSE ? RUNS_A_TILE : RUNS_A_CALL;
    return lm_is_word(p->run) && p->count > 1 && p->count <= LM_QUICK_RUNS && p->dhi - p->dlo <= UINT16_MAX &&
           p->shi - p->slo <= UINT16_MAX && step->nest.loops > 0 &&
           kernel_calls(&step->nest) * runs >= p->count;
}

/* Runs in the order of the destination. */
static void list_make(lm_quick_list *list, const lm_problem *p) {
    int64_t index[LMAD_MAX_RANK] = {0}, to = p->doff - p->dlo, from = p->soff - p->slo;
    list->count = (int)p->count;
    list->run = (int)p->run;
    list->dense = true;
    for (int i = 0; i < list->count; i++) {
        list->to[i] = (uint16_t)to;
        list->from[i] = (uint16_t)from;
        list->dense &= to == i * p->run;
        for (int k = p->rank - 1; k >= 0; k--) {
            const lm_pdim *d = &p->dim[k];
            to += d->ds;
            from += d->ss;
            if (++index[k] < d->n) break;
            index[k] = 0;
            to -= d->n * d->ds;
            from -= d->n * d->ss;
        }
    }
}

static inline __attribute__((always_inline)) void copy_runs(const lm_quick_list *list, char *restrict dst,
                                                            const char *restrict src, size_t run) {
    const int count = list->count;
    if (list->dense) {
#pragma GCC unroll 8
        for (int i = 0; i < count; i++) memcpy(dst + (size_t)i * run, src + list->from[i], run);
    } else {
#pragma GCC unroll 8
        for (int i = 0; i < count; i++) memcpy(dst + list->to[i], src + list->from[i], run);
    }
}

void lm_quick_list_run(const lm_quick_list *list, char *dst, const char *src) {
    switch (list->run) {
    case 1: copy_runs(list, dst, src, 1); break;
    case 2: copy_runs(list, dst, src, 2); break;
    case 4: copy_runs(list, dst, src, 4); break;
    case 8: copy_runs(list, dst, src, 8); break;
    default: copy_runs(list, dst, src, 16);
    }
}

/* ---- reorderings ---------------------------------------------------------------------------------- */

static int blocks_of(int64_t bytes) { return (int)((bytes + LM_REORDER_BLOCK - 1) / LM_REORDER_BLOCK); }

/* Kernels that take whole vectors as they are keep up from the third block on. */
static bool reorder_pays(const lm_problem *p, const lm_step *step) {
    const int64_t to = p->dhi - p->dlo, from = p->shi - p->slo;
    if (p->count == 1 || to > LM_REORDER_BYTES || from > LM_REORDER_BYTES) return false;
    return blocks_of(from) <= 2 || (p->run < 16 && step->kernel->pattern != LM_REVERSE);
}

static void reorder_make(lm_reorder *reorder, const lm_quick_list *list, const lm_problem *p) {
    const int64_t beyond = blocks_of(p->shi - p->slo) * LM_REORDER_BLOCK - (p->shi - p->slo);
    *reorder = (lm_reorder){.to = blocks_of(p->dhi - p->dlo), .from = blocks_of(p->shi - p->slo)};
    reorder->last = UINT64_MAX >> beyond;
    for (int i = 0; i < list->count; i++) {
        for (int k = 0; k < list->run; k++) {
            const int to = list->to[i] + k;
            reorder->order[to] = (uint8_t)(list->from[i] + k);
            reorder->written[to / LM_REORDER_BLOCK] |= UINT64_C(1) << to % LM_REORDER_BLOCK;
        }
    }
}

/* ---- kinds ---------------------------------------------------------------------------------------- */

/* Larger ones do not notice; and sums with these stay far within 64 bits. */
static const int64_t largest = 1 << 20, farthest = INT64_C(1) << 40;

static bool is_near(int64_t v) { return v > -farthest && v < farthest; }

static bool is_quick(const lm_problem *p, const lm_step *step) {
    return p->op == LM_OP_COPY && p->dst_space == LM_HOST && p->src_space == LM_HOST && p->count > 0 &&
           p->payload <= largest && step->nest.split == 0 && !step->kernel->stream && is_near(p->dlo) &&
           is_near(p->dhi) && is_near(p->slo) && is_near(p->shi);
}

/* Longer runs are for kernels that align their stores. */
enum { BYTES = 2048 };

static lm_quick_kind choose_kind(const lm_quick *quick, const lm_problem *p, const lm_step *step) {
    if (p->count == 1 && p->run <= BYTES) return LM_QUICK_BYTES;
    if (quick->reorder_fn && reorder_pays(p, step)) return LM_QUICK_REORDER;
    if (list_pays(p, step)) return LM_QUICK_LIST;
    return step->nest.loops ? LM_QUICK_NEST : LM_QUICK_TILE;
}

void lm_quick_make(lm_quick *quick, const lm_problem *p, const lm_step *step) {
    if (!is_quick(p, step)) return;
    quick->fn = step->kernel->fn;
    quick->doff = p->doff, quick->soff = p->soff;
    quick->dlo = p->dlo, quick->dhi = p->dhi;
    quick->slo = p->slo, quick->shi = p->shi;
    quick->bytes = p->payload;
    quick->tile = step->nest.tile;
    quick->nest = &step->nest;
    quick->reorder_fn = lm_reorder_find(lm_cpu_isa());
    quick->kind = choose_kind(quick, p, step);
    if (quick->kind == LM_QUICK_REORDER || quick->kind == LM_QUICK_LIST) list_make(&quick->list, p);
    if (quick->kind == LM_QUICK_REORDER) reorder_make(&quick->reorder, &quick->list, p);
}
