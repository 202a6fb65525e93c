/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the reader of wisdom, and what the planner makes of it. Checksums would keep nearly every
 * change out, so an input whose first byte is '!' is signed before it is read, and HERE stands for this
 * machine. */
#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

#include "lib/record.h"
#include "lib/wisdom.h"

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    setenv("LMAD_WISDOM", "", 1);
    setenv("LMAD_ISA", "base", 1); /* what keys of the corpus say */
    return 0;
}

enum { ROOM = 1 << 17 };

/* Sign one line: everything up to its last tab, then the checksum. */
static size_t sign(char *out, const char *line, size_t length) {
    size_t n = 0, last = 0;
    if (length > 4 && memcmp(line, "HERE", 4) == 0) {
        n = strlen(lm_wisdom_machine());
        memcpy(out, lm_wisdom_machine(), n);
        line += 4;
        length -= 4;
    }
    memcpy(out + n, line, length);
    n += length;
    for (size_t k = 0; k < n; k++)
        if (out[k] == '\t') last = k + 1;
    if (last == 0) return n;
    lm_record_checksum(out + last, out, last);
    return last + 16;
}

static size_t sign_all(char *out, const char *text, size_t size) {
    size_t n = 0;
    for (size_t at = 0; at < size && n + size - at + LM_MACHINE_TEXT + 32 < ROOM;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - text) - at : size - at;
        n += sign(out + n, text + at, length);
        out[n++] = '\n';
        at += length + 1;
    }
    return n;
}

typedef struct source {
    const char *text;
    size_t left;
} source;

/* In small pieces, to cut lines everywhere. */
static int64_t read_piece(void *data, char *buf, size_t size) {
    source *s = data;
    size_t n = s->left % 97 + 1;
    if (n > s->left) n = s->left;
    if (n > size) n = size;
    memcpy(buf, s->text, n);
    s->text += n;
    s->left -= n;
    return (int64_t)n;
}

/* Plan what records of the corpus are about, and compare a copy. */
static void check_plans(lmad_ctx *ctx) {
    static float in[12][20], out[20][12];
    lmad_desc d = {2, 0, {{20, 12}, {12, 1}}}, s = {2, 0, {{20, 1}, {12, 20}}};
    lmad_plan *p;
    for (int k = 0; k < 240; k++) in[k / 20][k % 20] = (float)k, out[k / 12][k % 12] = -1;
    lm_fuzz_check(lmad_plan_copy(&p, ctx, &d, &s, sizeof(float), LMAD_SERIAL) == LMAD_OK, "no plan");
    lm_fuzz_check(lmad_execute(p, out, in) == LMAD_OK, "no execution");
    for (int k = 0; k < 240; k++) lm_fuzz_check(out[k / 12][k % 12] == in[k % 12][k / 12], "a wrong copy");
    lmad_plan_destroy(p);
}

/* What was taken must come back from its own text, all of it and the same. */
static void check_text(lmad_ctx *ctx) {
    lmad_ctx *other;
    char *text, *again;
    lmad_wisdom_report report = {.struct_size = sizeof report};
    lm_fuzz_check(lmad_ctx_create(&other) == LMAD_OK, "no context");
    lm_fuzz_check(lmad_wisdom_export_string(ctx, &text) == LMAD_OK, "no text");
    lm_fuzz_check(lmad_wisdom_import_string(other, text, &report) == LMAD_OK, "its own text is refused");
    lm_fuzz_check(report.bad == 0 && report.not_better == 0, "a bad line in its own text");
    lm_fuzz_check(lmad_wisdom_export_string(other, &again) == LMAD_OK, "no text again");
    lm_fuzz_check(strcmp(text, again) == 0, "another text for the same wisdom");
    free(text);
    free(again);
    lmad_ctx_destroy(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char text[ROOM];
    lmad_ctx *ctx;
    if (size >= ROOM / 2) return 0;
    const bool to_sign = size && data[0] == '!';
    const size_t length = to_sign ? sign_all(text, (const char *)data + 1, size - 1) : size;
    if (!to_sign && size) memcpy(text, data, size);
    source s = {text, length};
    lmad_wisdom_report report = {.struct_size = sizeof report};
    lm_fuzz_check(lmad_ctx_create(&ctx) == LMAD_OK, "no context");
    const lmad_status status = lmad_wisdom_import(ctx, read_piece, &s, &report);
    lm_fuzz_check(status == LMAD_OK || status == LMAD_ERR_FORMAT, "an error that no text should make");
    lm_fuzz_check(report.taken >= 0 && report.foreign <= report.taken, "counts that cannot be");
    check_text(ctx);
    check_plans(ctx);
    lmad_ctx_destroy(ctx);
    return 0;
}
