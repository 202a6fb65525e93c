/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans for devices in words. */
#include "device_plan_parts.h"
#include "plan.h"
#include "text.h"

/* ---- facts ------------------------------------------------------------------------------------------ */

static const char *kind_of(const lm_device_plan *d) {
    static const char *const kernel[] = {[LM_HIP_COPY] = "hip-copy",
                                         [LM_HIP_TILE] = "hip-tile",
                                         [LM_HIP_BLOCK] = "hip-block",
                                         [LM_HIP_FILL] = "hip-fill",
                                         [LM_HIP_AFFINE] = "hip-affine",
                                         [LM_HIP_FUNNEL] = "hip-funnel"};
    if (d->recipe == LM_DEVICE_BUFFERED) return "buffer";
    if (d->recipe == LM_DEVICE_STAGED) return "stage";
    const lm_launch *launch = lm_device_copy_launch(d->step[0]);
    return launch ? kernel[launch->variant.kernel] : "hip-memcpy";
}

/* Kernels, and copies by the run time. */
static int64_t launches_of(const lm_device_plan *d) {
    lm_stage_facts stage;
    if (d->recipe != LM_DEVICE_STAGED) return d->recipe == LM_DEVICE_ONE ? 1 : 2;
    lm_stage_facts_of(d->stage, &stage);
    return stage.launches;
}

void lm_device_plan_facts(const lmad_plan *plan, lm_device_facts *out) {
    const lm_device_plan *d = plan->device;
    *out = (lm_device_facts){.kind = kind_of(d),
                             .launches = launches_of(d),
                             .predicted = d->choice[0].predicted + d->choice[1].predicted};
}

/* ---- describe --------------------------------------------------------------------------------------- */

static void add_way(lm_text *text, const lm_device_way *way) {
    char name[300];
    lm_device_way_format(name, sizeof name, way);
    lm_text_add(text, "(%s)", name);
}

static void add_space(lm_text *text, int space) {
    if (space == LM_HOST)
        lm_text_add(text, "host");
    else
        lm_text_add(text, "hip:%d", space);
}

void lm_device_plan_describe(const lmad_plan *plan, lm_text *text) {
    const lm_device_plan *d = plan->device;
    lm_text_add(text, " ");
    add_space(text, plan->problem.dst_space);
    if (lm_problem_crosses(&plan->problem)) {
        lm_text_add(text, "<-");
        add_space(text, plan->problem.src_space);
    }
    lm_text_add(text, " ");
    if (d->recipe == LM_DEVICE_BUFFERED) {
        lm_text_add(text, "(buffer %zu ", plan->work_bytes);
        add_way(text, &d->choice[0].way);
        lm_text_add(text, " ");
        add_way(text, &d->choice[1].way);
        lm_text_add(text, ")");
    } else if (plan->problem.op == LM_OP_AFFINE) {
        lm_text_add(text, "(hip-affine)");
    } else {
        add_way(text, &d->choice[0].way);
    }
}

/* ---- explain ---------------------------------------------------------------------------------------- */

typedef struct listing {
    lm_text *text;
    const lm_device_way *chosen;
    bool found;
} listing;

static bool list_way(void *arg, const lm_device_way *way, double seconds) {
    listing *l = arg;
    const bool chosen = lm_device_way_equal(way, l->chosen);
    l->found = l->found || chosen;
    lm_text_add(l->text, "%c %10.3f us  ", chosen ? '*' : ' ', seconds * 1e6);
    add_way(l->text, way);
    lm_text_add(l->text, "\n");
    return true;
}

static void add_launch(lm_text *text, const lm_device *device, const lm_launch *launch) {
    enum { ALIGNED = 16 };
    lm_launch predicted = *launch;
    const lm_launch *l = &predicted;
    lm_hip_estimate(device, ALIGNED, &predicted);
    lm_text_add(text, "launch: %u x %u x %u blocks of %u x %u x %u work-items; ", l->grid[0], l->grid[1],
                l->grid[2], l->block[0], l->block[1], l->block[2]);
    lm_text_add(text, "memory segments, estimated: %lld written (%lld at least), %lld read (%lld at least)\n",
                (long long)l->segments[LM_DST], (long long)l->ideal[LM_DST], (long long)l->segments[LM_SRC],
                (long long)l->ideal[LM_SRC]);
}

void lm_device_plan_explain(const lmad_plan *plan, lm_text *text) {
    const lm_device_plan *d = plan->device;
    const lm_device *device = d->device;
    const lm_launch *launch = d->step[0] ? lm_device_copy_launch(d->step[0]) : NULL;
    lm_text_add(text, "device %d: %s, %d compute units, wave %d%s\n", device->number, device->arch,
                device->units, device->wave, device->emulated ? "; emulated: times mean nothing" : "");
    if (d->recipe == LM_DEVICE_BUFFERED || plan->problem.op == LM_OP_AFFINE) {
        lm_text_add(text, d->recipe == LM_DEVICE_BUFFERED
                              ? "the views share bytes: through memory of the device:\n "
                              : "the one way:\n ");
        lm_device_plan_describe(plan, text);
        lm_text_add(text, "\n");
        return;
    }
    listing all = {text, &d->choice[0].way, false};
    const int effort = plan->origin[0].source == LMAD_SOURCE_MEASURED ? plan->origin[0].effort : LMAD_MEASURE;
    lm_text_add(text, "candidates with their estimates, * = chosen:\n");
    lm_device_each(&plan->problem, device, effort, list_way, &all);
    if (!all.found) list_way(&all, &d->choice[0].way, d->choice[0].predicted);
    if (launch) add_launch(text, device, launch);
}
