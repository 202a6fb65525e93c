/* SPDX-License-Identifier: BSD-3-Clause */
/* What the loops of a nest fetch: lines into the first and second cache, pages into the TLB. By the nest and
 * the machine's facts alone; what fetching costs is the cost model's (cost.h). */
#ifndef LM_TRAFFIC_H
#define LM_TRAFFIC_H

#include "planner.h"

typedef enum lm_side { LM_DST, LM_SRC } lm_side;

/* Units fetched, a side each. */
typedef struct lm_fetched {
    double side[2];
} lm_fetched;

/* How a side is walked, in the order of the loops: in stretches without a break, which hardware prefetchers
 * follow. A stretch is some places that are walked in turn, a piece of neighbouring bytes at each. */
typedef struct lm_stroll {
    double stretch, piece; /* bytes */
    double places, apart;  /* bytes from one to the next */
} lm_stroll;

typedef struct lm_traffic {
    double lines;                  /* that the nest touches on both sides together */
    double least_written;          /* lines of the destination, each once */
    double l2_capacity;            /* lines that data stay in */
    lm_fetched l1, l2;             /* lines */
    bool pages;                    /* are there so many pages that they matter? Else the next two are 0 */
    lm_fetched tlb_first, tlb_all; /* pages that the first level of the TLB misses, or all of it */
    lm_stroll stroll[2];
    /* Does the innermost loop go on where the tile before ended, within a page of the source? */
    bool follows;
} lm_traffic;

void lm_traffic_find(lm_traffic *traffic, const lm_step *step);

/* Lines that any execution of the problem touches. */
double lm_traffic_least(const lm_problem *problem);

#endif
