/* SPDX-License-Identifier: BSD-3-Clause */
/* Variants as options for the compiler, candidates as text for people and wisdom. */
#include "hip.h"
#include "lib/text.h"

#include <string.h>

bool lm_variant_equal(const lm_variant *a, const lm_variant *b) {
    return a->kernel == b->kernel && a->unit == b->unit && a->word[LM_DST] == b->word[LM_DST] &&
           a->word[LM_SRC] == b->word[LM_SRC] && a->index == b->index && a->items == b->items &&
           a->option == b->option && a->stream == b->stream;
}

int lm_variant_options(const lm_variant *v, char *buf, size_t size) {
    lm_text text = {buf, size, 0};
    lm_text_add(&text, "-DLM_KERNEL=%d -DLM_UNIT=%d -DLM_DST_WORD=%d -DLM_SRC_WORD=%d", (int)v->kernel,
                v->unit, v->word[LM_DST], v->word[LM_SRC]);
    lm_text_add(&text, " -DLM_INDEX=%d -DLM_ITEMS=%d -DLM_OPTION=%d -DLM_STREAM=%d", v->index, v->items,
                v->option, (int)v->stream);
    return (int)text.length;
}

bool lm_hip_params_equal(const lm_hip_params *a, const lm_hip_params *b) {
    return a->kernel == b->kernel && a->word[LM_DST] == b->word[LM_DST] &&
           a->word[LM_SRC] == b->word[LM_SRC] && a->tile[LM_DST] == b->tile[LM_DST] &&
           a->tile[LM_SRC] == b->tile[LM_SRC] && a->order == b->order && a->items == b->items &&
           a->stream == b->stream;
}

int lm_hip_params_format(char *buf, size_t size, const lm_hip_params *p) {
    lm_text text = {buf, size, 0};
    lm_text_add(&text, "%s word=%dx%d tile=%lldx%lld", lm_hip_kind_of(p->kernel)->name, p->word[LM_DST],
                p->word[LM_SRC], (long long)p->tile[LM_DST], (long long)p->tile[LM_SRC]);
    lm_text_add(&text, " order=%s items=%d store=%s", p->order == LM_ORDER_DST ? "dst" : "src", p->items,
                p->stream ? "stream" : "plain");
    return (int)text.length;
}

/* Fits into an int. */
static bool small(const char **at, int64_t *out) { return lm_text_digits(at, 7, out); }

static bool pair(const char **at, const char *name, int64_t out[2]) {
    return lm_text_skip(at, name) && small(at, &out[LM_DST]) && lm_text_skip(at, "x") &&
           small(at, &out[LM_SRC]);
}

static bool parse_rest(const char *at, lm_hip_params *p) {
    int64_t word[2], items;
    if (!pair(&at, " word=", word) || !pair(&at, " tile=", p->tile) || !lm_text_skip(&at, " order="))
        return false;
    p->order = lm_text_skip(&at, "dst") ? LM_ORDER_DST : LM_ORDER_SRC;
    if (p->order == LM_ORDER_SRC && !lm_text_skip(&at, "src")) return false;
    if (!lm_text_skip(&at, " items=") || !small(&at, &items) || !lm_text_skip(&at, " store=")) return false;
    p->stream = !lm_text_skip(&at, "plain");
    if (p->stream && !lm_text_skip(&at, "stream")) return false;
    p->word[LM_DST] = (int)word[LM_DST];
    p->word[LM_SRC] = (int)word[LM_SRC];
    p->items = (int)items;
    return *at == '\0';
}

bool lm_hip_params_parse(lm_hip_params *out, const char *text) {
    const size_t length = strcspn(text, " ");
    for (int kernel = 0; kernel < LM_HIP_KERNELS; kernel++) {
        const lm_hip_kind *kind = lm_hip_kind_of((lm_hip_kernel)kernel);
        lm_hip_params p = {.kernel = (lm_hip_kernel)kernel};
        if (!kind || strlen(kind->name) != length || strncmp(kind->name, text, length) != 0) continue;
        if (!parse_rest(text + length, &p)) return false;
        *out = p;
        return true;
    }
    return false;
}
