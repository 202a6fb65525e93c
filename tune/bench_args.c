/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of lmad-bench. */
#include "bench_args.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_args.h"
#include "lib/record.h"
#include "lmad-hip.h"

/* clang-format off */
enum { SUITE = 256, PROBLEM, EFFORT, THREADS, DEVICE, BASELINE, MIN_TIME, JSON, VERIFY, EXPLAIN, KERNELS, OP,
       REGRET, SCALE, ROOFLINE };
/* clang-format on */

static const struct argp_option options[] = {
    {"suite", SUITE, "FILE|NAME", 0,
     "Run a suite: seeds, transposes, permutations, halo, small, fill, move, many, affine, or a file", 0},
    {"problem", PROBLEM, "'ES DST SRC'", 0,
     "Run one problem: element size in bytes, destination and source, e.g. '4 [(8,8),(8,1)] [(8,1),(8,8)]'; "
     "an operation (copy, move, fill, many, affine) may follow",
     0},
    {"op", OP, "OPERATION", 0,
     "The operation of problems that follow and name none (default copy); without any, the suite of that name",
     0},
    {"effort", EFFORT, "EFFORT", 0, "Plan with estimate (default), measure, patient or exhaustive effort", 0},
    {"threads", THREADS, "N", 0, "Use at most N threads (default 0: automatic)", 0},
    {"device", DEVICE, "DEVICE", 0, "Where to run: cpu (default), hip:0, hip:1, ...", 0},
    {"baseline", BASELINE, "naive", 0, "Time the plain loop nest, too", 0},
    {"min-time", MIN_TIME, "SECONDS", 0, "Time each problem this long (default 0.5), and 5 rounds at least",
     0},
    {"json", JSON, NULL, 0, "Print one JSON object a line", 0},
    {"verify", VERIFY, NULL, 0, "Check every byte of one execution of each plan", 0},
    {"explain", EXPLAIN, NULL, 0, "Show every candidate of the planner and its estimate", 0},
    {"kernels", KERNELS, NULL, 0, "Time each kernel of the library against a plain loop, and no problems", 0},
    {"roofline", ROOFLINE, NULL, 0, "Time contiguous copies of several sizes, and no problems", 0},
    {"regret", REGRET, NULL, 0,
     "Plan with several efforts, and time what is lost against the best of an exhaustive search", 0},
    {"scale", SCALE, "MB", 0, "For --regret: scale problems down to so many MB a side (default 32)", 0},
    {0}};

/* clang-format off */
static const char doc[] =
    "Times copies against contiguous ones of the same payload.\v"
    "Without --suite and --problem it runs the suite seeds. The columns /memcpy, /ceiling, /ideal and /naive are the "
    "time of that contender over the time of the plan, so more is better: libc's memcpy; the fastest of memcpy, rep "
    "movsb and streaming stores; the same scaled by the cache lines that the problem must touch; the plain loop nest. "
    "On a device memcpy is the device's own copy, and times are its clock's; those of an emulated device are marked, "
    "and mean nothing.\n\n"
    "Exit status: 0; 1 when a problem could not be planned or was copied wrongly; 2 for bad arguments. A problem that "
    "does not fit in the memory available is skipped, which is no failure.";
/* clang-format on */

static void read_effort(lm_bench_options *o, const char *text, struct argp_state *state) {
    const int effort = lm_effort_parse(text);
    if (effort < 0)
        argp_error(state, "\"%s\" is not an effort (estimate, measure, patient, exhaustive)", text);
    o->effort = (unsigned)effort;
}

static void read_threads(lm_bench_options *o, const char *text, struct argp_state *state) {
    char *end;
    errno = 0;
    const long n = strtol(text, &end, 10);
    if (end == text || *end || errno || n < 0 || n > 1 << 16)
        argp_error(state, "\"%s\" is not a number of threads", text);
    o->threads = (int)n;
}

