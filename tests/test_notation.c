/* SPDX-License-Identifier: BSD-3-Clause */
/* lmad_parse, lmad_format. */
#include <check.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lmad.h"
#include "oracle.h"
#include "rng.h"
#include "trial.h"

Suite *lm_suite_notation(void);

static void check_text(const char *text, const lmad_desc *want) {
    lmad_desc got;
    ck_assert_msg(lmad_parse(&got, text) == LMAD_OK, "%s: %s", text, lmad_error_detail());
    ck_assert_msg(lm_oracle_same(&got, want), "%s", text);
}

START_TEST(test_parse) {
    check_text("[(8192,8193),(8192,1)]+1", &(lmad_desc){2, 1, {{8192, 8193}, {8192, 1}}});
    check_text("[]", &(lmad_desc){0, 0, {{0, 0}}});
    check_text("[]+3", &(lmad_desc){0, 3, {{0, 0}}});
    check_text("[]-5", &(lmad_desc){0, -5, {{0, 0}}});
    check_text("[(0,0)]", &(lmad_desc){1, 0, {{0, 0}}});
    check_text("[(2,-3)]+0", &(lmad_desc){1, 0, {{2, -3}}});
    check_text("[(007,-0)]-00", &(lmad_desc){1, 0, {{7, 0}}});
    check_text(" [ ( 2 , - 3 ) ,\t(4,5) ] - 6 \n", &(lmad_desc){2, -6, {{2, -3}, {4, 5}}});
    check_text("[(9223372036854775807,9223372036854775807)]+9223372036854775807",
               &(lmad_desc){1, INT64_MAX, {{INT64_MAX, INT64_MAX}}});
    check_text("[(1,-9223372036854775808)]-9223372036854775808",
               &(lmad_desc){1, INT64_MIN, {{1, INT64_MIN}}});
}
END_TEST

/* The text is refused with this status, in words, and the descriptor keeps every bit. */
static void check_refused(const char *text, lmad_status want, const char *detail) {
    lmad_desc d, before;
    memset(&d, 0x5a, sizeof d);
    before = d;
    lmad_status got = lmad_parse(&d, text);
    ck_assert_msg(got == want, "%.60s: status %d, expected %d", text, got, want);
    ck_assert_msg(strstr(lmad_error_detail(), detail) != NULL, "%.60s: %s", text, lmad_error_detail());
    ck_assert_msg(memcmp(&d, &before, sizeof d) == 0, "%.60s: written", text);
}

