/* SPDX-License-Identifier: BSD-3-Clause */
/* Wisdom of a context: looking up, learning, and the records themselves. */
#ifndef LM_WISDOM_H
#define LM_WISDOM_H

#include "ctx.h"
#include "device_search.h"
#include "search.h"
#include "store.h"

/* A context's wisdom; starts as {0}. One lock for all contexts guards the stores (wisdom.c). */
typedef struct lm_wisdom {
    lm_store store;
    atomic_bool any;                             /* is there a record to plan with? */
    atomic_bool loaded;                          /* have the usual places been read, or shall they not be? */
    _Atomic(const lm_calibration *) calibration; /* of this machine, the store's best one; NULL = none */
    struct lm_calibrations *calibrations;        /* all that there ever were: plans may look at them */
} lm_wisdom;

enum { LM_MACHINE_TEXT = 160 }; /* bytes that hold a fingerprint */

/* What was found. */
typedef struct lm_wise {
    lm_candidate candidate; /* with the measured time; kind NULL for a problem of devices */
    lm_device_way way;      /* for such a one */
    int effort;
    bool sibling;
    char machine[LM_MACHINE_TEXT]; /* only set for a sibling's */
} lm_wise;

/* Look up a choice for a problem that is not empty: from this machine with this effort or better, or for
 * LMAD_ESTIMATE from the machine most like it. What is found may be made ready as it is. The first call for a
 * context loads the usual places. */
bool lm_wisdom_find(lmad_ctx *ctx, const lm_problem *problem, int effort, lm_wise *out);

/* The same for a problem that is planned for a device. */
bool lm_wisdom_find_device(lmad_ctx *ctx, const lm_problem *problem, const lm_device *device, int effort,
                           lm_wise *out);

/* The calibration to plan with, which lives as long as the context; NULL when there is none for this machine. The
 * first call for a context loads the usual places. */
const lm_calibration *lm_wisdom_calibration(lmad_ctx *ctx);

/* Keep a calibration of this machine, measured with this effort. */
void lm_wisdom_calibrated(lmad_ctx *ctx, int effort, const lm_calibration *calibration);

/* Keep what a search has found. Without memory it is not kept. */
void lm_wisdom_learn(lmad_ctx *ctx, const lm_problem *problem, int effort, const lm_step *step,
                     const lm_finding *finding);

void lm_wisdom_learn_device(lmad_ctx *ctx, const lm_problem *problem, const lm_device *device, int effort,
                            const lm_device_way *way, const lm_device_finding *finding);

/* Add a record to a context (taken over; see lm_store_add). */
lm_added lm_wisdom_add(lmad_ctx *ctx, lm_record *record);

/* All of a context's wisdom as one text on the heap, with its first line; NULL: no memory. */
char *lm_wisdom_text(lmad_ctx *ctx, size_t *length);

/* The same of a store that nobody else sees. */
char *lm_store_text(const lm_store *store, size_t *length);

/* Free the records, or everything. */
void lm_wisdom_clear(lm_wisdom *wisdom);
void lm_wisdom_close(lm_wisdom *wisdom);

/* This machine's fingerprint; static. */
const char *lm_wisdom_machine(void);

#endif
