/* SPDX-License-Identifier: BSD-3-Clause */
/* What is measured on devices becomes wisdom. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip_field.h"
#include "hip_rig.h"
#include "lib/device.h"
#include "lib/record.h"
#include "lmad-hip.h"
#include "wise.h"

static lm_trial transpose(int64_t rows, int64_t columns) {
    return (lm_trial){.op = LM_OP_COPY,
                      .dst = {2, 0, {{columns, rows}, {rows, 1}}},
                      .src = {2, 0, {{columns, 1}, {rows, columns}}},
                      .elem_size = 4};
}

/* ---- wisdom ------------------------------------------------------------------------------------------ */

static lmad_info plan_info(const lm_trial *t, lmad_ctx *ctx, unsigned flags) {
    lmad_info info = {.struct_size = sizeof info};
    lmad_plan *p;
    if (lm_hip_rig_plan(&p, t, 0, ctx, flags) != LMAD_OK) ck_abort_msg("%s", lmad_error_detail());
    lmad_plan_info(p, &info);
    lmad_plan_destroy(p);
    return info;
}

START_TEST(measurements_become_wisdom) {
    lm_field_begin(2, 64, true);
    lmad_ctx *ctx = lm_wise_ctx();
    const lm_trial t = transpose(300, 200);
    lmad_info info = plan_info(&t, ctx, LMAD_MEASURE);
    ck_assert_int_eq(info.source, LMAD_SOURCE_MEASURED);
    ck_assert_int_gt(info.candidates, 1);
    ck_assert(info.measured_seconds > 0);
    info = plan_info(&t, ctx, LMAD_ESTIMATE);
    ck_assert_int_eq(info.source, LMAD_SOURCE_WISDOM);
    ck_assert_int_eq(info.effort, LMAD_MEASURE);
    ck_assert_int_eq(info.sibling, 0);
    plan_info(&t, ctx, LMAD_MEASURE | LMAD_WISDOM_ONLY);
    const char *why =
        lm_hip_rig_try(&t, 1, ctx, LMAD_MEASURE | LMAD_WISDOM_ONLY); /* the other device is alike */
    ck_assert_msg(why == NULL, "%s", why);
    lmad_ctx_destroy(ctx);
    emulator_is_clean();
}
END_TEST

START_TEST(the_time_limit_holds) {
    lm_field_begin(1, 64, true);
    lmad_ctx *ctx = lm_wise_ctx();
    lmad_ctx_set_time_limit(ctx, 0);
    const lm_trial t = transpose(300, 200);
    ck_assert_int_eq(plan_info(&t, ctx, LMAD_PATIENT).source, LMAD_SOURCE_TIMED_OUT);
    char *text = lm_wise_text(ctx);
    ck_assert_int_eq(lm_wise_lines(text), 1); /* nothing is kept */
    free(text);
    lmad_ctx_destroy(ctx);
    emulator_is_clean();
}
END_TEST

/* Replace a word of the only record. */
static void forge(char *line, size_t size, const char *file, const char *old, const char *new) {
    char sum[17], text[LM_RECORD_LINE];
    const char *record = strchr(file, '\n') + 1, *at = strstr(record, old);
    ck_assert_ptr_nonnull(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - record), record, new, at + strlen(old));
    *(strrchr(text, '\t') + 1) = '\0';
    lm_record_checksum(sum, text, strlen(text));
    snprintf(line, size, "%s%s\n", text, sum);
}

START_TEST(siblings_help_out) {
    static const struct {
        const char *old, *new;
        bool helps;
    } changes[] = {{"cus=", "cus=1", true},
                   {"gfx90a:", "gfx90a:other+:", true},
                   {"gfx90a", "gfx942", false},
                   {"wave=64", "wave=32", false},
                   {"emulated-", "", false}};
    lm_field_begin(1, 64, false);
    lmad_ctx *ctx = lm_wise_ctx();
    const lm_trial t = transpose(300, 200);
    plan_info(&t, ctx, LMAD_MEASURE);
    char *file = lm_wise_text(ctx), line[LM_RECORD_LINE];
    lmad_ctx_destroy(ctx);
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        ctx = lm_wise_ctx();
        forge(line, sizeof line, file, changes[k].old, changes[k].new);
        ck_assert_int_eq(lmad_wisdom_import_string(ctx, line, NULL), LMAD_OK);
        const lmad_info info = plan_info(&t, ctx, LMAD_ESTIMATE);
        ck_assert_int_eq(info.source, changes[k].helps ? LMAD_SOURCE_WISDOM : LMAD_SOURCE_ESTIMATED);
        ck_assert_int_eq(info.sibling, changes[k].helps);
        ck_assert_int_eq(plan_info(&t, ctx, LMAD_MEASURE).source, LMAD_SOURCE_MEASURED);
        lmad_ctx_destroy(ctx);
    }
    free(file);
    emulator_is_clean();
}
END_TEST

/* What a record says is only done where it can be: float matrices, and those of long elements. */
START_TEST(forged_choices_do_no_harm) {
    static const char *const choices[] = {"hip-memcpy",
                                          "stage flat chunk=4096",
                                          "hip-tile word=16x16 tile=999999x3 order=dst items=4 store=plain",
                                          "hip-tile word=16x16 tile=0x0 order=dst items=4 store=plain",
                                          "hip-block word=16x16 tile=0x64 order=dst items=4 store=plain",
                                          "hip-fill word=16x16 tile=0x0 order=dst items=4 store=plain",
                                          "hip-funnel word=16x16 tile=0x0 order=dst items=4 store=plain",
                                          "hip-funnel word=16x16 tile=512x0 order=src items=4 store=plain",
                                          "hip-funnel word=7x16 tile=512x512 order=dst items=4 store=plain",
                                          "hip-tile word=7x16 tile=64x64 order=dst items=4 store=plain"};
    lm_field_begin(1, 64, false);
    lmad_ctx *ctx = lm_wise_ctx();
    lm_trial t = transpose(300, 200);
    if (_i) t.elem_size = 12;
    plan_info(&t, ctx, LMAD_MEASURE);
    char *file = lm_wise_text(ctx), line[LM_RECORD_LINE], chosen[256];
    lmad_ctx_destroy(ctx);
    const char *at = strchr(strchr(strchr(file, '\n') + 1, '\t') + 1, '\t') + 1;
    snprintf(chosen, sizeof chosen, "%.*s", (int)strcspn(at, "\t"), at);
    for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
        ctx = lm_wise_ctx();
        forge(line, sizeof line, file, chosen, choices[k]);
        ck_assert_int_eq(lmad_wisdom_import_string(ctx, line, NULL), LMAD_OK);
        const char *why = lm_hip_rig_try(&t, 0, ctx, LMAD_ESTIMATE);
        ck_assert_msg(why == NULL, "%s: %s", choices[k], why);
        lmad_ctx_destroy(ctx);
    }
    free(file);
    emulator_is_clean();
}
END_TEST

Suite *lm_suite_hip_learn(void) {
    Suite *suite = suite_create("hip_learn");
    TCase *wisdom = tcase_create("wisdom");
    tcase_set_timeout(wisdom, 300);
    tcase_add_test(wisdom, measurements_become_wisdom);
    tcase_add_test(wisdom, the_time_limit_holds);
    tcase_add_test(wisdom, siblings_help_out);
    tcase_add_loop_test(wisdom, forged_choices_do_no_harm, 0, 2);
    suite_add_tcase(suite, wisdom);
    return suite;
}
