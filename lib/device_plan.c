/* SPDX-License-Identifier: BSD-3-Clause */
/* Making, running and destroying plans for devices. */
#include "device_plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device_plan_parts.h"
#include "history.h"
#include "plan.h"
#include "status.h"

/* ---- making ----------------------------------------------------------------------------------------- */

/* One step within the device; what it rests on is noted in the plan. */
static lmad_status make_step(lmad_plan *plan, int which, const lm_problem *problem, const lm_choosing *how) {
    lm_device_plan *d = plan->device;
    lm_device_choice *choice = &d->choice[which];
    lmad_status status = lm_device_choose(problem, d->device, how, &plan->settings, choice);
    if (status == LMAD_OK) status = lm_device_copy_make(&d->step[which], problem, how->ctx, &choice->way);
    if (status != LMAD_OK) return status;
    const lm_device_way *made = lm_device_copy_way(d->step[which]);
    if (!lm_device_way_equal(made, &choice->way)) { /* there was no code for it */
        choice->way = *made;
        choice->predicted = lm_device_way_cost(made, problem, d->device);
        choice->origin = (lm_origin){.source = LMAD_SOURCE_ESTIMATED};
    }
    return LMAD_OK;
}

/* One of the two halves of a move through memory of the plan. */
static lmad_status make_half(lmad_plan *plan, int which, const lmad_desc *dst, const lmad_desc *src,
                             size_t elem_size, const lm_choosing *how) {
    lm_problem half;
    const lmad_status status = lm_problem_make(&half, LM_OP_COPY, dst, src, elem_size, 1);
    if (status != LMAD_OK) return status;
    half.dst_space = half.src_space = plan->problem.dst_space;
    return make_step(plan, which, &half, how);
}

static lmad_status allocate_scratch(lm_device_plan *d, size_t bytes) {
    const lm_hip *hip = lm_hip_get();
    lm_device_guard guard;
    void *memory;
    lmad_status status = lm_device_enter(&guard, d->device->number);
    if (status != LMAD_OK) return status;
    lm_hip_error error = hip->hipEventCreateWithFlags(&d->last, LM_HIP_EVENT_DISABLE_TIMING);
    if (!error) {
        error = hip->hipMalloc(&memory, bytes);
        if (error)
            hip->hipEventDestroy(d->last);
        else
            d->scratch = memory;
    }
    lm_device_leave(&guard);
    return lm_device_fail(error, "getting scratch memory of the device for a move");
}

/* A move whose views share bytes: pack the source densely, then unpack it. */
static lmad_status make_buffered(lmad_plan *plan, const lm_device_wish *w, const lm_choosing *how) {
    int64_t shape[LMAD_MAX_RANK];
    lmad_desc dense;
    for (int k = 0; k < w->dst->rank; k++) shape[k] = w->dst->dim[k].n;
    lmad_status status = lmad_row_major(&dense, w->dst->rank, shape);
    if (status == LMAD_OK) status = make_half(plan, 0, &dense, w->src, w->elem_size, how);
    if (status == LMAD_OK) status = make_half(plan, 1, w->dst, &dense, w->elem_size, how);
    if (status == LMAD_OK) status = allocate_scratch(plan->device, (size_t)plan->problem.payload);
    plan->work_bytes = (size_t)plan->problem.payload;
    return status;
}

static lmad_status make_stage(lmad_plan *plan, const lm_choosing *how) {
    lm_device_plan *d = plan->device;
    const lmad_status status =
        lm_device_choose(&plan->problem, d->device, how, &plan->settings, &d->choice[0]);
    if (status != LMAD_OK) return status;
    return lm_stage_make(&d->stage, &plan->problem, how->ctx, &plan->settings, &d->choice[0].way.stage);
}

static lmad_status make_affine(lmad_plan *plan, const lm_device_wish *w, const lm_choosing *how) {
    if (how->wisdom_only) return lm_fail(LMAD_ERR_NO_WISDOM, "no wisdom for affine problems");
    return lm_device_affine_make(&plan->device->step[0], &plan->problem, w->dst, w->type);
}

