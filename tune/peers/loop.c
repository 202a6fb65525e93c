/* SPDX-License-Identifier: BSD-3-Clause */
/* What somebody writes by hand for one message: a loop nest whose inner length is known at compile time, the
 * rest at run time. There is one for each length that the suite of message layouts has. */
#include <stdlib.h>
#include <string.h>

#include "peers.h"

#define INLINE static inline __attribute__((always_inline))

typedef struct loop {
    char *d;
    const char *s;
    int64_t n0, ds0, ss0, n1, ds1, ss1; /* around the inner one; strides in bytes */
    int64_t n2, ds2, ss2, size;         /* the inner one */
} loop;

/* Both sides dense inside: rows of a known length. */
INLINE void rows(const loop *l, int64_t repeats, size_t bytes) {
    for (; repeats > 0; repeats--) {
        for (int64_t i = 0; i < l->n0; i++)
            for (int64_t j = 0; j < l->n1; j++)
                memcpy(l->d + i * l->ds0 + j * l->ds1, l->s + i * l->ss0 + j * l->ss1, bytes);
        __asm__ volatile("" ::: "memory");
    }
}

/* A known number of elements of a known size, at steps. */
INLINE void steps(const loop *l, int64_t repeats, int64_t n, size_t size) {
    for (; repeats > 0; repeats--) {
        for (int64_t i = 0; i < l->n0; i++)
            for (int64_t j = 0; j < l->n1; j++)
                for (int64_t k = 0; k < n; k++)
                    memcpy(l->d + i * l->ds0 + j * l->ds1 + k * l->ds2,
                           l->s + i * l->ss0 + j * l->ss1 + k * l->ss2, size);
        __asm__ volatile("" ::: "memory");
    }
}

static bool run_rows(const loop *l, int64_t repeats) {
    switch (l->n2 * l->size) {
    case 12: rows(l, repeats, 12); break;
    case 40: rows(l, repeats, 40); break;
    case 44: rows(l, repeats, 44); break;
    case 56: rows(l, repeats, 56); break;
    case 64: rows(l, repeats, 64); break;
    case 76: rows(l, repeats, 76); break;
    case 92: rows(l, repeats, 92); break;
    case 256: rows(l, repeats, 256); break;
    case 480: rows(l, repeats, 480); break;
    case 768: rows(l, repeats, 768); break;
    case 1024: rows(l, repeats, 1024); break;
    case 1320: rows(l, repeats, 1320); break;
    case 1536: rows(l, repeats, 1536); break;
    case 2048: rows(l, repeats, 2048); break;
    case 2560: rows(l, repeats, 2560); break;
    case 3072: rows(l, repeats, 3072); break;
    case 4080: rows(l, repeats, 4080); break;
    case 4096: rows(l, repeats, 4096); break;
    case 6480: rows(l, repeats, 6480); break;
    case 16320: rows(l, repeats, 16320); break;
    case 40800: rows(l, repeats, 40800); break;
    default: return false;
    }
    return true;
}

static bool run_steps(const loop *l, int64_t repeats) {
    switch (l->n2 * 100 + l->size) {
    case 1608: steps(l, repeats, 16, 8); break;
    case 6408: steps(l, repeats, 64, 8); break;
    case 12808: steps(l, repeats, 128, 8); break;
    case 25608: steps(l, repeats, 256, 8); break;
    case 6416: steps(l, repeats, 64, 16); break;
    case 12816: steps(l, repeats, 128, 16); break;
    case 19216: steps(l, repeats, 192, 16); break;
    case 25616: steps(l, repeats, 256, 16); break;
    case 38416: steps(l, repeats, 384, 16); break;
    default: return false;
    }
    return true;
}

static double run_loop(void *state, int64_t repeats) {
    const loop *l = state;
    if (l->ds2 == l->size && l->ss2 == l->size)
        run_rows(l, repeats);
    else
        run_steps(l, repeats);
    return 0;
}

static void *open_loop(const peer_problem *p) {
    loop *l = malloc(sizeof *l);
    if (!l || p->rank > 3 || p->rank < 1) goto free_loop;
    const peer_dim unit = {1, 0, 0}, *a = p->rank > 2 ? &p->dim[0] : &unit;
    const peer_dim *b = p->rank > 1 ? &p->dim[p->rank - 2] : &unit, *c = &p->dim[p->rank - 1];
    *l = (loop){p->d,
                p->s,
                a->n,
                a->ds * p->size,
                a->ss * p->size,
                b->n,
                b->ds * p->size,
                b->ss * p->size,
                c->n,
                c->ds * p->size,
                c->ss * p->size,
                p->size};
    if (c->ds == 1 && c->ss == 1 ? run_rows(l, 0) : run_steps(l, 0)) return l;
free_loop:
    free(l);
    return NULL;
}

const peer peer_loop = {"loop", false, open_loop, run_loop, free};
