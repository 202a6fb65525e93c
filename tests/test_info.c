/* SPDX-License-Identifier: BSD-3-Clause */
/* lmad_plan_info(): what it counts, and how far it writes. */
#include <check.h>
#include <stddef.h>
#include <string.h>

#include "lmad.h"

Suite *lm_suite_info(void);

static lmad_info info_of(lmad_desc dst, lmad_desc src, size_t elem_size) {
    lmad_plan *p = NULL;
    lmad_info info = {.struct_size = sizeof info};
    ck_assert_int_eq(lmad_plan_copy(&p, NULL, &dst, &src, elem_size, 0), LMAD_OK);
    ck_assert_int_eq(lmad_plan_info(p, &info), LMAD_OK);
    lmad_plan_destroy(p);
    return info;
}

static lmad_desc rows(int64_t n, int64_t m) { return (lmad_desc){2, 0, {{n, m}, {m, 1}}}; }
static lmad_desc columns(int64_t n, int64_t m) { return (lmad_desc){2, 0, {{n, 1}, {m, n}}}; }

START_TEST(info_counts) {
    lmad_info info = info_of(rows(100, 200), columns(100, 200), 8);
    ck_assert_int_eq(info.payload_bytes, 160000);
    ck_assert_int_ge(info.bytes_touched, 2 * 160000 - 256);
    ck_assert_int_gt(info.lines_touched, 0);
    ck_assert_int_eq(info.bytes_touched, info.lines_touched * 64);
    ck_assert(info.predicted_seconds > 0 && info.predicted_seconds < 1);
    ck_assert(info.measured_seconds == 0);
    ck_assert_int_eq(info.source, LMAD_SOURCE_ESTIMATED);
    ck_assert_int_ge(info.threads, 1);
    ck_assert_uint_eq(info.work_size, 0);
}
END_TEST

/* Problems at the end of int64 touch more than it can count. */
START_TEST(info_saturates) {
    const lmad_desc sparse = {1, 0, {{INT64_C(1) << 56, 127}}}, one = {0};
    const lmad_desc all = {1, 0, {{INT64_MAX, 1}}};
    ck_assert_int_eq(info_of(sparse, sparse, 1).bytes_touched, INT64_MAX);
    ck_assert_int_gt(info_of(sparse, sparse, 1).lines_touched, INT64_C(1) << 56);
    ck_assert_int_eq(info_of(one, one, (size_t)INT64_MAX).bytes_touched, INT64_MAX);
    ck_assert_int_eq(info_of(all, all, 1).bytes_touched, INT64_MAX);
    ck_assert_int_eq(info_of(all, all, 1).payload_bytes, INT64_MAX);
}
END_TEST

/* Older callers know fewer members, newer ones more. */
START_TEST(info_keeps_to_the_struct_size) {
    const lmad_desc dst = rows(4, 4), src = columns(4, 4);
    lmad_plan *p;
    ck_assert_int_eq(lmad_plan_copy(&p, NULL, &dst, &src, 4, 0), LMAD_OK);
    struct {
        lmad_info info;
        char more[64], beyond;
    } in;
    memset(&in, 0x5a, sizeof in);
    in.info.struct_size = offsetof(lmad_info, threads);
    ck_assert_int_eq(lmad_plan_info(p, &in.info), LMAD_OK);
    ck_assert_ptr_nonnull(in.info.kind);
    ck_assert_int_eq(in.info.threads, 0x5a5a5a5a);
    in.info.struct_size = sizeof in.info + sizeof in.more;
    ck_assert_int_eq(lmad_plan_info(p, (lmad_info *)(void *)&in), LMAD_OK);
    ck_assert_int_eq(in.info.payload_bytes, 64);
    ck_assert_uint_eq(in.info.struct_size, sizeof in.info + sizeof in.more);
    for (size_t i = 0; i < sizeof in.more; i++) ck_assert_int_eq(in.more[i], 0);
    ck_assert_int_eq(in.beyond, 0x5a);
    lmad_plan_destroy(p);
}
END_TEST

Suite *lm_suite_info(void) {
    Suite *suite = suite_create("info");
    TCase *tests = tcase_create("info");
    tcase_add_test(tests, info_counts);
    tcase_add_test(tests, info_saturates);
    tcase_add_test(tests, info_keeps_to_the_struct_size);
    suite_add_tcase(suite, tests);
    return suite;
}
