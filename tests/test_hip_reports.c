/* SPDX-License-Identifier: BSD-3-Clause */
/* The copies of reports.json on the emulated run time: planned all of them, executed those that fit, and of the
 * others a part as large as does. */
#include <check.h>
#include <stdio.h>

#include "cases.h"
#include "hip_field.h"
#include "hip_rig.h"
#include "lmad-hip.h"

/* MiB of both sides: more take the emulated run time too long. */
static int largest(void) { return lm_test_scale() == 1 ? 100 : 16; }

typedef struct tally {
    int largest;
    int right, refused, in_part;
} tally;

static lm_trial trial_of(const lm_case *c) {
    return (lm_trial){.op = c->same_buffer ? LM_OP_MOVE : LM_OP_COPY,
                      .dst = c->dst,
                      .src = c->src,
                      .elem_size = c->elem_size};
}

/* A plan for views of any size needs no memory of the device, but for moves through scratch. */
static void only_plan(const lm_case *c, const lm_trial *t) {
    lmad_plan *p = NULL;
    const lmad_status status = lm_hip_rig_plan(&p, t, 0, NULL, LMAD_ESTIMATE);
    ck_assert_msg(status == LMAD_OK || (c->same_buffer && status == LMAD_ERR_NO_MEMORY), "%s (%s): %s", c->id,
                  c->kind, lmad_error_detail());
    lmad_plan_destroy(p);
}

static void execute(const lm_case *c, const lm_trial *t) {
    const char *why = lm_hip_rig_try(t, 0, NULL, LMAD_ESTIMATE);
    if (why) ck_abort_msg("%s (%s): %s", c->id, c->kind, why);
}

static void try_case(const lm_case *c, tally *n) {
    enum { SIDE = 1 << 20 };
    const lm_trial t = trial_of(c);
    lm_trial part;
    lmad_plan *p = NULL;
    if (c->is_error) {
        ck_assert_int_eq(lm_hip_rig_plan(&p, &t, 0, NULL, LMAD_ESTIMATE), LMAD_ERR_DST_ALIAS);
        n->refused++;
    } else if (c->mem_bytes >> 20 > n->largest) {
        only_plan(c, &t);
        lm_hip_rig_scale(&t, SIDE, &part);
        execute(c, &part);
        n->in_part++;
    } else {
        execute(c, &t);
        n->right++;
    }
}

START_TEST(reports) {
    const int width = _i ? 32 : 64;
    lm_cases all;
    tally n = {.largest = largest()};
    lm_field_begin(1, width, true);
    lm_cases_open(&all);
    for (int k = 0; k < all.count; k++) try_case(&all.list[k], &n);
    printf("reports.json, warps of %d: of %d cases %d are right, %d are refused as they must be, %d of more "
           "than %d MiB are planned, and right in part\n",
           width, all.count, n.right, n.refused, n.in_part, n.largest);
    ck_assert_int_eq(n.right + n.refused + n.in_part, all.count);
    ck_assert_int_ge(n.right, 30);
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
