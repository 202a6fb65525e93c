/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of wisdom. What is read may have been through mail and disks: everything is checked, and the
 * checksum comes first. */
#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sibling.h"
#include "text.h"

/* FNV-1a: every step is a bijection of the state, so no single wrong byte goes unseen. */
void lm_record_checksum(char out[17], const char *text, size_t length) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t k = 0; k < length; k++) hash = (hash ^ (unsigned char)text[k]) * UINT64_C(0x100000001b3);
    snprintf(out, 17, "%016llx", (unsigned long long)hash);
}

/* ---- words ---------------------------------------------------------------------------------------- */

static const char *const efforts[] = {"estimate", "measure", "patient", "exhaustive"};

const char *lm_effort_name(int effort) {
    return effort >= LMAD_ESTIMATE && effort <= LMAD_EXHAUSTIVE ? efforts[effort] : "unknown";
}

int lm_effort_parse(const char *word) {
    for (int k = LMAD_ESTIMATE; k <= LMAD_EXHAUSTIVE; k++)
        if (strcmp(word, efforts[k]) == 0) return k;
    return -1;
}

/* "123.456": up to 14 digits, a point, three digits. No locale has a say in it. */
static bool read_time(const char *text, int64_t *ps) {
    int64_t value = 0;
    size_t whole = strspn(text, "0123456789");
    if (whole < 1 || whole > 14 || text[whole] != '.' || strspn(text + whole + 1, "0123456789") != 3 ||
        text[whole + 4])
        return false;
    for (const char *c = text; *c; c++)
        if (*c != '.') value = value * 10 + (*c - '0');
    *ps = value;
    return true;
}

/* ---- reading -------------------------------------------------------------------------------------- */

enum { FIELDS = LM_RECORD_FIELDS };

static bool printable(const char *line, size_t length) {
    for (size_t k = 0; k < length; k++)
        if ((line[k] < ' ' && line[k] != '\t') || line[k] == 0x7f) return false;
    return true;
}

static const char *find_fault(const char *line, size_t length) {
    int tabs = 0;
    size_t last = 0;
    char sum[17];
    if (length > LM_RECORD_LINE) return "the line is too long";
    for (size_t k = 0; k < length; k++)
        if (line[k] == '\t') tabs++, last = k;
    if (tabs != FIELDS - 1) return "not nine fields: cut off, or no record";
    lm_record_checksum(sum, line, last + 1);
    if (length - last - 1 != 16 || memcmp(sum, line + last + 1, 16) != 0)
        return "the checksum does not match";
    return printable(line, length) ? NULL : "bytes that are no text";
}

/* Cuts the copy of the line up. */
static void split(char *text, char *field[FIELDS]) {
    for (int k = 0; k < FIELDS; k++) {
        field[k] = text;
        text += strcspn(text, "\t");
        if (*text) *text++ = '\0';
    }
}

const char lm_record_no_memory[] = "no memory";

/* NULL, or why its values cannot be. */
static const char *read_calibration(lm_record *r) {
    lm_calibration values;
    const char *reason = lm_calibration_parse(&values, r->chosen);
    if (reason) return reason;
    r->calibration = malloc(sizeof values);
    if (!r->calibration) return lm_record_no_memory;
    *r->calibration = values;
    return NULL;
}

/* What this version makes of it; NULL, or why it makes no sense at all. */
static const char *understand(lm_record *r, const char *machine) {
    r->verdict = 0;
    r->distance = lm_sibling_distance(machine, r->machine);
    r->key = NULL;
    r->calibration = NULL;
    r->on_device = false;
    r->candidate = (lm_candidate){.kind = NULL};
    if (r->effort < 0) return NULL;
    if (strcmp(r->problem, LM_CALIBRATION_KEY) == 0) return read_calibration(r);
    r->on_device = lm_device_way_parse(&r->way, r->chosen);
    if (!r->on_device && !lm_candidate_parse(&r->candidate, r->chosen)) return NULL;
    r->candidate.seconds = (double)r->chosen_ps * 1e-12;
    if (!lm_key_parse(&r->key, r->problem)) return lm_record_no_memory;
    if (r->key && lm_key_on_device(r->key) != r->on_device) free(r->key), r->key = NULL;
    return NULL;
}

lm_record *lm_record_read(const char *line, size_t length, const char *machine, const char **reason) {
    char *field[FIELDS];
    *reason = find_fault(line, length);
    if (*reason) return NULL;
    lm_record *r = malloc(sizeof *r + 2 * (length + 1));
    *reason = lm_record_no_memory;
    if (!r) return NULL;
    memcpy(r->text, line, length);
    memcpy(r->text + length + 1, line, length);
    r->text[length] = r->text[2 * length + 1] = '\0';
    split(r->text + length + 1, field);
    r->next = NULL;
    r->line = r->text;
    r->machine = field[0], r->problem = field[1], r->chosen = field[2], r->runner_up = field[4],
    r->date = field[7];
    r->effort = lm_effort_parse(field[6]);
    if (!read_time(field[3], &r->chosen_ps) || !read_time(field[5], &r->runner_up_ps))
        *reason = "not a time in nanoseconds";
    else
        *reason = understand(r, machine);
    if (!*reason) return r;
    free(r);
    return NULL;
}

int lm_record_write(char *buf, size_t size, const lm_record *r) {
    char sum[17];
    lm_text text = {buf, size, 0};
    lm_text_add(&text, "%s\t%s\t%s\t%lld.%03lld\t%s\t%lld.%03lld\t%s\t%s\t", r->machine, r->problem,
                r->chosen, (long long)(r->chosen_ps / 1000), (long long)(r->chosen_ps % 1000), r->runner_up,
                (long long)(r->runner_up_ps / 1000), (long long)(r->runner_up_ps % 1000),
                lm_effort_name(r->effort), r->date);
    if (text.length >= size) return (int)text.length + 16;
    lm_record_checksum(sum, buf, text.length);
    lm_text_add(&text, "%s", sum);
    return (int)text.length;
}

void lm_record_free(lm_record *r) {
    if (!r) return;
    free(r->key);
    free(r->calibration);
    free(r);
}

/* ---- merging -------------------------------------------------------------------------------------- */

bool lm_record_rivals(const lm_record *a, const lm_record *b) {
    return lm_record_is_known(a) == lm_record_is_known(b) && strcmp(a->machine, b->machine) == 0 &&
           strcmp(a->problem, b->problem) == 0;
}

bool lm_record_better(const lm_record *a, const lm_record *b) {
    if (a->effort != b->effort) return a->effort > b->effort;
    if (a->chosen_ps != b->chosen_ps) return a->chosen_ps < b->chosen_ps;
    const int date = strcmp(a->date, b->date);
    return date ? date > 0 : strcmp(a->line, b->line) < 0;
}
