/* SPDX-License-Identifier: BSD-3-Clause */
/* The cut among threads: nobody writes what another one does, nothing is left out, threads meet between pages
 * or lines where the problem allows it, and keep to their node's part of the destination. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cut.h"
#include "lib/machine.h"
#include "lib/planner.h"
#include "rng.h"
#include "trial.h"

enum { LINE = 64, PAGE = 4096, MOST_UNITS = 1 << 14 };

/* A destination in which each byte tells who wrote it: 0 = nobody. Kernels get no more than addresses, so
 * this is where the recording one finds the rest. */
static struct {
    unsigned char *owner;
    int64_t size;
    unsigned char writer;
    int errors; /* bytes written twice or out of bounds */
} book;

static void record(char *dst, const char *src, const lm_tile *t) {
    (void)src;
    for (int64_t j = 0; j < t->n1; j++) {
        for (int64_t i = 0; i < t->n0; i++) {
            for (int64_t b = 0; b < t->run; b++) {
                unsigned char *at = (unsigned char *)dst + j * t->ds1 + i * t->ds0 + b;
                const bool in = at >= book.owner && at < book.owner + book.size;
                book.errors += !in || *at;
                if (in) *at = book.writer;
            }
        }
    }
}

/* A row-major destination, perhaps with gaps, that starts `offset` bytes behind a page boundary. */
typedef struct layout {
    const char *what;
    int64_t elem_size, offset;
    lmad_desc dst, src;
    bool lines_free, pages_free; /* threads can keep out of each other's lines, pages */
} layout;

static const layout layouts[] = {
    {"flat", 1, 0, {1, 0, {{4194304, 1}}}, {1, 0, {{4194304, 1}}}, true, true},
    {"flat, odd", 1, 13, {1, 0, {{4194301, 1}}}, {1, 0, {{4194301, 1}}}, true, true},
    {"rows", 4, 0, {2, 0, {{1024, 1024}, {1000, 1}}}, {2, 0, {{1024, 1003}, {1000, 1}}}, true, true},
    {"transpose", 4, 0, {2, 0, {{1024, 1024}, {1024, 1}}}, {2, 0, {{1024, 1}, {1024, 1024}}}, true, true},
    {"odd rows", 4, 8, {2, 0, {{1337, 1002}, {1001, 1}}}, {2, 0, {{1337, 1}, {1001, 1337}}}, true, false},
    {"odd bytes", 1, 0, {2, 0, {{2047, 1501}, {1501, 1}}}, {2, 0, {{2047, 1}, {1501, 2047}}}, false, false},
    {"[N][4]", 4, 0, {2, 0, {{262144, 4}, {4, 1}}}, {2, 0, {{262144, 1}, {4, 262144}}}, true, true},
    {"[4][N]", 4, 0, {2, 0, {{4, 262144}, {262144, 1}}}, {2, 0, {{4, 1}, {262144, 4}}}, true, true},
    {"few planes",
     4,
     0,
     {3, 0, {{3, 350000}, {350, 1000}, {1000, 1}}},
     {3, 0, {{3, 1}, {350, 3}, {1000, 1050}}},
     true,
     false},
    {"short axes",
     4,
     0,
     {4, 0, {{31, 29791}, {31, 961}, {31, 31}, {31, 1}}},
     {4, 0, {{31, 1}, {31, 31}, {31, 961}, {31, 29791}}},
     false,
     false},
};

enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

/* Machines by their topology, for which hwloc makes one up. */
static const char *const machines[] = {"node:2 core:2 pu:1", "node:2 core:4 pu:2",
                                       "package:2 node:2 core:3 pu:1", "node:1 core:7 pu:1"};

/* Thread `part` of as many does its share, as lm_step_run() hands it out. */
static void run_share(const lm_step *step, char *dst, int part, int threads) {
    const int64_t units = lm_nest_units(&step->nest), base = units / threads, more = units % threads;
    const int64_t first = part * base + (part < more ? part : more);
    book.writer = (unsigned char)(part + 1);
    lm_nest_run(&step->nest, record, dst, dst, first, first + base + (part < more));
}

/* Units of so many bytes in which two threads have written. */
static int64_t shared_units(int64_t unit) {
    int64_t shared = 0;
    for (int64_t at = 0; at < book.size; at += unit) {
        unsigned char who = 0;
        bool two = false;
        for (int64_t k = at; k < at + unit && k < book.size; k++) {
            if (book.owner[k] && who && book.owner[k] != who) two = true;
            if (book.owner[k]) who = book.owner[k];
        }
        shared += two;
    }
    return shared;
}

static int64_t written(void) {
    int64_t n = 0;
    for (int64_t k = 0; k < book.size; k++) n += book.owner[k] != 0;
    return n;
}

/* The most and the least bytes that a thread wrote. */
static double imbalance(int threads) {
    int64_t by[256] = {0}, most = 0;
    for (int64_t k = 0; k < book.size; k++) by[book.owner[k]]++;
    for (int t = 1; t <= threads; t++) most = by[t] > most ? by[t] : most;
    return (double)most * threads / (double)written();
}

