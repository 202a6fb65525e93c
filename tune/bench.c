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

/* The context that all plans are made with. */
static int make_context(lmad_ctx **ctx, int threads) {
    lmad_status status = lmad_ctx_create(ctx);
    if (!status) status = lmad_ctx_set_threads(*ctx, threads);
    if (!status) return 0;
    fprintf(stderr, "lmad-bench: %s: %s\n", lmad_strerror(status), lmad_error_detail());
    return -1;
}

int main(int argc, char **argv) {
    lm_bench_options options;
    lm_arena arena = {0};
    lm_report report;
    lmad_ctx *ctx = NULL;
    int status = LM_EXIT_WRONG;

    lm_bench_device device = {0};
    char reason[512];
    lm_bench_read_args(&options, argc, argv);
    if (lm_bench_device_open(&device, options.device, reason, sizeof reason)) {
        fprintf(stderr, "lmad-bench: %s\n", reason);
        goto free_options;
    }
    if (device.device) arena.device = &device;
    if (options.regret) {
        if (lm_bench_regret(&arena, &options) == 0) status = LM_EXIT_OK;
        lm_arena_free(&arena);
        goto free_options;
    }
    if (options.roofline) {
        if (lm_bench_roofline(&arena, &options) == 0) status = LM_EXIT_OK;
        lm_arena_free(&arena);
        goto free_options;
    }
    if (make_context(&ctx, options.threads)) goto free_options;
    lm_report_begin(&report, &options);
    run_cases(&report, ctx, &arena, &options);
    lm_report_end(&report);
    const int broken = options.kernels ? lm_bench_kernels(&arena, &options) : 0;
    if (!report.failed && !report.wrong && !broken) status = LM_EXIT_OK;
    if (fflush(stdout) || ferror(stdout)) {
        perror("lmad-bench: standard output");
        status = LM_EXIT_WRONG;
    }
    lm_arena_free(&arena);

free_options:
    lm_bench_device_close(&device);
    lmad_ctx_destroy(ctx);
    lm_cases_free(&options.cases);
    return status;
}
