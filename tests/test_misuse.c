/* SPDX-License-Identifier: BSD-3-Clause */
/* Misuse: each has its own status and a detail that names side and axis; no output is set, no byte written.
 * And what looks like misuse and is none. */
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trial.h"

/* A pointer that no function may set or follow. */
#define SENTINEL ((lmad_plan *)(uintptr_t)0x5e5e5e50)

static const lmad_desc good = {2, 0, {{3, 4}, {4, 1}}};

/* Does the detail name the axis, as "axis 1", or among "axes 0 and 1"? */
static bool names_axis(const char *text, int axis) {
    char one[24], digit[12];
    snprintf(one, sizeof one, "axis %d", axis);
    snprintf(digit, sizeof digit, "%d", axis);
    const char *several = strstr(text, "axes ");
    return strstr(text, one) || (several && strstr(several, digit));
}

static void expect_detail(const char *what, const char *side, int axis) {
    const char *text = lmad_error_detail();
    if (text[0] == '\0') ck_abort_msg("%s: no detail", what);
    if (side && !strstr(text, side)) ck_abort_msg("%s: \"%s\" does not name the %s", what, text, side);
    if (axis >= 0 && !names_axis(text, axis))
        ck_abort_msg("%s: \"%s\" does not name axis %d", what, text, axis);
}

static void expect(const char *what, lmad_status status, lmad_status want) {
    if (status != want)
        ck_abort_msg("%s: \"%s\" (%s), not \"%s\"", what, lmad_strerror(status), lmad_error_detail(),
                     lmad_strerror(want));
}

/* ---- Descriptors, element sizes, flags: the same for every way to plan ---- */

enum { NO_AXIS = -1 };

typedef struct misuse {
    const char *what;
    const lmad_desc *dst, *src;
    size_t elem_size;
    unsigned flags;
    lmad_status status;
    const char *side;
    int axis;
} misuse;

/* Shorthand for literals. */
#define DESC(...)                                                                                            \
    &(const lmad_desc) { __VA_ARGS__ }

