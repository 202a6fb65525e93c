/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the LMAD notation. What parses must come back the same from its own text, and plan without
 * harm. */
#include "fuzz.h"

#include <string.h>

#include "lmad.h"

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    setenv("LMAD_WISDOM", "", 1);
    return 0;
}

static void check_same(const lmad_desc *a, const lmad_desc *b) {
    lm_fuzz_check(a->rank == b->rank && a->offset == b->offset,
                  "rank or offset changed on the way through text");
    lm_fuzz_check(a->rank == 0 || memcmp(a->dim, b->dim, (size_t)a->rank * sizeof a->dim[0]) == 0,
                  "axes changed on the way through text");
}

static void check_plan(const lmad_desc *d) {
    lmad_plan *p;
    lmad_desc s = *d;
    if (d->rank > 1) s.dim[0].stride = d->dim[1].stride, s.dim[1].stride = d->dim[0].stride;
    if (lmad_plan_fill(&p, NULL, d, 3, LMAD_SERIAL) == LMAD_OK) lmad_plan_destroy(p);
    if (lmad_plan_copy(&p, NULL, d, &s, 4, 0) == LMAD_OK) lmad_plan_destroy(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[4096], again[4096];
    lmad_desc d, e;
    int64_t count, lo, hi;
    if (size >= sizeof text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    memset(&d, 0, sizeof d);
    if (lmad_parse(&d, text) != LMAD_OK) return 0;
    const int length = lmad_format(again, sizeof again, &d);
    lm_fuzz_check(length > 0 && length < (int)sizeof again, "no text for what was parsed");
    memset(&e, 0, sizeof e);
    lm_fuzz_check(lmad_parse(&e, again) == LMAD_OK, "the library's own text does not parse");
    check_same(&d, &e);
    if (lmad_bounds(&d, &count, &lo, &hi) == LMAD_OK)
        lm_fuzz_check(count == 0 || lo <= hi, "bounds upside down");
    check_plan(&d);
    return 0;
}