static bool is_long_fill(const lm_problem *p) { return p->op == LM_OP_FILL && p->run > LM_HIP_VALUE; }

static lmad_status make_steps(lmad_plan *plan, const lm_device_wish *w, const lm_choosing *how) {
    lm_device_plan *d = plan->device;
    const lm_problem *p = &plan->problem;
    if (lm_problem_crosses(p)) {
        d->recipe = LM_DEVICE_STAGED;
        return make_stage(plan, how);
    }
    if (p->op == LM_OP_AFFINE) return make_affine(plan, w, how);
    if (p->op == LM_OP_MOVE && lm_problem_overlaps(p, NULL, NULL)) {
        d->recipe = LM_DEVICE_BUFFERED;
        return make_buffered(plan, w, how);
    }
    if (!is_long_fill(p)) return make_step(plan, 0, p, how);
    lm_problem spread = *p; /* from the first place of the destination to all */
    spread.op = LM_OP_COPY;
    d->recipe = LM_DEVICE_LONG_FILL;
    return make_step(plan, 0, &spread, how);
}

static void note_origin(lmad_plan *plan) {
    const lm_device_choice *choice = plan->device->choice;
    for (int k = 0; k < 2; k++) {
        plan->origin[k] = choice[k].origin;
        if (choice[k].origin.sibling) memcpy(plan->machine, choice[k].machine, sizeof plan->machine);
    }
}

/* ---- destroying ------------------------------------------------------------------------------------- */

/* Errors mean that there is nothing left to wait for, or to free. */
static void free_scratch(lm_device_plan *d) {
    const lm_hip *hip = lm_hip_get();
    lm_device_guard guard;
    if (!hip) return;
    const bool entered = lm_device_enter(&guard, d->device->number) == LMAD_OK;
    if (d->used) hip->hipEventSynchronize(d->last);
    hip->hipFree(d->scratch);
    hip->hipEventDestroy(d->last);
    if (entered) lm_device_leave(&guard);
}

