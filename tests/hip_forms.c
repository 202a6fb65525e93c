/* SPDX-License-Identifier: BSD-3-Clause */
/* Forms of plans for devices. */
#include "hip_forms.h"

#include "lib/device.h"
#include "lmad-hip.h"
#include "wise.h"

/* clang-format off */
#define TRIAL(size, ...) {.elem_size = (size), __VA_ARGS__}
/* Of a size for which planning is fast: it is planned thousands of times. */
#define TRANSPOSE TRIAL(4, .dst = {2, 0, {{40, 20}, {20, 1}}}, .src = {2, 0, {{40, 1}, {20, 40}}})
#define DENSE     TRIAL(4, .dst = {1, 0, {{3000, 1}}}, .src = {1, 0, {{3000, 1}}})
#define SLICE     TRIAL(4, .dst = {2, 0, {{1000, 4}, {3, 1}}}, .src = {2, 0, {{1000, 8}, {3, 1}}})
#define ROWS      TRIAL(4, .dst = {2, 0, {{20, 128}, {100, 1}}}, .src = {2, 0, {{20, 256}, {100, 1}}})
#define LONG      TRIAL(100, .dst = {2, 0, {{40, 30}, {30, 1}}}, .src = {2, 0, {{40, 0}, {30, 0}}})

const lm_form lm_forms[LM_FORMS] = {
    {"within a device", COPY, {0, 0, DEVICE}, TRANSPOSE, LMAD_ESTIMATE, 0, {0}},
    {"within a device, contiguous", COPY, {0, 0, DEVICE}, DENSE, LMAD_ESTIMATE, WAITS, {0}},
    {"fill", FILL, {0, 0, DEVICE}, TRANSPOSE, LMAD_ESTIMATE, 0, {0}},
    {"fill of long elements", FILL, {0, 0, DEVICE}, LONG, LMAD_ESTIMATE, WAITS, {0}},
    {"affine", AFFINE, {0, 0, DEVICE}, TRANSPOSE, LMAD_ESTIMATE, 0, {0}},
    {"move", MOVE, {0, 0, DEVICE}, TRANSPOSE, LMAD_ESTIMATE, 0, {0}},
    {"from pageable memory", COPY, {0, LM_HOST, PAGEABLE}, TRANSPOSE, LMAD_ESTIMATE, 0, {0}},
    {"from pinned memory", COPY, {0, LM_HOST, PINNED}, TRANSPOSE, LMAD_ESTIMATE, 0, {0}},
    {"from managed memory", COPY, {0, LM_HOST, MANAGED}, TRANSPOSE, LMAD_ESTIMATE, 0, {0}},
    {"to pageable memory", COPY, {LM_HOST, 0, PAGEABLE}, TRANSPOSE, LMAD_ESTIMATE, WAITS, {0}},
    {"to pinned memory", COPY, {LM_HOST, 0, PINNED}, DENSE, LMAD_ESTIMATE, 0, {0}},
    {"near the device", COPY, {2, LM_HOST, PAGEABLE}, TRANSPOSE, LMAD_ESTIMATE, NODES, {0}},
    {"between devices", COPY, {0, 1, DEVICE}, TRANSPOSE, LMAD_ESTIMATE, 0, {0}},
    {"between devices through the host", COPY, {0, 1, DEVICE}, TRANSPOSE, LMAD_ESTIMATE, APART, {0}},
    {"in chunks, from the host", STAGE, {0, LM_HOST, PAGEABLE}, SLICE, 0, 0, {LM_STAGE_FLAT, 2400}},
    {"in chunks, to the host", STAGE, {LM_HOST, 0, PINNED}, TRANSPOSE, 0, 0, {LM_STAGE_FLAT, 1024}},
    {"in chunks as they lie", STAGE, {0, LM_HOST, PINNED}, SLICE, 0, 0, {LM_STAGE_RAW, 8192}},
    {"in chunks, between devices", STAGE, {0, 1, DEVICE}, TRANSPOSE, 0, APART, {LM_STAGE_FLAT, 1024}},
    {"as a box", STAGE, {0, LM_HOST, PINNED}, ROWS, 0, 0, {LM_STAGE_BOX, 4096}},
    {"within reach", STAGE, {LM_HOST, 0, PINNED}, ROWS, 0, 0, {LM_STAGE_REACH, 4096}},
    {"warming up", WARM, {0, 0, DEVICE}, TRANSPOSE, LMAD_ESTIMATE, 0, {0}},
    {"measured", COPY, {0, 0, DEVICE}, TRANSPOSE, LMAD_MEASURE, 0, {0}},
    {"measured, to pinned memory", COPY, {LM_HOST, 0, PINNED}, ROWS, LMAD_MEASURE, 0, {0}},
    {"measured, between devices", COPY, {0, 1, DEVICE}, TRANSPOSE, LMAD_MEASURE, 0, {0}},
};
/* clang-format on */

