/* SPDX-License-Identifier: BSD-3-Clause */
/* lmad itself: an estimated plan, one thread. */
#include <stdlib.h>

#include "peers.h"

typedef struct call {
    lmad_plan *plan;
    char *dst;
    const char *src;
} call;

static void *open_lmad(const peer_problem *p) {
    call *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    *c = (call){NULL, p->dst_origin, p->src_origin};
    if (!lmad_plan_copy(&c->plan, NULL, &p->dst, &p->src, (size_t)p->size, LMAD_ESTIMATE | LMAD_SERIAL))
        return c;
    free(c);
    return NULL;
}

static double run_lmad(void *state, int64_t repeats) {
    const call *c = state;
    for (; repeats > 0; repeats--) lmad_execute(c->plan, c->dst, c->src);
    return 0;
}

static void close_lmad(void *state) {
    call *c = state;
    lmad_plan_destroy(c->plan);
    free(c);
}

const peer peer_lmad = {"lmad", false, open_lmad, run_lmad, close_lmad};
