/* SPDX-License-Identifier: BSD-3-Clause */
/* The yardstick: libc's memcpy of the payload. */
#include <stdlib.h>
#include <string.h>

#include "peers.h"

typedef struct call {
    char *dst;
    const char *src;
    size_t n;
} call;

static void *open_memcpy(const peer_problem *p) {
    call *c = malloc(sizeof *c);
    if (c) *c = (call){p->d_low, p->s_low, (size_t)p->payload};
    return c;
}

static double run_memcpy(void *state, int64_t repeats) {
    const call *c = state;
    for (; repeats > 0; repeats--) {
        memcpy(c->dst, c->src, c->n);
        __asm__ volatile("" ::: "memory");
    }
    return 0;
}

const peer peer_memcpy = {"memcpy", false, open_memcpy, run_memcpy, free};
