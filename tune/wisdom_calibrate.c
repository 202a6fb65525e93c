/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibrating: measure what the cost model must know of this machine, and keep it like any other wisdom. */
#define _GNU_SOURCE
#include "wisdom_calibrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/calibrate.h"
#include "lib/timing.h"
#include "lib/wisdom.h"
#include "wisdom_tune.h"

static int put(lmad_ctx *ctx, const char *output) {
    if (strcmp(output, "-") == 0) return lm_wisdom_print(ctx);
    const lmad_status status = lmad_wisdom_export_file(ctx, output);
    if (status == LMAD_OK) return LM_WISDOM_OK;
    lm_wisdom_complain(output, status);
    return LM_WISDOM_USAGE;
}

static int calibrate(lmad_ctx *ctx, const lm_wisdom_options *o, const char *output) {
    char text[LM_CALIBRATION_TEXT];
    lm_calibration values;
    lm_settings settings;
    lmad_wisdom_forget(ctx);
    lm_ctx_settings(ctx, &settings);
    const double deadline = o->time_limit < 0 ? 0 : lm_now() + o->time_limit;
    if (!lm_calibrate(&values, o->effort, &settings, deadline)) {
        fprintf(stderr, "lmad-wisdom: calibration: no memory, or no time\n");
        return LM_WISDOM_WRONG;
    }
    lm_wisdom_calibrated(ctx, o->effort, &values);
    lm_calibration_format(text, sizeof text, &values);
    if (strcmp(output, "-") != 0) printf("%s\n", text);
    return put(ctx, output);
}

int lm_wisdom_calibrate(const lm_wisdom_options *o) {
    lmad_ctx *ctx;
    char *output = lm_wisdom_output(o);
    if (!output) return LM_WISDOM_USAGE;
    const lmad_status status = lmad_ctx_create(&ctx);
    int result = LM_WISDOM_USAGE;
    if (status != LMAD_OK) {
        lm_wisdom_complain("calibration", status);
    } else {
        result = calibrate(ctx, o, output);
        lmad_ctx_destroy(ctx);
    }
    free(output);
    return result;
}
