/* SPDX-License-Identifier: BSD-3-Clause */
/* Running staged copies: box by box through the stations, each of which works in a stream of its own and
 * waits for the one before (the box has come) and for the one behind (the slot is free again) by events.
 * Nothing waits on the host. */
#include "device_stage_parts.h"
#include "status.h"

/* One execution while it is enqueued. The stations that it uses, and the buffer behind each but the last. */
typedef struct run {
    lm_stage *stage;
    char *dst;
    const char *src;
    lm_hip_stream caller;
    bool alone;    /* a single box: in the caller's stream */
    bool anywhere; /* between two devices: memory that is no device's own, or managed */
    int stations, at[LM_STAGE_STATIONS];
    const lm_stage_buffer *behind[LM_STAGE_STATIONS];
    lm_flight *flight; /* of the host's part; NULL where there is none */
} run;

static lm_hip_stream stream_of(const run *r, int station) {
    return r->alone ? r->caller : r->stage->station[station].stream;
}

/* ---- route ----------------------------------------------------------------------------------------- */

static void add_station(run *r, int station) {
    r->at[r->stations] = station;
    r->behind[r->stations++] = NULL;
}

/* Which stations, when what is dense on either side may be copied without packing. */
static void find_route(run *r, bool skip_in, bool skip_out) {
    const lm_stage *s = r->stage;
    for (int i = 0; i < LM_STAGE_STATIONS; i++) {
        const bool skip = (i == LM_STAGE_IN && skip_in) || (i == LM_STAGE_OUT && skip_out);
        if (s->station[i].used && !skip) add_station(r, i);
    }
    /* Behind the copy lies what the next station works from. */
    for (int k = 0; k < r->stations - 1; k++) {
        const bool last_copy = r->at[k] == LM_STAGE_COPY && r->at[k + 1] == LM_STAGE_OUT;
        r->behind[k] = &s->buffer[last_copy ? LM_STAGE_COPY_ON : r->at[k]];
    }
}

/* ---- the host's part ------------------------------------------------------------------------------- */

/* One box of a flight, in the run time's thread. Boxes come in order. */
static void host_box(void *arg) {
    lm_flight *f = arg;
    const lm_stage *s = f->stage;
    const bool in = s->in.space == LM_HOST;
    const int64_t c = f->next++;
    int64_t d, from;
    const lm_piece *piece = lm_crossing_box(&s->crossing, c, &d, &from);
    const int i = (int)(piece - s->crossing.piece), slot = (int)(c % LM_STAGE_SLOTS);
    if (in)
        lm_step_run(&s->in.step[i], &s->settings, s->buffer[LM_STAGE_IN].slot[slot], f->src + from);
    else
        lm_step_run(&s->out.step[i], &s->settings, f->dst + d, s->buffer[LM_STAGE_COPY_ON].slot[slot]);
    if (f->next == s->crossing.chunks) atomic_store(&f->busy, false);
}

static bool on_host(const lm_stage *s, int station) {
    return (station == LM_STAGE_IN && s->in.space == LM_HOST) ||
           (station == LM_STAGE_OUT && s->out.space == LM_HOST);
}

static lm_flight *free_flight(lm_stage *s) {
    for (int i = 0; i < LM_STAGE_FLIGHTS; i++)
        if (!atomic_load(&s->flight[i].busy)) return &s->flight[i];
    return NULL;
}

/* A flight of its own for an execution; the only wait there is, when many are under way. */
static lm_flight *claim_flight(run *r) {
    lm_flight *f = free_flight(r->stage);
    if (!f) {
        lm_stage_drain(r->stage);
        f = free_flight(r->stage);
    }
    if (!f) return NULL;
    f->dst = r->dst;
    f->src = r->src;
    f->next = 0;
    atomic_store(&f->busy, true);
    return f;
}

/* ---- one box at one station ------------------------------------------------------------------------ */

/* What a box is there: pointers and sizes. */
typedef struct visit {
    const lm_piece *piece;
    int which, slot; /* of the piece; of the buffers */
    char *to;
    const char *from;
} visit;

static visit visit_of(const run *r, int k, int64_t c) {
    int64_t d, from;
    visit v = {.piece = lm_crossing_box(&r->stage->crossing, c, &d, &from),
               .slot = (int)(c % LM_STAGE_SLOTS)};
    const bool copies = r->at[k] == LM_STAGE_COPY || r->at[k] == LM_STAGE_COPY_ON;
    v.which = (int)(v.piece - r->stage->crossing.piece);
    v.to = k < r->stations - 1 ? r->behind[k]->slot[v.slot] : r->dst + d + (copies ? v.piece->out.doff : 0);
    v.from = k > 0 ? r->behind[k - 1]->slot[v.slot] : r->src + from + (copies ? v.piece->in.soff : 0);
    return v;
}