static const misuse misuses[] = {
    {"no destination", NULL, &good, 4, 0, LMAD_ERR_NULL, "destination", NO_AXIS},
    {"no source", &good, NULL, 4, 0, LMAD_ERR_NULL, "source", NO_AXIS},
    {"destination rank -1", DESC(-1, 0, {{0, 0}}), &good, 4, 0, LMAD_ERR_RANK, "destination", NO_AXIS},
    {"destination rank 33", DESC(33, 0, {{0, 0}}), &good, 4, 0, LMAD_ERR_RANK, "destination", NO_AXIS},
    {"source rank -1", &good, DESC(-1, 0, {{0, 0}}), 4, 0, LMAD_ERR_RANK, "source", NO_AXIS},
    {"source rank 33", &good, DESC(33, 0, {{0, 0}}), 4, 0, LMAD_ERR_RANK, "source", NO_AXIS},
    {"source rank INT_MIN", &good, DESC(-2147483647 - 1, 0, {{0, 0}}), 4, 0, LMAD_ERR_RANK, "source",
     NO_AXIS},
    {"negative destination extent", DESC(2, 0, {{3, 4}, {-1, 1}}), &good, 4, 0, LMAD_ERR_EXTENT,
     "destination", 1},
    {"negative source extent", &good, DESC(2, 0, {{INT64_MIN, 4}, {4, 1}}), 4, 0, LMAD_ERR_EXTENT, "source",
     0},
    {"a negative extent beside an empty one", DESC(2, 0, {{0, 4}, {-1, 1}}), &good, 4, 0, LMAD_ERR_EXTENT,
     "destination", 1},
    {"ranks differ", &good, DESC(1, 0, {{12, 1}}), 4, 0, LMAD_ERR_SHAPE, "source", NO_AXIS},
    {"extents differ", &good, DESC(2, 0, {{3, 4}, {5, 1}}), 4, 0, LMAD_ERR_SHAPE, NULL, 1},
    {"nothing broadcasts by itself", &good, DESC(2, 0, {{1, 4}, {4, 1}}), 4, 0, LMAD_ERR_SHAPE, NULL, 0},
    {"an empty axis on one side", &good, DESC(2, 0, {{3, 4}, {0, 1}}), 4, 0, LMAD_ERR_SHAPE, NULL, 1},
    {"element size 0", &good, &good, 0, 0, LMAD_ERR_ELEM_SIZE, NULL, NO_AXIS},
    {"element size of an empty copy", DESC(1, 0, {{0, 1}}), DESC(1, 0, {{0, 1}}), 0, 0, LMAD_ERR_ELEM_SIZE,
     NULL, NO_AXIS},
    {"element size beyond int64", &good, &good, (size_t)INT64_MAX + 1, 0, LMAD_ERR_ELEM_SIZE, NULL, NO_AXIS},
    {"element size SIZE_MAX", &good, &good, SIZE_MAX, 0, LMAD_ERR_ELEM_SIZE, NULL, NO_AXIS},
    {"stride 0 in the destination", DESC(2, 0, {{3, 0}, {4, 1}}), &good, 4, 0, LMAD_ERR_DST_ALIAS,
     "destination", 0},
    {"rows of the destination overlap", DESC(2, 0, {{3, 3}, {4, 1}}), &good, 4, 0, LMAD_ERR_DST_ALIAS,
     "destination", 1},
    {"axes of the destination meet far apart", DESC(2, 0, {{3, 6}, {4, -4}}), &good, 4, 0, LMAD_ERR_DST_ALIAS,
     "destination", 0},
    {"the number of elements overflows", DESC(3, 0, {{INT64_MAX / 2, 0}, {2, 0}, {3, 0}}),
     DESC(3, 0, {{INT64_MAX / 2, 0}, {2, 0}, {3, 0}}), 1, 0, LMAD_ERR_OVERFLOW, NULL, 2},
    {"the destination's reach overflows", DESC(2, 0, {{3, INT64_MAX / 2}, {4, INT64_MAX / 4}}), &good, 1, 0,
     LMAD_ERR_OVERFLOW, "destination", 1},
    {"the source's reach overflows downwards", &good, DESC(2, -9, {{3, INT64_MIN / 2}, {4, 1}}), 1, 0,
     LMAD_ERR_OVERFLOW, "source", 0},
    {"one span overflows", &good, DESC(2, 0, {{3, INT64_MIN}, {4, 1}}), 1, 0, LMAD_ERR_OVERFLOW, "source", 0},
    {"the offset pushes the source over", &good, DESC(2, INT64_MAX - 10, {{3, 4}, {4, 1}}), 1, 0,
     LMAD_ERR_OVERFLOW, "source", NO_AXIS},
    {"the last byte is beyond int64", &good, DESC(2, INT64_MAX - 11, {{3, 4}, {4, 1}}), 1, 0,
     LMAD_ERR_OVERFLOW, "source", NO_AXIS},
    {"the offset in bytes overflows", DESC(2, INT64_MAX / 4, {{3, 4}, {4, 1}}), &good, 8, 0,
     LMAD_ERR_OVERFLOW, "destination", NO_AXIS},
    {"the reach in bytes overflows", &good, DESC(2, 0, {{3, INT64_MAX / 8}, {4, 1}}), 8, 0, LMAD_ERR_OVERFLOW,
     "source", NO_AXIS},
    {"the payload overflows", DESC(1, 0, {{INT64_MAX / 8, 1}}), DESC(1, 0, {{INT64_MAX / 8, 0}}), 16, 0,
     LMAD_ERR_OVERFLOW, NULL, NO_AXIS},
    {"huge elements", &good, &good, INT64_MAX, 0, LMAD_ERR_OVERFLOW, NULL, NO_AXIS},
    {"unknown flag", &good, &good, 4, 1u << 31, LMAD_ERR_FLAGS, "flag", NO_AXIS},
    {"unknown flag among known ones", &good, &good, 4, LMAD_SERIAL | 1u << 20, LMAD_ERR_FLAGS, "flag",
     NO_AXIS},
    {"effort 4", &good, &good, 4, 4, LMAD_ERR_FLAGS, "effort", NO_AXIS},
    {"effort 15", &good, &good, 4, 15 | LMAD_SERIAL, LMAD_ERR_FLAGS, "effort", NO_AXIS},
    {"no wisdom", &good, &good, 4, LMAD_WISDOM_ONLY, LMAD_ERR_NO_WISDOM, NULL, NO_AXIS},
};
enum { MISUSES = sizeof misuses / sizeof *misuses };

