/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading problem lists. All input is checked: these files come by mail. */
#define _GNU_SOURCE 1
#include "suites.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lmad-hip.h"

enum { COLUMNS = 5 };

/* Where complaints go. */
typedef struct lm_complaint {
    char *text;
    size_t size;
} lm_complaint;

static int complain(const lm_complaint *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int complain(const lm_complaint *to, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(to->text, to->size, format, args);
    va_end(args);
    return -1;
}

bool lm_read_op(const char *text, lm_op *op) {
    for (lm_op o = LM_OP_COPY; o <= LM_OP_AFFINE; o++) {
        if (strcmp(text, lm_op_text(o)) != 0) continue;
        *op = o;
        return true;
    }
    return false;
}

static bool read_size(const char *text, size_t *size) {
    char *end;
    if (!isdigit((unsigned char)text[0])) return false;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*end || errno || value < 1 || value > INT64_MAX) return false;
    *size = (size_t)value;
    return true;
}

/* Names end up in tables and in JSON. */
static bool good_name(const char *name) {
    for (const char *c = name; *c; c++)
        if (*c < ' ' || *c > '~') return false;
    return *name;
}

static int read_side(lmad_desc *d, const char *side, const char *text, const lm_complaint *error) {
    const lmad_status status = lmad_parse(d, text);
    if (!status) return 0;
    return complain(error, "%s \"%.80s\": %s: %s", side, text, lmad_strerror(status), lmad_error_detail());
}

/* Columns: name, element size, destination, source or NULL, operation or NULL. */
static int read_case(lm_case *out, lm_op op, char *const column[COLUMNS], const lm_complaint *error) {
    lm_case c = {.name = column[0], .op = op};
    if (!good_name(c.name)) return complain(error, "the name is empty or not printable ASCII");
    if (!read_size(column[1], &c.elem_size))
        return complain(error, "\"%.80s\" is not an element size", column[1]);
    if (column[4] && !lm_read_op(column[4], &c.op))
        return complain(error, "\"%.80s\" is not an operation (copy, move, fill, many, affine)", column[4]);
    if (read_side(&c.dst, "destination", column[2], error)) return -1;
    if (c.op == LM_OP_MANY && c.dst.rank == 0) return complain(error, "many needs an axis");
    if (c.op == LM_OP_AFFINE && c.elem_size != 4 && c.elem_size != 8)
        return complain(error, "affine needs an element size of 4 or 8");
    if (!lm_op_sourceless(c.op)) {
        if (!column[3]) return complain(error, "no source");
        if (read_side(&c.src, "source", column[3], error)) return -1;
    }
    *out = c;
    return 0;
}

static int append(lm_cases *cases, const lm_case *c, const lm_complaint *error) {
    if (cases->count == cases->capacity) {
        const size_t capacity = cases->capacity ? 2 * cases->capacity : 64;
        lm_case *item = realloc(cases->item, capacity * sizeof *item);
        if (!item) return complain(error, "out of memory");
        cases->item = item;
        cases->capacity = capacity;
    }
    char *name = strdup(c->name);
    if (!name) return complain(error, "out of memory");
    cases->item[cases->count] = *c;
    cases->item[cases->count++].name = name;
    return 0;
}

/* Cuts the line up. */
static int add_line(lm_cases *cases, char *line, const lm_complaint *error) {
    char *column[COLUMNS] = {NULL};
    int count = 0;
    line[strcspn(line, "\r\n")] = 0;
    if (line[strspn(line, " \t")] == 0 || line[0] == '#') return 0;
    for (char *field; (field = strsep(&line, "\t"));) {
        if (count == COLUMNS) return complain(error, "more than %d columns", COLUMNS);
        column[count++] = field;
    }
    if (count < 3)
        return complain(error, "%d columns where name, element size, destination, source are due", count);
    lm_case c;
    return read_case(&c, cases->op, column, error) ? -1 : append(cases, &c, error);
}

static int add_builtin(lm_cases *cases, const lm_suite *suite, const lm_complaint *error) {
    for (const char *const *line = suite->line; *line; line++) {
        char *copy = strdup(*line);
        if (!copy) return complain(error, "out of memory");
        const int failed = add_line(cases, copy, error);
        free(copy);
        if (failed) return -1;
    }
    return 0;
}

/* @p number is left at the line that was read last. */
static int add_lines(lm_cases *cases, FILE *file, size_t *number, const lm_complaint *error) {
    char *line = NULL;
    size_t size = 0;
    int failed = 0;
    for (ssize_t length; !failed && (length = getline(&line, &size, file)) >= 0;) {
        ++*number;
        if (strlen(line) != (size_t)length)
            failed = complain(error, "a NUL byte");
        else
            failed = add_line(cases, line, error);
    }
    if (!failed && ferror(file)) failed = complain(error, "%s", strerror(errno));
    free(line);
    return failed;
}

