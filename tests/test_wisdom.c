/* SPDX-License-Identifier: BSD-3-Clause */
/* Wisdom in memory: what hits and what does not, import of anything at all, merging, equal bytes. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/record.h"
#include "lib/sibling.h"
#include "lib/wisdom.h"
#include "rng.h"
#include "wise.h"

Suite *lm_suite_wisdom(void);

/* ---- Hits and misses ---- */

START_TEST(a_measured_plan_is_found_again) {
    lmad_ctx *ctx = lm_wise_ctx();
    lmad_info first = lm_wise_plan(ctx, 300, 200, LMAD_MEASURE | LMAD_SERIAL);
    ck_assert_int_eq(first.source, LMAD_SOURCE_MEASURED);
    ck_assert(first.measured_seconds > 0);
    ck_assert_int_gt(first.candidates, 1);
    for (unsigned effort = LMAD_ESTIMATE; effort <= LMAD_MEASURE; effort++) {
        lmad_info again = lm_wise_plan(ctx, 300, 200, effort | LMAD_SERIAL | LMAD_WISDOM_ONLY);
        ck_assert_int_eq(again.source, LMAD_SOURCE_WISDOM);
        ck_assert_int_eq(again.effort, LMAD_MEASURE);
        ck_assert_int_eq(again.sibling, 0);
        ck_assert_str_eq(again.kind, first.kind);
        ck_assert_double_eq_tol(again.measured_seconds, first.measured_seconds, 2e-12);
    }
    lmad_ctx_destroy(ctx);
}
END_TEST

START_TEST(less_effort_does_not_serve_more) {
    lmad_ctx *ctx = lm_wise_ctx();
    lm_wise_plan(ctx, 90, 70, LMAD_MEASURE | LMAD_SERIAL);
    ck_assert_int_eq(lm_wise_status(ctx, 90, 70, LMAD_PATIENT | LMAD_SERIAL | LMAD_WISDOM_ONLY),
                     LMAD_ERR_NO_WISDOM);
    ck_assert_int_eq(lm_wise_plan(ctx, 90, 70, LMAD_PATIENT | LMAD_SERIAL).source, LMAD_SOURCE_MEASURED);
    ck_assert_int_eq(lm_wise_plan(ctx, 90, 70, LMAD_MEASURE | LMAD_SERIAL).effort, LMAD_PATIENT);
    lmad_ctx_destroy(ctx);
}
END_TEST

START_TEST(other_problems_do_not_hit) {
    lmad_ctx *ctx = lm_wise_ctx();
    lmad_desc d = {2, 0, {{90, 70}, {70, 1}}}, s = {2, 0, {{90, 1}, {70, 90}}},
              back = {2, 89, {{90, -1}, {70, 90}}};
    lmad_plan *p;
    const unsigned only = LMAD_WISDOM_ONLY | LMAD_SERIAL;
    lm_wise_plan(ctx, 90, 70, LMAD_MEASURE | LMAD_SERIAL);
    ck_assert_int_eq(lm_wise_status(ctx, 90, 70, only), LMAD_OK);
    ck_assert_int_eq(lm_wise_status(ctx, 90, 71, only), LMAD_ERR_NO_WISDOM);
    ck_assert_int_eq(lmad_plan_copy(&p, ctx, &d, &s, 8, only), LMAD_ERR_NO_WISDOM);
    ck_assert_int_eq(lmad_plan_copy(&p, ctx, &d, &back, 4, only), LMAD_ERR_NO_WISDOM);
    d.offset = 7000;
    ck_assert_int_eq(lmad_plan_move(&p, ctx, &d, &s, 4, only), LMAD_ERR_NO_WISDOM);
    d.offset = 1;
    ck_assert_int_eq(lmad_plan_copy(&p, ctx, &d, &s, 4, only), LMAD_ERR_NO_WISDOM);
    ck_assert_ptr_nonnull(strstr(lmad_error_detail(), "wisdom"));
    lmad_ctx_destroy(ctx);
}
END_TEST