START_TEST(test_refused) {
    static const struct {
        const char *text, *detail;
    } bad[] = {
        {"", "column 1"},
        {"8", "column 1"},
        {"[", "column 2"},
        {"[(", "column 3"},
        {"[(2", "column 4"},
        {"[(2,", "column 5"},
        {"[(2,1", "column 6"},
        {"[(2,1)", "column 7"},
        {"[(2,1),", "column 8"},
        {"[(2,1),]", "column 8"},
        {"[,(2,1)]", "column 2"},
        {"[(2,1)(3,1)]", "column 7"},
        {"[(2 1)]", "column 5"},
        {"[(2,1,3)]", "column 6"},
        {"[(2)]", "column 4"},
        {"[(,1)]", "column 3"},
        {"[(+2,1)]", "column 3"},
        {"[(2,+1)]", "column 5"},
        {"[(2,--1)]", "column 6"},
        {"[(2,1)]+", "column 9"},
        {"[(2,1)]-", "column 9"},
        {"[(2,1)]+-3", "column 9"},
        {"[(2,1)]-+3", "column 9"},
        {"[(2,1)]++3", "column 9"},
        {"[(2,1)]3", "column 8"},
        {"[(2,1)]+3x", "column 10"},
        {"[(2,1)]+3 4", "column 11"},
        {"[(2,1)]]", "column 8"},
        {"[(2,1.5)]", "column 6"},
        {"[(0x2,1)]", "column 4"},
        {"[(2,1)]+1e3", "column 10"},
        {"(2,1)", "column 1"},
        {"[(2,\xd9\xa1)]", "column 5"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check_refused(bad[i].text, LMAD_ERR_PARSE, bad[i].detail);
    check_refused("[(2,1),(-3,1)]", LMAD_ERR_EXTENT, "axis 1");
}
END_TEST

START_TEST(test_refused_numbers) {
    check_refused("[(9223372036854775808,1)]", LMAD_ERR_OVERFLOW, "column 3");
    check_refused("[(1,-9223372036854775809)]", LMAD_ERR_OVERFLOW, "column 6");
    check_refused("[(1,9223372036854775808)]", LMAD_ERR_OVERFLOW, "column 5");
    check_refused("[]+9223372036854775808", LMAD_ERR_OVERFLOW, "column 4");
    check_refused("[]-92233720368547758080", LMAD_ERR_OVERFLOW, "column 4");
    enum { LENGTH = 1000000 };
    char *text = malloc(LENGTH + 1);
    memset(text, '9', LENGTH);
    text[LENGTH] = '\0';
    memcpy(text, "[(", 2);
    check_refused(text, LMAD_ERR_OVERFLOW, "column 3");
    memset(text, '(', LENGTH);
    check_refused(text, LMAD_ERR_PARSE, "column 1");
    free(text);
}
END_TEST

START_TEST(test_rank_limit) {
    char text[400] = "[";
    for (int k = 0; k < LMAD_MAX_RANK; k++) strcat(text, k > 0 ? ",(1,2)" : "(1,2)");
    size_t length = strlen(text);
    strcpy(text + length, "]");
    lmad_desc d;
    ck_assert_int_eq(lmad_parse(&d, text), LMAD_OK);
    ck_assert_int_eq(d.rank, LMAD_MAX_RANK);
    strcpy(text + length, ",(1,2)]");
    check_refused(text, LMAD_ERR_RANK, "32");
}
END_TEST

START_TEST(test_null) {
    lmad_desc d = {0, 0, {{0, 0}}};
    ck_assert_int_eq(lmad_parse(NULL, "[]"), LMAD_ERR_NULL);
    ck_assert_int_eq(lmad_parse(&d, NULL), LMAD_ERR_NULL);
    ck_assert_int_lt(lmad_format(NULL, 0, NULL), 0);
    ck_assert_int_lt(lmad_format(NULL, 8, &d), 0);
    ck_assert_int_eq(lmad_format(NULL, 0, &d), 2);
    d.rank = -1;
    ck_assert_int_lt(lmad_format(NULL, 0, &d), 0);
    d.rank = LMAD_MAX_RANK + 1;
    ck_assert_int_lt(lmad_format(NULL, 0, &d), 0);
}
END_TEST

START_TEST(test_format) {
    const lmad_desc d = {2, -1, {{8192, -8193}, {0, 1}}};
    const char *want = "[(8192,-8193),(0,1)]-1";
    char buf[40];
    for (size_t size = 0; size < sizeof buf; size++) {
        memset(buf, '#', sizeof buf);
        ck_assert_int_eq(lmad_format(buf, size, &d), (int)strlen(want));
        size_t kept = size == 0 ? 0 : size <= strlen(want) ? size - 1 : strlen(want);
        ck_assert(memcmp(buf, want, kept) == 0);
        if (size > 0) ck_assert_int_eq(buf[kept], '\0');
        for (size_t i = size; i < sizeof buf; i++) ck_assert_int_eq(buf[i], '#');
    }
    lmad_format(buf, sizeof buf, &(lmad_desc){0, 0, {{0, 0}}});
    ck_assert_str_eq(buf, "[]");
    lmad_format(buf, sizeof buf, &(lmad_desc){1, 3, {{1, 2}}});
    ck_assert_str_eq(buf, "[(1,2)]+3");
}
END_TEST

/* Few digits, all digits and the ends of int64. */
static int64_t random_number(lm_rng *rng) {
    int64_t v = (int64_t)(lm_rng_next(rng) >> (int)lm_rng_range(rng, 0, 63));
    if (lm_rng_chance(rng, 20)) v = INT64_MAX;
    if (lm_rng_chance(rng, 20)) v = INT64_MIN;
    return lm_rng_chance(rng, 2) && v != INT64_MIN ? -v : v;
}

START_TEST(test_round_trip) {
    uint64_t seed = lm_test_seed();
    lm_rng rng = {lm_mix(seed)};
    for (int round = 0; round < 20000; round++) {
        lmad_desc d = {(int)lm_rng_range(&rng, 0, LMAD_MAX_RANK), random_number(&rng), {{0, 0}}}, back;
        for (int k = 0; k < d.rank; k++)
            d.dim[k] = (lmad_dim){random_number(&rng) & INT64_MAX, random_number(&rng)};
        char buf[2048];
        int length = lmad_format(buf, sizeof buf, &d);
        ck_assert(length > 0 && length < (int)sizeof buf && length == (int)strlen(buf));
        ck_assert_msg(lmad_parse(&back, buf) == LMAD_OK && lm_oracle_same(&back, &d),
                      "LMAD_TEST_SEED=%" PRIu64 ": %s", seed, buf);
    }
}
END_TEST

/* Any bytes give an answer, and what is accepted has a canonical text. */
START_TEST(test_noise) {
    uint64_t seed = lm_test_seed();
    lm_rng rng = {lm_mix(seed)};
    static const char letters[] = "[](),+- 0123456789\t[](),()\x80x";
    int accepted = 0;
    for (int round = 0; round < 200000; round++) {
        char noise[16], buf[64];
        int length = (int)lm_rng_range(&rng, 0, 15);
        for (int i = 0; i < length; i++) noise[i] = letters[lm_rng_range(&rng, 0, sizeof letters - 2)];
        noise[length] = '\0';
        lmad_desc d, back;
        if (lmad_parse(&d, noise) != LMAD_OK) continue;
        accepted++;
        lmad_format(buf, sizeof buf, &d);
        ck_assert_msg(lmad_parse(&back, buf) == LMAD_OK && lm_oracle_same(&back, &d),
                      "LMAD_TEST_SEED=%" PRIu64 ": %s", seed, noise);
    }
    ck_assert_int_gt(accepted, 0);
}
END_TEST

Suite *lm_suite_notation(void) {
    Suite *suite = suite_create("notation");
    TCase *tests = tcase_create("parse");
    tcase_add_test(tests, test_parse);
    tcase_add_test(tests, test_refused);
    tcase_add_test(tests, test_refused_numbers);
    tcase_add_test(tests, test_rank_limit);
    tcase_add_test(tests, test_noise);
    suite_add_tcase(suite, tests);
    tests = tcase_create("format");
    tcase_add_test(tests, test_null);
    tcase_add_test(tests, test_format);
    tcase_add_test(tests, test_round_trip);
    suite_add_tcase(suite, tests);
    return suite;
}
