/* SPDX-License-Identifier: BSD-3-Clause */
/* Checking one execution without a second image of the destination: compare the described elements with
 * their sources, then put the old contents back into them, and the whole side must look as it did before. */
#include "bench_verify.h"

#include <stdio.h>
#include <string.h>

#include "bench_walk.h"

/* What the destination of a copy is filled with. */
static const int guard_byte = 0xa5;

static uint64_t pattern(size_t word) {
    const uint64_t x = (word + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

/* Sides are whole pages. */
static void fill_pattern(const lm_side *side) {
    for (size_t i = 0; i < side->size / 8; i++) memcpy(side->block + 8 * i, &(uint64_t){pattern(i)}, 8);
}

static bool holds_pattern(const lm_side *side) {
    for (size_t i = 0; i < side->size / 8; i++)
        if (memcmp(side->block + 8 * i, &(uint64_t){pattern(i)}, 8) != 0) return false;
    return true;
}

/* Every byte equals its neighbour, and the first is the guard. */
static bool holds_guard(const lm_side *side) {
    return (unsigned char)side->block[0] == guard_byte &&
           !memcmp(side->block, side->block + 1, side->size - 1);
}

static bool equal_row(const lm_row_span *r) {
    const char *d = r->dst, *s = r->src;
    const int64_t size = (int64_t)r->elem_size;
    if (r->ds == size && r->ss == size) return !memcmp(d, s, (size_t)(r->n * size));
    uint64_t wrong = 0; /* constant sizes let the compiler see plain loads */
    switch (size) {
    case 1:
        for (int64_t i = 0; i < r->n; i++) wrong |= d[i * r->ds] != s[i * r->ss];
        break;
    case 2:
        for (int64_t i = 0; i < r->n; i++) wrong |= memcmp(d + i * r->ds, s + i * r->ss, 2) != 0;
        break;
    case 4:
        for (int64_t i = 0; i < r->n; i++) wrong |= memcmp(d + i * r->ds, s + i * r->ss, 4) != 0;
        break;
    case 8:
        for (int64_t i = 0; i < r->n; i++) wrong |= memcmp(d + i * r->ds, s + i * r->ss, 8) != 0;
        break;
    default:
        for (int64_t i = 0; i < r->n; i++) wrong |= memcmp(d + i * r->ds, s + i * r->ss, r->elem_size) != 0;
    }
    return !wrong;
}

static bool guard_row(const lm_row_span *r) {
    const int64_t size = (int64_t)r->elem_size;
    if (r->ds == size)
        memset(r->dst, guard_byte, (size_t)(r->n * size));
    else
        for (int64_t i = 0; i < r->n; i++) memset(r->dst + i * r->ds, guard_byte, r->elem_size);
    return true;
}

static bool copy_row(const lm_row_span *r) {
    for (int64_t i = 0; i < r->n; i++) memcpy(r->dst + i * r->ds, r->src + i * r->ss, r->elem_size);
    return true;
}

static bool say(char *reason, size_t size, const char *what) {
    snprintf(reason, size, "%s", what);
    return false;
}

static bool execute(const lm_operation *operation, char *reason, size_t size) {
    const lmad_status status = lm_operation_run(operation);
    if (!status) return true;
    snprintf(reason, size, "execute: %s: %s", lmad_strerror(status), lmad_error_detail());
    return false;
}

static bool verify_copy(const lm_operation *operation, const lm_case *c, const lm_buffers *b, char *reason,
                        size_t size) {
    char *dst = b->dst.origin, *src = b->src.origin;
    const lmad_desc *view = c->op == LM_OP_FILL ? NULL : &c->src;
    fill_pattern(&b->src);
    memset(b->dst.block, guard_byte, b->dst.size);
    if (!execute(operation, reason, size)) return false;
    if (!lm_walk(dst, &c->dst, src, view, c->elem_size, equal_row))
        return say(reason, size, "an element of the destination is not the source's");
    lm_walk(dst, &c->dst, src, view, c->elem_size, guard_row);
    if (!holds_guard(&b->dst)) return say(reason, size, "a byte outside the destination's elements changed");
    if (!holds_pattern(&b->src)) return say(reason, size, "a byte of the source changed");
    return true;
}

/* The source side keeps what the buffer held before. */
static bool verify_move(const lm_operation *operation, const lm_case *c, const lm_buffers *b, char *reason,
                        size_t size) {
    char *dst = b->dst.origin, *old = b->src.origin;
    fill_pattern(&b->dst);
    memcpy(b->src.block, b->dst.block, b->dst.size);
    if (!execute(operation, reason, size)) return false;
    if (!lm_walk(dst, &c->dst, old, &c->src, c->elem_size, equal_row))
        return say(reason, size, "an element of the destination is not the source's");
    lm_walk(dst, &c->dst, old, &c->dst, c->elem_size, copy_row);
    if (!holds_pattern(&b->dst))
        return say(reason, size, "a byte outside the destination's elements changed");
    return true;
}

/* Value number k of the base and steps: unsigned, modulo 2^64. */
static uint64_t value_at(const char *values, size_t elem_size, int k) {
    uint64_t value = 0;
    memcpy(&value, values + (size_t)k * elem_size, elem_size); /* the low bytes come first */
    return value;
}

/* Elements below axis: is each base + sum index*step? Puts the guard back. */
static bool affine_below(const lm_case *c, int axis, char *d, const char *values, uint64_t value) {
    if (axis == c->dst.rank) {
        const bool equal = !memcmp(d, &value, c->elem_size);
        memset(d, guard_byte, c->elem_size);
        return equal;
    }
    bool equal = true;
    for (int64_t i = 0; i < c->dst.dim[axis].n && equal; i++) {
        equal =
            affine_below(c, axis + 1, d + i * c->dst.dim[axis].stride * (int64_t)c->elem_size, values, value);
        value += value_at(values, c->elem_size, axis + 1);
    }
    return equal;
}

static bool verify_affine(const lm_operation *operation, const lm_case *c, const lm_buffers *b, char *reason,
                          size_t size) {
    fill_pattern(&b->src);
    memset(b->dst.block, guard_byte, b->dst.size);
    if (!execute(operation, reason, size)) return false;
    char *first = b->dst.origin + c->dst.offset * (int64_t)c->elem_size;
    if (!affine_below(c, 0, first, b->src.origin, value_at(b->src.origin, c->elem_size, 0)))
        return say(reason, size, "an element of the destination is not base + sum index*step");
    if (!holds_guard(&b->dst)) return say(reason, size, "a byte outside the destination's elements changed");
    return holds_pattern(&b->src) || say(reason, size, "a byte of the source changed");
}

bool lm_verify(const lm_operation *operation, const lm_case *c, const lm_buffers *buffers, char *reason,
               size_t size) {
    if (c->op == LM_OP_AFFINE) return verify_affine(operation, c, buffers, reason, size);
    return (c->op == LM_OP_MOVE ? verify_move : verify_copy)(operation, c, buffers, reason, size);
}
