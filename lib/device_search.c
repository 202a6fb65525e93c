/* SPDX-License-Identifier: BSD-3-Clause */
/* Timing ways on devices. Every execution takes the next of many places in more memory than caches hold, so
 * that none finds what the one before has left there. */
#include "device_search.h"

#include <stdlib.h>

#include "device_copy.h"
#include "device_planner.h"
#include "scale.h"
#include "timing.h"

enum { FIELD = 64 };

/* One contender. */
typedef struct contender {
    lm_device_way way;
    lm_device_copy *copy; /* within a device, */
    lm_stage *stage;      /* or across */
} contender;

/* A side's memory: as many places as there are, one after the other. */
typedef struct side {
    char *block; /* owned by the search */
    int space;   /* LM_HOST: pinned memory */
    int64_t lo;  /* bytes of a place below its pointer */
    int64_t place;
} side;

typedef struct search {
    const lm_problem *problem;
    const lm_device *device;
    const lm_search_rules *rules;
    const lm_hip *hip;
    lm_problem scaled;
    side side[2]; /* LM_DST, LM_SRC */
    int64_t places, next;
    lm_hip_stream stream;
    lm_hip_event start, stop;
    bool failed; /* the device did */
    int count;
    contender field[FIELD];
    lm_runner runner[FIELD];
} search;

/* ---- memory ----------------------------------------------------------------------------------------- */

enum { GRAIN = 4096 };

/* Bytes a side of what is timed, and of all places together. An emulated device is a slow one. */
static int64_t side_cap(const lm_device *device) { return device->emulated ? 1 << 18 : (int64_t)256 << 20; }

static int64_t beyond_caches(const lm_device *device) {
    const int64_t wanted = device->emulated ? 1 << 20 : ((int64_t)256 << 20) + 4 * device->l2_bytes;
    return wanted < device->memory_bytes / 4 ? wanted : device->memory_bytes / 4;
}

static int64_t whole_grains(int64_t bytes) { return (bytes + GRAIN - 1) / GRAIN * GRAIN; }

static void measure_side(side *s, int space, int64_t lo, int64_t hi) {
    s->space = space;
    s->lo = lo < 0 ? whole_grains(-lo) : 0;
    s->place = s->lo + whole_grains(hi > 0 ? hi : 0) + GRAIN;
}

/* Of the other device, where there are two. */
static lm_hip_error allocate_there(const search *s, int device, void **block, size_t bytes) {
    lm_hip_error error = s->hip->hipSetDevice(device);
    if (!error) error = s->hip->hipMalloc(block, bytes);
    if (!error) {
        error = s->hip->hipMemsetAsync(*block, 0x41, bytes, NULL);
        if (!error) error = s->hip->hipStreamSynchronize(NULL);
        if (error) s->hip->hipFree(*block);
    }
    lm_device_return(s->device->number);
    return error;
}

static bool open_side(const search *s, side *one) {
    const size_t bytes = (size_t)(one->place * s->places);
    void *block;
    const lm_hip_error error = one->space == LM_HOST
                                   ? s->hip->hipHostMalloc(&block, bytes, LM_HIP_HOST_PORTABLE)
                                   : allocate_there(s, one->space, &block, bytes);
    if (!error) one->block = block;
    return !error;
}

static void close_side(const search *s, side *one) {
    if (!one->block) return;
    if (one->space == LM_HOST)
        s->hip->hipHostFree(one->block);
    else
        s->hip->hipFree(one->block);
    one->block = NULL;
}

/* Half as many places, as long as there is not the memory for them. */
static bool open_memory(search *s) {
    measure_side(&s->side[LM_DST], s->scaled.dst_space, s->scaled.dlo, s->scaled.dhi);
    measure_side(&s->side[LM_SRC], s->scaled.src_space, s->scaled.slo, s->scaled.shi);
    s->places = beyond_caches(s->device) / (s->side[LM_DST].place + s->side[LM_SRC].place) + 1;
    for (; s->places > 0; s->places /= 2) {
        if (open_side(s, &s->side[LM_DST]) && open_side(s, &s->side[LM_SRC])) return true;
        close_side(s, &s->side[LM_DST]);
        close_side(s, &s->side[LM_SRC]);
    }
    return false;
}

/* ---- contenders ------------------------------------------------------------------------------------- */

static bool add(void *arg, const lm_device_way *way, double seconds) {
    search *s = arg;
    const int most = lm_search_limits_of(s->rules->effort)->field < FIELD
                         ? lm_search_limits_of(s->rules->effort)->field
                         : FIELD;
    contender c = {.way = *way};
    if (lm_is_past(s->rules->deadline)) return false;
    if (!lm_device_way_allows(way, &s->scaled, s->device)) return true;
    const lmad_status status =
        way->kind == LM_WAY_STAGE ? lm_stage_make(&c.stage, &s->scaled, NULL, s->rules->settings, &way->stage)
                                  : lm_device_copy_probe(&c.copy, &s->scaled, way);
    if (status != LMAD_OK) return s->count > 0; /* nothing is compared with a leader that cannot run */
    s->runner[s->count].predicted = seconds;
    s->field[s->count++] = c;
    return s->count < most;
}