static void check_layout(const layout *l, int threads) {
    lm_problem p;
    lm_step step;
    ck_assert_int_eq(lm_problem_make(&p, LM_OP_COPY, &l->dst, &l->src, (size_t)l->elem_size, threads),
                     LMAD_OK);
    lm_planner_choose(&p, &step);
    if (step.params.threads != threads) return; /* too little for so many */
    memset(book.owner, 0, (size_t)book.size);
    book.errors = 0;
    for (int part = 0; part < threads; part++)
        run_share(&step, (char *)book.owner + l->offset, part, threads);
    ck_assert_msg(book.errors == 0, "%s: %d bytes written twice or outside by %d", l->what, book.errors,
                  threads);
    ck_assert_msg(written() == p.payload, "%s: %lld of %lld bytes written by %d", l->what,
                  (long long)written(), (long long)p.payload, threads);
    ck_assert_msg(imbalance(threads) < 1.2, "%s: somebody of %d does %g times his share", l->what, threads,
                  imbalance(threads));
    if (l->lines_free)
        ck_assert_msg(shared_units(LINE) == 0, "%s: %lld lines shared by %d", l->what,
                      (long long)shared_units(LINE), threads);
    if (l->pages_free)
        ck_assert_msg(shared_units(PAGE) == 0, "%s: %lld pages shared by %d", l->what,
                      (long long)shared_units(PAGE), threads);
}

static void open_book(int64_t size) {
    book.size = size;
    book.owner = aligned_alloc(PAGE, (size_t)size);
    ck_assert_ptr_nonnull(book.owner);
}

static void close_book(void) { free(book.owner); }

START_TEST(threads_keep_apart) {
    lm_machine m;
    ck_assert_int_eq(lm_machine_load(&m, machines[_i]), 0);
    open_book(6 << 20);
    for (int k = 0; k < LAYOUTS; k++) check_layout(&layouts[k], m.cores);
    close_book();
}
END_TEST

/* Threads are numbered through the nodes: those of a node write one stretch of a destination that was made
 * for it. */
START_TEST(nodes_keep_apart) {
    lm_machine m;
    ck_assert_int_eq(lm_machine_load(&m, machines[_i]), 0);
    const int a_node = m.cores / m.numa_nodes;
    const layout *l = &layouts[3];
    open_book(6 << 20);
    check_layout(l, m.cores);
    for (int64_t k = 0; k < book.size; k++)
        book.owner[k] = (unsigned char)((book.owner[k] + a_node - 1) / a_node);
    int changes = 0;
    for (int64_t k = 1; k < 1024 * 1024 * 4; k++) changes += book.owner[k] != book.owner[k - 1];
    ck_assert_int_eq(changes, m.numa_nodes - 1);
    close_book();
}
END_TEST

/* Edges rise, stay near an even cut, and lie between lines wherever an address nearby does. */
START_TEST(edges_lie_between_lines) {
    for (uint64_t i = 0; i < 200000; i += (uint64_t)lm_test_scale()) {
        lm_rng rng = {lm_mix(lm_test_seed() + i)};
        const int64_t parts = lm_rng_range(&rng, 1, 70);
        const lm_pdim a = {lm_rng_range(&rng, parts, parts * 300),
                           lm_rng_range(&rng, 1, 700) << lm_rng_range(&rng, 0, 7), 1};
        const char *dst = (const char *)(uintptr_t)(lm_rng_next(&rng) & 0xffffffff);
        const int64_t k = lm_rng_range(&rng, 1, parts), at = lm_cut_edge(dst, &a, parts, k);
        const int64_t even = (int64_t)((double)a.n / (double)parts * (double)k);
        ck_assert_int_gt(at, lm_cut_edge(dst, &a, parts, k - 1));
        ck_assert_int_le(llabs(at - even), a.n / parts / 4 + 1);
        bool near = false;
        for (int64_t e = even - a.n / parts / 5; e <= even + a.n / parts / 5; e++)
            near |= (((uintptr_t)dst + (uintptr_t)(e * a.ds)) & (LINE - 1)) == 0;
        if (near && k < parts) ck_assert_int_eq(((uintptr_t)dst + (uintptr_t)(at * a.ds)) & (LINE - 1), 0);
    }
}
END_TEST

Suite *lm_suite_cut(void) {
    const int count = sizeof machines / sizeof machines[0];
    Suite *suite = suite_create("cut");
    TCase *threads = tcase_create("threads"), *edges = tcase_create("edges");
    tcase_set_timeout(threads, 120);
    tcase_add_loop_test(threads, threads_keep_apart, 0, count);
    tcase_add_loop_test(threads, nodes_keep_apart, 0, count - 1);
    tcase_add_test(edges, edges_lie_between_lines);
    suite_add_tcase(suite, threads);
    suite_add_tcase(suite, edges);
    return suite;
}
