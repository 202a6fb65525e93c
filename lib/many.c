/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of copies. A thread takes a stretch of the predicted time of the whole list, so that one large item or a
 * hundred small ones are shared out alike; which bytes a thread copies depends on nothing but the plan. */
#include "many.h"

#include <stdio.h>
#include <stdlib.h>

#include "cost.h"
#include "status.h"
#include "threads.h"

/* ---- planning ------------------------------------------------------------------------------------- */

/* The detail of a failure, with the number of its item in front. */
static lmad_status fail_item(lmad_status status, int k) {
    char reason[200];
    snprintf(reason, sizeof reason, "%s", lmad_error_detail());
    return lm_fail(status, "item %d: %s", k, reason);
}

static lmad_status make_item(lm_item *item, const lmad_many_item *from, int k,
                             const lm_calibration *calibration) {
    const lmad_status status =
        lm_problem_make(&item->problem, LM_OP_COPY, from->dst, from->src, from->elem_size, 1);
    if (status != LMAD_OK) return fail_item(status, k);
    item->problem.calibration = calibration;
    lm_planner_choose(&item->problem, &item->step);
    return LMAD_OK;
}

/* Items below this many bytes are not cut. */
enum { LEAST_CUT = 32 << 10 };

/* The same candidate, but with loops that threads can share. */
static void cut(lm_item *item, int threads) {
    item->units = 1;
    if (threads == 1 || item->problem.payload < LEAST_CUT) return;
    const double seconds = item->step.seconds;
    lm_params params = item->step.params;
    params.threads = threads;
    item->step.kind->make(&item->step, &item->problem, &params);
    item->step.seconds = seconds;
    item->units = lm_nest_units(&item->step.nest);
}

lmad_status lm_many_make(lm_many **out, int count, const lmad_many_item *items, int threads,
                         const lm_calibration *calibration) {
    lm_many *many = malloc(sizeof *many + (size_t)count * sizeof many->item[0]);
    lmad_status status = LMAD_OK;
    if (!many) return lm_fail(LMAD_ERR_NO_MEMORY, "no memory for a plan of %d items", count);
    *many = (lm_many){.count = count};
    for (int k = 0; k < count; k++) {
        status = make_item(&many->item[k], &items[k], k, calibration);
        if (status != LMAD_OK) goto free_many;
        many->payload += many->item[k].problem.payload;
        if (many->payload < 0 || many->payload > INT64_MAX / 2) {
            status = lm_fail(LMAD_ERR_OVERFLOW, "item %d: all payloads together leave int64", k);
            goto free_many;
        }
        many->seconds += many->item[k].step.seconds;
    }
    const lm_problem whole = {.payload = many->payload, .threads = threads, .calibration = calibration};
    many->threads = lm_threads_for(&whole);
    for (int k = 0; k < count; k++) cut(&many->item[k], many->threads);
    *out = many;
    return LMAD_OK;

free_many:
    free(many);
    return status;
}

/* ---- running -------------------------------------------------------------------------------------- */

typedef struct job {
    const lm_many *many;
    void *const *dst;
    const void *const *src;
} job;

/* Units of the item before the moment `at` of the list, when the item starts at 0 and takes `seconds`. */
static int64_t units_before(const lm_item *item, double at) {
    if (at <= 0) return 0;
    if (at >= item->step.seconds) return item->units;
    return (int64_t)(at / item->step.seconds * (double)item->units + 0.5);
}

static void run_part(void *arg, int part) {
    const job *j = arg;
    const lm_many *m = j->many;
    const double first = m->seconds / m->threads * part, last = m->seconds / m->threads * (part + 1);
    const bool end = part == m->threads - 1;
    double start = 0;
    bool stream = false;
    for (int k = 0; k < m->count; start += m->item[k++].step.seconds) {
        const lm_item *item = &m->item[k];
        const int64_t from = units_before(item, first - start);
        const int64_t to = end ? item->units : units_before(item, last - start);
        if (item->problem.count == 0 || from >= to) continue;
        lm_nest_run(&item->step.nest, item->step.kernel->fn, j->dst[k], j->src[k], from, to);
        stream |= item->step.kernel->stream;
    }
    if (stream) lm_kernel_fence();
}

static lmad_status check(const lm_many *m, void *const *dst, const void *const *src) {
    for (int k = 0; k < m->count; k++) {
        if (m->item[k].problem.count == 0) continue;
        if (!dst[k]) return lm_fail(LMAD_ERR_NULL, "item %d: destination: the buffer is NULL", k);
        if (!src[k]) return lm_fail(LMAD_ERR_NULL, "item %d: source: the buffer is NULL", k);
        if (lm_problem_overlaps(&m->item[k].problem, dst[k], src[k]))
            return lm_fail(LMAD_ERR_OVERLAP,
                           "item %d: destination and source share bytes (or sets too intricate to tell)", k);
    }
    return LMAD_OK;
}

lmad_status lm_many_run(const lm_many *many, const lm_settings *settings, void *const *dst,
                        const void *const *src) {
    job j = {many, dst, src};
    if (many->payload == 0) return LMAD_OK;
    if (!dst) return lm_fail(LMAD_ERR_NULL, "destinations: NULL");
    if (!src) return lm_fail(LMAD_ERR_NULL, "sources: NULL");
    const lmad_status status = check(many, dst, src);
    if (status == LMAD_OK) lm_parallel(settings, many->threads, run_part, &j);
    return status;
}
