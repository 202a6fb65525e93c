/* SPDX-License-Identifier: BSD-3-Clause */
/* Device plans copy what they must: the built-in suites scaled down, the reports, random problems, affine
 * values; at both widths, on lazy streams, the odd ones on a second device. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "any.h"
#include "hip_field.h"
#include "hip_rig.h"
#include "lmad-hip.h"
#include "oracle.h"
#include "tune/suites.h"

enum { DEVICES = 2 };

static int width_of(int i) { return i % 2 ? 32 : 64; }

static void blame(const lm_trial *t, int width, const char *name, const char *why) {
    char text[2048];
    lm_trial_format(text, sizeof text, t);
    ck_abort_msg("%s at width %d: %s: %s", name, width, text, why);
}

static void expect_right(const lm_trial *t, int i, int width, const char *name) {
    const char *why = lm_hip_rig_try(t, i % DEVICES, NULL, LMAD_ESTIMATE);
    if (why) blame(t, width, name, why);
}

/* ---- suites ----------------------------------------------------------------------------------------- */

static const char *const suites[] = {"seeds", "transposes", "permutations", "halo", "small", "fill", "move"};
enum { SUITES = sizeof suites / sizeof *suites, SIDE = 96 << 10 };

START_TEST(suite_is_exact) {
    const char *name = suites[_i / 2];
    const int width = width_of(_i), step = lm_test_scale() > 4 ? 4 : lm_test_scale();
    lm_cases cases = {0};
    char error[256];
    lm_field_begin(DEVICES, width, true);
    if (lm_cases_add_suite(&cases, name, error, sizeof error)) ck_abort_msg("%s", error);
    ck_assert_uint_gt(cases.count, 0);
    for (size_t k = 0; k < cases.count; k += (size_t)step) {
        const lm_case *c = &cases.item[k];
        const lm_trial full = {.op = c->op, .dst = c->dst, .src = c->src, .elem_size = c->elem_size};
        lm_trial t;
        lm_hip_rig_scale(&full, SIDE, &t);
        expect_right(&t, (int)k, width, c->name);
    }
    lm_cases_free(&cases);
    emulator_is_clean();
}
END_TEST

/* ---- random ----------------------------------------------------------------------------------------- */

enum { ROOM = 1 << 16, PROBLEMS = 400 };

/* Any slacks: pointers of any alignment. */
START_TEST(random_problems) {
    static const lm_op ops[] = {LM_OP_COPY, LM_OP_COPY, LM_OP_MOVE, LM_OP_FILL};
    const int width = width_of(_i);
    lm_rng rng = {lm_test_seed() + (uint64_t)_i};
    lm_rig host;
    lm_trial t;
    lm_field_begin(DEVICES, width, true);
    lm_rig_open(&host, ROOM);
    for (int k = 0; k < PROBLEMS; k += lm_test_scale()) {
        lm_any_trial(&rng, &t, &host, ops, 4, ROOM / 4);
        if (!lm_oracle_empty(&t.dst)) expect_right(&t, k, width, "random");
    }
    lm_rig_close(&host);
    emulator_is_clean();
}
END_TEST

/* Elements longer than what fits into arguments. */
START_TEST(long_elements) {
    const int width = width_of(_i);
    lm_field_begin(DEVICES, width, true);
    for (size_t size = 63; size <= 200; size += 17) {
        const lm_trial fill = {.op = LM_OP_FILL, .dst = {2, 3, {{5, 11}, {4, 2}}}, .elem_size = size};
        const lm_trial copy = {.op = LM_OP_COPY,
                               .dst = {2, 3, {{5, 11}, {4, 2}}},
                               .src = {2, 0, {{5, 1}, {4, 7}}},
                               .elem_size = size};
        expect_right(&fill, 0, width, "fill");
        expect_right(&copy, 1, width, "copy");
    }
    emulator_is_clean();
}
END_TEST

/* Small dense matrices of elements of all sizes: their rows follow one another. */
START_TEST(small_transposes) {
    const int64_t extents[][2] = {{16, 32}, {32, 16}, {18, 40}, {33, 17}, {16, 16}};
    const int width = width_of(_i);
    lm_field_begin(DEVICES, width, true);
    for (size_t size = 1; size <= 64; size++) {
        for (size_t k = 0; k < sizeof extents / sizeof *extents; k++) {
            const int64_t n = extents[k][0], m = extents[k][1];
            const lm_trial t = {.op = LM_OP_COPY,
                                .dst = {2, 0, {{n, m}, {m, 1}}},
                                .src = {2, 0, {{n, 1}, {m, n}}},
                                .elem_size = size};
            expect_right(&t, (int)k, width, "small transpose");
        }
    }
    emulator_is_clean();
}
END_TEST

