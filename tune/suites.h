/* SPDX-License-Identifier: BSD-3-Clause */
/* Problem lists for the tools: suites built in, suite files, and single problems given as text.
 *
 * A suite line is: name, element size in bytes, destination LMAD, source LMAD, and perhaps an operation
 * (copy, move, fill, many or affine), separated by tabs. Blank lines and lines that start with # are skipped. The
 * source of a fill and of affine values means nothing and may be empty. many is a list of copies: one for each
 * index of the outermost axis. affine is of int32 or int64, by the element size. */
#ifndef LM_SUITES_H
#define LM_SUITES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/problem.h"
#include "lmad.h"

/* One problem to plan. */
typedef struct lm_case {
    char *name;
    lm_op op;
    size_t elem_size;
    lmad_desc dst, src; /* fill and affine have no src */
} lm_case;

/* A growing list of problems; starts as {0}. */
typedef struct lm_cases {
    lm_case *item;
    size_t count, capacity;
    lm_op op; /* of problems that name none */
} lm_cases;

/* A suite built in: its lines, ended by NULL. */
typedef struct lm_suite {
    const char *name;
    const char *const *line;
} lm_suite;

/* All suites built in, ended by a NULL name. */
extern const lm_suite lm_suites[];

/* Append the problems of a built-in suite or, where there is none of that name, of a file ("-" is standard
 * input). 0 on success; -1
 * with a sentence in @p error (which names file and line) otherwise, and then @p cases is as it was. */
int lm_cases_add_suite(lm_cases *cases, const char *name_or_path, char *error, size_t size);

/* Append one problem given as "ES DST SRC" or "ES DST SRC OPERATION"; "ES DST fill" needs no source. Its
 * name is the text. 0 or -1 as above. */
int lm_cases_add_problem(lm_cases *cases, const char *text, char *error, size_t size);

/* Plan a problem for a device or LMAD_HOST, with a context and flags. */
lmad_status lm_case_plan(lmad_plan **plan, const lm_case *c, int device, lmad_ctx *ctx, unsigned flags);

void lm_cases_free(lm_cases *cases);

/* Read the name of an operation that suites may have. */
bool lm_read_op(const char *text, lm_op *op);

#endif
