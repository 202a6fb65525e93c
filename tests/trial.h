/* SPDX-License-Identifier: BSD-3-Clause */
/* One problem tried in guarded buffers and compared with the oracle: what most suites are made of.
 *
 *     lm_rig rig;  lm_rig_open(&rig, capacity);
 *     lm_rig_set(&rig, &trial);           places the blocks, works out what should come out
 *     ... write rig.d from rig.s ...
 *     const char *why = lm_rig_verdict(&rig);   NULL, or what is wrong
 */
#ifndef LM_TRIAL_H
#define LM_TRIAL_H

#include "guard.h"
#include "lib/problem.h"
#include "lmad.h"

/* A problem and where its blocks lie. A move has both views in the destination's block; a fill has no source
 * view. */
typedef struct lm_trial {
    lm_op op;
    lmad_desc dst, src;
    size_t elem_size;
    bool dst_end, src_end;       /* the block is pushed against the end of its room, not the start */
    size_t dst_slack, src_slack; /* but for so many bytes, 0 .. 64: this shifts the alignment */
} lm_trial;

typedef struct lm_rig {
    lm_guard dst, src;
    size_t capacity;
    char *d; /* the pointers to execute with */
    const char *s;
    char *want;              /* what the destination's block must become */
    char *old_dst, *old_src; /* what the blocks hold before: noise that differs in every byte */
    const lm_trial *trial;
    char text[1024]; /* of the verdict */
} lm_rig;

/* A rig for blocks of up to capacity bytes. While it is open a fault names the problem that was on it. */
void lm_rig_open(lm_rig *rig, size_t capacity);
void lm_rig_close(lm_rig *rig);

/* A block in bytes, from where its descriptors' pointer is. */
typedef struct lm_block {
    int64_t lo, size;
} lm_block;

/* What a problem needs of either side. A move's source block is empty, a fill's is the value. */
lm_block lm_trial_dst(const lm_trial *trial);
lm_block lm_trial_src(const lm_trial *trial);

/* The capacity that a problem needs. */
size_t lm_trial_room(const lm_trial *trial);

/* Does the problem fit into the rig? */
bool lm_rig_fits(const lm_rig *rig, const lm_trial *trial);

/* Put a problem on the rig; trial is kept, not copied. */
void lm_rig_set(lm_rig *rig, const lm_trial *trial);

/* Fill the blocks as they were after lm_rig_set(), to try once more. */
void lm_rig_reset(lm_rig *rig);

/* NULL when the destination holds what it must, and nothing else changed; else a sentence. */
const char *lm_rig_verdict(lm_rig *rig);

/* The same for "nothing was written at all". */
const char *lm_rig_untouched(lm_rig *rig);

/* "copy 4 [..] [..]": the problem in words. As snprintf. */
int lm_trial_format(char *buf, size_t size, const lm_trial *trial);

/* Plan the problem of a trial through the public API. */
lmad_status lm_trial_plan(lmad_plan **p, lmad_ctx *ctx, const lm_trial *trial, unsigned flags);

/* Set, plan, execute, destroy: the verdict. */
const char *lm_rig_try(lm_rig *rig, const lm_trial *trial, lmad_ctx *ctx, unsigned flags);

/* From now on a fault is blamed on this text (kept, not copied) rather than on the problem on a rig; NULL =
 * not any more. */
void lm_blame(const char *text);

/* LMAD_TEST_SCALE: every so manyth problem is enough; 1 when unset. */
int lm_test_scale(void);

/* LMAD_TEST_SEED, or a fixed one. */
uint64_t lm_test_seed(void);

#endif
