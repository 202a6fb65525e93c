/* SPDX-License-Identifier: BSD-3-Clause */
/* The transpose of a matrix of any extents in place, with scratch for one row or for a few columns: first
 * columns are turned, then rows are permuted, then columns, each permutation known in closed form.
 *
 * B. Catanzaro, A. Keller, M. Garland: A decomposition for in-place matrix transposition. PPoPP 2014.
 * With c = gcd(m, n), a = m/c, b = n/c, for a matrix of m rows and n columns (the C2R direction):
 *     column j is turned by j/b;
 *     in row i, element j goes to place ((i + j/b) mod m + j*m) mod n;
 *     in column j, place i gets element (j + i*n - i/a) mod m.
 * Columns are taken several at a time, as many as share a line, so that lines are read whole. */
#include <string.h>

#include "move_rectangle.h"
#include "plans.h"

/* Whole lines, unless that takes more scratch than a thread's share. */
enum { LINE = 64, MOST = 512 << 10 };

int64_t lm_shuffle_wide(int64_t rows, int64_t run, int64_t most) {
    int64_t columns = 2 * LINE / run;
    while (columns > 1 && columns * run * rows > least(most, MOST)) columns /= 2;
    return columns > 1 ? columns : 1;
}

int64_t lm_shuffle_work(int64_t rows, int64_t columns, int64_t run, int64_t wide) {
    const int64_t column = wide * rows * run, row = columns * run;
    return column > row ? column : row;
}

/* Called with constant runs for the usual ones. */
static inline __attribute__((always_inline)) void put(char *to, const char *from, int64_t run) {
    memcpy(to, from, (size_t)run);
}

/* ---- columns -------------------------------------------------------------------------------------- */

/* A group of columns [first, first + count). */
typedef struct columns {
    const lm_shuffle *s;
    int64_t first, count;
} columns;

/* Gather place (i, j) from row (i + j/b) mod m. */
static inline __attribute__((always_inline)) void turn(const columns *g, int64_t run) {
    const lm_shuffle *s = g->s;
    const int64_t b = s->columns / s->common, pitch = s->columns * run;
    for (int64_t k = 0; k < g->count; k++) {
        const char *column = s->at + (g->first + k) * run;
        int64_t from = (g->first + k) / b % s->rows;
        for (int64_t i = 0; i < s->rows; i++) {
            put(s->work + (i * g->count + k) * run, column + from * pitch, run);
            if (++from == s->rows) from = 0;
        }
    }
}

/* Gather place (i, j) from row (j + i*n - i/a) mod m, row by row so that lines are used whole. */
static inline __attribute__((always_inline)) void shuffle(const columns *g, int64_t run) {
    const lm_shuffle *s = g->s;
    const int64_t m = s->rows, a = m / s->common, n = s->columns % m, pitch = s->columns * run;
    int64_t base = g->first % m, until = a;
    for (int64_t i = 0; i < m; i++) {
        if (i == until) {
            base = base ? base - 1 : m - 1;
            until += a;
        }
        int64_t from = base;
        for (int64_t k = 0; k < g->count; k++) {
            put(s->work + (i * g->count + k) * run, s->at + from * pitch + (g->first + k) * run, run);
            if (++from == m) from = 0;
        }
        base += n;
        if (base >= m) base -= m;
    }
}

static void write_back(const columns *g) {
    const lm_shuffle *s = g->s;
    const int64_t pitch = s->columns * s->run, bytes = g->count * s->run;
    for (int64_t i = 0; i < s->rows; i++)
        memcpy(s->at + i * pitch + g->first * s->run, s->work + i * bytes, (size_t)bytes);
}

static void turn_group(const columns *g) {
    switch (g->s->run) {
    case 1: turn(g, 1); break;
    case 2: turn(g, 2); break;
    case 4: turn(g, 4); break;
    case 8: turn(g, 8); break;
    case 16: turn(g, 16); break;
    default: turn(g, g->s->run);
    }
}

static void shuffle_group(const columns *g) {
    switch (g->s->run) {
    case 1: shuffle(g, 1); break;
    case 2: shuffle(g, 2); break;
    case 4: shuffle(g, 4); break;
    case 8: shuffle(g, 8); break;
    case 16: shuffle(g, 16); break;
    default: shuffle(g, g->s->run);
    }
}

static void each_group(const lm_shuffle *s, void (*gather)(const columns *g)) {
    const int64_t wide = s->wide, groups = (s->columns + wide - 1) / wide;
    for (int64_t k = s->part; k < groups; k += s->parts) {
        const columns g = {s, k * wide, least(wide, s->columns - k * wide)};
        gather(&g);
        write_back(&g);
    }
}

void lm_shuffle_turn_columns(const lm_shuffle *s) { each_group(s, turn_group); }
void lm_shuffle_columns(const lm_shuffle *s) { each_group(s, shuffle_group); }

/* ---- rows ----------------------------------------------------------------------------------------- */

/* Scatter element j of row i to place ((i + j/b) mod m + j*m) mod n. */
static inline __attribute__((always_inline)) void scatter(const lm_shuffle *s, int64_t i, int64_t run) {
    const int64_t m = s->rows, n = s->columns, b = n / s->common, step = m % n;
    const char *row = s->at + i * n * run;
    int64_t turned = i, reduced = i % n, along = 0, until = b; /* reduced: turned mod n */
    for (int64_t j = 0; j < n; j++) {
        if (j == until) {
            if (++reduced == n) reduced = 0;
            if (++turned == m) turned = reduced = 0;
            until += b;
        }
        int64_t to = reduced + along;
        if (to >= n) to -= n;
        put(s->work + to * run, row + j * run, run);
        along += step;
        if (along >= n) along -= n;
    }
}

static void scatter_row(const lm_shuffle *s, int64_t i) {
    switch (s->run) {
    case 1: scatter(s, i, 1); break;
    case 2: scatter(s, i, 2); break;
    case 4: scatter(s, i, 4); break;
    case 8: scatter(s, i, 8); break;
    case 16: scatter(s, i, 16); break;
    default: scatter(s, i, s->run);
    }
}

void lm_shuffle_rows(const lm_shuffle *s) {
    const int64_t bytes = s->columns * s->run;
    for (int64_t i = s->part; i < s->rows; i += s->parts) {
        scatter_row(s, i);
        memcpy(s->at + i * bytes, s->work, (size_t)bytes);
    }
}
