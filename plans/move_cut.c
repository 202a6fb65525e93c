/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a matrix that is made of squares large enough, and what is left of it: columns at the right,
 * and rows below. The left-overs are set aside, transposed already, so that they come back as ends of rows
 * and as whole rows. */
#include <math.h>
#include <string.h>

#include "lib/plan.h"
#include "move_rectangle.h"
#include "plans.h"

/* ---- choice --------------------------------------------------------------------------------------- */

/* Measured: a pass over chunks costs more the shorter they are, squares half as much again as a copy; closing
 * the gap and opening it again take a pass each. */
static double passes(const lm_rectangle *r, int64_t run) {
    const double chunks = 1 + 1024.0 / (double)(r->side * run);
    return 1.5 + (r->across > 1 ? chunks : 0) + (r->down > 1 ? chunks : 0) + (r->aside ? 2 : 0);
}

static void try_side(lm_rectangle *best, double *cost, int64_t side, int64_t run, int64_t most) {
    lm_rectangle r = *best;
    r.side = side;
    r.down = r.rows / side;
    r.across = r.columns / side;
    const int64_t used = r.down * r.across * side * side;
    if (r.rows * r.columns - used > most / run) return;
    r.aside = (r.rows * r.columns - used) * run;
    if (passes(&r, run) >= *cost) return;
    *cost = passes(&r, run);
    *best = r;
}

/* For so many squares down or across the largest side leaves out the least. */
double lm_cut_choose(lm_rectangle *r, int64_t run, int64_t shortest, int64_t most) {
    const int64_t small = least(r->rows, r->columns), large = r->rows + r->columns - small;
    double cost = INFINITY;
    r->side = r->aside = 0;
    for (int64_t squares = 1; small / squares * run >= shortest && small / squares > 1; squares++) {
        try_side(r, &cost, small / squares, run, most);
        const int64_t more = (int64_t)((double)large / (double)small * (double)squares);
        for (int64_t k = more > 1 ? more : 1; k <= more + 1; k++)
            if (large / k <= small && large / k * run >= shortest && large / k > 1)
                try_side(r, &cost, large / k, run, most);
    }
    return cost;
}

/* ---- the rest ------------------------------------------------------------------------------------- */

/* Where it lies while it is aside: the columns at the right, then the rows below, as rows of the transpose.
 */
typedef struct rest {
    int64_t rows, columns; /* of the squares */
    int64_t right, below;  /* columns and rows left out */
    int64_t row, result;   /* bytes of a row, of one of the transpose */
    int64_t end, tail;     /* bytes of a row of the first part, of the second */
    int64_t second;        /* where that begins */
} rest;

static rest rest_of(const lm_rectangle *r, int64_t run) {
    rest s = {.rows = r->down * r->side, .columns = r->across * r->side};
    s.right = r->columns - s.columns;
    s.below = r->rows - s.rows;
    s.row = r->columns * run;
    s.result = r->rows * run;
    s.end = s.rows * run;
    s.tail = s.below * run;
    s.second = s.right * s.end;
    return s;
}

/* The transpose of rows x columns runs, `row` bytes apart, as dense rows. */
static void turn(char *to, const char *from, int64_t rows, int64_t columns, int64_t row, int64_t run) {
    const int64_t n[] = {columns, rows};
    lm_box box = {.rank = 2, .run = run, .dim = {{columns, rows * run, run}, {rows, run, row}}};
    if (rows == 0 || columns == 0) return;
    lm_box_make(&box, false);
    lm_box_run(&box, to, from, n, 0);
}

void lm_cut_close(const lm_rectangle *r, int64_t run, char *at, char *aside) {
    const rest s = rest_of(r, run);
    const int64_t kept = s.columns * run;
    turn(aside, at + kept, s.rows, s.right, s.row, run);
    turn(aside + s.second, at + s.rows * s.row, s.below, r->columns, s.row, run);
    if (s.right == 0) return;
    for (int64_t i = 1; i < s.rows; i++) memmove(at + i * kept, at + i * s.row, (size_t)kept);
}

void lm_cut_open(const lm_rectangle *r, int64_t run, char *at, const char *aside) {
    const rest s = rest_of(r, run);
    for (int64_t i = r->columns - 1; i >= 0; i--) {
        char *to = at + i * s.result;
        if (i >= s.columns)
            memcpy(to, aside + (i - s.columns) * s.end, (size_t)s.end);
        else if (s.below && i > 0)
            memmove(to, at + i * s.end, (size_t)s.end);
        memcpy(to + s.end, aside + s.second + i * s.tail, (size_t)s.tail);
    }
}
