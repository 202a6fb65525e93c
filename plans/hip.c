/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways to do a problem on a device: candidates, the best first, and launches made of them. */
#include "hip.h"

#include <math.h>
#include <string.h>

const lm_hip_kind *lm_hip_kind_of(lm_hip_kernel kernel) {
    static const lm_hip_kind *const kinds[LM_HIP_KERNELS] = {[LM_HIP_COPY] = &lm_hip_copy,
                                                             [LM_HIP_TILE] = &lm_hip_tile,
                                                             [LM_HIP_BLOCK] = &lm_hip_block,
                                                             [LM_HIP_FILL] = &lm_hip_fill,
                                                             [LM_HIP_FUNNEL] = &lm_hip_funnel};
    return (unsigned)kernel < LM_HIP_KERNELS ? kinds[kernel] : NULL;
}

/* Without the count: what it takes to launch. */
static bool make(const lm_problem *p, const lm_device *device, const lm_hip_params *params, unsigned align,
                 bool final, lm_launch *out) {
    memset(out, 0, sizeof *out);
    return lm_hip_kind_of(params->kernel)->make(p, device, params, align, final, out);
}

/* As if there were no bank conflicts, which layouts that are final avoid. */
static void guess(const lm_device *device, lm_launch *l) {
    int64_t accesses[2];
    lm_hip_count(device, l, 16, false, accesses);
    lm_hip_guess_banks(l);
    l->seconds = lm_hip_cost(device, l, accesses);
}

void lm_hip_make(const lm_problem *p, const lm_device *device, const lm_hip_params *params, unsigned align,
                 lm_launch *out) {
    make(p, device, params, align, true, out);
}

double lm_hip_predict(const lm_problem *p, const lm_device *device, const lm_hip_params *params) {
    lm_launch launch;
    if (!make(p, device, params, 16, false, &launch)) return HUGE_VAL;
    guess(device, &launch);
    return launch.seconds;
}

void lm_hip_estimate(const lm_device *device, unsigned align, lm_launch *l) {
    int64_t accesses[2];
    lm_hip_count(device, l, align, true, accesses);
    lm_hip_count_banks(device, l);
    l->seconds = lm_hip_cost(device, l, accesses);
}

static bool is_power(int64_t n, int64_t most) { return n >= 1 && n <= most && (n & (n - 1)) == 0; }

bool lm_hip_allows(const lm_problem *p, const lm_device *device, const lm_hip_params *params) {
    const lm_hip_kind *kind = lm_hip_kind_of(params->kernel);
    lm_launch launch;
    if (!kind || p->count == 0 || !kind->applicable(p)) return false;
    if (!is_power(params->word[LM_DST], 16) || !is_power(params->word[LM_SRC], 16)) return false;
    if (!is_power(params->items, 16) || (unsigned)params->order > LM_ORDER_SRC) return false;
    if (params->tile[LM_DST] < 0 || params->tile[LM_DST] > 1 << 16) return false;
    if (params->tile[LM_SRC] < 0 || params->tile[LM_SRC] > 1 << 16) return false;
    return make(p, device, params, 16, false, &launch) && make(p, device, params, 1, false, &launch);
}

/* ---- choosing --------------------------------------------------------------------------------------- */

/* Two candidates that come out the same are one. */
static bool same(const lm_launch *a, const lm_launch *b) {
    return lm_variant_equal(&a->variant, &b->variant) && a->args.tiles == b->args.tiles &&
           memcmp(&a->args, &b->args, sizeof a->args) == 0;
}

void lm_hip_rank(lm_hip_ranked *r, const lm_hip_params *params, double seconds) {
    int at = r->count++;
    for (; at > 0 && r->seconds[at - 1] > seconds; at--) {
        r->seconds[at] = r->seconds[at - 1];
        r->params[at] = r->params[at - 1];
    }
    r->seconds[at] = seconds;
    r->params[at] = *params;
}

/* Whole words on both sides, and no segment but those that must be: nothing can be better. */
static bool is_perfect(const lm_launch *l) {
    return l->variant.kernel == LM_HIP_COPY && l->variant.word[LM_DST] == 16 &&
           l->segments[LM_DST] + l->segments[LM_SRC] <= (l->ideal[LM_DST] + l->ideal[LM_SRC]) * 1.02;
}

int lm_hip_propose(const lm_problem *p, const lm_device *device, int effort, lm_hip_params *out, int max) {
    lm_hip_params all[LM_HIP_PROPOSALS];
    lm_hip_ranked r = {.count = 0};
    lm_launch launch, before;
    int found = 0;
    for (int kernel = 0; kernel < LM_HIP_KERNELS; kernel++) {
        const lm_hip_kind *kind = lm_hip_kind_of((lm_hip_kernel)kernel);
        if (kind && kind->applicable(p)) found = kind->propose(p, effort, all, found, LM_HIP_PROPOSALS);
    }
    memset(&before, 0, sizeof before);
    for (int k = 0; k < found; k++) {
        if (!make(p, device, &all[k], 16, false, &launch) || same(&launch, &before)) continue;
        before = launch;
        guess(device, &launch);
        lm_hip_rank(&r, &all[k], launch.seconds);
        if (effort == LMAD_ESTIMATE && is_perfect(&launch)) break;
    }
    if (effort == LMAD_ESTIMATE && r.count > 1) lm_hip_prefer_unhindered(&r, p, device);
    if (r.count > max) r.count = max;
    memcpy(out, r.params, (size_t)r.count * sizeof *out);
    return r.count;
}

/* ---- values ----------------------------------------------------------------------------------------- */

void lm_launch_set_value(lm_hip_args *args, const void *value, size_t elem_size) {
    char *to = (char *)args->fill.value;
    for (size_t at = 0; at + elem_size <= LM_HIP_VALUE; at += elem_size) memcpy(to + at, value, elem_size);
}