/* ---- staged copies alone ----------------------------------------------------------------------------- */

typedef struct staging {
    const lm_form *form;
    const lm_problem *problem;
    const lm_field *field;
    lm_stage **stage;
} staging;

static lmad_status make_stage(const void *arg) {
    static const lm_settings settings = {.threads = 1};
    const staging *s = arg;
    return lm_stage_make(s->stage, s->problem, NULL, &settings, &s->form->stage);
}

static lmad_status run_stage(const void *arg) {
    const staging *s = arg;
    return lm_stage_run(*s->stage, s->field->d, s->field->s, NULL);
}

static void destroy_stage(void *stage) { lm_stage_destroy(stage); }

/* ---- any form ---------------------------------------------------------------------------------------- */

const hipemu *lm_form_begin(const lm_form *f, bool lazy) {
    if (f->how & NODES) lm_field_two_nodes();
    const hipemu *emu = lm_field_begin(LM_FORM_DEVICES, 64, lazy);
    emu->set_peers(!(f->how & APART));
    return emu;
}

void lm_form_open(lm_formed *out) { *out = (lm_formed){.ctx = lm_wise_ctx()}; }

lmad_status lm_form_plan(const lm_form *f, const lm_problem *problem, lm_formed *out) {
    const lm_trial *t = &f->trial;
    const int device = f->ends.dst;
    lmad_plan **p = &out->plan;
    const staging s = {f, problem, NULL, &out->stage};
    switch (f->op) {
    case COPY:
        return lmad_plan_copy_hip(p, out->ctx, &t->dst, device, &t->src, f->ends.src, t->elem_size,
                                  f->effort);
    case MOVE: return lmad_plan_move_hip(p, out->ctx, &t->dst, &t->src, device, t->elem_size, f->effort);
    case FILL: return lmad_plan_fill_hip(p, out->ctx, &t->dst, device, t->elem_size, f->effort);
    case AFFINE: return lmad_plan_affine_hip(p, out->ctx, &t->dst, device, LMAD_INT32, f->effort);
    case WARM: return lmad_hip_warm(out->ctx, device);
    case STAGE: return lm_device_aside(make_stage, &s);
    }
    return LMAD_ERR_ARGUMENT;
}

lmad_status lm_form_execute(const lm_form *f, const lm_formed *formed, const lm_field *field) {
    static const int32_t values[25] = {7, 2, 3};
    lm_stage *stage = formed->stage;
    const staging s = {f, NULL, field, &stage};
    const void *src = f->op == COPY ? field->s : f->op == MOVE ? (const void *)field->d : values;
    if (f->op == WARM) return LMAD_OK;
    if (f->op == STAGE) return lm_device_aside(run_stage, &s);
    return (f->how & WAITS) ? lmad_execute(formed->plan, field->d, src)
                            : lmad_execute_hip(formed->plan, field->d, src, NULL);
}

void lm_form_close(lm_formed *formed) {
    lmad_plan_destroy(formed->plan);
    if (formed->stage) lm_hip_aside(lm_hip_get(), destroy_stage, formed->stage);
    lmad_ctx_destroy(formed->ctx);
}

bool lm_form_is_code(lmad_status status) {
    return status == LMAD_ERR_NO_MEMORY || status == LMAD_ERR_DEVICE || status == LMAD_ERR_DEVICE_LOST ||
           status == LMAD_ERR_NO_CODE || status == LMAD_ERR_NO_DEVICE || status == LMAD_ERR_ARGUMENT;
}
