/* SPDX-License-Identifier: BSD-3-Clause */
/* Cycles that the banks of LDS take to serve what a tile does: accesses of some warps, which stand for all. */
#ifndef LM_PLANS_HIP_BANKS_H
#define LM_PLANS_HIP_BANKS_H

#include "hip.h"

#include "kernels/hip/index.h"

enum { LM_BANKS = 32, LM_BANK = 4, LM_BANK_LANES = 64 };

/* One access of a warp: addresses of those threads that take part. */
typedef struct lm_bank_access {
    int bytes, shift; /* of a word; of a word that is a bank at least, as a shift */
    uint64_t part;    /* a bit for each thread */
    lm_u32 at[LM_BANK_LANES];
} lm_bank_access;

/* Where the items of a warp lie, as lm_place has it; those that take part. */
typedef struct lm_bank_places {
    lm_u32 item; /* the first */
    uint64_t part;
    lm_u32 lds[LM_BANK_LANES], global[LM_BANK_LANES], first[LM_BANK_LANES], row[LM_BANK_LANES];
} lm_bank_places;

typedef struct lm_bank_cycles {
    int64_t taken, ideal;
} lm_bank_cycles;

/* How items are moved to LDS, or from it: accesses of an item, and their width. */
typedef enum lm_bank_how {
    LM_BANK_WHOLE,
    LM_BANK_PIECES,
    LM_BANK_UNITS,
    LM_BANK_TURNED,
    LM_BANK_READ,
    LM_BANK_WRITTEN
} lm_bank_how;
typedef struct lm_bank_phase {
    lm_bank_how how;
    int view, count, bytes;
} lm_bank_phase;

/* Add the cycles that an access takes, and those without conflicts, so many times. */
void lm_bank_count_access(lm_bank_cycles *c, const lm_bank_access *a, int wave, int64_t weight);

/* What a side does with LDS. */
lm_bank_phase lm_bank_phase_of(const lm_launch *l, int side);

/* Whether units of a word lie one after the other: the first of them is where the word's place is. */
bool lm_bank_in_row(const lm_launch *l, const lm_bank_phase *p);

/* Where the k-th word or unit of an item lies. */
lm_u32 lm_bank_part_at(const lm_launch *l, const lm_bank_phase *p, const lm_bank_places *at, int lane, int k);

/* With which of them threads begin. */
void lm_bank_find_turns(lm_u32 *turn, const lm_launch *l, const lm_bank_phase *p, lm_u32 item,
                        const lm_u32 *row, int lanes);

/* The w-th of some warps that stand for all; returns for how many. */
int64_t lm_bank_find_places(lm_bank_places *out, const lm_launch *l, const lm_bank_phase *p, lm_u32 last,
                            int wave, int64_t w, int64_t some);

/* An access of these threads, as yet without addresses. */
lm_bank_access lm_bank_access_of(const lm_bank_phase *p, uint64_t part);

/* Of an item's accesses one of each few is looked at: how many, and for how many the k-th stands. */
int lm_bank_every(const lm_bank_phase *p);
int lm_bank_stands_for(const lm_bank_phase *p, int k);

#endif
