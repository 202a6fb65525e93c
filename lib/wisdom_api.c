/* SPDX-License-Identifier: BSD-3-Clause */
/* Import and export: the public functions, through string and callback too. */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "wisdom.h"
#include "wisdom_read.h"

/* The part of the report that the caller knows. */
static lmad_status open_report(lmad_wisdom_report *all, const lmad_wisdom_report *report) {
    *all = (lmad_wisdom_report){.struct_size = sizeof *all};
    if (!report) return LMAD_OK;
    if (report->struct_size < sizeof report->struct_size)
        return lm_fail(LMAD_ERR_ARGUMENT, "report: struct_size %zu is not set", report->struct_size);
    memcpy(all, report, report->struct_size < sizeof *all ? report->struct_size : sizeof *all);
    return LMAD_OK;
}

static void close_report(lmad_wisdom_report *report, const lmad_wisdom_report *all) {
    if (report) memcpy(report, all, report->struct_size < sizeof *all ? report->struct_size : sizeof *all);
}

lmad_status lmad_wisdom_import_file(lmad_ctx *ctx, const char *path, lmad_wisdom_report *report) {
    lmad_wisdom_report all;
    const lm_sink sink = lm_sink_context(ctx);
    if (!path) return lm_fail(LMAD_ERR_NULL, "wisdom: the path is NULL");
    lmad_status status = open_report(&all, report);
    if (status != LMAD_OK) return status;
    status = lm_wisdom_read_file(&sink, path, false, &all);
    close_report(report, &all);
    return status;
}

lmad_status lmad_wisdom_import(lmad_ctx *ctx, lmad_wisdom_read *read, void *data,
                               lmad_wisdom_report *report) {
    lmad_wisdom_report all;
    const lm_sink sink = lm_sink_context(ctx);
    if (!read) return lm_fail(LMAD_ERR_NULL, "wisdom: the function that reads is NULL");
    lmad_status status = open_report(&all, report);
    if (status != LMAD_OK) return status;
    status = lm_wisdom_read(&sink, read, data, "wisdom", &all);
    close_report(report, &all);
    return status;
}

lmad_status lmad_wisdom_import_string(lmad_ctx *ctx, const char *text, lmad_wisdom_report *report) {
    if (!text) return lm_fail(LMAD_ERR_NULL, "wisdom: the text is NULL");
    return lmad_wisdom_import(ctx, lm_wisdom_read_text, &text, report);
}

lmad_status lmad_wisdom_export_string(lmad_ctx *ctx, char **text) {
    size_t length;
    if (!text) return lm_fail(LMAD_ERR_NULL, "wisdom: no place for the text");
    char *made = lm_wisdom_text(ctx, &length);
    if (!made) return LMAD_ERR_NO_MEMORY;
    *text = made;
    return LMAD_OK;
}

lmad_status lmad_wisdom_export(lmad_ctx *ctx, lmad_wisdom_write *write, void *data) {
    size_t length;
    if (!write) return lm_fail(LMAD_ERR_NULL, "wisdom: the function that writes is NULL");
    char *text = lm_wisdom_text(ctx, &length);
    if (!text) return LMAD_ERR_NO_MEMORY;
    const int failed = write(data, text, length);
    free(text);
    return failed ? lm_fail(LMAD_ERR_IO, "wisdom: writing failed") : LMAD_OK;
}
