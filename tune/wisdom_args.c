/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the command line of lmad-wisdom: a verb, then its options and files. */
#define _GNU_SOURCE
#include "wisdom_args.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_args.h"
#include "lib/record.h"
#include "lmad-hip.h"

enum { SUITE = 256, PROBLEM, EFFORT, TIME_LIMIT, THREADS, DEVICE, MACHINE, HERE, FOREIGN };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0,
     "Write to FILE: what is there already stays (- is standard output, merge's default)", 0},
    {NULL, 0, NULL, 0, "To tune:", 1},
    {"suite", SUITE, "FILE|NAME", 0,
     "Tune a suite: seeds, transposes, permutations, halo, small, or a file such as LMAD_RECORD writes (- is "
     "standard input)",
     1},
    {"problem", PROBLEM, "'ES DST SRC'", 0,
     "Tune one problem (for list and prune: part of the problem's text)", 1},
    {"effort", EFFORT, "EFFORT", 0,
     "measure, patient (default) or exhaustive (for list and prune: records of this effort or more)", 1},
    {"time-limit", TIME_LIMIT, "SECONDS", 0, "Stop after this time, inside a problem too", 1},
    {"threads", THREADS, "N,...", 0, "Tune for these thread limits (default 0: automatic)", 1},
    {"device", DEVICE, "DEVICE", 0,
     "Tune for a device: cpu (default), hip:0, hip:1, ...; may be given several times", 1},
    {NULL, 0, NULL, 0, "To list or prune, which records:", 2},
    {"machine", MACHINE, "TEXT", 0, "Those with TEXT in the machine's fingerprint", 2},
    {"here", HERE, NULL, 0, "Those of this machine", 2},
    {"foreign", FOREIGN, NULL, 0, "Those of other machines", 2},
    {0}};

static const char args_doc[] =
    "[--suite FILE|NAME]... [--problem 'ES DST SRC']...\n"
    "calibrate\nmerge FILE...\nlist [FILE...]\ncheck FILE...\ndiff FILE FILE\nprune FILE...";

/* clang-format off */
static const char doc[] =
    "Tunes copies offline, and looks after the wisdom that comes out.\v"
    "Without a verb it tunes: each problem is measured and the outcome added to FILE (default: the user's wisdom). "
    "Problems that FILE has with this effort are skipped, so a second run resumes. An interrupt (control-C) ends it "
    "after the problem at hand and keeps what is done.\n\n"
    "calibrate measures what estimates must know of this machine, in a second, and adds it to FILE; tuning does so in "
    "passing, in less time.\n\n"
    "merge puts files together. list shows one line a record (default: of the files in use). check reports every "
    "damaged line. diff compares two files. prune drops the records that are named from each file, and damaged lines; "
    "without options those that this version cannot use.\n\n"
    "Exit status: 0; 1 for bad lines, differences, or problems that cannot be planned; 2 for bad arguments and files "
    "that cannot be read or written.";
/* clang-format on */

static void read_effort(lm_wisdom_options *o, const char *text, struct argp_state *state) {
    o->effort = lm_effort_parse(text);
    if (o->effort < LMAD_MEASURE)
        argp_error(state, "\"%s\" is not an effort (measure, patient, exhaustive)", text);
    o->filter.effort = o->effort;
}

static void read_time_limit(lm_wisdom_options *o, const char *text, struct argp_state *state) {
    char *end;
    o->time_limit = strtod(text, &end);
    if (end == text || *end || !(o->time_limit >= 0))
        argp_error(state, "\"%s\" is not a time in seconds", text);
}

static void read_threads(lm_wisdom_options *o, const char *text, struct argp_state *state) {
    o->thread_limits = 0;
    for (const char *at = text; at; at = strchr(at, ',')) {
        char *end;
        at += *at == ',';
        errno = 0;
        const long n = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || errno || n < 0 || n > 1 << 16 ||
            o->thread_limits == LM_THREAD_LIMITS)
            argp_error(state, "\"%s\" is not a list of up to %d numbers of threads", text, LM_THREAD_LIMITS);
        o->threads[o->thread_limits++] = (int)n;
    }
}

static void read_device(lm_wisdom_options *o, const char *text, struct argp_state *state) {
    char error[512];
    if (o->devices == LM_THREAD_LIMITS) argp_error(state, "more than %d devices", LM_THREAD_LIMITS);
    if (lm_read_device(text, &o->device[o->devices++], error, sizeof error))
        argp_failure(state, LM_WISDOM_USAGE, 0, "%s", error);
}

static void add_suite(lm_wisdom_options *o, const char *text, struct argp_state *state) {
    char error[1024];
    if (lm_cases_add_suite(&o->cases, text, error, sizeof error))
        argp_failure(state, LM_WISDOM_USAGE, 0, "%s", error);
}

