/* SPDX-License-Identifier: BSD-3-Clause */
/* Making and destroying staged copies. */
#include "device_stage.h"

#include <stdlib.h>

#include "device_near.h"
#include "device_stage_parts.h"
#include "status.h"

/* ---- halves ---------------------------------------------------------------------------------------- */

static bool trivial(const lm_crossing *c, bool in) {
    for (int i = 0; i < 2; i++) {
        const lm_piece *piece = &c->piece[i];
        if (piece->bytes && !lm_crossing_trivial(in ? &piece->in : &piece->out)) return false;
    }
    return true;
}

static lmad_status make_half(lm_stage_half *half, const lm_crossing *c, bool in, int space, lmad_ctx *ctx) {
    half->space = space;
    half->trivial = trivial(c, in);
    if (half->trivial && space != LM_HOST) return LMAD_OK;
    for (int i = 0; i < 2; i++) {
        const lm_problem *problem = in ? &c->piece[i].in : &c->piece[i].out;
        lmad_status status = LMAD_OK;
        if (c->piece[i].bytes == 0) continue;
        if (space == LM_HOST)
            lm_planner_choose(problem, &half->step[i]);
        else
            status = lm_device_copy_make(&half->launch[i], problem, ctx, NULL);
        if (status != LMAD_OK) return status;
    }
    return LMAD_OK;
}

static lmad_status make_halves(lm_stage *s, lmad_ctx *ctx) {
    lmad_status status = make_half(&s->in, &s->crossing, true, s->problem.src_space, ctx);
    if (status == LMAD_OK) status = make_half(&s->out, &s->crossing, false, s->problem.dst_space, ctx);
    return status;
}

/* Memory that is said to be the host's may be within reach of kernels. */
static lmad_status make_direct(lm_stage *s, lmad_ctx *ctx) {
    lm_problem problem = s->problem;
    if (problem.dst_space != LM_HOST && problem.src_space != LM_HOST) return LMAD_OK;
    problem.dst_space = problem.src_space = s->device;
    return lm_device_copy_make(&s->direct, &problem, ctx, NULL);
}

/* ---- stations and what lies between them ------------------------------------------------------------ */

/* Do chunks between two devices have to pass through the host? Old run times do not say; then they do it
 * themselves. */
static bool through_host(const lm_stage *s) {
    const int dst = s->problem.dst_space, src = s->problem.src_space;
    int can = 1;
    if (dst == LM_HOST || src == LM_HOST || !s->hip->hipDeviceCanAccessPeer) return false;
    return s->hip->hipDeviceCanAccessPeer(&can, src, dst) == LM_HIP_SUCCESS && !can;
}

/* What happens on the host is in a stream of the one device. */
static int device_of(const lm_stage *s, int space) { return space == LM_HOST ? s->device : space; }

static void plan_stations(lm_stage *s) {
    const int dst = s->problem.dst_space, src = s->problem.src_space;
    const bool on = through_host(s);
    const size_t most = (size_t)s->crossing.piece[0].bytes;
    s->station[LM_STAGE_IN] =
        (lm_station){.used = !s->in.trivial || src == LM_HOST, .device = device_of(s, src)};
    s->station[LM_STAGE_COPY] = (lm_station){.used = true, .device = device_of(s, src)};
    s->station[LM_STAGE_COPY_ON] = (lm_station){.used = on, .device = device_of(s, dst)};
    s->station[LM_STAGE_OUT] =
        (lm_station){.used = !s->out.trivial || dst == LM_HOST, .device = device_of(s, dst)};
    s->buffer[LM_STAGE_IN] = (lm_stage_buffer){src, s->station[LM_STAGE_IN].used ? most : 0, {NULL}};
    s->buffer[LM_STAGE_COPY] = (lm_stage_buffer){LM_HOST, on ? most : 0, {NULL}};
    s->buffer[LM_STAGE_COPY_ON] = (lm_stage_buffer){dst, s->station[LM_STAGE_OUT].used ? most : 0, {NULL}};
}

static lm_hip_error open_station(const lm_hip *hip, lm_station *station) {
    if (!station->used) return LM_HIP_SUCCESS;
    lm_hip_error error = hip->hipSetDevice(station->device);
    if (!error) error = hip->hipStreamCreateWithFlags(&station->stream, LM_HIP_STREAM_NON_BLOCKING);
    for (int i = 0; !error && i < LM_STAGE_SLOTS; i++)
        error = hip->hipEventCreateWithFlags(&station->done[i], LM_HIP_EVENT_DISABLE_TIMING);
    return error;
}

/* One box alone needs but one. */
static int slots_of(const lm_stage *s) { return s->crossing.chunks > 1 ? LM_STAGE_SLOTS : 1; }

static lm_hip_error open_buffer(const lm_hip *hip, lm_stage_buffer *buffer, int slots,
                                const lm_device *near) {
    const bool host = buffer->space == LM_HOST;
    if (buffer->bytes == 0) return LM_HIP_SUCCESS;
    lm_hip_error error = hip->hipSetDevice(host ? near->number : buffer->space);
    for (int i = 0; !error && i < slots; i++) {
        void *memory = NULL;
        error = host ? lm_near_alloc(near, buffer->bytes, &memory) : hip->hipMalloc(&memory, buffer->bytes);
        buffer->slot[i] = memory;
    }
    return error;
}