static void read_device(lm_bench_options *o, const char *text, struct argp_state *state) {
    char error[512];
    if (lm_read_device(text, &o->device, error, sizeof error))
        argp_failure(state, LM_EXIT_USAGE, 0, "%s", error);
}

static void read_min_time(lm_bench_options *o, const char *text, struct argp_state *state) {
    char *end;
    o->min_seconds = strtod(text, &end);
    if (end == text || *end || !(o->min_seconds >= 0 && o->min_seconds <= 3600))
        argp_error(state, "\"%s\" is not a time of 0 to 3600 seconds", text);
}

static void read_scale(lm_bench_options *o, const char *text, struct argp_state *state) {
    char *end;
    const long mb = strtol(text, &end, 10);
    if (end == text || *end || mb < 1 || mb > 1 << 20) argp_error(state, "\"%s\" is not a size in MB", text);
    o->scale_bytes = (int64_t)mb * 1000000;
}

static void add_cases(lm_bench_options *o, int key, const char *text, struct argp_state *state) {
    char error[1024];
    const int failed = key == SUITE ? lm_cases_add_suite(&o->cases, text, error, sizeof error)
                                    : lm_cases_add_problem(&o->cases, text, error, sizeof error);
    if (failed) argp_failure(state, LM_EXIT_USAGE, 0, "%s", error);
}

static error_t read_option(int key, char *arg, struct argp_state *state) {
    lm_bench_options *o = state->input;
    switch (key) {
    case SUITE:
    case PROBLEM:
        o->named = true;
        add_cases(o, key, arg, state);
        break;
    case OP:
        if (!lm_read_op(arg, &o->cases.op))
            argp_error(state, "\"%s\" is not an operation (copy, move, fill, many, affine)", arg);
        break;
    case EFFORT: read_effort(o, arg, state); break;
    case THREADS: read_threads(o, arg, state); break;
    case DEVICE: read_device(o, arg, state); break;
    case BASELINE:
        if (strcmp(arg, "naive") != 0) argp_error(state, "\"%s\" is not a baseline (naive)", arg);
        o->naive = true;
        break;
    case MIN_TIME: read_min_time(o, arg, state); break;
    case JSON: o->json = true; break;
    case VERIFY: o->verify = true; break;
    case EXPLAIN: o->explain = true; break;
    case KERNELS: o->kernels = true; break;
    case ROOFLINE: o->roofline = true; break;
    case REGRET: o->regret = true; break;
    case SCALE: read_scale(o, arg, state); break;
    case ARGP_KEY_END:
        if (o->device != LMAD_HOST && (o->kernels || o->roofline || o->regret || o->naive))
            argp_error(state, "--kernels, --roofline, --regret and --baseline are for the cpu");
        if (o->kernels && o->named) argp_error(state, "--kernels goes without --suite and --problem");
        if (o->roofline && o->named) argp_error(state, "--roofline goes without --suite and --problem");
        break;
    case ARGP_KEY_ARG: argp_error(state, "\"%s\" is not an option", arg); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void print_version(FILE *stream, struct argp_state *state) {
    (void)state;
    fprintf(stream, "lmad-bench %s\n", lmad_version());
}

void lm_bench_read_args(lm_bench_options *out, int argc, char **argv) {
    static const struct argp argp = {options, read_option, NULL, doc, NULL, NULL, NULL};
    char error[256];
    argp_program_version_hook = print_version;
    argp_err_exit_status = LM_EXIT_USAGE;
    *out = (lm_bench_options){
        .effort = LMAD_ESTIMATE, .min_seconds = 0.5, .device = LMAD_HOST, .scale_bytes = 32000000};
    argp_parse(&argp, argc, argv, 0, NULL, out);
    if (out->named || out->kernels) return;
    const char *suite = out->cases.op == LM_OP_COPY ? "seeds" : lm_op_text(out->cases.op);
    if (!lm_cases_add_suite(&out->cases, suite, error, sizeof error)) return;
    fprintf(stderr, "lmad-bench: %s\n", error);
    exit(LM_EXIT_USAGE);
}