START_TEST(another_thread_limit_does_not_hit) {
    lmad_ctx *ctx = lm_wise_ctx();
    lm_wise_pool(ctx);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 3), LMAD_OK);
    lm_wise_plan(ctx, 600, 700, LMAD_MEASURE);
    ck_assert_int_eq(lm_wise_status(ctx, 600, 700, LMAD_WISDOM_ONLY), LMAD_OK);
    ck_assert_int_eq(lm_wise_status(ctx, 600, 700, LMAD_WISDOM_ONLY | LMAD_SERIAL), LMAD_ERR_NO_WISDOM);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 2), LMAD_OK);
    ck_assert_int_eq(lm_wise_status(ctx, 600, 700, LMAD_WISDOM_ONLY), LMAD_ERR_NO_WISDOM);
    lmad_ctx_destroy(ctx);
}
END_TEST

/* The same records hit whatever order another program planned in, and however it described the problem. */
START_TEST(descriptions_do_not_matter) {
    lmad_ctx *ctx = lm_wise_ctx();
    lmad_desc d = {3, 69, {{1, 5}, {70, -1}, {90, 70}}}, s = {3, 6210, {{1, -9}, {70, -90}, {90, 1}}};
    lmad_plan *p;
    lm_wise_plan(ctx, 90, 70, LMAD_MEASURE | LMAD_SERIAL);
    ck_assert_int_eq(lmad_plan_copy(&p, ctx, &d, &s, 4, LMAD_WISDOM_ONLY | LMAD_SERIAL), LMAD_OK);
    lmad_plan_destroy(p);
    lmad_ctx_destroy(ctx);
}
END_TEST

START_TEST(contexts_do_not_share) {
    lmad_ctx *a = lm_wise_ctx(), *b = lm_wise_ctx();
    lm_wise_plan(a, 90, 70, LMAD_MEASURE | LMAD_SERIAL);
    ck_assert_int_eq(lm_wise_status(b, 90, 70, LMAD_WISDOM_ONLY | LMAD_SERIAL), LMAD_ERR_NO_WISDOM);
    char *text = lm_wise_text(a);
    ck_assert_int_eq(lmad_wisdom_import_string(b, text, NULL), LMAD_OK);
    ck_assert_int_eq(lm_wise_status(b, 90, 70, LMAD_WISDOM_ONLY | LMAD_SERIAL), LMAD_OK);
    lmad_wisdom_forget(b);
    ck_assert_int_eq(lm_wise_status(b, 90, 70, LMAD_WISDOM_ONLY | LMAD_SERIAL), LMAD_ERR_NO_WISDOM);
    free(text);
    lmad_ctx_destroy(a);
    lmad_ctx_destroy(b);
}
END_TEST

/* ---- Other machines ---- */

START_TEST(siblings_are_used_and_reported) {
    char line[LM_RECORD_LINE], far_line[LM_RECORD_LINE], machine[LM_MACHINE_TEXT];
    lmad_ctx *ctx = lm_wise_ctx();
    char *text = lm_wise_of(90, 70);
    /* One core more: a sibling; another vendor: none. */
    snprintf(machine, sizeof machine, "%s1", lm_wisdom_machine());
    lm_wise_forge(line, sizeof line, text, machine, NULL);
    snprintf(machine, sizeof machine, "X%s", lm_wisdom_machine());
    lm_wise_forge(far_line, sizeof far_line, text, machine, NULL);
    lmad_wisdom_report report = {.struct_size = sizeof report};
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, far_line, &report), LMAD_OK);
    ck_assert_int_eq(report.taken, 1);
    ck_assert_int_eq(report.foreign, 1);
    ck_assert_int_eq(lm_wise_status(ctx, 90, 70, LMAD_WISDOM_ONLY | LMAD_SERIAL), LMAD_ERR_NO_WISDOM);
    ck_assert_int_eq(lm_wise_plan(ctx, 90, 70, LMAD_SERIAL).sibling, 0);
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, line, NULL), LMAD_OK);
    lmad_info info = lm_wise_plan(ctx, 90, 70, LMAD_SERIAL);
    ck_assert_int_eq(info.source, LMAD_SOURCE_WISDOM);
    ck_assert_int_eq(info.sibling, 1);
    /* What another machine measured is no measurement of this one. */
    ck_assert_int_eq(lm_wise_status(ctx, 90, 70, LMAD_MEASURE | LMAD_WISDOM_ONLY | LMAD_SERIAL),
                     LMAD_ERR_NO_WISDOM);
    ck_assert_int_eq(lm_wise_plan(ctx, 90, 70, LMAD_MEASURE | LMAD_SERIAL).sibling, 0);
    ck_assert_int_eq(lm_wise_plan(ctx, 90, 70, LMAD_SERIAL).sibling, 0);
    char *all = lm_wise_text(ctx);
    ck_assert_ptr_nonnull(strstr(all, line));
    ck_assert_ptr_nonnull(strstr(all, far_line));
    free(all);
    free(text);
    lmad_ctx_destroy(ctx);
}
END_TEST

