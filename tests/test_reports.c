/* SPDX-License-Identifier: BSD-3-Clause */
/* The copies of reports.json, but for those beyond 2 GiB, which are in large.c. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "contexts.h"
#include "oracle.h"
#include "trial.h"

enum { REPEATS = 5 };

static void blame(const lm_case *c, const char *where, const char *why) {
    ck_abort_msg("%s (%s), %s: %s", c->id, c->kind, where, why);
}

static lm_trial trial_of(const lm_case *c) {
    return (lm_trial){
        .op = c->same_buffer ? LM_OP_MOVE : LM_OP_COPY,
        .dst = c->dst,
        .src = c->src,
        .elem_size = c->elem_size,
        .dst_end = true, /* an access past the reach faults */
        .src_end = true,
    };
}

/* What planning must refuse, with the status that says why. */
static void try_error(const lm_case *c) {
    lmad_plan *p = NULL;
    lm_trial t = trial_of(c);
    if (lm_trial_plan(&p, NULL, &t, 0) != LMAD_ERR_DST_ALIAS || p)
        blame(c, "plan", "not refused as aliasing");
    if (!strstr(lmad_error_detail(), "destination")) blame(c, "detail", lmad_error_detail());
    /* the same layout is fine as a source */
    lmad_desc dense;
    int64_t shape[LMAD_MAX_RANK];
    for (int k = 0; k < c->dst.rank; k++) shape[k] = c->dst.dim[k].n;
    if (lmad_row_major(&dense, c->dst.rank, shape) != LMAD_OK) blame(c, "row_major", lmad_error_detail());
    if (lmad_plan_copy(&p, NULL, &dense, &c->dst, c->elem_size, 0) != LMAD_OK)
        blame(c, "as a source", "refused");
    lmad_plan_destroy(p);
}

/* Everywhere: on every kind of context, several times, from fresh buffers. */
static void try_trial(const lm_case *c) {
    lm_rig rig;
    lm_contexts contexts;
    lm_trial t = trial_of(c);
    lm_rig_open(&rig, lm_trial_room(&t));
    lm_contexts_open(&contexts);
    lm_rig_set(&rig, &t);
    int tries = c->mem_bytes < 1 << 26 ? LM_CONTEXTS * REPEATS : 3;
    int step = c->mem_bytes < 1 << 20 ? 1 : lm_test_scale();
    for (int i = 0; i < tries; i += step) {
        lmad_plan *p;
        lm_rig_reset(&rig);
        if (lm_trial_plan(&p, contexts.ctx[i % LM_CONTEXTS], &t, 0) != LMAD_OK)
            blame(c, "plan", lmad_error_detail());
        if (lmad_execute(p, rig.d, rig.s) != LMAD_OK) blame(c, "execute", lmad_error_detail());
        const char *why = lm_rig_verdict(&rig);
        if (why) blame(c, contexts.name[i % LM_CONTEXTS], why);
        lmad_plan_destroy(p);
    }
    lm_contexts_close(&contexts);
    lm_rig_close(&rig);
}

/* Element number `value` as the report counts: little-endian, -1 is all ones. */
static void write_element(char *at, int64_t value, size_t elem_size) {
    for (size_t b = 0; b < elem_size; b++)
        at[b] = (char)(b < 8 ? (uint64_t)value >> (8 * b) : (uint64_t)value >> 63);
}

/* A buffer of len elements, numbered from 0 or all -1. */
static char *numbered(int64_t len, size_t elem_size, bool none) {
    char *buffer = malloc((size_t)len * elem_size + 1);
    if (!buffer) abort();
    for (int64_t i = 0; i < len; i++) write_element(buffer + (size_t)i * elem_size, none ? -1 : i, elem_size);
    return buffer;
}

/* The report's own figures, in buffers as it has them. */
static void try_result(const lm_case *c) {
    lmad_plan *p;
    lm_trial t = trial_of(c);
    char want[64];
    if ((int64_t)json_array_size(c->result) != c->dst_len) blame(c, "result", "not of dst_len");
    char *dst = numbered(c->dst_len, c->elem_size, !c->same_buffer),
         *src = numbered(c->src_len, c->elem_size, false);
    if (lm_trial_plan(&p, NULL, &t, 0) != LMAD_OK) blame(c, "plan", lmad_error_detail());
    if (lmad_execute(p, dst, c->same_buffer ? dst : src) != LMAD_OK) blame(c, "execute", lmad_error_detail());
    for (int64_t i = 0; i < c->dst_len; i++) {
        write_element(want, json_integer_value(json_array_get(c->result, (size_t)i)), c->elem_size);
        if (memcmp(dst + (size_t)i * c->elem_size, want, c->elem_size)) blame(c, "result", "not as reported");
    }
    lmad_plan_destroy(p);
    free(dst);
    free(src);
}

static lm_cases all;

START_TEST(report) {
    const lm_case *c = &all.list[_i];
    if (c->mem_bytes >= LM_CASE_LARGE) return;
    if (c->is_error) {
        try_error(c);
        return;
    }
    try_trial(c);
    if (c->result) try_result(c);
}
END_TEST

/* Every kind of report is there. */
START_TEST(the_list_is_whole) {
    int errors = 0, moves = 0, results = 0, large = 0;
    for (int i = 0; i < all.count; i++) {
        errors += all.list[i].is_error;
        moves += all.list[i].same_buffer;
        results += all.list[i].result != NULL;
        large += all.list[i].mem_bytes >= LM_CASE_LARGE;
    }
    ck_assert_int_ge(all.count, 48);
    ck_assert_int_ge(errors, 2);
    ck_assert_int_ge(moves, 8);
    ck_assert_int_ge(results, 15);
    ck_assert_int_ge(large, 10);
}
END_TEST

Suite *lm_suite_reports(void) {
    static bool is_read;
    if (!is_read) lm_cases_open(&all);
    is_read = true;
    Suite *suite = suite_create("reports");
    TCase *tc = tcase_create("reports");
    tcase_set_timeout(tc, 200);
    tcase_add_test(tc, the_list_is_whole);
    tcase_add_loop_test(tc, report, 0, all.count);
    suite_add_tcase(suite, tc);
    return suite;
}
