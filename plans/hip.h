/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kinds of device kernels share: axes and words, the arguments' divisors, counting what a launch
 * touches. */
#ifndef LM_PLANS_HIP_H
#define LM_PLANS_HIP_H

#include "lib/device.h"
#include "lib/launch.h"

/* How one kind of kernel does problems. */
typedef struct lm_hip_kind {
    const char *name; /* in wisdom */
    bool (*applicable)(const lm_problem *problem);
    /* Append the candidates worth a look; returns the new count, at most max. */
    int (*propose)(const lm_problem *problem, int effort, lm_hip_params *out, int count, int max);
    /* Variant, arguments, tiles and block; false where the problem does not fit the kernel with any
     * parameters. What only keeps threads apart in LDS may be left out if it is to be estimated alone. */
    bool (*make)(const lm_problem *problem, const lm_device *device, const lm_hip_params *params,
                 unsigned align, bool final, lm_launch *out);
} lm_hip_kind;

extern const lm_hip_kind lm_hip_copy, lm_hip_fill, lm_hip_tile, lm_hip_block, lm_hip_funnel;

/* NULL for a kernel that is no candidate. */
const lm_hip_kind *lm_hip_kind_of(lm_hip_kernel kernel);

/* ---- axes (hip_axes.c) ---- */

/* Axes in their problem's units. Room for the run as one more, and for what fills make of an axis. */
typedef struct lm_hip_form {
    int rank;
    lm_pdim dim[LM_HIP_AXES];
} lm_hip_form;

static inline int64_t lm_hip_round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

/* The largest power of two <= 16 that divides all of it; 16 for 0. */
int lm_hip_power(int64_t bits);

/* All steps of a side or'ed together, but for the axis `but`. */
int64_t lm_hip_steps(const lm_problem *problem, int side, int but);

/* Is a walked faster than b? */
bool lm_hip_faster(const lm_pdim *a, const lm_pdim *b, lm_order order);

/* Sort the axes from `first` on, the fastest first. */
void lm_hip_sort(lm_hip_form *form, int first, lm_order order);

/* One axis between tiles, or of words: steps and divisors. */
void lm_hip_set_axis(lm_hip_axis *axis, const lm_pdim *dim);
uint32_t lm_hip_quick(int64_t n);
void lm_hip_set_divisor(int64_t n, lm_u32 *multiplier, lm_u32 *shift);

/* Where offsets count from, and their width. */
void lm_hip_set_reach(const lm_problem *problem, lm_launch *out);

/* Tiles and threads to a grid; false, and no grid, where they are more than the device takes at once. */
bool lm_hip_set_grid(const lm_device *device, int64_t tiles, int block, lm_launch *out);

/* ---- what it will touch (hip_count.c) ---- */

/* Fill in segments and ideal by the kernels' own arithmetic, of some warps (of more of them if
 * careful, and of all where they are few), for pointers that are aligned so.
 * *accesses: of global memory, by warps. */
void lm_hip_count(const lm_device *device, lm_launch *launch, unsigned align, bool careful,
                  int64_t accesses[2]);

/* One of [from, to): which one follows no pattern that steps of axes could share. */
static inline int64_t lm_hip_any_of(int64_t from, int64_t to) {
    uint64_t mixed = ((uint64_t)from + 1) * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
    return from + (int64_t)((mixed >> 33) % (uint64_t)(to - from));
}

/* The bits of axes that tiles do not divide; tiles that are the last ones along the axes of such bits; and which number
 * the which-th of them has. */
lm_u32 lm_hip_cuts(const lm_launch *launch);
int64_t lm_hip_tiles_of_sort(const lm_launch *launch, lm_u32 last);
int64_t lm_hip_tile_of_sort(const lm_launch *launch, lm_u32 last, int64_t which, lm_u32 *number);

/* lds_cycles and lds_ideal (hip_banks.c): counted, and as if there were no conflicts. */
void lm_hip_count_banks(const lm_device *device, lm_launch *launch);
void lm_hip_guess_banks(lm_launch *launch);

/* Predicted seconds of a launch whose segments are known (hip_cost.c). */
double lm_hip_cost(const lm_device *device, const lm_launch *launch, const int64_t accesses[2]);

/* ---- choosing ---- */

/* Candidates, the best first. */
typedef struct lm_hip_ranked {
    lm_hip_params params[LM_HIP_PROPOSALS];
    double seconds[LM_HIP_PROPOSALS];
    int count;
} lm_hip_ranked;

/* Add one where it belongs. There must be room for it. */
void lm_hip_rank(lm_hip_ranked *ranked, const lm_hip_params *params, double seconds);

/* Predictions so far know nothing of bank conflicts: put first what is (nearly) as good as the first and has none, or the
 * fewest (hip_prefer.c). Their seconds say nothing from then on. */
void lm_hip_prefer_unhindered(lm_hip_ranked *ranked, const lm_problem *problem, const lm_device *device);

/* ---- through LDS ---- */

/* How words are turned: kernels/hip/staged.h. */
typedef enum lm_hip_turn { LM_TURN_LOADED, LM_TURN_STORED, LM_TURN_UNITS, LM_TURN_TWICE } lm_hip_turn;

/* That of a variant of LM_HIP_TILE or LM_HIP_BLOCK. */
static inline lm_hip_turn lm_hip_turn_of(const lm_variant *v) { return (lm_hip_turn)(v->option & 3); }

/* Bytes of LDS of a block: what the variant declares, or what it is launched with. */
static inline int lm_hip_lds(const lm_launch *l) {
    const lm_variant *v = &l->variant;
    if (v->kernel != LM_HIP_TILE && v->kernel != LM_HIP_BLOCK) return (int)l->lds;
    return lm_hip_turn_of(v) == LM_TURN_TWICE ? LM_HIP_TWICE_LDS(v->unit) : LM_HIP_LDS;
}

/* Items of a side, in tiles through LDS. */
static inline lm_u32 lm_hip_items(const lm_launch *l, int side) {
    const bool funnel = l->variant.kernel == LM_HIP_FUNNEL && side == LM_DST;
    return funnel ? l->args.funnel.items : l->args.view[side].items;
}

#endif