static bool is_tuning(const lm_wisdom_options *o) { return o->verb == LM_TUNE; }
static bool is_measuring(const lm_wisdom_options *o) { return is_tuning(o) || o->verb == LM_CALIBRATE; }

static void add_problem(lm_wisdom_options *o, const char *text, struct argp_state *state) {
    char error[1024];
    o->filter.problem = text;
    if (is_tuning(o) && lm_cases_add_problem(&o->cases, text, error, sizeof error))
        argp_failure(state, LM_WISDOM_USAGE, 0, "%s", error);
}

static const char *const verb_name[] = {"tune", "calibrate", "merge", "list", "check", "diff", "prune"};
enum { VERBS = sizeof verb_name / sizeof *verb_name };

/* Does the option mean anything to the verb? */
static bool is_for(int key, lm_verb verb) {
    const bool picks = verb == LM_LIST || verb == LM_PRUNE,
               measures = verb == LM_TUNE || verb == LM_CALIBRATE;
    switch (key) {
    case 'o': return measures || verb == LM_MERGE;
    case PROBLEM: return picks || verb == LM_TUNE;
    case EFFORT: return picks || measures;
    case TIME_LIMIT: return measures;
    case SUITE:
    case THREADS:
    case DEVICE: return verb == LM_TUNE;
    case MACHINE:
    case HERE:
    case FOREIGN: return picks;
    default: return true;
    }
}

static void check_option(int key, lm_verb verb, struct argp_state *state) {
    if (is_for(key, verb)) return;
    const struct argp_option *o = options;
    while (o->key != key) o++;
    argp_error(state, "%s takes no --%s", verb_name[verb], o->name);
}

static void check(const lm_wisdom_options *o, struct argp_state *state) {
    const bool wants_files = o->verb == LM_MERGE || o->verb == LM_CHECK || o->verb == LM_PRUNE;
    if (is_tuning(o) && o->cases.count == 0)
        argp_error(state, "nothing to tune: --suite or --problem is due");
    if (wants_files && o->files == 0) argp_error(state, "which files?");
    if (o->verb == LM_DIFF && o->files != 2) argp_error(state, "diff compares two files");
    if (is_measuring(o) && o->files) argp_error(state, "\"%s\" is neither a verb nor an option", o->file[0]);
    if (o->filter.here && o->filter.foreign) argp_error(state, "--here and --foreign exclude each other");
}

static error_t read_option(int key, char *arg, struct argp_state *state) {
    lm_wisdom_options *o = state->input;
    check_option(key, o->verb, state);
    switch (key) {
    case 'o': o->output = arg; break;
    case SUITE: add_suite(o, arg, state); break;
    case PROBLEM: add_problem(o, arg, state); break;
    case EFFORT: read_effort(o, arg, state); break;
    case TIME_LIMIT: read_time_limit(o, arg, state); break;
    case THREADS: read_threads(o, arg, state); break;
    case DEVICE: read_device(o, arg, state); break;
    case MACHINE: o->filter.machine = arg; break;
    case HERE: o->filter.here = true; break;
    case FOREIGN: o->filter.foreign = true; break;
    case ARGP_KEY_ARG: o->file[o->files++] = arg; break;
    case ARGP_KEY_END: check(o, state); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* The verb is the first argument, so that what options mean is known when they are read. */
static lm_verb read_verb(int argc, char **argv) {
    for (int k = 0; argc > 1 && k < VERBS; k++)
        if (strcmp(argv[1], verb_name[k]) == 0) return (lm_verb)k;
    return (lm_verb)-1;
}

static void print_version(FILE *stream, struct argp_state *state) {
    (void)state;
    fprintf(stream, "lmad-wisdom %s\n", lmad_version());
}

void lm_wisdom_read_args(lm_wisdom_options *out, int argc, char **argv) {
    static const struct argp argp = {options, read_option, args_doc, doc, NULL, NULL, NULL};
    const lm_verb verb = read_verb(argc, argv);
    const bool named = (int)verb >= 0;
    argp_program_version_hook = print_version;
    argp_err_exit_status = LM_WISDOM_USAGE;
    *out = (lm_wisdom_options){.verb = named ? verb : LM_TUNE,
                               .effort = LMAD_PATIENT,
                               .time_limit = -1,
                               .thread_limits = 1,
                               .filter.effort = -1};
    out->file = calloc((size_t)argc + 1, sizeof *out->file);
    if (!out->file) exit(LM_WISDOM_USAGE);
    if (named) argv[1] = argv[0];
    argp_parse(&argp, argc - named, argv + named, 0, NULL, out);
    if (out->devices == 0) out->device[out->devices++] = LMAD_HOST;
}