static lmad_status open_all(lm_stage *s) {
    const lm_device *near;
    lmad_status status = lm_device_get(s->device, &near);
    if (status != LMAD_OK) return status;
    lm_hip_error error = s->hip->hipSetDevice(s->device);
    if (!error) error = s->hip->hipEventCreateWithFlags(&s->begin, LM_HIP_EVENT_DISABLE_TIMING);
    for (int i = 0; !error && i < LM_STAGE_STATIONS; i++) error = open_station(s->hip, &s->station[i]);
    status = lm_device_fail(error, "making streams and events for copies between memory spaces");
    for (int i = 0; !error && i < LM_STAGE_STATIONS - 1; i++)
        error = open_buffer(s->hip, &s->buffer[i], slots_of(s), near);
    return status != LMAD_OK ? status : lm_device_fail(error, "allocating staging memory");
}

/* ---- life ------------------------------------------------------------------------------------------ */

static void close_station(const lm_hip *hip, lm_station *station) {
    if (station->stream) hip->hipStreamDestroy(station->stream);
    for (int i = 0; i < LM_STAGE_SLOTS; i++)
        if (station->done[i]) hip->hipEventDestroy(station->done[i]);
}

static void close_buffer(const lm_hip *hip, lm_stage_buffer *buffer) {
    for (int i = 0; i < LM_STAGE_SLOTS; i++) {
        if (!buffer->slot[i]) continue;
        if (buffer->space == LM_HOST)
            hip->hipHostFree(buffer->slot[i]);
        else
            hip->hipFree(buffer->slot[i]);
    }
}

/* What is HIP's of it. */
static void close_all(lm_stage *s) {
    lm_stage_drain(s);
    for (int i = 0; i < LM_STAGE_STATIONS; i++) close_station(s->hip, &s->station[i]);
    for (int i = 0; i < LM_STAGE_STATIONS - 1; i++) close_buffer(s->hip, &s->buffer[i]);
    if (s->begin) s->hip->hipEventDestroy(s->begin);
}

/* Whatever there is of it. Errors have nobody to go to: the device may be lost. */
static void release(lm_stage *s) {
    if (lm_hip_get()) close_all(s);
    for (int i = 0; i < 2; i++) {
        lm_device_copy_destroy(s->in.launch[i]);
        lm_device_copy_destroy(s->out.launch[i]);
    }
    lm_device_copy_destroy(s->direct);
    pthread_mutex_destroy(&s->lock);
}

static lmad_status start(lm_stage **out, const lm_problem *problem, const lm_settings *settings,
                         const lm_stage_params *params) {
    const lm_hip *hip = lm_hip_get();
    if (!hip) return lm_fail(LMAD_ERR_NO_DEVICE, "no device: %s", lm_hip_reason());
    lm_stage *s = calloc(1, sizeof *s);
    if (!s) return lm_fail(LMAD_ERR_NO_MEMORY, "no memory for a plan of %zu bytes", sizeof *s);
    if (pthread_mutex_init(&s->lock, NULL) != 0) {
        free(s);
        return lm_fail(LMAD_ERR_NO_MEMORY, "no memory for a lock");
    }
    s->hip = hip;
    s->problem = *problem;
    s->settings = *settings;
    s->device = problem->dst_space == LM_HOST ? problem->src_space : problem->dst_space;
    s->params = *params;
    lm_stage_cut(&s->crossing, problem, &s->params);
    for (int i = 0; i < LM_STAGE_FLIGHTS; i++) s->flight[i].stage = s;
    *out = s;
    return LMAD_OK;
}

static lmad_status fill(lm_stage *s, lmad_ctx *ctx) {
    lmad_status status = make_halves(s, ctx);
    if (status == LMAD_OK) status = make_direct(s, ctx);
    if (status != LMAD_OK) return status;
    plan_stations(s);
    return open_all(s);
}

/* Between enter and leave the current device is whichever was needed last. */
void lm_stage_leave(const lm_stage *s, const lm_device_guard *guard) {
    lm_device_return(s->device);
    lm_device_leave(guard);
}

lmad_status lm_stage_make(lm_stage **out, const lm_problem *problem, lmad_ctx *ctx,
                          const lm_settings *settings, const lm_stage_params *params) {
    lm_device_guard guard;
    lm_stage *s = NULL;
    lmad_status status = start(&s, problem, settings, params);
    if (status != LMAD_OK) return status;
    status = lm_device_enter(&guard, s->device);
    if (status != LMAD_OK) goto free_stage;
    status = fill(s, ctx);
    if (status != LMAD_OK) release(s);
    lm_stage_leave(s, &guard);
    if (status != LMAD_OK) goto free_stage;
    *out = s;
    return LMAD_OK;

free_stage:
    free(s);
    return status;
}

void lm_stage_destroy(lm_stage *s) {
    lm_device_guard guard;
    if (!s) return;
    const bool entered = lm_device_enter(&guard, s->device) == LMAD_OK;
    release(s);
    if (entered) lm_stage_leave(s, &guard);
    free(s);
}

void lm_stage_facts_of(const lm_stage *s, lm_stage_facts *out) {
    const int slots = slots_of(s);
    *out =
        (lm_stage_facts){.params = s->params, .chunks = s->crossing.chunks, .crossing = s->crossing.crossing};
    for (int i = 0; i < LM_STAGE_STATIONS - 1; i++) {
        const lm_stage_buffer *buffer = &s->buffer[i];
        *(buffer->space == LM_HOST ? &out->pinned : &out->device) += buffer->bytes * (size_t)slots;
    }
    for (int i = 0; i < LM_STAGE_STATIONS; i++) {
        const bool host =
            i == LM_STAGE_IN ? s->in.space == LM_HOST : i == LM_STAGE_OUT && s->out.space == LM_HOST;
        if (s->station[i].used && !host) out->launches += s->crossing.chunks;
    }
}
