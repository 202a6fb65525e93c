/* SPDX-License-Identifier: BSD-3-Clause */
/* The copies of reports.json that fit, on the emulated run time. */
#include <check.h>

#include "cases.h"
#include "hip_field.h"
#include "hip_rig.h"

enum { LARGEST = 4 << 20 };

START_TEST(reports) {
    lm_cases all;
    int tried = 0;
    lm_field_begin(1, _i ? 32 : 64, true);
    lm_cases_open(&all);
    for (int k = 0; k < all.count; k++) {
        const lm_case *c = &all.list[k];
        const lm_trial t = {.op = c->same_buffer ? LM_OP_MOVE : LM_OP_COPY,
                            .dst = c->dst,
                            .src = c->src,
                            .elem_size = c->elem_size};
        lmad_plan *p = NULL;
        if (c->mem_bytes > LARGEST) continue;
        tried++;
        if (c->is_error) {
            ck_assert_int_eq(lm_hip_rig_plan(&p, &t, 0, NULL, LMAD_ESTIMATE), LMAD_ERR_DST_ALIAS);
            continue;
        }
        const char *why = lm_hip_rig_try(&t, 0, NULL, LMAD_ESTIMATE);
        if (why) ck_abort_msg("%s (%s): %s", c->id, c->kind, why);
    }
    ck_assert_int_ge(tried, 30);
    lm_cases_close(&all);
    emulator_is_clean();
}
END_TEST

Suite *lm_suite_hip_reports(void) {
    Suite *suite = suite_create("hip_reports");
    TCase *tc = tcase_create("reports");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, reports, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}