START_TEST(plans) {
    const misuse *m = &misuses[_i];
    lmad_plan *p = SENTINEL;
    expect(m->what, lmad_plan_copy(&p, NULL, m->dst, m->src, m->elem_size, m->flags), m->status);
    expect_detail(m->what, m->side, m->axis);
    ck_assert_ptr_eq(p, SENTINEL);
    if (m->status == LMAD_ERR_NO_WISDOM) return; /* a move onto itself needs no wisdom */
    expect(m->what, lmad_plan_move(&p, NULL, m->dst, m->src, m->elem_size, m->flags), m->status);
    expect_detail(m->what, m->side, m->axis);
    ck_assert_ptr_eq(p, SENTINEL);
}
END_TEST

/* A fill has no source: what is wrong with that side or between the sides cannot be. */
START_TEST(fills) {
    const misuse *m = &misuses[_i];
    if (m->src != &good && m->dst == &good) return;
    if (m->status == LMAD_ERR_SHAPE) return;
    lmad_plan *p = SENTINEL;
    expect(m->what, lmad_plan_fill(&p, NULL, m->dst, m->elem_size, m->flags), m->status);
    expect_detail(m->what, m->side, m->axis);
    ck_assert_ptr_eq(p, SENTINEL);
}
END_TEST

START_TEST(immediate_copies) {
    const misuse *m = &misuses[_i];
    char dst[64], src[64] = {1}, was[64];
    memset(dst, 0x77, sizeof dst);
    memcpy(was, dst, sizeof was);
    if (!m->flags) {
        expect(m->what, lmad_copy(dst, m->dst, src, m->src, m->elem_size), m->status);
        expect_detail(m->what, m->side, m->axis);
    }
    expect(m->what, lmad_ctx_copy(NULL, dst, m->dst, src, m->src, m->elem_size, m->flags), m->status);
    expect_detail(m->what, m->side, m->axis);
    ck_assert_mem_eq(dst, was, sizeof dst);
}
END_TEST

/* ---- Output pointers, contexts, info ---- */

START_TEST(no_place_for_the_output) {
    expect("copy", lmad_plan_copy(NULL, NULL, &good, &good, 4, 0), LMAD_ERR_NULL);
    expect_detail("copy", "plan", NO_AXIS);
    expect("move", lmad_plan_move(NULL, NULL, &good, &good, 4, 0), LMAD_ERR_NULL);
    expect_detail("move", "plan", NO_AXIS);
    expect("fill", lmad_plan_fill(NULL, NULL, &good, 4, 0), LMAD_ERR_NULL);
    expect_detail("fill", "plan", NO_AXIS);
    expect("context", lmad_ctx_create(NULL), LMAD_ERR_NULL);
    expect_detail("context", "context", NO_AXIS);
}
END_TEST