START_TEST(distances) {
    static const char mine[] = "V 25/17 isa=avx2 l1=32768 l2=1048576 l3=33554432 cores=8 numa=1";
    static const char *const others[] = {/* ever further away */
                                         "V 25/17 isa=avx2 l1=32768 l2=1048576 l3=33554432 cores=8 numa=1",
                                         "V 25/17 isa=avx2 l1=32768 l2=1048576 l3=33554432 cores=16 numa=1",
                                         "V 25/17 isa=avx2 l1=32768 l2=524288 l3=8388608 cores=2 numa=1",
                                         "V 25/18 isa=avx2 l1=32768 l2=1048576 l3=33554432 cores=8 numa=1",
                                         "V 26/17 isa=avx2 l1=32768 l2=1048576 l3=33554432 cores=8 numa=1",
                                         "V 26/18 isa=avx2 l1=32768 l2=1048576 l3=33554432 cores=8 numa=1"};
    static const char *const none[] = {
        "", "V", "V 25/17 isa=avx512 l1=32768 l2=1048576 l3=33554432 cores=8 numa=1",
        "W 25/17 isa=avx2 l1=32768 l2=1048576 l3=33554432 cores=8 numa=1", "   "};
    ck_assert_int_eq(lm_sibling_distance(mine, others[0]), 0);
    for (int k = 1; k < 6; k++)
        ck_assert_int_gt(lm_sibling_distance(mine, others[k]), lm_sibling_distance(mine, others[k - 1]));
    for (int k = 0; k < 5; k++) ck_assert_int_lt(lm_sibling_distance(mine, none[k]), 0);
}
END_TEST

/* ---- Stale, strange and damaged records ---- */

/* Axes that no kind would take, tiles beyond the extents, more threads than allowed: not used, and no crash.
 */
START_TEST(stale_records_are_not_used) {
    static const char *const chosen[] = {
        "transpose inner=0 outer=1 tile=8x8 order=dst store=plain threads=1",
        "transpose inner=1 outer=1 tile=8x8 order=dst store=plain threads=1",
        "transpose inner=none outer=none tile=1x1 order=dst store=plain threads=1",
        "transpose inner=run outer=0 tile=1x1 order=dst store=plain threads=1",
        "transpose inner=1 outer=0 tile=71x8 order=dst store=plain threads=1",
        "transpose inner=1 outer=0 tile=0x8 order=dst store=plain threads=1",
        "transpose inner=31 outer=30 tile=1x1 order=dst store=plain threads=1",
        "transpose inner=1 outer=0 tile=8x8 order=dst store=plain threads=2",
        "memcpy inner=run outer=none tile=4x1 order=dst store=plain threads=1",
        "nop inner=none outer=none tile=1x1 order=dst store=plain threads=1"};
    char line[LM_RECORD_LINE], *text = lm_wise_of(90, 70);
    for (size_t k = 0; k < sizeof chosen / sizeof *chosen; k++) {
        lmad_ctx *ctx = lm_wise_ctx();
        lm_wise_forge(line, sizeof line, text, NULL, chosen[k]);
        ck_assert_int_eq(lmad_wisdom_import_string(ctx, line, NULL), LMAD_OK);
        ck_assert_int_eq(lm_wise_status(ctx, 90, 70, LMAD_WISDOM_ONLY | LMAD_SERIAL), LMAD_ERR_NO_WISDOM);
        ck_assert_int_eq(lm_wise_plan(ctx, 90, 70, LMAD_SERIAL).source, LMAD_SOURCE_ESTIMATED);
        lmad_ctx_destroy(ctx);
    }
    free(text);
}
END_TEST

