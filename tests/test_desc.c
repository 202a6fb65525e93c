/* SPDX-License-Identifier: BSD-3-Clause */
/* Statuses, and the views of descriptors: known cases and the limits of int64. */
#include <check.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lmad.h"
#include "oracle.h"

Suite *lm_suite_desc(void);

#define HUGE_STRIDE (INT64_C(1) << 62)

static lmad_desc parsed(const char *text) {
    lmad_desc d;
    ck_assert_msg(lmad_parse(&d, text) == LMAD_OK, "%s: %s", text, lmad_error_detail());
    return d;
}

/* The view under test: made from a text, with known bits where nothing may be written. */
static lmad_desc tested, original;

static lmad_desc *view(const char *text) {
    memset(&tested, 0x5a, sizeof tested);
    ck_assert_msg(lmad_parse(&tested, text) == LMAD_OK, "%s: %s", text, lmad_error_detail());
    memcpy(&original, &tested, sizeof tested);
    return &tested;
}

/* The operation on view() succeeded and made this of it. */
static void check_gives(lmad_status status, const char *after) {
    lmad_desc want = parsed(after);
    char from[512], to[512];
    lmad_format(from, sizeof from, &original);
    lmad_format(to, sizeof to, &tested);
    ck_assert_msg(status == LMAD_OK && lm_oracle_same(&tested, &want), "%s: status %d, %s, expected %s", from,
                  status, to, after);
}

/* The operation on view() failed with this status, this in the detail, and left every bit as it was. */
static void check_fails(lmad_status status, lmad_status want, const char *detail) {
    char from[512];
    lmad_format(from, sizeof from, &original);
    ck_assert_msg(status == want, "%s: status %d, expected %d: %s", from, status, want, lmad_error_detail());
    ck_assert_msg(strstr(lmad_error_detail(), detail) != NULL, "%s: %s", from, lmad_error_detail());
    ck_assert_msg(memcmp(&tested, &original, sizeof tested) == 0, "%s: written", from);
}

#define SHAPE(...)                                                                                           \
    (const int64_t[]) { __VA_ARGS__ }
#define MAX "9223372036854775807"
#define MIN "-9223372036854775808"

START_TEST(test_status) {
    for (int i = LMAD_OK; i <= LMAD_ERR_DEVICE_LOST; i++) {
        ck_assert_str_ne(lmad_strerror((lmad_status)i), "unknown status");
        for (int j = LMAD_OK; j < i; j++)
            ck_assert_str_ne(lmad_strerror((lmad_status)i), lmad_strerror((lmad_status)j));
    }
    ck_assert_str_eq(lmad_strerror((lmad_status)(LMAD_ERR_DEVICE_LOST + 1)), "unknown status");
    ck_assert_str_eq(lmad_strerror((lmad_status)-1), "unknown status");
    char version[40];
    snprintf(version, sizeof version, "%d.%d.%d", LMAD_VERSION_MAJOR, LMAD_VERSION_MINOR, LMAD_VERSION_PATCH);
    ck_assert_str_eq(lmad_version(), version);
}
END_TEST

/* A thread that has not failed yet, then fails. */
static void *fail_elsewhere(void *data) {
    bool *right = data;
    *right = strcmp(lmad_error_detail(), "") == 0 && lmad_parse(NULL, "[]") == LMAD_ERR_NULL &&
             strstr(lmad_error_detail(), "lmad_parse") != NULL;
    return NULL;
}

START_TEST(test_detail) {
    ck_assert_int_eq(lmad_reverse(NULL, 0), LMAD_ERR_NULL);
    bool right = false;
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, fail_elsewhere, &right), 0);
    pthread_join(thread, NULL);
    ck_assert(right);
    ck_assert(strstr(lmad_error_detail(), "lmad_reverse") != NULL);
}
END_TEST