START_TEST(bad_settings) {
    lmad_ctx *ctx;
    expect("create", lmad_ctx_create(&ctx), LMAD_OK);
    expect("threads -1", lmad_ctx_set_threads(ctx, -1), LMAD_ERR_ARGUMENT);
    expect_detail("threads -1", "thread", NO_AXIS);
    expect("threads INT_MIN", lmad_ctx_set_threads(NULL, -2147483647 - 1), LMAD_ERR_ARGUMENT);
    expect("time nan", lmad_ctx_set_time_limit(ctx, NAN), LMAD_ERR_ARGUMENT);
    expect_detail("time nan", "time", NO_AXIS);
    expect("time -1", lmad_ctx_set_time_limit(ctx, -1), LMAD_OK);
    expect("time inf", lmad_ctx_set_time_limit(ctx, INFINITY), LMAD_OK);
    expect("time 0", lmad_ctx_set_time_limit(ctx, 0), LMAD_OK);
    expect("threads 0", lmad_ctx_set_threads(ctx, 0), LMAD_OK);
    expect("no pool", lmad_ctx_set_parallel(ctx, NULL, NULL), LMAD_OK);
    lmad_ctx_destroy(ctx);
    lmad_ctx_destroy(NULL);
    lmad_plan_destroy(NULL);
}
END_TEST

START_TEST(bad_info) {
    lmad_plan *p;
    lmad_info info = {.struct_size = sizeof info, .kind = "untouched", .threads = -5};
    expect("plan", lmad_plan_copy(&p, NULL, &good, &good, 4, 0), LMAD_OK);
    expect("no plan", lmad_plan_info(NULL, &info), LMAD_ERR_NULL);
    expect_detail("no plan", "plan", NO_AXIS);
    expect("no info", lmad_plan_info(p, NULL), LMAD_ERR_NULL);
    expect_detail("no info", "info", NO_AXIS);
    for (size_t size = 0; size < sizeof(size_t); size++) {
        info.struct_size = size;
        expect("struct_size", lmad_plan_info(p, &info), LMAD_ERR_ARGUMENT);
        expect_detail("struct_size", "struct_size", NO_AXIS);
    }
    ck_assert_str_eq(info.kind, "untouched");
    ck_assert_int_eq(info.threads, -5);
    ck_assert_int_lt(lmad_plan_describe(NULL, NULL, 0), 0);
    ck_assert_int_lt(lmad_plan_explain(NULL, NULL, 0), 0);
    lmad_plan_destroy(p);
}
END_TEST

/* ---- Executions ---- */

/* What a refused execution must leave alone. */
static char buffer[256], was[256];

static void fill_buffer(void) {
    for (int i = 0; i < 256; i++) was[i] = buffer[i] = (char)(i * 7 + 1);
}

START_TEST(bad_execute) {
    lmad_plan *copy, *move, *fill;
    lmad_desc turned = {2, 0, {{3, 1}, {4, 3}}};
    expect("copy", lmad_plan_copy(&copy, NULL, &good, &turned, 4, 0), LMAD_OK);
    expect("move", lmad_plan_move(&move, NULL, &good, &turned, 4, 0), LMAD_OK);
    expect("fill", lmad_plan_fill(&fill, NULL, &good, 4, 0), LMAD_OK);
    fill_buffer();
    expect("no plan", lmad_execute(NULL, buffer, buffer + 128), LMAD_ERR_NULL);
    expect_detail("no plan", "plan", NO_AXIS);
    lmad_plan *all[] = {copy, move, fill};
    for (int i = 0; i < 3; i++) {
        expect("no destination", lmad_execute(all[i], NULL, buffer), LMAD_ERR_NULL);
        expect_detail("no destination", "destination", NO_AXIS);
        expect("no source", lmad_execute(all[i], buffer, NULL), LMAD_ERR_NULL);
        expect_detail("no source", "source", NO_AXIS);
    }
    expect("two buffers", lmad_execute(move, buffer, buffer + 128), LMAD_ERR_BUFFER);
    expect_detail("two buffers", "move", NO_AXIS);
    expect("no destination", lmad_copy(NULL, &good, buffer, &turned, 4), LMAD_ERR_NULL);
    expect_detail("no destination", "destination", NO_AXIS);
    expect("no source", lmad_copy(buffer, &good, NULL, &turned, 4), LMAD_ERR_NULL);
    expect_detail("no source", "source", NO_AXIS);
    ck_assert_mem_eq(buffer, was, sizeof was);
    for (int i = 0; i < 3; i++) lmad_plan_destroy(all[i]);
}
END_TEST

