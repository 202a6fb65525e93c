/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers, verification, interleaved samples. */
#define _GNU_SOURCE
#include "row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, ROUNDS = 15, SLOW_ROUNDS = 5, SLOWEST_ROUNDS = 2, MOST_PEERS = 16, UNWRITTEN = 0x5a };

/* A sample is at least so long; beyond the other two a peer gets fewer rounds. */
static const double sample_ns = 50e3, slow_ns = 5e6, slowest_ns = 60e6;

/* ---- the problem ---------------------------------------------------------------------------------- */

/* Axes of extent 1 say nothing; neighbours that are one axis on both sides are one. */
static void fold(peer_problem *p) {
    p->rank = 0;
    for (int k = 0; k < p->dst.rank; k++) {
        const peer_dim a = {p->dst.dim[k].n, p->dst.dim[k].stride, p->src.dim[k].stride};
        peer_dim *before = &p->dim[p->rank - 1];
        if (a.n == 1) continue;
        if (p->rank && before->ds == a.n * a.ds && before->ss == a.n * a.ss)
            *before = (peer_dim){before->n * a.n, a.ds, a.ss};
        else
            p->dim[p->rank++] = a;
    }
}

bool row_read(peer_problem *p, char *line) {
    char *rest = line;
    char *name = strsep(&rest, "\t"), *size = strsep(&rest, "\t"), *dst = strsep(&rest, "\t");
    char *src = strsep(&rest, "\t\n");
    *p = (peer_problem){.name = name};
    if (!src || lmad_parse(&p->dst, dst) || lmad_parse(&p->src, src)) return false;
    p->size = atoi(size);
    p->payload = p->size;
    for (int k = 0; k < p->dst.rank; k++) p->payload *= p->dst.dim[k].n;
    fold(p);
    return p->payload > 0;
}

/* ---- memory --------------------------------------------------------------------------------------- */

void row_memory_free(row_memory *m) {
    if (m->shared) munmap(m->shared, m->size);
    if (m->want) munmap(m->want, m->size);
    if (m->shared) close(m->file);
    *m = (row_memory){0};
}

static bool grow(row_memory *m, size_t size) {
    if (size <= m->size) return true;
    if (!m->shared) m->file = memfd_create("peers", 0);
    if (m->file < 0 || ftruncate(m->file, (off_t)size)) return false;
    if (m->shared) munmap(m->shared, m->size);
    if (m->want) munmap(m->want, m->size);
    m->shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, m->file, 0);
    m->want = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    m->size = size;
    if (m->shared == MAP_FAILED || m->want == MAP_FAILED) exit(EXIT_FAILURE);
    memset(m->shared, UNWRITTEN, size);
    return true;
}

typedef struct reach {
    int64_t lo; /* bytes from the origin */
    size_t size, room;
} reach;

static reach reach_of(const peer_problem *p, const lmad_desc *d) {
    int64_t count, lo, hi;
    lmad_bounds(d, &count, &lo, &hi);
    const size_t size = (size_t)((hi - lo + 1) * p->size), least = (size_t)p->payload;
    return (reach){lo * p->size, size, (size > least ? size : least) + PAGE};
}

bool row_place(peer_problem *p, row_memory *m) {
    const reach dst = reach_of(p, &p->dst), src = reach_of(p, &p->src);
    const size_t behind = (dst.room / PAGE + 2) * PAGE;
    if (!grow(m, behind + src.room + 2 * PAGE)) return false;
    m->dst_at = PAGE + (size_t)(dst.lo & (PAGE - 1));
    m->src_at = behind + PAGE + (size_t)(src.lo & (PAGE - 1));
    m->dst_size = dst.size;
    m->src_size = src.size;
    p->d_low = m->shared + m->dst_at;
    p->s_low = m->shared + m->src_at;
    p->dst_origin = p->d_low - dst.lo;
    p->src_origin = p->s_low - src.lo;
    p->d = p->dst_origin + p->dst.offset * p->size;
    p->s = p->src_origin + p->src.offset * p->size;
    p->memory = m->file;
    p->d_at = p->d - m->shared;
    p->s_at = p->s - m->shared;
    return true;
}

