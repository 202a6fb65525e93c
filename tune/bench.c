/* SPDX-License-Identifier: BSD-3-Clause */
/* lmad-bench: how fast are the library's copies, and how fast could they be? */
#include <stdio.h>

#include "bench_args.h"
#include "bench_device.h"
#include "bench_kernels.h"
#include "bench_regret.h"
#include "bench_report.h"
#include "bench_roofline.h"
#include "bench_row.h"

static void run_cases(lm_report *report, lmad_ctx *ctx, lm_arena *arena, const lm_bench_options *options) {
    const lm_cases *cases = &options->cases;
    for (size_t k = 0; k < cases->count; k++) {
        lm_row row;
        lm_report_progress(report, k, cases->count, cases->item[k].name);
        lm_row_run(&row, &cases->item[k], ctx, arena, options);
        lm_report_row(report, &row);
        lm_row_free(&row);
    }
}

static bool run_problems(lm_arena *arena, const lm_bench_options *options) {
    lm_report report;
    lmad_ctx *ctx = NULL;
    lmad_status status = lmad_ctx_create(&ctx);
    if (!status) status = lmad_ctx_set_threads(ctx, options->threads);
    if (status) {
        fprintf(stderr, "lmad-bench: %s: %s\n", lmad_strerror(status), lmad_error_detail());
        lmad_ctx_destroy(ctx);
        return false;
    }
    lm_report_begin(&report, options);
    run_cases(&report, ctx, arena, options);
    lm_report_end(&report);
    lmad_ctx_destroy(ctx);
    return !report.failed && !report.wrong;
}

/* Is all as it must be? */
static bool run(lm_arena *arena, const lm_bench_options *options) {
    if (options->regret) return lm_bench_regret(arena, options) == 0;
    if (options->roofline) return lm_bench_roofline(arena, options) == 0;
    if (options->kernels) return lm_bench_kernels(arena, options) == 0;
    return run_problems(arena, options);
}

int main(int argc, char **argv) {
    lm_bench_options options;
    lm_bench_device device = {0};
    lm_arena arena = {0};
    char reason[512];
    bool good = false;
    lm_bench_read_args(&options, argc, argv);
    if (lm_bench_device_open(&device, options.device, reason, sizeof reason)) {
        fprintf(stderr, "lmad-bench: %s\n", reason);
    } else {
        if (device.device) arena.device = &device;
        good = run(&arena, &options);
    }
    if (fflush(stdout) || ferror(stdout)) {
        perror("lmad-bench: standard output");
        good = false;
    }
    lm_arena_free(&arena);
    lm_bench_device_close(&device);
    lm_cases_free(&options.cases);
    return good ? LM_EXIT_OK : LM_EXIT_WRONG;
}
