/* SPDX-License-Identifier: BSD-3-Clause */
/* Random problems: any rank, element size, layout, operation, thread count and placement. A failure names
 * the LMAD_TEST_SEED that makes it the first problem of its test. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>

#include "any.h"
#include "contexts.h"
#include "oracle.h"
#include "trial.h"

enum { CAPACITY = 8 << 20, BIG_CAPACITY = 112 << 20, PROBLEMS = 6000 };

static const lm_op ops[] = {LM_OP_COPY, LM_OP_COPY, LM_OP_COPY, LM_OP_MOVE, LM_OP_FILL};
enum { OPS = sizeof ops / sizeof *ops };

/* Every problem under one of the contexts. */
START_TEST(anything) {
    lm_rig rig;
    lm_contexts contexts;
    lm_rig_open(&rig, CAPACITY);
    lm_contexts_open(&contexts);
    for (uint64_t i = 0; i < PROBLEMS; i += (uint64_t)lm_test_scale()) {
        uint64_t seed = lm_test_seed() + i;
        lm_rng rng = {lm_mix(seed)};
        lm_trial t;
        lm_any_trial(&rng, &t, &rig, ops, OPS, 1 << 20);
        int which = (int)lm_rng_range(&rng, 0, LM_CONTEXTS - 1);
        const char *why = lm_rig_try(&rig, &t, contexts.ctx[which], lm_rng_chance(&rng, 9) ? LMAD_SERIAL : 0);
        if (why) ck_abort_msg("LMAD_TEST_SEED=%" PRIu64 " (%s): %s", seed, contexts.name[which], why);
    }
    lm_contexts_close(&contexts);
    lm_rig_close(&rig);
}
END_TEST

/* Beyond the thresholds of threads and streaming stores: 24 MB and more. */
static const struct {
    lm_op op;
    size_t elem_size;
    lmad_desc dst, src;
} big[] = {
    {LM_OP_COPY, 4, {2, 3, {{2501, 2500}, {2500, 1}}}, {2, 1, {{2501, 1}, {2500, 2503}}}},
    {LM_OP_COPY,
     8,
     {3, 0, {{17, 1}, {600, 18}, {310, 10800}}},
     {3, 185999, {{17, 186000}, {600, 310}, {310, -1}}}},
    {LM_OP_COPY, 1, {2, 5, {{5003, 5100}, {5001, 1}}}, {2, 5000, {{5003, 5001}, {5001, -1}}}},
    {LM_OP_COPY, 3, {2, 0, {{2100001, 4}, {4, 1}}}, {2, 0, {{2100001, 5}, {4, 1}}}},
    {LM_OP_COPY, 16, {1, 1, {{1600001, 1}}}, {1, 2, {{1600001, 1}}}},
    {LM_OP_MOVE, 4, {2, 2500, {{2500, 2500}, {2500, 1}}}, {2, 0, {{2500, 1}, {2500, 2500}}}},
    {LM_OP_FILL, 12, {2, 7, {{1500, 1503}, {1500, -1}}}, {0, 0, {{0, 0}}}},
};

START_TEST(large) {
    lm_rig rig;
    lm_contexts contexts;
    lm_rig_open(&rig, BIG_CAPACITY);
    lm_contexts_open(&contexts);
    for (int which = 0; which < LM_CONTEXTS; which++) {
        lm_trial t = {
            .op = big[_i].op, .elem_size = big[_i].elem_size, .dst = big[_i].dst, .src = big[_i].src};
        t.dst_end = which & 1;
        t.src_slack = (size_t)which * 4;
        const char *why = lm_rig_try(&rig, &t, contexts.ctx[which], LMAD_ESTIMATE);
        if (why) ck_abort_msg("%s: %s", contexts.name[which], why);
        if (lm_test_scale() > 1 && which == 2) break;
    }
    lm_contexts_close(&contexts);
    lm_rig_close(&rig);
}
END_TEST

Suite *lm_suite_random(void) {
    Suite *suite = suite_create("random");
    TCase *tc = tcase_create("random");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, anything);
    tcase_add_loop_test(tc, large, 0, sizeof big / sizeof *big);
    suite_add_tcase(suite, tc);
    return suite;
}
