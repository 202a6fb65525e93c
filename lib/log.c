/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes. */
#include "log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "environment.h"

static bool verbose;

static void read_environment(void) {
    const char *text = lm_environment("LMAD_VERBOSE");
    verbose = text && *text && strcmp(text, "0") != 0;
}

/* One write a line, so that lines of several threads do not mix. */
static void to_standard_error(void *data, const char *line) {
    (void)data;
    fprintf(stderr, "lmad: %s\n", line);
}

void lm_log(lmad_ctx *ctx, const char *format, ...) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    lm_settings settings;
    pthread_once(&once, read_environment);
    lm_ctx_settings(ctx, &settings);
    if (!settings.log && !verbose) return;
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    (settings.log ? settings.log : to_standard_error)(settings.log_data, line);
}
