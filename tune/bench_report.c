/* SPDX-License-Identifier: BSD-3-Clause */
/* The table, the means below it, and the progress line. */
#define _GNU_SOURCE
#include "bench_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench_json.h"
#include "lib/device.h"

enum { NAME_WIDTH_MAX = 48, KIND_WIDTH = 10, VALUE_WIDTH = 9 };

void lm_report_begin(lm_report *report, const lm_bench_options *options) {
    *report = (lm_report){.options = options, .name_width = 4, .progress = isatty(STDERR_FILENO)};
    for (size_t k = 0; k < options->cases.count; k++) {
        const int width = (int)strnlen(options->cases.item[k].name, NAME_WIDTH_MAX);
        if (width > report->name_width) report->name_width = width;
    }
    if (options->json || options->cases.count == 0) return;
    const lm_device *device;
    if (options->device != LM_HOST && lm_device_get(options->device, &device) == LMAD_OK)
        printf("hip:%d, %s%s\n", options->device, device->arch,
               device->emulated ? ": EMULATED, times mean nothing" : "");
    printf("%-*s  %-*s %3s %9s %7s %9s %9s %9s", report->name_width, "name", KIND_WIDTH, "plan", "thr",
           "time", "GB/s", "/memcpy", "/ceiling", "/ideal");
    if (options->naive) printf(" %9s", "/naive");
    printf(" %9s", "planning");
    printf(options->verify ? "  verified\n" : "\n");
}

/* Takes the progress line away, for something to be printed. */
static void clear(const lm_report *report) {
    if (report->progress) fputs("\r\033[K", stderr);
}

void lm_report_progress(const lm_report *report, size_t done, size_t total, const char *name) {
    if (report->progress) fprintf(stderr, "\r\033[K[%zu/%zu] %.60s", done + 1, total, name);
}

static void print_time(double ns) {
    char text[32];
    const char *const unit = ns < 1e3 ? "ns" : ns < 1e6 ? "us" : ns < 1e9 ? "ms" : "s";
    const double value = ns < 1e3 ? ns : ns < 1e6 ? ns / 1e3 : ns < 1e9 ? ns / 1e6 : ns / 1e9;
    snprintf(text, sizeof text, "%.*f %s", value < 100 ? 1 : 0, value, unit);
    printf(" %*s", VALUE_WIDTH, text);
}

static void print_ratio(const lm_row *row, double reference_ns, lm_mean *mean) {
    const double ratio = lm_row_ratio(row, reference_ns);
    if (ratio <= 0) {
        printf(" %*s", VALUE_WIDTH, "-");
        return;
    }
    printf(" %*.2f", VALUE_WIDTH, ratio);
    if (mean->count == 0 || ratio < mean->worst) {
        mean->worst = ratio;
        mean->worst_name = row->problem->name;
    }
    mean->log_sum += log(ratio);
    mean->count++;
}

static void print_timed(lm_report *report, const lm_row *row) {
    printf(" %3d", row->info.threads);
    print_time(row->median_ns);
    printf(" %7.2f", row->median_ns > 0 ? 2 * (double)row->info.payload_bytes / row->median_ns : 0);
    print_ratio(row, row->memcpy_ns, &report->to_memcpy);
    print_ratio(row, row->ceiling_ns, &report->to_ceiling);
    print_ratio(row, row->ideal_ns, &report->to_ideal);
    if (report->options->naive) print_ratio(row, row->naive_ns, &report->to_naive);
    print_time(row->plan_ns);
    printf(report->options->verify ? "  yes\n" : "\n");
}

static void print_row(lm_report *report, const lm_row *row) {
    const char *const word[] = {
        [LM_ROW_SKIPPED] = "skipped", [LM_ROW_FAILED] = "FAILED", [LM_ROW_WRONG] = "WRONG"};
    printf("%-*.*s  %-*s", report->name_width, NAME_WIDTH_MAX, row->problem->name, KIND_WIDTH,
           row->planned ? row->info.kind : "-");
    if (row->outcome == LM_ROW_DONE)
        print_timed(report, row);
    else
        printf(" %s: %s\n", word[row->outcome], row->reason);
    if (row->explain) printf("%s\n", row->explain);
}

void lm_report_row(lm_report *report, const lm_row *row) {
    report->done += row->outcome == LM_ROW_DONE;
    report->skipped += row->outcome == LM_ROW_SKIPPED;
    report->failed += row->outcome == LM_ROW_FAILED;
    report->wrong += row->outcome == LM_ROW_WRONG;
    clear(report);
    if (report->options->json)
        lm_json_row(row, report->options);
    else
        print_row(report, row);
    fflush(stdout);
}

static void print_mean(const char *name, const lm_mean *mean) {
    if (mean->count == 0) return;
    printf("%-9s geometric mean %.3f, lowest %.3f (%s)\n", name, exp(mean->log_sum / mean->count),
           mean->worst, mean->worst_name);
}

void lm_report_end(const lm_report *report) {
    if (report->options->json) return;
    putchar('\n');
    print_mean("/memcpy", &report->to_memcpy);
    print_mean("/ceiling", &report->to_ceiling);
    print_mean("/ideal", &report->to_ideal);
    print_mean("/naive", &report->to_naive);
    printf("%d done%s, %d skipped, %d failed, %d wrong\n", report->done,
           report->options->verify ? " and verified" : "", report->skipped, report->failed, report->wrong);
}