static void destroy(void *arg) {
    lm_device_plan *d = arg;
    if (d->scratch) free_scratch(d);
    lm_stage_destroy(d->stage);
    for (int k = 0; k < 2; k++) lm_device_copy_destroy(d->step[k]);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

/* Only scratch and stages are HIP's. */
void lm_device_plan_destroy(lm_device_plan *d) {
    if (!d) return;
    const lm_hip *hip = d->scratch || d->stage ? lm_hip_get() : NULL;
    if (!hip || !lm_hip_aside(hip, destroy, d)) destroy(d);
}

/* ---- making, all of it ------------------------------------------------------------------------------ */

/* The part of a plan that is for devices. */
static lmad_status make_device(lmad_plan *plan, const lm_device_wish *w, const lm_device *device) {
    const lm_choosing how = lm_choosing_of(w->ctx, w->flags, &plan->settings);
    plan->device = calloc(1, sizeof *plan->device);
    if (!plan->device)
        return lm_fail(LMAD_ERR_NO_MEMORY, "no memory for a plan of %zu bytes", sizeof *plan->device);
    plan->device->device = device;
    pthread_mutex_init(&plan->device->lock, NULL);
    const lmad_status status = make_steps(plan, w, &how);
    if (status == LMAD_OK)
        note_origin(plan);
    else
        destroy(plan->device);
    return status;
}

/* The facts of the device that the plan is for; both there are. */
static lmad_status find_devices(const lm_device_wish *w, const lm_device **out) {
    const lm_device *dst = NULL, *src = NULL;
    lmad_status status = w->dst_device == LM_HOST ? LMAD_OK : lm_device_get(w->dst_device, &dst);
    if (status == LMAD_OK && w->src_device != LM_HOST) status = lm_device_get(w->src_device, &src);
    if (status == LMAD_OK) *out = dst ? dst : src;
    return status;
}

/* What stands in files is about problems, not about where they are. */
static void record(const lmad_plan *plan, const lm_device_wish *w) {
    lm_problem anywhere = plan->problem;
    anywhere.dst_space = anywhere.src_space = LM_HOST;
    if (w->op != LM_OP_AFFINE) lm_history_add(&anywhere, w->dst, w->src, w->elem_size, 0);
}

typedef struct making {
    lmad_plan *plan;
    const lm_device_wish *w;
} making;

/* All that asks HIP. */
static lmad_status make_with_hip(const void *arg) {
    const making *m = arg;
    const lm_device *device;
    const lmad_status status = find_devices(m->w, &device);
    return status != LMAD_OK || m->plan->recipe == LM_RECIPE_NOTHING ? status
                                                                     : make_device(m->plan, m->w, device);
}

lmad_status lm_device_plan_init(lmad_plan *plan, const lm_device_wish *w) {
    int threads;
    lmad_status status = lm_plan_start(plan, w->ctx, w->flags, &threads);
    if (status == LMAD_OK)
        status = lm_problem_make(&plan->problem, w->op, w->dst, w->src, w->elem_size, threads);
    if (status != LMAD_OK) return status;
    lm_problem *p = &plan->problem;
    p->dst_space = w->dst_device;
    p->src_space = w->src_device;
    if (!lm_problem_crosses(p)) p->threads = 1;
    const bool nothing = p->count == 0 || (p->op == LM_OP_MOVE && lm_problem_is_identity(p));
    plan->recipe = nothing ? LM_RECIPE_NOTHING : LM_RECIPE_DEVICE;
    const making m = {plan, w};
    status = lm_device_aside(make_with_hip, &m);
    if (status != LMAD_OK) return status;
    plan->ctx = lm_ctx_ref(w->ctx);
    record(plan, w);
    return LMAD_OK;
}

/* ---- running ---------------------------------------------------------------------------------------- */

/* The first element comes from the host; all of them are copies of it, it too. They may be in pinned memory. */
static lmad_status run_long_fill(const lmad_plan *plan, char *dst, const void *value, lm_hip_stream stream) {
    char *first = dst + plan->problem.doff;
    const lmad_status status = lm_device_fail(
        lm_hip_get()->hipMemcpyAsync(first, value, (size_t)plan->problem.run, LM_HIP_COPY_DEFAULT, stream),
        "copying a fill's element to the device");
    if (status != LMAD_OK || plan->problem.count == 1) return status;
    return lm_device_copy_run(plan->device->step[0], dst, first, stream);
}

static lmad_status run_through(const lm_device_plan *d, char *buffer, char *work, lm_hip_stream stream) {
    const lmad_status status = lm_device_copy_run(d->step[0], work, buffer, stream);
    return status == LMAD_OK ? lm_device_copy_run(d->step[1], buffer, work, stream) : status;
}

/* Executions on several streams take turns in the plan's scratch. What is captured is only put into an order
 * when it is replayed, which is the caller's to see to. */
static lmad_status run_in_scratch(lm_device_plan *d, char *buffer, lm_hip_stream stream) {
    const lm_hip *hip = lm_hip_get();
    lm_hip_capture_status capture = LM_HIP_CAPTURE_NONE;
    lm_hip_error error = hip->hipStreamIsCapturing(stream, &capture);
    if (error) return lm_device_fail(error, "asking about a stream");
    if (capture != LM_HIP_CAPTURE_NONE) return run_through(d, buffer, d->scratch, stream);
    pthread_mutex_lock(&d->lock);
    if (d->used) error = hip->hipStreamWaitEvent(stream, d->last, 0);
    lmad_status status = lm_device_fail(error, "waiting for an earlier move");
    if (status == LMAD_OK) {
        status = run_through(d, buffer, d->scratch, stream);
        error = hip->hipEventRecord(d->last, stream);
        if (error) hip->hipStreamSynchronize(stream); /* then nobody needs to wait */
        d->used = !error;
    }
    pthread_mutex_unlock(&d->lock);
    return status;
}

/* Staged copies look themselves; scratch is for those that go through it. */
static lmad_status check_memory(const lmad_plan *plan, const char *dst, const char *src, const char *work) {
    const lm_problem *p = &plan->problem;
    if (plan->device->recipe == LM_DEVICE_STAGED) return LMAD_OK;
    lmad_status status = lm_device_check_memory(p->dst_space, dst + p->dlo, "destination");
    if (status == LMAD_OK && p->op == LM_OP_COPY)
        status = lm_device_check_memory(p->src_space, src + p->slo, "source");
    if (status == LMAD_OK && work && plan->device->recipe == LM_DEVICE_BUFFERED)
        status = lm_device_check_memory(p->dst_space, work, "scratch");
    return status;
}

static lmad_status run_here(const lmad_plan *plan, char *dst, const void *src, char *work,
                            lm_hip_stream stream) {
    lm_device_plan *d = plan->device;
    const lmad_status status = check_memory(plan, dst, src, work);
    if (status != LMAD_OK) return status;
    switch (d->recipe) {
    case LM_DEVICE_ONE: break;
    case LM_DEVICE_LONG_FILL: return run_long_fill(plan, dst, src, stream);
    case LM_DEVICE_BUFFERED: return work ? run_through(d, dst, work, stream) : run_in_scratch(d, dst, stream);
    case LM_DEVICE_STAGED: return lm_stage_run(d->stage, dst, src, stream);
    }
    return lm_device_copy_run(d->step[0], dst, src, stream);
}

/* One call of lm_device_plan_run(), or, to be waited for, of lm_device_plan_finish(). */
typedef struct running {
    const lmad_plan *plan;
    void *dst;
    const void *src;
    void *work;
    lm_hip_stream stream;
    bool to_its_end;
} running;

static lmad_status run_with_hip(const void *arg) {
    const running *r = arg;
    const lm_hip *hip = lm_hip_get();
    lm_device_guard guard;
    lmad_status status = lm_device_enter(&guard, r->plan->device->device->number);
    if (status != LMAD_OK) return status;
    status = run_here(r->plan, r->dst, r->src, r->work, r->stream);
    if (r->to_its_end) {
        const lm_hip_error error = hip->hipStreamSynchronize(r->stream);
        if (status == LMAD_OK) status = lm_device_fail(error, "waiting for the default stream");
    }
    lm_device_leave(&guard);
    return status;
}

/* Is the caller's own stream, of the plan's device, being captured? Where that cannot be told it may be. */
static bool is_captured(const running *r) {
    const lm_hip *hip = lm_hip_get();
    lm_hip_capture_status capture = LM_HIP_CAPTURE_ACTIVE;
    lm_device_guard guard;
    if (lm_device_enter(&guard, r->plan->device->device->number) != LMAD_OK) return true;
    hip->hipStreamIsCapturing(r->stream, &capture);
    lm_device_leave(&guard);
    return capture != LM_HIP_CAPTURE_NONE;
}

/* hipStreamPerThread is another stream on another thread. So where an error of the caller's waits, the work
 * is done there in the default stream: each of the two waits for the other. But that would not be captured;
 * and before version 7 already the question whether it should be takes the error away. */
static lmad_status run_in_own_stream(running *r) {
    const lm_hip *hip = lm_hip_get();
    const bool waits = hip && hip->hipPeekAtLastError() != LM_HIP_SUCCESS;
    if (!waits || hip->version < LM_HIP_7 || is_captured(r)) return run_with_hip(r);
    r->stream = NULL;
    return lm_device_aside(run_with_hip, r);
}

lmad_status lm_device_plan_run(const lmad_plan *plan, void *dst, const void *src, void *work,
                               lm_hip_stream stream) {
    running r = {plan, dst, src, work, stream, false};
    return stream == LM_HIP_STREAM_PER_THREAD ? run_in_own_stream(&r) : lm_device_aside(run_with_hip, &r);
}

lmad_status lm_device_plan_finish(const lmad_plan *plan, void *dst, const void *src, void *work) {
    const running r = {plan, dst, src, work, NULL, true};
    return lm_device_aside(run_with_hip, &r);
}