/* The element crosses to pinned memory that is filled as that of a device, too. */
START_TEST(long_elements_in_pinned_memory) {
    const lm_trial t = {.dst = {2, 3, {{5, 11}, {4, 2}}}, .src = {2, 0, {{5, 0}, {4, 0}}}, .elem_size = 100};
    lm_field f;
    lmad_plan *p;
    lm_field_begin(1, width_of(_i), true);
    lm_field_open(&f, &t, &(lm_field_ends){LM_HOST, LM_HOST, PINNED});
    lm_field_reset(&f);
    ck_assert_int_eq(lmad_plan_fill_hip(&p, NULL, &t.dst, 0, t.elem_size, LMAD_ESTIMATE), LMAD_OK);
    if (lmad_execute(p, f.d, f.s) != LMAD_OK) ck_abort_msg("%s", lmad_error_detail());
    ck_assert(lm_field_is_right(&f));
    lmad_plan_destroy(p);
    lm_field_close(&f);
    emulator_is_clean();
}
END_TEST

/* ---- affine values ---------------------------------------------------------------------------------- */

/* The host's plan is the oracle. */
static void try_affine(const lmad_desc *d, lmad_type type, int device) {
    static const int32_t i32[] = {-7, 3, 100000, -11};
    static const int64_t i64[] = {-7, 3, INT64_C(1) << 40, -11};
    static const float f32[] = {0.5f, 0.1f, -3.25f, 1e6f};
    static const double f64[] = {0.5, 0.1, -3.25, 1e6};
    const void *const values[] = {i32, i64, f32, f64};
    static char want[1 << 16], got[1 << 16];
    void *dst;
    lmad_plan *p;
    memset(want, 0x5a, sizeof want);
    lm_field_good(lm_field_hip->hipMalloc(&dst, sizeof want));
    lm_field_good(lm_field_hip->hipMemcpyAsync(dst, want, sizeof want, LM_HIP_COPY_HOST_TO_DEVICE, NULL));
    ck_assert_int_eq(lmad_plan_affine(&p, NULL, d, type, LMAD_SERIAL), LMAD_OK);
    ck_assert_int_eq(lmad_execute(p, want, values[type]), LMAD_OK);
    lmad_plan_destroy(p);
    if (lmad_plan_affine_hip(&p, NULL, d, device, type, LMAD_ESTIMATE) != LMAD_OK)
        ck_abort_msg("%s", lmad_error_detail());
    ck_assert_int_eq(lmad_execute(p, dst, values[type]), LMAD_OK);
    lm_field_good(lm_field_hip->hipMemcpyAsync(got, dst, sizeof got, LM_HIP_COPY_DEVICE_TO_HOST, NULL));
    lm_field_good(lm_field_hip->hipStreamSynchronize(NULL));
    ck_assert_msg(memcmp(want, got, sizeof got) == 0, "affine values of type %d differ", (int)type);
    lmad_plan_destroy(p);
    lm_field_good(lm_field_hip->hipFree(dst));
}

START_TEST(affine_values) {
    lm_field_begin(1, width_of(_i), true);
    const lmad_desc views[] = {{0, 5, {{0, 0}}},
                               {1, 0, {{777, 1}}},
                               {2, 3, {{30, 100}, {99, 1}}},
                               {2, 0, {{99, 1}, {30, 100}}},
                               {3, 3, {{30, 100}, {1, INT64_MIN}, {99, 1}}},
                               {3, 900, {{9, -100}, {5, 20}, {10, 2}}}};
    for (size_t k = 0; k < sizeof views / sizeof *views; k++)
        for (int type = LMAD_INT32; type <= LMAD_DOUBLE; type++) try_affine(&views[k], (lmad_type)type, 0);
    emulator_is_clean();
}
END_TEST

Suite *lm_suite_hip(void) {
    Suite *suite = suite_create("hip");
    TCase *tc = tcase_create("exact");
    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, suite_is_exact, 0, 2 * SUITES);
    tcase_add_loop_test(tc, random_problems, 0, 2);
    tcase_add_loop_test(tc, long_elements, 0, 2);
    tcase_add_loop_test(tc, small_transposes, 0, 2);
    tcase_add_loop_test(tc, long_elements_in_pinned_memory, 0, 2);
    tcase_add_loop_test(tc, affine_values, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}