/* What is taken for memory of a device may be pinned or managed: the run time knows where pointers lie. */
static lm_hip_error copy_box(const run *r, int station, const visit *v) {
    const lm_stage *s = r->stage;
    const size_t bytes = (size_t)v->piece->bytes;
    const int dst = s->problem.dst_space, src = s->problem.src_space;
    const lm_hip_stream stream = stream_of(r, station);
    const bool host = dst == LM_HOST || src == LM_HOST || s->station[LM_STAGE_COPY_ON].used;
    if (host || r->anywhere)
        return s->hip->hipMemcpyAsync(v->to, v->from, bytes, LM_HIP_COPY_DEFAULT, stream);
    return s->hip->hipMemcpyPeerAsync(v->to, dst, v->from, src, bytes, stream);
}

static lmad_status work(const run *r, int k, int64_t c) {
    const lm_stage *s = r->stage;
    const int station = r->at[k];
    const visit v = visit_of(r, k, c);
    if (on_host(s, station))
        return lm_device_fail(s->hip->hipLaunchHostFunc(stream_of(r, station), host_box, r->flight),
                              "enqueuing the host's part of a copy");
    if (station == LM_STAGE_IN)
        return lm_device_copy_run(s->in.launch[v.which], v.to, v.from, stream_of(r, station));
    if (station == LM_STAGE_OUT)
        return lm_device_copy_run(s->out.launch[v.which], v.to, v.from, stream_of(r, station));
    return lm_device_fail(copy_box(r, station, &v), "copying between memory spaces");
}

static lm_hip_error wait_for(const run *r, int k, int other, int slot) {
    return r->stage->hip->hipStreamWaitEvent(stream_of(r, r->at[k]),
                                             r->stage->station[r->at[other]].done[slot], 0);
}

/* The box has come, and its slot behind the station is free. In a caller's stream the order among streams is
 * to be kept, too: that the station is done with its slot must mean that it is for all executions so far. An
 * event that was never recorded holds nobody up. */
static lm_hip_error wait(const run *r, int k, int64_t c) {
    const lm_stage *s = r->stage;
    const int slot = (int)(c % LM_STAGE_SLOTS);
    lm_hip_error error = LM_HIP_SUCCESS;
    if (r->alone)
        error = wait_for(r, k, k, slot);
    else if (k > 0)
        error = wait_for(r, k, k - 1, slot);
    else if (c == 0)
        error = s->hip->hipStreamWaitEvent(stream_of(r, r->at[k]), s->begin, 0);
    return !error && k < r->stations - 1 ? wait_for(r, k, k + 1, slot) : error;
}

static lmad_status pass(const run *r, int k, int64_t c) {
    const lm_stage *s = r->stage;
    const lm_station *station = &s->station[r->at[k]];
    lm_hip_error error = s->hip->hipSetDevice(station->device);
    if (!error) error = wait(r, k, c);
    if (error) return lm_device_fail(error, "ordering copies between memory spaces");
    const lmad_status status = work(r, k, c);
    if (status != LMAD_OK) return status;
    error = s->hip->hipEventRecord(station->done[c % LM_STAGE_SLOTS], stream_of(r, r->at[k]));
    return lm_device_fail(error, "ordering copies between memory spaces");
}

/* ---- one execution --------------------------------------------------------------------------------- */

static lmad_status enqueue(const run *r) {
    const lm_stage *s = r->stage;
    const int64_t chunks = s->crossing.chunks;
    lmad_status status = LMAD_OK;
    if (!r->alone) status = lm_device_fail(s->hip->hipEventRecord(s->begin, r->caller), "using the stream");
    for (int64_t c = 0; c < chunks; c++)
        for (int k = 0; k < r->stations && status == LMAD_OK; k++) status = pass(r, k, c);
    if (status != LMAD_OK || r->alone) return status;
    const lm_station *last = &s->station[r->at[r->stations - 1]];
    lm_hip_error error = s->hip->hipSetDevice(s->device); /* a default stream is that of the current device */
    if (!error) error = s->hip->hipStreamWaitEvent(r->caller, last->done[(chunks - 1) % LM_STAGE_SLOTS], 0);
    return lm_device_fail(error, "using the stream");
}

void lm_stage_drain(lm_stage *s) {
    for (int i = 0; i < LM_STAGE_STATIONS; i++) {
        const lm_station *station = &s->station[i];
        if (station->stream) s->hip->hipStreamSynchronize(station->stream);
        for (int slot = 0; slot < LM_STAGE_SLOTS; slot++) /* in the stream of a caller */
            if (station->done[slot]) s->hip->hipEventSynchronize(station->done[slot]);
    }
}

/* Nothing of a failed execution may still be under way when its caller learns of it. */
static void give_up(run *r) {
    r->stage->hip->hipSetDevice(r->stage->device);
    if (r->alone) r->stage->hip->hipStreamSynchronize(r->caller);
    lm_stage_drain(r->stage);
    if (r->flight) atomic_store(&r->flight->busy, false);
}

static lmad_status run_pipeline(run *r, bool pinned) {
    const lm_stage *s = r->stage;
    r->alone = s->crossing.chunks == 1 && s->station[LM_STAGE_IN].device == s->station[LM_STAGE_OUT].device;
    find_route(r, s->in.trivial && (s->in.space != LM_HOST || pinned),
               s->out.trivial && (s->out.space != LM_HOST || pinned));
    for (int k = 0; k < r->stations; k++) {
        if (!on_host(s, r->at[k])) continue;
        r->flight = claim_flight(r);
        if (!r->flight)
            return lm_fail(LMAD_ERR_DEVICE_LOST, "earlier executions of the plan do not come to an end");
    }
    const lmad_status status = enqueue(r);
    if (status != LMAD_OK) give_up(r);
    return status;
}

