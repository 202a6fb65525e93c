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

/* The same for a number, none of whose digits is an idle 0 in front, so that it has one spelling: of up to 18
 * digits, which are enough for any extent of a real array and do not overflow, or of fewer. */
bool lm_text_number(const char **at, int64_t *out);
bool lm_text_digits(const char **at, int most, int64_t *out);

#endif
