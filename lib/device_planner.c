/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing ways on devices. */
#include "device_planner.h"

#include <string.h>

#include "device_search.h"
#include "log.h"
#include "status.h"

/* ---- the ways there are ----------------------------------------------------------------------------- */

enum { WAYS = LM_HIP_PROPOSALS + LM_STAGE_PROPOSALS + 1 };

static int stages(const lm_problem *p, int effort, lm_device_way *out, int most) {
    lm_stage_params params[LM_STAGE_PROPOSALS];
    const int count =
        lm_stage_propose(p, effort, params, most < LM_STAGE_PROPOSALS ? most : LM_STAGE_PROPOSALS);
    for (int k = 0; k < count; k++) out[k] = (lm_device_way){.kind = LM_WAY_STAGE, .stage = params[k]};
    return count;
}

static int kernels(const lm_problem *p, const lm_device *device, int effort, lm_device_way *out, int most) {
    lm_hip_params params[LM_HIP_PROPOSALS];
    const int count =
        lm_hip_propose(p, device, effort, params, most < LM_HIP_PROPOSALS ? most : LM_HIP_PROPOSALS);
    for (int k = 0; k < count; k++) out[k] = (lm_device_way){.kind = LM_WAY_KERNEL, .kernel = params[k]};
    return count;
}

/* Best by estimate first; of one contiguous piece that is the run time's own copy. Where no kernel can do so
 * much, the general one is to say so. */
static int propose(const lm_problem *p, const lm_device *device, int effort, lm_device_way *out, int most) {
    static const lm_device_way own = {.kind = LM_WAY_MEMCPY};
    int count = 0;
    if (lm_problem_crosses(p)) return stages(p, effort, out, most);
    if (lm_device_way_allows(&own, p, device)) out[count++] = own;
    if (count < most) count += kernels(p, device, effort, out + count, most - count);
    if (count == 0) out[count++] = lm_device_general_way(p->op);
    return count;
}

void lm_device_each(const lm_problem *p, const lm_device *device, int effort,
                    bool (*visit)(void *arg, const lm_device_way *way, double seconds), void *arg) {
    lm_device_way way[WAYS];
    const int count = propose(p, device, effort, way, WAYS);
    for (int k = 0; k < count; k++)
        if (!visit(arg, &way[k], lm_device_way_cost(&way[k], p, device))) return;
}

/* ---- choosing --------------------------------------------------------------------------------------- */

void lm_device_guess(const lm_problem *p, const lm_device *device, lmad_ctx *ctx, lm_device_way *out) {
    lm_wise wise;
    if (lm_wisdom_find_device(ctx, p, device, LMAD_ESTIMATE, &wise))
        *out = wise.way;
    else
        propose(p, device, LMAD_ESTIMATE, out, 1);
}

static bool from_wisdom(const lm_problem *p, const lm_device *device, const lm_choosing *how,
                        lm_device_choice *out) {
    lm_wise wise;
    if (!lm_wisdom_find_device(how->ctx, p, device, how->effort, &wise)) return false;
    out->way = wise.way;
    out->origin = (lm_origin){.source = LMAD_SOURCE_WISDOM,
                              .effort = wise.effort,
                              .sibling = wise.sibling,
                              .seconds = wise.candidate.seconds};
    if (wise.sibling) memcpy(out->machine, wise.machine, sizeof out->machine);
    return true;
}

static void by_search(const lm_problem *p, const lm_device *device, const lm_choosing *how,
                      const lm_settings *settings, lm_device_choice *out) {
    char text[300];
    lm_device_finding found;
    const lm_search_rules rules = {how->effort, settings, how->deadline};
    lm_device_search(p, device, &rules, &out->way, &found);
    const bool through = found.source == LMAD_SOURCE_MEASURED;
    if (through) lm_wisdom_learn_device(how->ctx, p, device, how->effort, &out->way, &found);
    out->origin = (lm_origin){.source = found.source,
                              .effort = through ? how->effort : LMAD_ESTIMATE,
                              .candidates = found.candidates,
                              .seconds = found.seconds};
    lm_device_way_format(text, sizeof text, &out->way);
    lm_log(how->ctx, "%s on device %d: %s: %.3f us%s, %d candidates", lm_effort_name(how->effort),
           device->number, text, found.seconds * 1e6, device->emulated ? " (emulated)" : "",
           found.candidates);
}

lmad_status lm_device_choose(const lm_problem *p, const lm_device *device, const lm_choosing *how,
                             const lm_settings *settings, lm_device_choice *out) {
    if (!from_wisdom(p, device, how, out)) {
        if (how->wisdom_only)
            return lm_fail(LMAD_ERR_NO_WISDOM,
                           "no wisdom of effort %s or better for this problem on device %d",
                           lm_effort_name(how->effort), device->number);
        propose(p, device, LMAD_ESTIMATE, &out->way, 1);
        out->origin = (lm_origin){.source = LMAD_SOURCE_ESTIMATED};
        if (how->effort > LMAD_ESTIMATE) by_search(p, device, how, settings, out);
    }
    out->predicted = lm_device_way_cost(&out->way, p, device);
    return LMAD_OK;
}
