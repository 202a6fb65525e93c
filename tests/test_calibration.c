/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibrations: their text, what values they may have, how they are merged, and what estimates make of them.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/calibrate.h"
#include "lib/cost.h"
#include "lib/record.h"
#include "lib/timing.h"
#include "lib/wisdom.h"
#include "wise.h"

Suite *lm_suite_calibration(void);

/* ---- Text ---- */

START_TEST(text_comes_back) {
    char text[LM_CALIBRATION_TEXT], again[LM_CALIBRATION_TEXT], shorter[LM_CALIBRATION_TEXT];
    lm_calibration c = lm_usual_calibration, other = {.l2 = -1};
    c.walk = 7.123;
    const int length = lm_calibration_format(text, sizeof text, &c);
    ck_assert_int_lt(length, (int)sizeof text);
    ck_assert_ptr_nonnull(strstr(text, " walk=7123 "));
    ck_assert_ptr_null(lm_calibration_parse(&other, text));
    lm_calibration_format(again, sizeof again, &other);
    ck_assert_str_eq(text, again);
    for (int k = 0; k < length; k++) {
        snprintf(shorter, sizeof shorter, "%.*s", k, text);
        other.l2 = -1;
        if (!lm_calibration_parse(&other, shorter))
            ck_assert_int_eq(k, length - 1); /* one digit less may do */
    }
}
END_TEST

START_TEST(impossible_values_are_refused) {
    static const char *const bad[] = {"0",     "1",    "999999999", "1000000000000", "-600", "+600",
                                      " 600",  "0600", "6e2",       "nan",           "",     "600.5",
                                      "0x258", "inf"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[LM_CALIBRATION_TEXT], changed[2 * LM_CALIBRATION_TEXT];
        lm_calibration out = {.l2 = -1};
        lm_calibration_format(text, sizeof text, &lm_usual_calibration);
        char *at = strstr(text, "read=") + 5;
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, bad[k],
                 at + strspn(at, "0123456789"));
        ck_assert_msg(lm_calibration_parse(&out, changed) != NULL, "%s is taken", changed);
        ck_assert(out.l2 == -1);
    }
}
END_TEST

START_TEST(clamped_values_are_possible) {
    char text[LM_CALIBRATION_TEXT];
    const double zero = 0, value[] = {0, -5, 1e300, zero / zero, 1 / (zero + 1e-300)};
    for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
        lm_calibration c = {value[k], value[k], value[k], value[k], value[k],
                            value[k], value[k], value[k], value[k], value[k]};
        lm_calibration_clamp(&c);
        lm_calibration_format(text, sizeof text, &c);
        ck_assert_ptr_null(lm_calibration_parse(&c, text));
    }
}
END_TEST

/* ---- Records ---- */

/* The line of a calibration whose walk takes so many ps. */
static void forge(char *line, const char *machine, const char *key, int walk, const char *effort,
                  const char *date) {
    char values[LM_CALIBRATION_TEXT];
    lm_calibration c = lm_usual_calibration;
    c.walk = walk / 1e3;
    lm_calibration_format(values, sizeof values, &c);
    const lm_record r = {.machine = machine,
                         .problem = key,
                         .chosen = values,
                         .runner_up = "-",
                         .effort = lm_effort_parse(effort),
                         .date = date};
    ck_assert_int_lt(lm_record_write(line, LM_RECORD_LINE, &r), LM_RECORD_LINE);
}

static double walk_of(lmad_ctx *ctx) {
    const lm_calibration *c = lm_wisdom_calibration(ctx);
    return c ? c->walk : 0;
}

/* More effort, then the later one, in whatever order they come. */
START_TEST(one_is_kept) {
    enum { LINES = 4, BEST = 2 };
    char line[LINES][LM_RECORD_LINE], *want = NULL;
    const char *here = lm_wisdom_machine();
    forge(line[0], here, LM_CALIBRATION_KEY, 5000, "patient", "2026-01-01T00:00:00Z");
    forge(line[1], here, LM_CALIBRATION_KEY, 6000, "measure", "2026-03-01T00:00:00Z");
    forge(line[BEST], here, LM_CALIBRATION_KEY, 7000, "patient", "2026-02-01T00:00:00Z");
    forge(line[3], here, LM_CALIBRATION_KEY, 4000, "estimate", "2026-04-01T00:00:00Z");
    for (int first = 0; first < LINES; first++) {
        for (int step = 1; step < LINES; step += 2) {
            lmad_ctx *ctx = lm_wise_ctx();
            for (int k = 0; k < LINES; k++)
                ck_assert_int_eq(lmad_wisdom_import_string(ctx, line[(first + k * step) % LINES], NULL),
                                 LMAD_OK);
            ck_assert_double_eq(walk_of(ctx), 7);
            char *text = lm_wise_text(ctx);
            ck_assert_ptr_nonnull(strstr(text, line[BEST]));
            ck_assert_int_eq(lm_wise_lines(text), 2);
            if (!want) want = strdup(text);
            ck_assert_str_eq(text, want);
            free(text);
            lmad_wisdom_forget(ctx);
            ck_assert_double_eq(walk_of(ctx), 0);
            lmad_ctx_destroy(ctx);
        }
    }
    free(want);
}
END_TEST