/* ---- ways of memory that a device reaches ---------------------------------------------------------- */

static lmad_status run_box(const run *r) {
    const lm_problem *p = &r->stage->problem;
    const lm_hip *hip = r->stage->hip;
    const lm_pdim *row = &p->dim[p->rank - 1], *slice = &p->dim[0];
    char *dst = r->dst + p->doff;
    char *src = (char *)r->src + p->soff; /* only read */
    const size_t width = (size_t)p->run, ds = (size_t)row->ds, ss = (size_t)row->ss;
    if (p->rank == 1)
        return lm_device_fail(
            hip->hipMemcpy2DAsync(dst, ds, src, ss, width, (size_t)row->n, LM_HIP_COPY_DEFAULT, r->caller),
            "copying rows");
    const lm_hip_copy_3d copy = {
        .src = {src, ss, width, (size_t)slice->ss / ss},
        .dst = {dst, ds, width, (size_t)slice->ds / ds},
        .extent = {width, (size_t)row->n, (size_t)slice->n},
        .kind = LM_HIP_COPY_DEFAULT,
    };
    return lm_device_fail(hip->hipMemcpy3DAsync(&copy, r->caller), "copying slices");
}

/* May a kernel use this address of pinned memory? */
static bool reaches(const lm_hip *hip, const void *p) {
    lm_hip_pointer_attributes a = {0};
    return hip->hipPointerGetAttributes(&a, p) == LM_HIP_SUCCESS && a.device_pointer == p;
}

static lmad_status run_host_device(run *r) {
    const lm_stage *s = r->stage;
    const bool to_host = s->problem.dst_space == LM_HOST;
    const char *host = to_host ? r->dst + s->problem.dlo : r->src + s->problem.slo;
    int device;
    const lm_hip_memory memory = lm_hip_memory_of(host, &device);
    if (memory == LM_HIP_MEMORY_DEVICE && device != s->device)
        return lm_fail(LMAD_ERR_ARGUMENT, "%s: planned as memory of the host, but it is that of device %d",
                       to_host ? "destination" : "source", device);
    if (memory == LM_HIP_MEMORY_DEVICE || memory == LM_HIP_MEMORY_MANAGED)
        return lm_device_copy_run(s->direct, r->dst, r->src, r->caller);
    const bool pinned = memory == LM_HIP_MEMORY_PINNED;
    if (pinned && s->params.way == LM_STAGE_BOX) return run_box(r);
    if (pinned && s->params.way == LM_STAGE_REACH && reaches(s->hip, host))
        return lm_device_copy_run(s->direct, r->dst, r->src, r->caller);
    return run_pipeline(r, pinned);
}

/* ---- checks ---------------------------------------------------------------------------------------- */

static bool is_devices_own(const char *p) { return lm_hip_memory_of(p, NULL) == LM_HIP_MEMORY_DEVICE; }

static lmad_status check_side(int space, const char *lowest, const char *side) {
    return space == LM_HOST ? LMAD_OK : lm_device_check_memory(space, lowest, side);
}

static lmad_status check_capture(const lm_hip *hip, lm_hip_stream stream) {
    lm_hip_capture_status status = LM_HIP_CAPTURE_NONE;
    const lm_hip_error error = hip->hipStreamIsCapturing(stream, &status);
    if (error) return lm_device_fail(error, "using the stream");
    if (status == LM_HIP_CAPTURE_NONE) return LMAD_OK;
    return lm_fail(LMAD_ERR_ARGUMENT, "stream: a copy between memory spaces cannot be captured");
}

static lmad_status run_checked(run *r) {
    const lm_stage *s = r->stage;
    lmad_status status = check_side(s->problem.dst_space, r->dst + s->problem.dlo, "destination");
    if (status == LMAD_OK) status = check_side(s->problem.src_space, r->src + s->problem.slo, "source");
    if (status == LMAD_OK) status = check_capture(s->hip, r->caller);
    if (status != LMAD_OK) return status;
    if (s->problem.dst_space == LM_HOST || s->problem.src_space == LM_HOST) return run_host_device(r);
    r->anywhere = !is_devices_own(r->dst + s->problem.dlo) || !is_devices_own(r->src + s->problem.slo);
    return run_pipeline(r, false);
}

lmad_status lm_stage_run(lm_stage *s, char *dst, const char *src, lm_hip_stream stream) {
    run r = {.stage = s, .dst = dst, .src = src, .caller = stream};
    lm_device_guard guard;
    lmad_status status = lm_device_enter(&guard, s->device);
    if (status != LMAD_OK) return status;
    pthread_mutex_lock(&s->lock);
    status = run_checked(&r);
    pthread_mutex_unlock(&s->lock);
    lm_stage_leave(s, &guard);
    return status;
}