/* Anything that is allowed is used, and right. */
START_TEST(odd_choices_are_right) {
    static const char *const chosen[] = {
        "transpose inner=1 outer=0 tile=7x3 order=src store=plain threads=1",
        "transpose inner=1 outer=0 tile=1x1 order=dst store=stream threads=1",
        "runs inner=1 outer=0 tile=69x89 order=src store=stream threads=1"};
    static float in[90 * 70], out[90 * 70];
    char line[LM_RECORD_LINE], *text = lm_wise_of(90, 70);
    for (int k = 0; k < 90 * 70; k++) in[k] = (float)k;
    for (size_t k = 0; k < sizeof chosen / sizeof *chosen; k++) {
        lmad_ctx *ctx = lm_wise_ctx();
        lmad_plan *p;
        memset(out, 0, sizeof out);
        lm_wise_forge(line, sizeof line, text, NULL, chosen[k]);
        ck_assert_int_eq(lmad_wisdom_import_string(ctx, line, NULL), LMAD_OK);
        ck_assert_int_eq(lm_wise_make(&p, ctx, 90, 70, LMAD_WISDOM_ONLY | LMAD_SERIAL), LMAD_OK);
        ck_assert_int_eq(lmad_execute(p, out, in), LMAD_OK);
        for (int i = 0; i < 90; i++)
            for (int j = 0; j < 70; j++) ck_assert(out[i * 70 + j] == in[j * 90 + i]);
        lmad_plan_destroy(p);
        lmad_ctx_destroy(ctx);
    }
    free(text);
}
END_TEST

/* Candidates of a later version: not used, exported as they are, beside what this version knows. */
START_TEST(unknown_candidates_are_kept) {
    char line[LM_RECORD_LINE], *text = lm_wise_of(90, 70);
    lmad_ctx *ctx = lm_wise_ctx();
    lmad_wisdom_report report = {.struct_size = sizeof report};
    lm_wise_forge(line, sizeof line, text, NULL, "origami folds=3");
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, line, &report), LMAD_OK);
    ck_assert_int_eq(report.kept, 1);
    ck_assert_int_eq(report.taken, 0);
    ck_assert_int_eq(lm_wise_status(ctx, 90, 70, LMAD_WISDOM_ONLY | LMAD_SERIAL), LMAD_ERR_NO_WISDOM);
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, text, &report), LMAD_OK);
    ck_assert_int_eq(report.taken, 1);
    char *all = lm_wise_text(ctx);
    ck_assert_ptr_nonnull(strstr(all, line));
    ck_assert_int_eq(lm_wise_lines(all), 3);
    free(all);
    free(text);
    lmad_ctx_destroy(ctx);
}
END_TEST

typedef struct told {
    int64_t number[64];
    lmad_wisdom_verdict verdict[64];
    int count, reasons;
} told;

static void listen_in(void *data, int64_t number, lmad_wisdom_verdict verdict, const char *reason) {
    told *t = data;
    if (t->count == 64) return;
    t->reasons += reason && *reason;
    t->number[t->count] = number;
    t->verdict[t->count++] = verdict;
}

START_TEST(every_bad_line_is_named) {
    char *good = lm_wise_of(90, 70), *other = lm_wise_of(50, 70), text[4 * LM_RECORD_LINE];
    told t = {.count = 0};
    lmad_wisdom_report report = {.struct_size = sizeof report, .line = listen_in, .data = &t};
    lmad_ctx *ctx = lm_wise_ctx();
    const char *record = strchr(good, '\n') + 1, *second = strchr(other, '\n') + 1;
    /* 1 foreign, 2 good, 3 blank, 4 remark, 5 cut off, 6 good, 7 twice, 8 damaged head */
    snprintf(text, sizeof text, "hello\n%s\n# remark\n%.40s\n%s%slmad-wisdom 1\t0123456789abcdef\n", record,
             record, second, record);
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, text, &report), LMAD_OK);
    static const int64_t number[] = {1, 2, 5, 6, 7, 8};
    static const lmad_wisdom_verdict verdict[] = {LMAD_WISDOM_BAD,   LMAD_WISDOM_TAKEN,      LMAD_WISDOM_BAD,
                                                  LMAD_WISDOM_TAKEN, LMAD_WISDOM_NOT_BETTER, LMAD_WISDOM_BAD};
    ck_assert_int_eq(t.count, 6);
    for (int k = 0; k < 6; k++) {
        ck_assert_int_eq(t.number[k], number[k]);
        ck_assert_int_eq(t.verdict[k], verdict[k]);
    }
    ck_assert_int_eq(t.reasons, 4);
    ck_assert_int_eq(report.bad, 3);
    ck_assert_int_eq(report.taken, 2);
    ck_assert_int_eq(report.not_better, 1);
    ck_assert_int_eq(lm_wise_status(ctx, 50, 70, LMAD_WISDOM_ONLY | LMAD_SERIAL), LMAD_OK);
    lmad_ctx_destroy(ctx);
    free(good);
    free(other);
}
END_TEST

