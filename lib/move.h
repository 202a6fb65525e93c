/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves: ways to carry out a move whose views share bytes with little scratch or none. What a way needs at
 * execution is a value inside the plan. */
#ifndef LM_MOVE_H
#define LM_MOVE_H

#include "form.h"
#include "planner.h"

struct lmad_plan;

/* A loop of an order: an axis of the form, walked upwards or downwards. */
typedef struct lm_level {
    int axis;
    bool backward;
} lm_level;

/* An order that is safe: the levels from outside inwards, the last one in blocks; inside a block everything is
 * read before anything is written. Several parts of the outermost level run in parallel when the last `reach` indices
 * of each part, which the next part overwrites, are saved first. */
typedef struct lm_ordered {
    int levels;
    lm_level level[LM_FORM_DIMS];
    int64_t block; /* indices of the last level */
    int64_t slice; /* bytes of one of them */
    int64_t reach;
    const lm_kernel *rows; /* of shifts: copies rows of bytes */
} lm_ordered;

/* How pairs of tiles change places: the kernel and its axes, LM_BOX_NONE included. */
typedef struct lm_exchange {
    const lm_kernel *kernel;
    int inner, outer;
} lm_exchange;

/* A permutation that maps the box onto itself: index i of the source lies where index s(i) of the destination
 * does, with s(i)[to[k]] = i[k], or n - 1 - i[k] where turned. Tiles are exchanged along the cycles of s. */
typedef struct lm_orbit {
    int to[LM_FORM_DIMS];
    bool turned[LM_FORM_DIMS];
    bool mirrored; /* some axis is turned: tiles lie symmetrically */
    int length;    /* after so many steps every index is back */
    lm_exchange exchange;
    int64_t tile[LM_FORM_DIMS];
    int64_t bytes; /* a tile in the buffer, padding included */
} lm_orbit;

/* A dense matrix of rows x columns runs that becomes its transpose, in a batch. Its upper left down x across blocks of
 * high x broad runs are transposed each, and chunks of them moved to where they belong; the rest is set aside. Squares
 * are transposed in place; others, which make up one row or one column, through scratch. */
typedef struct lm_rectangle {
    int64_t rows, columns;
    int64_t down, across, high, broad; /* down = 0: by permutations of rows and columns instead */
    int64_t wide;                      /* how many columns at a time */
    int64_t slice;                     /* the longest part of a chunk that is moved at once */
    int64_t aside;                     /* bytes that the rest takes */
    bool share;                        /* a matrix a thread, rather than all threads on one */
} lm_rectangle;

typedef struct lm_move {
    const struct lm_mover *mover;
    lm_form form;
    lm_box in, out;    /* source to buffer, buffer to destination */
    int parts;         /* threads */
    size_t part_bytes; /* scratch of each */
    bool small;        /* can also be done in what fits the stack */
    lm_ordered ordered;
    lm_orbit orbit;
    lm_rectangle rectangle;
} lm_move;

/* Sizes, in bytes, from which on things are done in a way; tests set them so low that small problems meet all of
 * it. */
typedef struct lm_move_limits {
    int64_t least;  /* payload that is not just copied through the stack */
    int64_t row;    /* runs that are moved one by one */
    int64_t wave;   /* waves that are copied as problems of their own */
    int64_t block;  /* of a buffer that stays in the caches */
    int64_t cycle;  /* all tiles of a cycle */
    int64_t run;    /* the longest run of a tile */
    int64_t work;   /* scratch, where less would do, too */
    int64_t copy;   /* payload that may be copied through scratch: no more than that */
    int64_t chunk;  /* chunks of a rectangle, the shortest */
    int64_t slice;  /* of a chunk, the longest */
    int64_t thread; /* payload that is worth a thread */
} lm_move_limits;
extern const lm_move_limits lm_usual_limits;

/* Threads for a move. */
int lm_move_threads(const lm_problem *problem, const lm_move_limits *limits);

/* One way (plans/move_*.c). */
typedef struct lm_mover {
    const char *name;
    /* If it can do the move of plan->problem, set plan->move (but for the mover), steps and work_bytes. */
    bool (*make)(struct lmad_plan *plan, const lm_move_limits *limits);
    void (*run)(const struct lmad_plan *plan, char *buffer, char *work);
    /* The same more slowly, on this thread alone, in LM_WORK_ON_STACK bytes: where make says that the move is `small`
     * enough for that. */
    void (*run_small)(const struct lmad_plan *plan, char *buffer, char *work);
} lm_mover;

/* The scratch of a move stays below this unless a context says otherwise, or nothing but a copy of the payload helps. */
enum { LM_WORK_LIMIT = 4 << 20 };

/* Find a way for a move whose views share bytes; false when there is none with bounded scratch. */
bool lm_planner_move(struct lmad_plan *plan);

/* Way number k, for tests: false when there are no more; *can says whether it can do this move. */
bool lm_planner_mover(struct lmad_plan *plan, int k, const lm_move_limits *limits, bool *can);

#endif