/* ---- verification --------------------------------------------------------------------------------- */

/* Numbers that survive arithmetic: small ones as float or double where the size allows it. */
static void fill_source(const peer_problem *p, row_memory *m) {
    char *at = m->shared + m->src_at;
    const size_t each = p->size % 8 == 0 ? 8 : p->size % 4 == 0 ? 4 : 1;
    for (size_t i = 0; i < m->src_size / each; i++) {
        const double d = (double)(i % 16000000 + 1);
        const float f = (float)d;
        if (each == 8) memcpy(at + 8 * i, &d, 8);
        if (each == 4) memcpy(at + 4 * i, &f, 4);
        if (each == 1) at[i] = (char)(i % 61 + 1);
    }
}

typedef struct copying {
    const peer_problem *p;
    char *want;
} copying;

/* Along the last axis, which peer_each() leaves out. */
static void copy_row(void *arg, int64_t d, int64_t s) {
    const copying *c = arg;
    const peer_dim unit = {1, 0, 0}, *a = c->p->rank ? &c->p->dim[c->p->rank - 1] : &unit;
    const size_t size = (size_t)c->p->size;
    char *to = c->want + (c->p->d - c->p->d_low) + d;
    const char *from = c->p->s + s;
    for (int64_t i = 0; i < a->n; i++)
        memcpy(to + i * a->ds * (int64_t)size, from + i * a->ss * (int64_t)size, size);
}

static void make_want(const peer_problem *p, row_memory *m) {
    bool last[LMAD_MAX_RANK] = {false};
    copying c = {p, m->want};
    if (p->rank) last[p->rank - 1] = true;
    memset(m->want, UNWRITTEN, m->dst_size);
    peer_each(p, last, copy_row, &c);
}

/* ---- the race ------------------------------------------------------------------------------------- */

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double sample(const peer *who, void *state, int64_t repeats) {
    const double start = now_ns(), own = who->run(state, repeats), ns = now_ns() - start;
    return (own > 0 ? own : ns) / (double)repeats;
}

typedef struct runner {
    const peer *who;
    void *state;
    int64_t repeats;
    int rounds, taken;
    double ns[ROUNDS];
} runner;

/* False when the result was wrong. The first execution also tells how often to call. */
static bool enter(runner *r, const peer_problem *p, row_memory *m, bool is_copy) {
    r->state = r->who->open(p);
    if (!r->state) return true;
    if (r->who->spoils) fill_source(p, m);
    memset(m->shared + m->dst_at, UNWRITTEN, m->dst_size);
    double ns = sample(r->who, r->state, 1);
    if (is_copy && memcmp(m->shared + m->dst_at, m->want, m->dst_size) != 0) return false;
    r->rounds = ns > slowest_ns ? SLOWEST_ROUNDS : ns > slow_ns ? SLOW_ROUNDS : ROUNDS;
    r->repeats = 1;
    while (ns * (double)r->repeats < sample_ns) {
        r->repeats *= 2;
        ns = sample(r->who, r->state, r->repeats);
    }
    return true;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(runner *r) {
    if (!r->taken) return 0;
    qsort(r->ns, (size_t)r->taken, sizeof *r->ns, by_value);
    return (r->ns[(r->taken - 1) / 2] + r->ns[r->taken / 2]) / 2;
}

void row_race(const peer_problem *p, row_memory *m, const peer *const *peers, int count, double *ns) {
    runner runners[MOST_PEERS] = {{0}};
    bool right[MOST_PEERS];
    fill_source(p, m);
    make_want(p, m);
    for (int k = 0; k < count; k++) {
        runners[k].who = peers[k];
        right[k] = enter(&runners[k], p, m, k > 0);
        if (!right[k]) runners[k].rounds = 0;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < count; k++)
            if (round < runners[k].rounds)
                runners[k].ns[runners[k].taken++] = sample(peers[k], runners[k].state, runners[k].repeats);
    for (int k = 0; k < count; k++) {
        ns[k] = right[k] ? median(&runners[k]) : -1;
        if (runners[k].state) peers[k]->close(runners[k].state);
    }
}
