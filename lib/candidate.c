/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates as text, and back. */
#include "candidate.h"

#include <stdio.h>
#include <string.h>

#include "text.h"

bool lm_params_equal(const lm_params *a, const lm_params *b) {
    return a->inner == b->inner && a->outer == b->outer && a->tile[0] == b->tile[0] &&
           a->tile[1] == b->tile[1] && a->order == b->order && a->stream == b->stream &&
           a->threads == b->threads;
}

static void add_axis(lm_text *text, const char *name, int axis) {
    if (axis == LM_AXIS_RUN)
        lm_text_add(text, " %s=run", name);
    else if (axis == LM_AXIS_NONE)
        lm_text_add(text, " %s=none", name);
    else
        lm_text_add(text, " %s=%d", name, axis);
}

int lm_candidate_format(char *buf, size_t size, const lm_kind *kind, const lm_params *params) {
    lm_text text = {buf, size, 0};
    lm_text_add(&text, "%s", kind->name);
    add_axis(&text, "inner", params->inner);
    add_axis(&text, "outer", params->outer);
    lm_text_add(&text, " tile=%lldx%lld", (long long)params->tile[0], (long long)params->tile[1]);
    lm_text_add(&text, " order=%s", params->order == LM_ORDER_DST ? "dst" : "src");
    lm_text_add(&text, " store=%s", params->stream ? "stream" : "plain");
    lm_text_add(&text, " threads=%d", params->threads);
    return (int)text.length;
}

static bool axis(const char **at, int *out) {
    int64_t n;
    if (lm_text_skip(at, "run")) return *out = LM_AXIS_RUN, true;
    if (lm_text_skip(at, "none")) return *out = LM_AXIS_NONE, true;
    if (!lm_text_number(at, &n) || n >= LMAD_MAX_RANK) return false;
    *out = (int)n;
    return true;
}

/* One of two words; *second tells which. */
static bool either(const char **at, const char *a, const char *b, bool *second) {
    *second = false;
    if (lm_text_skip(at, a)) return true;
    return *second = lm_text_skip(at, b);
}

static bool parse_params(const char *at, lm_params *p) {
    bool by_src;
    int64_t threads;
    if (!lm_text_skip(&at, " inner=") || !axis(&at, &p->inner)) return false;
    if (!lm_text_skip(&at, " outer=") || !axis(&at, &p->outer)) return false;
    if (!lm_text_skip(&at, " tile=") || !lm_text_number(&at, &p->tile[0])) return false;
    if (!lm_text_skip(&at, "x") || !lm_text_number(&at, &p->tile[1])) return false;
    if (!lm_text_skip(&at, " order=") || !either(&at, "dst", "src", &by_src)) return false;
    if (!lm_text_skip(&at, " store=") || !either(&at, "plain", "stream", &p->stream)) return false;
    if (!lm_text_skip(&at, " threads=") || !lm_text_number(&at, &threads) || threads < 1 || threads > 1 << 20)
        return false;
    p->order = by_src ? LM_ORDER_SRC : LM_ORDER_DST;
    p->threads = (int)threads;
    return *at == '\0';
}

bool lm_candidate_parse(lm_candidate *out, const char *text) {
    const size_t length = strcspn(text, " ");
    lm_candidate c = {.kind = lm_planner_kind(text, length)};
    if (!c.kind || !parse_params(text + length, &c.params)) return false;
    *out = c;
    return true;
}