START_TEST(other_machines_do_not_count) {
    char line[LM_RECORD_LINE], machine[LM_MACHINE_TEXT];
    lmad_ctx *ctx = lm_wise_ctx();
    snprintf(machine, sizeof machine, "%s1", lm_wisdom_machine()); /* a sibling with more nodes */
    forge(line, machine, LM_CALIBRATION_KEY, 5000, "patient", "2026-01-01T00:00:00Z");
    lmad_wisdom_report report = {.struct_size = sizeof report};
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, line, &report), LMAD_OK);
    ck_assert_int_eq(report.taken, 1);
    ck_assert_int_eq(report.foreign, 1);
    ck_assert_double_eq(walk_of(ctx), 0);
    char *text = lm_wise_text(ctx);
    ck_assert_ptr_nonnull(strstr(text, line));
    free(text);
    lmad_ctx_destroy(ctx);
}
END_TEST

START_TEST(later_layouts_are_kept) {
    char line[LM_RECORD_LINE];
    lmad_ctx *ctx = lm_wise_ctx();
    forge(line, lm_wisdom_machine(), "calibration 4", 5000, "patient", "2026-01-01T00:00:00Z");
    lmad_wisdom_report report = {.struct_size = sizeof report};
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, line, &report), LMAD_OK);
    ck_assert_int_eq(report.kept, 1);
    ck_assert_double_eq(walk_of(ctx), 0);
    char *text = lm_wise_text(ctx);
    ck_assert_ptr_nonnull(strstr(text, line));
    free(text);
    lmad_ctx_destroy(ctx);
}
END_TEST

static void keep_reason(void *data, int64_t number, lmad_wisdom_verdict verdict, const char *reason) {
    (void)number;
    if (verdict == LMAD_WISDOM_BAD) *(const char **)data = reason;
}

START_TEST(hostile_values_are_bad_lines) {
    char line[LM_RECORD_LINE];
    const char *reason = NULL;
    lmad_ctx *ctx = lm_wise_ctx();
    forge(line, lm_wisdom_machine(), LM_CALIBRATION_KEY, 90000000, "patient", "2026-01-01T00:00:00Z");
    strcat(line, "\n");
    forge(line + strlen(line), lm_wisdom_machine(), LM_CALIBRATION_KEY, 5000, "measure",
          "2026-01-01T00:00:00Z");
    lmad_wisdom_report report = {.struct_size = sizeof report, .line = keep_reason, .data = &reason};
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, line, &report), LMAD_OK);
    ck_assert_int_eq(report.bad, 1);
    ck_assert_int_eq(report.taken, 1);
    ck_assert_ptr_nonnull(reason);
    ck_assert_ptr_nonnull(strstr(reason, "value"));
    ck_assert_double_eq(walk_of(ctx), 5);
    lmad_ctx_destroy(ctx);
}
END_TEST

/* ---- Measuring and using ---- */

START_TEST(the_first_measurement_calibrates) {
    lmad_ctx *ctx = lm_wise_ctx(), *other = lm_wise_ctx();
    lm_wise_plan(ctx, 30, 40, LMAD_SERIAL);
    ck_assert_ptr_null(lm_wisdom_calibration(ctx));
    lm_wise_plan(ctx, 30, 40, LMAD_MEASURE | LMAD_SERIAL);
    ck_assert_ptr_nonnull(lm_wisdom_calibration(ctx));
    ck_assert_ptr_null(lm_wisdom_calibration(other));
    char *text = lm_wise_text(ctx);
    ck_assert_ptr_nonnull(strstr(text, LM_CALIBRATION_KEY));
    ck_assert_int_eq(lmad_wisdom_import_string(other, text, NULL), LMAD_OK);
    ck_assert_double_eq_tol(walk_of(other), walk_of(ctx), 1e-3);
    free(text);
    lmad_ctx_destroy(ctx);
    lmad_ctx_destroy(other);
}
END_TEST

START_TEST(a_short_time_limit_is_kept) {
    lmad_ctx *ctx = lm_wise_ctx();
    lm_calibration c = {.l2 = -1};
    lm_settings settings;
    ck_assert_int_eq(lmad_ctx_set_time_limit(ctx, 0.2), LMAD_OK);
    lm_wise_plan(ctx, 30, 40, LMAD_MEASURE | LMAD_SERIAL);
    ck_assert_ptr_null(lm_wisdom_calibration(ctx));
    lm_ctx_settings(ctx, &settings);
    ck_assert(!lm_calibrate(&c, LMAD_MEASURE, &settings, lm_now() + 0.1));
    ck_assert(c.l2 == -1);
    lmad_ctx_destroy(ctx);
}
END_TEST

