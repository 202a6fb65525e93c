/* SPDX-License-Identifier: BSD-3-Clause */
/* The problems of reports.json: copies that broke other libraries, as their users reported them. */
#ifndef LM_CASES_H
#define LM_CASES_H

#include <jansson.h>
#include <stdbool.h>

#include "lmad.h"

typedef struct lm_case {
    const char *id, *kind, *note;
    size_t elem_size;
    lmad_desc dst, src;
    int64_t dst_len, src_len; /* elements of the buffers; with same_buffer both are the one buffer's */
    int64_t mem_bytes;        /* of all buffers */
    bool same_buffer;         /* a move */
    bool is_error;            /* planning must fail */
    const json_t *result; /* the elements of the destination's buffer afterwards, where the source's elements
                             are numbered from 0 and the others are -1; NULL when not given */
} lm_case;

typedef struct lm_cases {
    int count;
    lm_case *list;
    json_t *root; /* owns the texts and results */
} lm_cases;

/* Those that need at least this much memory are for tests/large. */
#define LM_CASE_LARGE (INT64_C(2) << 30)

/* Read $srcdir/tests/reports.json (or tests/reports.json); ends the program when that cannot be done. */
void lm_cases_open(lm_cases *cases);
void lm_cases_close(lm_cases *cases);

#endif