START_TEST(test_dense) {
    check_gives(lmad_row_major(view("[]"), 3, SHAPE(2, 3, 4)), "[(2,12),(3,4),(4,1)]");
    check_gives(lmad_col_major(view("[]"), 3, SHAPE(2, 3, 4)), "[(2,1),(3,2),(4,6)]");
    check_gives(lmad_row_major(view("[(5,5)]+7"), 0, NULL), "[]");
    check_gives(lmad_col_major(view("[(5,5)]+7"), 0, NULL), "[]");
    check_gives(lmad_row_major(view("[]"), 3, SHAPE(2, 0, 4)), "[(2,4),(0,4),(4,1)]");
    check_gives(lmad_row_major(view("[]"), 3, SHAPE(1, INT64_MAX, 1)), "[(1," MAX "),(" MAX ",1),(1,1)]");
    check_fails(lmad_row_major(view("[(2,1)]"), 2, SHAPE(INT64_MAX, 2)), LMAD_ERR_OVERFLOW, "axis 1");
    check_fails(lmad_col_major(view("[(2,1)]"), 2, SHAPE(HUGE_STRIDE, 2)), LMAD_ERR_OVERFLOW, "axis 1");
    check_fails(lmad_row_major(view("[(2,1)]"), 2, SHAPE(2, -1)), LMAD_ERR_EXTENT, "axis 1");
    check_fails(lmad_row_major(view("[(2,1)]"), 33, SHAPE(1)), LMAD_ERR_RANK, "33");
    check_fails(lmad_col_major(view("[(2,1)]"), -1, SHAPE(1)), LMAD_ERR_RANK, "-1");
    check_fails(lmad_row_major(view("[(2,1)]"), 1, NULL), LMAD_ERR_NULL, "shape");
    ck_assert_int_eq(lmad_row_major(NULL, 0, NULL), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_col_major(NULL, 0, NULL), LMAD_ERR_NULL);
    /* Nothing overflows where there is nothing. */
    lmad_desc d;
    ck_assert_int_eq(lmad_row_major(&d, 3, SHAPE(INT64_MAX, INT64_MAX, 0)), LMAD_OK);
    ck_assert_int_eq(lmad_col_major(&d, 3, SHAPE(INT64_MAX, INT64_MAX, 0)), LMAD_OK);
    ck_assert_int_eq(d.dim[1].stride, INT64_MAX);
}
END_TEST

START_TEST(test_slice) {
    check_gives(lmad_slice(view("[(10,3)]+1"), 0, 2, 9, 3), "[(3,9)]+7");
    check_gives(lmad_slice(view("[(10,3)]"), 0, 9, -1, -1), "[(10,-3)]+27");
    check_gives(lmad_slice(view("[(10,3)]"), 0, 9, 0, -4), "[(3,-12)]+27");
    check_gives(lmad_slice(view("[(10,3)]"), 0, 4, 4, 1), "[(0,3)]");
    check_gives(lmad_slice(view("[(10,3)]"), 0, 99, -99, 1), "[(0,3)]");
    check_gives(lmad_slice(view("[(10,3)]"), 0, -5, 5, -1), "[(0,3)]");
    check_gives(lmad_slice(view("[(0,3)]"), 0, 0, 0, 1), "[(0,3)]");
    check_gives(lmad_slice(view("[(0,3)]"), 0, -1, -1, -1), "[(0,3)]");
    check_gives(lmad_slice(view("[(10,3)]"), 0, 2, 10, INT64_MAX), "[(1,3)]+6");
    check_gives(lmad_slice(view("[(10,3)]"), 0, 2, -1, INT64_MIN), "[(1,3)]+6");
    check_gives(lmad_slice(view("[(1," MAX ")]+1"), 0, 0, 1, 1), "[(1," MAX ")]+1");
    check_gives(lmad_slice(view("[(1," MIN ")]+1"), 0, 0, -1, -1), "[(1," MIN ")]+1");
    check_gives(lmad_slice(view("[(" MAX ",1)]"), 0, 0, INT64_MAX, INT64_MAX - 1),
                "[(2,9223372036854775806)]");
    check_gives(lmad_slice(view("[(9," MAX "),(0,1)]"), 0, 2, 9, 2), "[(4," MAX "),(0,1)]");
    check_fails(lmad_slice(view("[(10,3)]"), 0, 0, 11, 1), LMAD_ERR_AXIS, "axis 0");
    check_fails(lmad_slice(view("[(10,3)]"), 0, -1, 5, 1), LMAD_ERR_AXIS, "axis 0");
    check_fails(lmad_slice(view("[(10,3)]"), 0, 10, 5, -1), LMAD_ERR_AXIS, "axis 0");
    check_fails(lmad_slice(view("[(10,3)]"), 0, 5, -2, -1), LMAD_ERR_AXIS, "axis 0");
    check_fails(lmad_slice(view("[(0,3)]"), 0, 0, 1, 1), LMAD_ERR_AXIS, "axis 0");
    check_fails(lmad_slice(view("[(0,3)]"), 0, 0, -1, -1), LMAD_ERR_AXIS, "axis 0");
    check_fails(lmad_slice(view("[(10,3)]"), 0, 0, 10, 0), LMAD_ERR_ARGUMENT, "axis 0");
    check_fails(lmad_slice(view("[(10,3)]"), 1, 0, 1, 1), LMAD_ERR_AXIS, "no axis 1");
    check_fails(lmad_slice(view("[]"), 0, 0, 1, 1), LMAD_ERR_AXIS, "no axis 0");
    check_fails(lmad_slice(view("[(10,3)]"), -1, 0, 1, 1), LMAD_ERR_AXIS, "no axis -1");
    check_fails(lmad_slice(view("[(9," MAX ")]"), 0, 2, 3, 1), LMAD_ERR_OVERFLOW, "axis 0");
    check_fails(lmad_slice(view("[(3,4611686018427387904)]" MIN), 0, 0, 3, 2), LMAD_ERR_OVERFLOW, "axis 0");
    ck_assert_int_eq(lmad_slice(NULL, 0, 0, 1, 1), LMAD_ERR_NULL);
}
END_TEST