/* An estimate depends on the problem and the calibration, and on nothing else. */
START_TEST(estimates_follow_it) {
    char slow[LM_RECORD_LINE], quick[LM_RECORD_LINE];
    lmad_ctx *ctx = lm_wise_ctx();
    const char *here = lm_wisdom_machine();
    const double before = lm_wise_plan(ctx, 4000, 5000, LMAD_SERIAL).predicted_seconds;
    forge(slow, here, LM_CALIBRATION_KEY, 20000, "measure", "2026-01-01T00:00:00Z");
    forge(quick, here, LM_CALIBRATION_KEY, 2000, "patient", "2026-01-01T00:00:00Z");
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, slow, NULL), LMAD_OK);
    const double with_slow = lm_wise_plan(ctx, 4000, 5000, LMAD_SERIAL).predicted_seconds;
    ck_assert(with_slow > before);
    ck_assert_double_eq(with_slow, lm_wise_plan(ctx, 4000, 5000, LMAD_SERIAL).predicted_seconds);
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, quick, NULL), LMAD_OK);
    ck_assert(lm_wise_plan(ctx, 4000, 5000, LMAD_SERIAL).predicted_seconds < before);
    lmad_wisdom_forget(ctx);
    ck_assert_double_eq(before, lm_wise_plan(ctx, 4000, 5000, LMAD_SERIAL).predicted_seconds);
    lmad_ctx_destroy(ctx);
}
END_TEST

/* So does a list of copies, one by one and as a whole. */
START_TEST(lists_follow_it) {
    char slow[LM_RECORD_LINE];
    lmad_ctx *ctx = lm_wise_ctx();
    const lmad_desc d = {2, 0, {{4000, 5000}, {5000, 1}}}, s = {2, 0, {{4000, 1}, {5000, 4000}}};
    const lmad_many_item item[] = {{&d, &s, 4}, {&d, &s, 4}};
    const double before = lm_wise_plan(ctx, 4000, 5000, LMAD_SERIAL).predicted_seconds;
    for (int calibrated = 0; calibrated < 2; calibrated++) {
        lmad_plan *p;
        lmad_info info = {.struct_size = sizeof info};
        forge(slow, lm_wisdom_machine(), LM_CALIBRATION_KEY, 20000, "measure", "2026-01-01T00:00:00Z");
        if (calibrated) ck_assert_int_eq(lmad_wisdom_import_string(ctx, slow, NULL), LMAD_OK);
        ck_assert_int_eq(lmad_plan_many(&p, ctx, 2, item, LMAD_SERIAL), LMAD_OK);
        ck_assert_int_eq(lmad_plan_info(p, &info), LMAD_OK);
        const double each = lm_wise_plan(ctx, 4000, 5000, LMAD_SERIAL).predicted_seconds;
        ck_assert_double_eq_tol(info.predicted_seconds, 2 * each, 1e-9 * each);
        ck_assert(calibrated ? each > before : each == before);
        lmad_plan_destroy(p);
    }
    lmad_ctx_destroy(ctx);
}
END_TEST

START_TEST(slow_threads_are_fewer) {
    lm_calibration c = lm_usual_calibration;
    const lm_problem usual = {.payload = 3 << 19, .threads = 64};
    lm_problem slow = usual;
    c.thread *= 3;
    slow.calibration = &c;
    ck_assert_int_eq(lm_threads_for(&usual), 6);
    ck_assert_int_eq(lm_threads_for(&slow), 2);
}
END_TEST

Suite *lm_suite_calibration(void) {
    Suite *s = suite_create("calibration");
    TCase *text = tcase_create("text"), *records = tcase_create("records"), *use = tcase_create("use");
    tcase_add_test(text, text_comes_back);
    tcase_add_test(text, impossible_values_are_refused);
    tcase_add_test(text, clamped_values_are_possible);
    tcase_add_test(records, one_is_kept);
    tcase_add_test(records, other_machines_do_not_count);
    tcase_add_test(records, later_layouts_are_kept);
    tcase_add_test(records, hostile_values_are_bad_lines);
    tcase_set_timeout(use, 120);
    tcase_add_test(use, the_first_measurement_calibrates);
    tcase_add_test(use, a_short_time_limit_is_kept);
    tcase_add_test(use, estimates_follow_it);
    tcase_add_test(use, lists_follow_it);
    tcase_add_test(use, slow_threads_are_fewer);
    suite_add_tcase(s, text);
    suite_add_tcase(s, records);
    suite_add_tcase(s, use);
    return s;
}
