/* SPDX-License-Identifier: BSD-3-Clause */
/* Text into a caller's buffer, piece by piece, with snprintf's rule: all that fits is written, the length
 * that it would have is known. */
#ifndef LM_TEXT_H
#define LM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lm_text {
    char *buf;
    size_t size;   /* of buf; may be 0, then buf may be NULL */
    size_t length; /* of the whole text so far */
} lm_text;

void lm_text_add(lm_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reading: step over a word that must be there; false, and *at as it was, when it is not. */
bool lm_text_skip(const char **at, const char *word);

/* The same for a number of up to `digits` <= 18 decimal digits, none of them an idle 0 in front: it has one
 * spelling, and fits. */
bool lm_text_number(const char **at, int digits, int64_t *out);

#endif