START_TEST(test_index_reverse) {
    check_gives(lmad_index(view("[(2,9),(3,4),(5,1)]+1"), 1, 2), "[(2,9),(5,1)]+9");
    check_gives(lmad_index(view("[(1," MIN ")]+1"), 0, 0), "[]+1");
    check_gives(lmad_index(view("[(3,4611686018427387904)]-4611686018427387904"), 0, 2),
                "[]+4611686018427387904");
    check_fails(lmad_index(view("[(3,1)]"), 0, 3), LMAD_ERR_AXIS, "axis 0");
    check_fails(lmad_index(view("[(3,1)]"), 0, -1), LMAD_ERR_AXIS, "axis 0");
    check_fails(lmad_index(view("[(0,1)]"), 0, 0), LMAD_ERR_AXIS, "axis 0");
    check_fails(lmad_index(view("[(3,1)]+" MAX), 0, 1), LMAD_ERR_OVERFLOW, "axis 0");
    check_gives(lmad_reverse(view("[(2,9),(3,-4)]+8"), 1), "[(2,9),(3,4)]");
    check_gives(lmad_reverse(view("[(1," MIN ")]+1"), 0), "[(1," MIN ")]+1");
    check_gives(lmad_reverse(view("[(0," MIN ")]+1"), 0), "[(0," MIN ")]+1");
    check_gives(lmad_reverse(view("[(2," MAX ")]" MIN), 0), "[(2,-" MAX ")]-1");
    check_fails(lmad_reverse(view("[(2," MIN ")]"), 0), LMAD_ERR_OVERFLOW, "axis 0");
    check_fails(lmad_reverse(view("[(2," MAX ")]+1"), 0), LMAD_ERR_OVERFLOW, "axis 0");
    check_fails(lmad_reverse(view("[(2,1)]"), 1), LMAD_ERR_AXIS, "no axis 1");
    ck_assert_int_eq(lmad_index(NULL, 0, 0), LMAD_ERR_NULL);
}
END_TEST