/* Every bit of a file, one at a time: never more records than there were, never less than the others. */
START_TEST(no_bit_flip_costs_another_line) {
    char *a = lm_wise_of(90, 70), *b = lm_wise_of(50, 70);
    lmad_ctx *both = lm_wise_ctx();
    ck_assert_int_eq(lmad_wisdom_import_string(both, a, NULL), LMAD_OK);
    ck_assert_int_eq(lmad_wisdom_import_string(both, b, NULL), LMAD_OK);
    char *text = lm_wise_text(both);
    const size_t length = strlen(text);
    ck_assert_int_eq(lm_wise_lines(text), 3);
    for (size_t bit = 0; bit < 8 * length; bit++) {
        lmad_ctx *ctx = lm_wise_ctx();
        lmad_wisdom_report report = {.struct_size = sizeof report};
        text[bit / 8] ^= (char)(1 << bit % 8);
        const bool cut = text[bit / 8] == '\0';
        const lmad_status status = lmad_wisdom_import_string(ctx, text, &report);
        if (!cut) {
            /* one record at most is lost, none when it was the first line or an end of line; an end of line
             * more cuts one up, and a "#" makes a remark of one */
            const bool head = bit / 8 < strcspn(text, "\n");
            ck_assert_int_eq(status, LMAD_OK);
            ck_assert_int_ge(report.taken, head ? 2 : 1);
            ck_assert_int_ge(report.bad + (text[bit / 8] == '#'), 1);
        }
        text[bit / 8] ^= (char)(1 << bit % 8);
        lmad_ctx_destroy(ctx);
    }
    free(a);
    free(b);
    free(text);
    lmad_ctx_destroy(both);
}
END_TEST

START_TEST(formats) {
    lmad_ctx *ctx = lm_wise_ctx();
    char later[64] = "lmad-wisdom 2\t", *good = lm_wise_of(90, 70);
    lm_record_checksum(later + 14, later, 14);
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, later, NULL), LMAD_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(lmad_error_detail(), "format 2"));
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, "hello\n", NULL), LMAD_ERR_FORMAT);
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, "# hello\n", NULL), LMAD_ERR_FORMAT);
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, "", NULL), LMAD_OK);
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, "\n \r\n", NULL), LMAD_OK);
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, NULL, NULL), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_wisdom_import_file(ctx, NULL, NULL), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_wisdom_import(ctx, NULL, NULL, NULL), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_wisdom_export(ctx, NULL, NULL), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_wisdom_export_string(ctx, NULL), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_wisdom_export_file(ctx, NULL), LMAD_ERR_NULL);
    lmad_wisdom_report unset = {.struct_size = 0};
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, good, &unset), LMAD_ERR_ARGUMENT);
    ck_assert_int_eq(lm_wise_status(ctx, 90, 70, LMAD_WISDOM_ONLY | LMAD_SERIAL), LMAD_ERR_NO_WISDOM);
    free(good);
    lmad_ctx_destroy(ctx);
}
END_TEST

Suite *lm_suite_wisdom(void) {
    Suite *s = suite_create("wisdom");
    TCase *tc = tcase_create("wisdom");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_measured_plan_is_found_again);
    tcase_add_test(tc, less_effort_does_not_serve_more);
    tcase_add_test(tc, other_problems_do_not_hit);
    tcase_add_test(tc, another_thread_limit_does_not_hit);
    tcase_add_test(tc, descriptions_do_not_matter);
    tcase_add_test(tc, contexts_do_not_share);
    tcase_add_test(tc, siblings_are_used_and_reported);
    tcase_add_test(tc, distances);
    tcase_add_test(tc, stale_records_are_not_used);
    tcase_add_test(tc, odd_choices_are_right);
    tcase_add_test(tc, unknown_candidates_are_kept);
    tcase_add_test(tc, every_bad_line_is_named);
    tcase_add_test(tc, no_bit_flip_costs_another_line);
    tcase_add_test(tc, formats);
    suite_add_tcase(s, tc);
    return s;
}
