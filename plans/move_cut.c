/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a matrix that is made of blocks, and what is left of it: columns at the right, and rows below.
 * The left-overs are set aside, transposed already, so that they come back as ends of rows and as whole rows.
 */
#include <math.h>
#include <string.h>

#include "lib/plan.h"
#include "move_rectangle.h"
#include "plans.h"

/* ---- choice --------------------------------------------------------------------------------------- */

/* Measured: a pass over chunks costs more the shorter they are, squares half as much again as a copy, other
 * blocks, which go through scratch, twice as much; only squares take another pass to close the gaps. What is
 * set aside is copied there and back. */
static double passes(const lm_rectangle *r, int64_t run) {
    const double chunk = (double)((r->down > 1 ? r->high : r->broad) * run);
    const double aside = (double)r->aside / (double)(r->rows * r->columns * run);
    return (lm_rectangle_is_square(r) ? r->aside ? 2.5 : 1.5 : 2) +
           (r->down * r->across > 1 ? 1 + 1024 / chunk : 0) + 2 * aside;
}

/* A choice so far. */
typedef struct choice {
    lm_rectangle best;
    double cost;
    int64_t run, most;
} choice;

static void try_blocks(choice *c, int64_t high, int64_t broad) {
    lm_rectangle r = c->best;
    r.high = high;
    r.broad = broad;
    r.down = r.rows / high;
    r.across = r.columns / broad;
    r.aside = (r.rows * r.columns - r.down * high * r.across * broad) * c->run;
    if (r.aside > c->most || passes(&r, c->run) >= c->cost) return;
    c->cost = passes(&r, c->run);
    c->best = r;
}

/* For so many squares down or across the largest side leaves out the least. */
static void try_squares(choice *c, int64_t shortest) {
    const int64_t rows = c->best.rows, columns = c->best.columns;
    const int64_t small = least(rows, columns), large = rows + columns - small;
    for (int64_t squares = 1; small / squares * c->run >= shortest && small / squares > 1; squares++) {
        try_blocks(c, small / squares, small / squares);
        const int64_t more = (int64_t)((double)large / (double)small * (double)squares);
        for (int64_t k = more > 1 ? more : 1; k <= more + 1; k++)
            if (large / k <= small && large / k * c->run >= shortest && large / k > 1)
                try_blocks(c, large / k, large / k);
    }
}

/* Blocks as long as a whole short side, and as wide as scratch allows or a little less: where that leaves
 * nothing out, or else little. Matrices that fit scratch are not for this way. */
static void try_strips(choice *c, const lm_cut_limits *limits) {
    const int64_t rows = c->best.rows, columns = c->best.columns;
    const int64_t small = least(rows, columns), large = rows + columns - small;
    const int64_t widest = limits->block / (small * c->run);
    if (widest < 2 || widest >= large || widest * c->run < limits->chunk) return;
    const int64_t fewest = (large + widest - 1) / widest;
    int64_t count = fewest;
    while (count < 2 * fewest && large % count) count++;
    if (large % count) count = fewest;
    if (rows == small)
        try_blocks(c, rows, columns / count);
    else
        try_blocks(c, rows / count, columns);
}

double lm_cut_choose(lm_rectangle *r, int64_t run, const lm_cut_limits *limits) {
    choice c = {*r, INFINITY, run, limits->most};
    c.best.down = c.best.aside = 0;
    try_squares(&c, limits->chunk);
    try_strips(&c, limits);
    *r = c.best;
    return c.cost;
}

/* ---- the rest ------------------------------------------------------------------------------------- */

/* Where it lies while it is aside: the columns at the right, then the rows below, as rows of the transpose.
 */
typedef struct rest {
    int64_t rows, columns; /* of the blocks */
    int64_t right, below;  /* columns and rows left out */
    int64_t row, result;   /* bytes of a row, of one of the transpose */
    int64_t end, tail;     /* bytes of a row of the first part, of the second */
    int64_t second;        /* where that begins */
} rest;

static rest rest_of(const lm_rectangle *r, int64_t run) {
    rest s = {.rows = r->down * r->high, .columns = r->across * r->broad};
    s.right = r->columns - s.columns;
    s.below = r->rows - s.rows;
    s.row = r->columns * run;
    s.result = r->rows * run;
    s.end = s.rows * run;
    s.tail = s.below * run;
    s.second = s.right * s.end;
    return s;
}

void lm_cut_leave(const lm_rectangle *r, int64_t run, const char *at, char *aside) {
    const rest s = rest_of(r, run);
    lm_box_turn(aside, s.end, at + s.columns * run, s.row, s.rows, s.right, run);
    lm_box_turn(aside + s.second, s.tail, at + s.rows * s.row, s.row, s.below, r->columns, run);
}

void lm_cut_return(const lm_rectangle *r, int64_t run, char *at, const char *aside) {
    const rest s = rest_of(r, run);
    for (int64_t i = s.columns; i < r->columns; i++)
        memcpy(at + i * s.result, aside + (i - s.columns) * s.end, (size_t)s.end);
    for (int64_t i = 0; i < r->columns && s.below; i++)
        memcpy(at + i * s.result + s.end, aside + s.second + i * s.tail, (size_t)s.tail);
}