/* Copies of 12 elements of 4 bytes inside of one buffer, `shift` bytes apart. */
START_TEST(overlap_is_refused) {
    lmad_plan *p;
    lmad_desc turned = {2, 0, {{3, 1}, {4, 3}}};
    expect("copy", lmad_plan_copy(&p, NULL, &good, &turned, 4, 0), LMAD_OK);
    for (int shift = -60; shift <= 60; shift++) {
        char *dst = buffer + 100, *src = dst + shift;
        bool shares = shift > -48 && shift < 48;
        fill_buffer();
        expect("execute", lmad_execute(p, dst, src), shares ? LMAD_ERR_OVERLAP : LMAD_OK);
        if (!shares) continue;
        expect_detail("execute", "source", NO_AXIS);
        ck_assert_mem_eq(buffer, was, sizeof was);
        expect("lmad_copy", lmad_copy(dst, &good, src, &turned, 4), LMAD_ERR_OVERLAP);
        ck_assert_mem_eq(buffer, was, sizeof was);
    }
    lmad_plan_destroy(p);
}
END_TEST

/* Columns of one array: interleaved, and legal unless they share a byte. */
START_TEST(interleaved_columns_are_fine) {
    lmad_plan *p;
    lmad_desc column = {1, 0, {{10, 6}}};
    expect("copy", lmad_plan_copy(&p, NULL, &column, &column, 4, 0), LMAD_OK);
    for (int shift = -24; shift <= 24; shift++) {
        char *dst = buffer + 8 - (shift < 0 ? shift : 0), *src = dst + shift;
        bool shares = (shift % 24 + 24) % 24 < 4 || (shift % 24 + 24) % 24 > 20;
        fill_buffer();
        if (shift >= 0) dst = buffer + 4, src = dst + shift;
        expect("execute", lmad_execute(p, dst, src), shares ? LMAD_ERR_OVERLAP : LMAD_OK);
        for (int i = 0; i < 10 && !shares; i++) ck_assert_mem_eq(dst + 24 * i, src + 24 * i, 4);
        if (shares) ck_assert_mem_eq(buffer, was, sizeof was);
    }
    lmad_plan_destroy(p);
}
END_TEST

/* Two-dimensional halves of one array, and a lattice in the holes of another. */
START_TEST(interleaved_blocks_are_fine) {
    lmad_desc left = {2, 0, {{8, 16}, {8, 1}}}, right = {2, 8, {{8, 16}, {8, 1}}};
    lmad_desc even = {2, 0, {{4, 32}, {8, 2}}}, odd = {2, 17, {{4, 32}, {8, 2}}};
    fill_buffer();
    expect("halves", lmad_copy(buffer, &left, buffer, &right, 1), LMAD_OK);
    for (int i = 0; i < 8; i++) ck_assert_mem_eq(buffer + 16 * i, was + 16 * i + 8, 8);
    expect("lattices", lmad_copy(buffer, &even, buffer, &odd, 1), LMAD_OK);
    right.offset = 7;
    fill_buffer();
    expect("halves that touch", lmad_copy(buffer, &left, buffer, &right, 1), LMAD_ERR_OVERLAP);
    odd.offset = 34;
    expect("lattices that meet", lmad_copy(buffer, &even, buffer, &odd, 1), LMAD_ERR_OVERLAP);
    ck_assert_mem_eq(buffer, was, sizeof was);
}
END_TEST