START_TEST(test_insert_broadcast_permute) {
    check_gives(lmad_insert(view("[(2,1)]+1"), 0, 3), "[(3,0),(2,1)]+1");
    check_gives(lmad_insert(view("[(2,1)]+1"), 1, 0), "[(2,1),(0,0)]+1");
    check_gives(lmad_insert(view("[]"), 0, INT64_MAX), "[(" MAX ",0)]");
    check_fails(lmad_insert(view("[(2,1)]"), 2, 3), LMAD_ERR_AXIS, "place 2");
    check_fails(lmad_insert(view("[(2,1)]"), -1, 3), LMAD_ERR_AXIS, "place -1");
    check_fails(lmad_insert(view("[(2,1)]"), 0, -3), LMAD_ERR_EXTENT, "axis 0");
    check_fails(lmad_insert(view("[(2,1)]"), 0, INT64_MAX), LMAD_ERR_OVERFLOW, "axis 0");
    check_gives(lmad_broadcast(view("[(2,1),(1," MAX ")]"), 1, 3), "[(2,1),(3,0)]");
    check_gives(lmad_broadcast(view("[(1,5)]"), 0, 0), "[(0,0)]");
    check_fails(lmad_broadcast(view("[(2,1)]"), 0, 2), LMAD_ERR_EXTENT, "axis 0");
    check_fails(lmad_broadcast(view("[(1,1)]"), 0, -2), LMAD_ERR_EXTENT, "axis 0");
    check_fails(lmad_broadcast(view("[(1,1),(3,1)]"), 0, INT64_MAX), LMAD_ERR_OVERFLOW, "axis 0");
    check_fails(lmad_broadcast(view("[(1,1)]"), 1, 2), LMAD_ERR_AXIS, "no axis 1");
    check_gives(lmad_permute(view("[(2,9),(3,4),(5,1)]+1"), ((const int[]){2, 0, 1})),
                "[(5,1),(2,9),(3,4)]+1");
    check_gives(lmad_permute(view("[]+1"), NULL), "[]+1");
    check_fails(lmad_permute(view("[(2,9),(3,4)]"), ((const int[]){1, 1})), LMAD_ERR_AXIS, "new axis 1");
    check_fails(lmad_permute(view("[(2,9),(3,4)]"), ((const int[]){0, 2})), LMAD_ERR_AXIS, "old axis 2");
    check_fails(lmad_permute(view("[(2,9),(3,4)]"), ((const int[]){-1, 0})), LMAD_ERR_AXIS, "old axis -1");
    check_fails(lmad_permute(view("[(2,9)]"), NULL), LMAD_ERR_NULL, "permutation");
    lmad_desc d = {LMAD_MAX_RANK, 0, {{0, 0}}};
    ck_assert_int_eq(lmad_insert(&d, 0, 1), LMAD_ERR_RANK);
    d.rank = LMAD_MAX_RANK + 1;
    ck_assert_int_eq(lmad_reverse(&d, 0), LMAD_ERR_RANK);
    d = (lmad_desc){2, 0, {{2, 1}, {-1, 1}}};
    ck_assert_int_eq(lmad_reverse(&d, 0), LMAD_ERR_EXTENT);
}
END_TEST

START_TEST(test_reshape) {
    check_gives(lmad_reshape(view("[(6,4),(4,1)]+5"), 4, SHAPE(2, 3, 2, 2)), "[(2,12),(3,4),(2,2),(2,1)]+5");
    check_gives(lmad_reshape(view("[(2,12),(3,4),(2,2),(2,1)]"), 1, SHAPE(24)), "[(24,1)]");
    check_gives(lmad_reshape(view("[(3,10),(4,2)]"), 3, SHAPE(3, 2, 2)), "[(3,10),(2,4),(2,2)]");
    check_gives(lmad_reshape(view("[(6,-2)]+10"), 2, SHAPE(2, 3)), "[(2,-6),(3,-2)]+10");
    check_gives(lmad_reshape(view("[(6,0)]"), 2, SHAPE(2, 3)), "[(2,0),(3,0)]");
    check_gives(lmad_reshape(view("[(2,0),(3,0)]"), 1, SHAPE(6)), "[(6,0)]");
    check_gives(lmad_reshape(view("[(1," MAX "),(2,3),(1," MIN "),(3,1)]"), 1, SHAPE(6)), "[(6,1)]");
    check_gives(lmad_reshape(view("[(1,7),(1,8)]+3"), 0, NULL), "[]+3");
    check_gives(lmad_reshape(view("[]+3"), 2, SHAPE(1, 1)), "[(1,1),(1,1)]+3");
    check_gives(lmad_reshape(view("[(0,7),(5,8)]+3"), 2, SHAPE(3, 0)), "[(3,1),(0,1)]+3");
    check_fails(lmad_reshape(view("[(2,4),(3,1)]"), 1, SHAPE(6)), LMAD_ERR_LAYOUT, "axes 0 and 1");
    check_fails(lmad_reshape(view("[(2,1),(3,0)]"), 1, SHAPE(6)), LMAD_ERR_LAYOUT, "axes 0 and 1");
    check_fails(lmad_reshape(view("[(2,1),(3,2)]"), 2, SHAPE(3, 2)), LMAD_ERR_LAYOUT, "axes 0 and 1");
    check_fails(lmad_reshape(view("[(2,3),(3,1)]"), 2, SHAPE(2, 2)), LMAD_ERR_SHAPE, "6");
    check_fails(lmad_reshape(view("[(2,3),(3,1)]"), 1, SHAPE(0)), LMAD_ERR_SHAPE, "6");
    check_fails(lmad_reshape(view("[(2,3),(3,1)]"), 2, SHAPE(-2, -3)), LMAD_ERR_EXTENT, "axis 0");
    check_fails(lmad_reshape(view("[(2,3),(3,1)]"), 2, SHAPE(INT64_MAX, 2)), LMAD_ERR_OVERFLOW, "axis 1");
    check_fails(lmad_reshape(view("[(2,3),(3,1)]"), 33, SHAPE(1)), LMAD_ERR_RANK, "33");
    check_fails(lmad_reshape(view("[(2,3),(3,1)]"), 1, NULL), LMAD_ERR_NULL, "shape");
    check_fails(lmad_reshape(view("[(4,4611686018427387904)]" MIN), 2, SHAPE(2, 2)), LMAD_ERR_OVERFLOW,
                "axis 0");
    /* The stride of an extent of 1 is not worked out by a product that overflows. */
    check_gives(lmad_reshape(view("[(4,2305843009213693952)]"), 2, SHAPE(1, 4)),
                "[(1,4),(4,2305843009213693952)]");
}
END_TEST

