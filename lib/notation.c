/* SPDX-License-Identifier: BSD-3-Clause */
/* The notation of descriptors: "[(n,stride),...]+offset". */
#include <inttypes.h>
#include <stddef.h>

#include "desc.h"
#include "status.h"
#include "text.h"

/* ---- Reading --------------------------------------------------------------------------------------- */

typedef struct cursor {
    const char *text, *at;
} cursor;

/* The next character that is not a blank. Own comparisons: <ctype.h> would ask the locale. */
static char peek(cursor *c) {
    while (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r') c->at++;
    return *c->at;
}

static bool accept(cursor *c, char want) {
    if (peek(c) != want) return false;
    c->at++;
    return true;
}

static lmad_status expected(const cursor *c, const char *what) {
    return lm_fail(LMAD_ERR_PARSE, "lmad_parse: column %td: expected %s", c->at - c->text + 1, what);
}

/* Digits, after the sign has been read. Summed up below zero, where int64 reaches further. */
static lmad_status read_digits(cursor *c, bool negative, int64_t *out) {
    int64_t value = 0;
    if (peek(c) < '0' || *c->at > '9') return expected(c, "a digit");
    const char *start = c->at;
    for (; *c->at >= '0' && *c->at <= '9'; c->at++)
        if (!lm_mul(value, 10, &value) || !lm_sub(value, *c->at - '0', &value)) goto overflow;
    if (!negative && !lm_sub(0, value, &value)) goto overflow;
    *out = value;
    return LMAD_OK;
overflow:
    return lm_fail(LMAD_ERR_OVERFLOW, "lmad_parse: column %td: the number leaves int64", start - c->text + 1);
}

static lmad_status read_axis(cursor *c, int axis, lmad_dim *out) {
    lmad_dim dim;
    if (!accept(c, '(')) return expected(c, "'('");
    lmad_status status = read_digits(c, accept(c, '-'), &dim.n);
    if (status != LMAD_OK) return status;
    if (dim.n < 0)
        return lm_fail(LMAD_ERR_EXTENT, "lmad_parse: axis %d has the extent %" PRId64, axis, dim.n);
    if (!accept(c, ',')) return expected(c, "','");
    status = read_digits(c, accept(c, '-'), &dim.stride);
    if (status != LMAD_OK) return status;
    if (!accept(c, ')')) return expected(c, "')'");
    *out = dim;
    return LMAD_OK;
}

/* Everything between the brackets, and the closing one. */
static lmad_status read_axes(cursor *c, lmad_desc *out) {
    if (accept(c, ']')) return LMAD_OK;
    do {
        if (out->rank == LMAD_MAX_RANK)
            return lm_fail(LMAD_ERR_RANK, "lmad_parse: column %td: more than %d axes", c->at - c->text + 1,
                           LMAD_MAX_RANK);
        lmad_status status = read_axis(c, out->rank, &out->dim[out->rank]);
        if (status != LMAD_OK) return status;
        out->rank++;
    } while (accept(c, ','));
    return accept(c, ']') ? LMAD_OK : expected(c, "',' or ']'");
}

lmad_status lmad_parse(lmad_desc *d, const char *text) {
    if (!d) return lm_fail(LMAD_ERR_NULL, "lmad_parse: the descriptor is NULL");
    if (!text) return lm_fail(LMAD_ERR_NULL, "lmad_parse: the text is NULL");
    cursor c = {text, text};
    lmad_desc out;
    out.rank = 0;
    out.offset = 0;
    if (!accept(&c, '[')) return expected(&c, "'['");
    lmad_status status = read_axes(&c, &out);
    if (status != LMAD_OK) return status;
    bool negative = accept(&c, '-');
    if (negative || accept(&c, '+')) status = read_digits(&c, negative, &out.offset);
    if (status != LMAD_OK) return status;
    if (peek(&c) != '\0') return expected(&c, "the end");
    lm_desc_assign(d, &out);
    return LMAD_OK;
}

/* ---- Writing --------------------------------------------------------------------------------------- */

int lmad_format(char *buf, size_t size, const lmad_desc *d) {
    if (!d || d->rank < 0 || d->rank > LMAD_MAX_RANK || (!buf && size > 0)) return -1;
    lm_text out = {buf, size, 0};
    lm_text_add(&out, "[");
    for (int k = 0; k < d->rank; k++)
        lm_text_add(&out, "%s(%" PRId64 ",%" PRId64 ")", k > 0 ? "," : "", d->dim[k].n, d->dim[k].stride);
    lm_text_add(&out, "]");
    if (d->offset != 0) lm_text_add(&out, "%+" PRId64, d->offset);
    return (int)out.length;
}