/* Plans that are made in spite of an empty or meaningless axis. */
static void expect_nothing_happens(const char *what, const lmad_desc *dst, const lmad_desc *src,
                                   size_t elem_size) {
    lm_op ops[] = {LM_OP_COPY, LM_OP_MOVE, LM_OP_FILL};
    for (int i = 0; i < 3; i++) {
        lmad_plan *p = SENTINEL;
        lm_trial t = {.op = ops[i], .dst = *dst, .src = *src, .elem_size = elem_size};
        expect(what, lm_trial_plan(&p, NULL, &t, 0), LMAD_OK);
        expect(what, lmad_execute(p, NULL, NULL), LMAD_OK);
        expect(what, lmad_execute(p, SENTINEL, NULL), LMAD_OK);
        expect(what, lmad_execute(p, SENTINEL, SENTINEL), LMAD_OK);
        lmad_plan_destroy(p);
    }
    expect(what, lmad_copy(NULL, dst, NULL, src, elem_size), LMAD_OK);
    expect(what, lmad_copy(SENTINEL, dst, SENTINEL, src, elem_size), LMAD_OK);
}

START_TEST(empty_views_are_fine) {
    lmad_desc plain = {1, 0, {{0, 1}}};
    expect_nothing_happens("plain", &plain, &plain, 4);
    lmad_desc aliasing = {2, 0, {{5, 0}, {0, 0}}};
    expect_nothing_happens("aliasing", &aliasing, &aliasing, 4);
    lmad_desc hostile = {3, INT64_MIN, {{INT64_MAX, INT64_MIN}, {0, INT64_MIN}, {INT64_MAX, INT64_MAX}}};
    expect_nothing_happens("hostile", &hostile, &hostile, 8);
    hostile.offset = INT64_MAX;
    expect_nothing_happens("hostile", &hostile, &hostile, INT64_MAX);
    lmad_desc first = {2, 7, {{0, -1}, {4, INT64_MAX}}}, last = {2, 7, {{0, 0}, {4, 0}}};
    expect_nothing_happens("first", &first, &last, 1);
}
END_TEST

static void *detail_length(void *unused) {
    (void)unused;
    return (void *)(uintptr_t)strlen(lmad_error_detail());
}

/* A detail stays until the next failure of its thread; another thread has none. */
START_TEST(details_stay) {
    lmad_plan *p;
    char text[300];
    pthread_t thread;
    void *length;
    expect("rank", lmad_plan_copy(&p, NULL, DESC(33, 0, {{0, 0}}), &good, 4, 0), LMAD_ERR_RANK);
    snprintf(text, sizeof text, "%s", lmad_error_detail());
    expect("good", lmad_plan_copy(&p, NULL, &good, &good, 4, 0), LMAD_OK);
    ck_assert_str_eq(lmad_error_detail(), text);
    ck_assert_int_eq(pthread_create(&thread, NULL, detail_length, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, &length), 0);
    ck_assert_ptr_null(length);
    lmad_plan_destroy(p);
}
END_TEST

Suite *lm_suite_misuse(void) {
    Suite *suite = suite_create("misuse");
    TCase *wrong = tcase_create("wrong"), *fine = tcase_create("fine");
    tcase_add_loop_test(wrong, plans, 0, MISUSES);
    tcase_add_loop_test(wrong, fills, 0, MISUSES);
    tcase_add_loop_test(wrong, immediate_copies, 0, MISUSES);
    tcase_add_test(wrong, no_place_for_the_output);
    tcase_add_test(wrong, bad_settings);
    tcase_add_test(wrong, bad_info);
    tcase_add_test(wrong, bad_execute);
    tcase_add_test(wrong, overlap_is_refused);
    tcase_add_test(wrong, details_stay);
    tcase_add_test(fine, interleaved_columns_are_fine);
    tcase_add_test(fine, interleaved_blocks_are_fine);
    tcase_add_test(fine, empty_views_are_fine);
    suite_add_tcase(suite, wrong);
    suite_add_tcase(suite, fine);
    return suite;
}
