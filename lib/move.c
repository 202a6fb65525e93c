/* SPDX-License-Identifier: BSD-3-Clause */
/* What movers share. */
#include "move.h"

#include "work.h"

/* A block, and all tiles of a cycle, stay within a second-level cache; a slice of a chunk within the first. */
const lm_move_limits lm_usual_limits = {.least = LM_WORK_ON_STACK,
                                        .row = 64,
                                        .wave = 1 << 20,
                                        .block = 128 << 10,
                                        .cycle = 256 << 10,
                                        .run = 16 << 10,
                                        .work = LM_WORK_LIMIT,
                                        .copy = 256 << 10,
                                        .chunk = 256,
                                        .slice = 32 << 10,
                                        .thread = 256 << 10};

int lm_move_threads(const lm_problem *problem, const lm_move_limits *limits) {
    const int64_t most = problem->payload / limits->thread;
    return most < 2 ? 1 : most < problem->threads ? (int)most : problem->threads;
}
