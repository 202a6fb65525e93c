/* SPDX-License-Identifier: BSD-3-Clause */
/* Text into a caller's buffer. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lm_text_add(lm_text *text, const char *format, ...) {
    const size_t room = text->length < text->size ? text->size - text->length : 0;
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(room ? text->buf + text->length : NULL, room, format, args);
    va_end(args);
    if (n > 0) text->length += (size_t)n;
}

bool lm_text_skip(const char **at, const char *word) {
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) return false;
    *at += length;
    return true;
}

bool lm_text_digits(const char **at, int most, int64_t *out) {
    const char *c = *at;
    int64_t value = 0;
    for (; *c >= '0' && *c <= '9' && c - *at < most; c++) value = value * 10 + (*c - '0');
    if (c == *at || (**at == '0' && c - *at > 1)) return false;
    *at = c;
    *out = value;
    return true;
}

bool lm_text_number(const char **at, int64_t *out) { return lm_text_digits(at, 18, out); }
