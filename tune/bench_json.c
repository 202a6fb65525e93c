/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON lines through jansson. */
#include "bench_json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "bench_baseline.h"
#include "device_args.h"
#include "lib/cpu.h"
#include "lmad-hip.h"

static const char *source_name(lmad_source source) {
    static const char *const name[] = {[LMAD_SOURCE_ESTIMATED] = "estimated",
                                       [LMAD_SOURCE_MEASURED] = "measured",
                                       [LMAD_SOURCE_WISDOM] = "wisdom",
                                       [LMAD_SOURCE_TIMED_OUT] = "timed-out"};
    return (unsigned)source < sizeof name / sizeof *name ? name[source] : NULL;
}

static void set_text(json_t *object, const char *key, const char *value) {
    json_object_set_new(object, key, value ? json_string(value) : json_null());
}

/* Tenths of a nanosecond are all that the clock can tell. */
static void set_time(json_t *object, const char *key, double ns) {
    json_object_set_new(object, key, ns > 0 ? json_real(round(ns * 10) / 10) : json_null());
}

static void set_count(json_t *object, const char *key, bool known, int64_t value) {
    json_object_set_new(object, key, known ? json_integer(value) : json_null());
}

static void print_line(json_t *object) {
    json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12));
    putchar('\n');
    json_decref(object);
}

static json_t *verified(const lm_row *row, const lm_bench_options *options) {
    if (!options->verify || row->outcome == LM_ROW_SKIPPED || row->outcome == LM_ROW_FAILED)
        return json_null();
    return json_boolean(row->outcome == LM_ROW_DONE);
}

void lm_json_row(const lm_row *row, const lm_bench_options *options) {
    char device[32];
    json_t *o = json_object();
    const bool planned = row->planned;
    set_text(o, "name", row->problem->name);
    set_text(o, "operation", lm_op_text(row->problem->op));
    set_count(o, "elem_size", true, (int64_t)row->problem->elem_size);
    set_count(o, "payload_bytes", planned, row->info.payload_bytes);
    set_count(o, "lines_touched", planned, row->info.lines_touched);
    set_text(o, "kind", planned ? row->info.kind : NULL);
    set_text(o, "plan", row->plan);
    set_text(o, "source", planned ? source_name(row->info.source) : NULL);
    set_count(o, "threads", planned, row->info.threads);
    lm_device_text(device, sizeof device, options->device);
    set_text(o, "device", device);
    if (options->device != LMAD_HOST) {
        set_count(o, "launches", planned, row->info.launches);
        json_object_set_new(o, "emulated", json_boolean(row->emulated));
    }
    set_time(o, "plan_ns", row->plan_ns);
    set_time(o, "median_ns", row->median_ns);
    set_time(o, "min_ns", row->min_ns);
    set_time(o, "memcpy_ns", row->memcpy_ns);
    set_time(o, "ceiling_ns", row->ceiling_ns);
    set_time(o, "naive_ns", row->naive_ns);
    set_time(o, "ideal_ns", row->ideal_ns);
    json_object_set_new(o, "verified", verified(row, options));
    if (row->explain) set_text(o, "explain", row->explain);
    if (row->outcome != LM_ROW_DONE)
        set_text(o, row->outcome == LM_ROW_SKIPPED ? "skipped" : "error", row->reason);
    print_line(o);
}

void lm_json_kernel(const lm_kernel_row *row) {
    json_t *o = json_object();
    set_text(o, "kernel", row->kernel->name);
    set_text(o, "isa", lm_isa_name(row->kernel->isa));
    set_count(o, "run", true, row->tile.run);
    set_count(o, "payload_bytes", true, row->bytes);
    set_time(o, "median_ns", row->median_ns);
    set_time(o, "plain_ns", row->plain_ns);
    json_object_set_new(o, "verified", json_boolean(row->right));
    print_line(o);
}

void lm_json_roofline(size_t bytes, int threads, const double *ns) {
    json_t *o = json_object();
    set_count(o, "payload_bytes", true, (int64_t)bytes);
    set_count(o, "threads", true, threads);
    for (int k = 0; k < LM_BASELINES; k++) {
        char name[32];
        snprintf(name, sizeof name, "%s_ns", lm_baseline_name[k]);
        set_time(o, name, ns[k]);
    }
    print_line(o);
}

void lm_json_regret(const char *name, int candidates, const double ns[3], const double planning_ns[3]) {
    static const char *const effort[] = {"estimate", "measure", "exhaustive"};
    json_t *o = json_object(), *time = json_object(), *planning = json_object();
    set_text(o, "name", name);
    set_count(o, "candidates", true, candidates);
    for (int k = 0; k < 3; k++) {
        set_time(time, effort[k], ns[k]);
        set_time(planning, effort[k], planning_ns[k]);
    }
    json_object_set_new(o, "median_ns", time);
    json_object_set_new(o, "plan_ns", planning);
    json_object_set_new(o, "estimate_regret", json_real(ns[0] / ns[2]));
    json_object_set_new(o, "measure_regret", json_real(ns[1] / ns[2]));
    print_line(o);
}
