/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways on devices: text, permission, cost. */
#include "device_way.h"

#include <stdio.h>
#include <string.h>

int lm_problem_device(const lm_problem *p) {
    return p->dst_space != LM_HOST || lm_op_sourceless(p->op) ? p->dst_space : p->src_space;
}

lm_device_way lm_device_general_way(lm_op op) {
    const lm_hip_params bytes = {.kernel = op == LM_OP_FILL ? LM_HIP_FILL : LM_HIP_COPY,
                                 .word = {1, 1},
                                 .order = LM_ORDER_DST,
                                 .items = 4};
    return (lm_device_way){.kind = LM_WAY_KERNEL, .kernel = bytes};
}

bool lm_device_way_equal(const lm_device_way *a, const lm_device_way *b) {
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case LM_WAY_MEMCPY: return true;
    case LM_WAY_KERNEL: return lm_hip_params_equal(&a->kernel, &b->kernel);
    case LM_WAY_STAGE: return a->stage.way == b->stage.way && a->stage.chunk == b->stage.chunk;
    }
    return false;
}

static const char memcpy_name[] = "hip-memcpy";

int lm_device_way_format(char *buf, size_t size, const lm_device_way *way) {
    switch (way->kind) {
    case LM_WAY_MEMCPY: break;
    case LM_WAY_KERNEL: return lm_hip_params_format(buf, size, &way->kernel);
    case LM_WAY_STAGE: return lm_stage_format(buf, size, &way->stage);
    }
    return snprintf(buf, size, "%s", memcpy_name);
}

bool lm_device_way_parse(lm_device_way *out, const char *text) {
    lm_device_way way = {.kind = LM_WAY_MEMCPY};
    if (strcmp(text, memcpy_name) == 0) return *out = way, true;
    way.kind = LM_WAY_KERNEL;
    if (lm_hip_params_parse(&way.kernel, text)) return *out = way, true;
    way.kind = LM_WAY_STAGE;
    if (lm_stage_parse(&way.stage, text)) return *out = way, true;
    return false;
}

bool lm_device_way_allows(const lm_device_way *way, const lm_problem *p, const lm_device *device) {
    if (p->count == 0) return false;
    switch (way->kind) {
    case LM_WAY_MEMCPY: return !lm_problem_crosses(p) && !lm_op_sourceless(p->op) && p->count == 1;
    case LM_WAY_KERNEL: return !lm_problem_crosses(p) && lm_hip_allows(p, device, &way->kernel);
    case LM_WAY_STAGE: return lm_problem_crosses(p) && lm_stage_allows(p, &way->stage);
    }
    return false;
}

/* The run time's own copy is as fast as memory is; who has one contiguous piece needs nothing else. */
static double memcpy_cost(const lm_problem *p) {
    const double launch = 2e-6, bytes_a_second = 1e12;
    return launch + 2 * (double)p->payload / bytes_a_second;
}

double lm_device_way_cost(const lm_device_way *way, const lm_problem *p, const lm_device *device) {
    switch (way->kind) {
    case LM_WAY_MEMCPY: break;
    case LM_WAY_STAGE: return lm_stage_cost(p, &way->stage);
    case LM_WAY_KERNEL: return lm_hip_predict(p, device, &way->kernel);
    }
    return memcpy_cost(p);
}