static void check_bounds(const char *text, int64_t count, int64_t lo, int64_t hi) {
    lmad_desc d = parsed(text);
    int64_t c, l, h;
    ck_assert_int_eq(lmad_bounds(&d, &c, &l, &h), LMAD_OK);
    ck_assert_msg(c == count && l == lo && h == hi, "%s: %" PRId64 " %" PRId64 " %" PRId64, text, c, l, h);
    ck_assert_int_eq(lmad_bounds(&d, NULL, NULL, NULL), LMAD_OK);
}

START_TEST(test_bounds) {
    check_bounds("[]-3", 1, -3, -3);
    check_bounds("[(2,9),(3,-4)]+1", 6, -7, 10);
    check_bounds("[(2,9),(0," MAX "),(" MAX "," MAX ")]+1", 0, 0, -1);
    check_bounds("[(1," MAX "),(2,1),(1," MIN ")]+1", 2, 1, 2);
    check_bounds("[(2," MAX "),(2,1)]" MIN, 4, INT64_MIN, 0);
    check_bounds("[(3,4611686018427387904)]-4611686018427387905", 3, -HUGE_STRIDE - 1, HUGE_STRIDE - 1);
    check_bounds("[(" MAX ",0)]", INT64_MAX, 0, 0);
    check_fails(lmad_bounds(view("[(2,1),(2," MAX ")]"), NULL, NULL, NULL), LMAD_ERR_OVERFLOW, "axis 1");
    check_fails(lmad_bounds(view("[(2,1),(3," MIN ")]"), NULL, NULL, NULL), LMAD_ERR_OVERFLOW, "axis 1");
    check_fails(lmad_bounds(view("[(" MAX "," MAX "),(2,1)]"), NULL, NULL, NULL), LMAD_ERR_OVERFLOW,
                "axis 1");
    check_fails(lmad_bounds(view("[(" MAX "," MIN ")]"), NULL, NULL, NULL), LMAD_ERR_OVERFLOW, "axis 0");
    int64_t count = 7;
    ck_assert_int_eq(lmad_bounds(NULL, &count, NULL, NULL), LMAD_ERR_NULL);
    ck_assert_int_eq(count, 7);
}
END_TEST

Suite *lm_suite_desc(void) {
    Suite *suite = suite_create("desc");
    TCase *tests = tcase_create("views");
    tcase_add_test(tests, test_status);
    tcase_add_test(tests, test_detail);
    tcase_add_test(tests, test_dense);
    tcase_add_test(tests, test_slice);
    tcase_add_test(tests, test_index_reverse);
    tcase_add_test(tests, test_insert_broadcast_permute);
    tcase_add_test(tests, test_reshape);
    tcase_add_test(tests, test_bounds);
    suite_add_tcase(suite, tests);
    return suite;
}