static int add_file(lm_cases *cases, const char *path, const lm_complaint *error) {
    char reason[512];
    size_t number = 0;
    const bool standard_input = strcmp(path, "-") == 0;
    FILE *file = standard_input ? stdin : fopen(path, "re");
    if (!file) return complain(error, "%s: neither a built-in suite nor a file: %s", path, strerror(errno));
    const int failed = add_lines(cases, file, &number, &(lm_complaint){reason, sizeof reason});
    if (!standard_input) fclose(file);
    return failed ? complain(error, "%s:%zu: %s", path, number, reason) : 0;
}

static void truncate_cases(lm_cases *cases, size_t count) {
    while (cases->count > count) free(cases->item[--cases->count].name);
}

int lm_cases_add_suite(lm_cases *cases, const char *name_or_path, char *error, size_t size) {
    const lm_complaint to = {error, size};
    const size_t before = cases->count;
    const lm_suite *suite = lm_suites;
    while (suite->name && strcmp(suite->name, name_or_path) != 0) suite++;
    const int failed = suite->name ? add_builtin(cases, suite, &to) : add_file(cases, name_or_path, &to);
    if (failed) truncate_cases(cases, before);
    return failed;
}

/* Ends the text before *at and steps over the blanks there; NULL when nothing follows. */
static char *cut(char *at) {
    while (*at && isspace((unsigned char)*at)) *at++ = 0;
    return *at ? at : NULL;
}

/* The end of an LMAD that starts at text: past the offset after the bracket, if there is one. */
static char *end_of_lmad(char *text) {
    char *end = strchr(text, ']');
    if (!end) return text + strlen(text);
    char *sign = end + 1 + strspn(end + 1, " \t");
    if (*sign != '+' && *sign != '-') return end + 1;
    char *number = sign + 1 + strspn(sign + 1, " \t");
    return number + strspn(number, "0123456789");
}

/* Splits "ES DST SRC OPERATION" in place; LMADs may hold blanks, so brackets tell where they end. */
static void split_problem(char *text, char *column[COLUMNS]) {
    char *rest = text + strcspn(text, " \t");
    column[1] = text;
    if (!(column[2] = cut(rest))) return;
    if (!(rest = cut(end_of_lmad(column[2])))) return;
    if (*rest == '[') {
        column[3] = rest;
        rest = cut(end_of_lmad(rest));
    }
    column[4] = rest;
}

int lm_cases_add_problem(lm_cases *cases, const char *text, char *error, size_t size) {
    const lm_complaint to = {error, size};
    char reason[512];
    char *copy = strdup(text);
    if (!copy) return complain(&to, "out of memory");
    char *column[COLUMNS] = {(char *)text, NULL};
    split_problem(copy + strspn(copy, " \t"), column);
    lm_case c;
    int failed = complain(&(lm_complaint){reason, sizeof reason}, "ES DST SRC is due");
    if (column[2]) failed = read_case(&c, cases->op, column, &(lm_complaint){reason, sizeof reason});
    failed = failed ? complain(&to, "problem \"%.80s\": %s", text, reason) : append(cases, &c, &to);
    free(copy);
    return failed;
}

static lmad_status plan_on_device(lmad_plan **plan, const lm_case *c, int device, lmad_ctx *ctx,
                                  unsigned flags) {
    switch (c->op) {
    case LM_OP_FILL: return lmad_plan_fill_hip(plan, ctx, &c->dst, device, c->elem_size, flags);
    case LM_OP_MOVE: return lmad_plan_move_hip(plan, ctx, &c->dst, &c->src, device, c->elem_size, flags);
    default: return lmad_plan_copy_hip(plan, ctx, &c->dst, device, &c->src, device, c->elem_size, flags);
    }
}

lmad_status lm_case_plan(lmad_plan **plan, const lm_case *c, int device, lmad_ctx *ctx, unsigned flags) {
    if (device != LMAD_HOST) return plan_on_device(plan, c, device, ctx, flags);
    switch (c->op) {
    case LM_OP_FILL: return lmad_plan_fill(plan, ctx, &c->dst, c->elem_size, flags);
    case LM_OP_MOVE: return lmad_plan_move(plan, ctx, &c->dst, &c->src, c->elem_size, flags);
    default: return lmad_plan_copy(plan, ctx, &c->dst, &c->src, c->elem_size, flags);
    }
}

void lm_cases_free(lm_cases *cases) {
    truncate_cases(cases, 0);
    free(cases->item);
    *cases = (lm_cases){0};
}