static void drop_field(search *s) {
    for (int k = 0; k < s->count; k++) {
        lm_device_copy_destroy(s->field[k].copy);
        lm_stage_destroy(s->field[k].stage);
    }
}

/* ---- the race --------------------------------------------------------------------------------------- */

static char *pointer(const side *one, int64_t place) { return one->block + place * one->place + one->lo; }

static lmad_status run_once(search *s, const contender *c) {
    const int64_t place = s->next++ % s->places;
    char *dst = pointer(&s->side[LM_DST], place);
    const char *src = pointer(&s->side[LM_SRC], place);
    static const char value[LM_HIP_VALUE];
    if (c->stage) return lm_stage_run(c->stage, dst, src, s->stream);
    const bool by_value = s->scaled.op == LM_OP_FILL;
    return lm_device_copy_run(c->copy, dst, by_value ? value : src, s->stream);
}

static double time_runs(search *s, int k, int64_t repeats) {
    float milliseconds;
    if (s->hip->hipEventRecord(s->start, s->stream)) return -1;
    for (int64_t i = 0; i < repeats; i++)
        if (run_once(s, &s->field[k]) != LMAD_OK) return -1;
    if (s->hip->hipEventRecord(s->stop, s->stream) || s->hip->hipEventSynchronize(s->stop)) return -1;
    if (s->hip->hipEventElapsedTime(&milliseconds, s->start, s->stop)) return -1;
    return (double)milliseconds * 1e-3 / (double)repeats;
}

/* Places change with every execution, whatever the round. */
static double run(void *arg, int k, int round, int64_t repeats) {
    search *s = arg;
    (void)round;
    const double seconds = time_runs(s, k, repeats);
    if (seconds < 0) s->failed = true;
    return seconds;
}

static double full_seconds(const search *s, int k) {
    return lm_timing_seconds(&s->runner[k]) * ((double)s->problem->payload / (double)s->scaled.payload);
}

static void judge(search *s, lm_device_way *way, lm_device_finding *finding) {
    const int winner = lm_timing_winner(s->runner, s->count),
              second = lm_timing_second(s->runner, s->count, winner);
    *way = s->field[winner].way;
    if (s->runner[winner].samples) finding->seconds = full_seconds(s, winner);
    if (second >= 0) {
        finding->has_second = true;
        finding->second = s->field[second].way;
        finding->second_seconds = full_seconds(s, second);
    }
    finding->candidates = s->count;
}

/* With stream, events and memory. */
static void race(search *s, lm_device_way *way, lm_device_finding *finding) {
    const double event_grain = s->device->emulated ? 0 : 50e-6;
    const lm_timing_rules rules = {.deadline = s->rules->deadline,
                                   .budget = lm_search_limits_of(s->rules->effort)->budget,
                                   .shortest = event_grain,
                                   .run = run,
                                   .arg = s};
    lm_device_each(s->problem, s->device, s->rules->effort, add, s);
    if (s->count > 0) {
        const bool through = lm_timing_race(s->runner, s->count, &rules);
        if (!s->failed) {
            judge(s, way, finding);
            finding->source = through ? LMAD_SOURCE_MEASURED : LMAD_SOURCE_TIMED_OUT;
        }
    }
    drop_field(s);
}

/* ---- one search ------------------------------------------------------------------------------------- */

/* On the device, which is current. */
static void search_here(search *s, lm_device_way *way, lm_device_finding *finding) {
    const lm_hip *hip = s->hip;
    if (hip->hipStreamCreateWithFlags(&s->stream, LM_HIP_STREAM_NON_BLOCKING)) return;
    if (hip->hipEventCreateWithFlags(&s->start, 0)) goto destroy_stream;
    if (hip->hipEventCreateWithFlags(&s->stop, 0)) goto destroy_start;
    if (open_memory(s)) race(s, way, finding);
    hip->hipStreamSynchronize(s->stream);
    close_side(s, &s->side[LM_DST]);
    close_side(s, &s->side[LM_SRC]);
    hip->hipEventDestroy(s->stop);

destroy_start:
    hip->hipEventDestroy(s->start);
destroy_stream:
    hip->hipStreamDestroy(s->stream);
}

static void search_in_turn(search *s, lm_device_way *way, lm_device_finding *finding) {
    lm_device_guard guard;
    if (lm_device_enter(&guard, s->device->number) != LMAD_OK) return;
    search_here(s, way, finding);
    lm_device_leave(&guard);
}

void lm_device_search(const lm_problem *problem, const lm_device *device, const lm_search_rules *rules,
                      lm_device_way *way, lm_device_finding *finding) {
    *finding = (lm_device_finding){.source = LMAD_SOURCE_ESTIMATED};
    if (lm_is_past(rules->deadline)) {
        finding->source = LMAD_SOURCE_TIMED_OUT;
        return;
    }
    search *s = calloc(1, sizeof *s);
    if (!s) return;
    s->problem = problem;
    s->device = device;
    s->rules = rules;
    s->hip = lm_hip_get();
    lm_scale_problem(problem, side_cap(device), &s->scaled);
    if (lm_timing_take_turn(rules->deadline)) {
        search_in_turn(s, way, finding);
        lm_timing_leave_turn();
    } else {
        finding->source = LMAD_SOURCE_TIMED_OUT;
    }
    free(s);
}
