/* SPDX-License-Identifier: BSD-3-Clause */
/* Scratch memory that a plan owns: a few slots, each for one execution at a time. */
#ifndef LM_WORK_H
#define LM_WORK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lmad.h"

/* Up to this many bytes an execution has its scratch on the stack. */
enum { LM_WORK_ON_STACK = 16 << 10, LM_WORK_ALIGNMENT = 64 };

/* So many bytes of scratch, and what is left of their last line. */
static inline int64_t lm_work_rounded(int64_t bytes) {
    return (bytes + LM_WORK_ALIGNMENT - 1) & -(int64_t)LM_WORK_ALIGNMENT;
}

typedef struct lm_work {
    char *memory; /* slots * size; NULL when there are none */
    size_t size;  /* of a slot */
    int slots;
    _Atomic(uint64_t)
        claims; /* a bit a slot; above them, the generation of the process that claimed (work.c) */
} lm_work;

/* As many slots of this size as a few MiB hold, one at least. */
lmad_status lm_work_open(lm_work *work, size_t bytes);
void lm_work_close(lm_work *work);

/* Claim a slot. When all are taken: waits until one is not, or returns NULL. */
char *lm_work_claim(lm_work *work, bool wait);
void lm_work_leave(lm_work *work, const char *slot);

#endif
