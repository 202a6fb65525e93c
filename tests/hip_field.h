/* SPDX-License-Identifier: BSD-3-Clause */
/* Problems on the emulated run time: memory of any kind for both sides, and what should come out. */
#ifndef LM_HIP_FIELD_H
#define LM_HIP_FIELD_H

#include "emulator.h"
#include "lib/hip.h"
#include "trial.h"

/* What a pointer points to. */
typedef enum lm_field_kind { PAGEABLE, PINNED, MANAGED, DEVICE } lm_field_kind;

/* Where both sides lie: LM_HOST or a device; what memory of the host really is. */
typedef struct lm_field_ends {
    int dst, src;
    lm_field_kind host;
} lm_field_ends;

typedef struct lm_field {
    lm_problem problem;
    lm_field_kind dst_kind, src_kind;
    size_t dst_size, src_size;
    char *dst, *src; /* blocks */
    char *d;         /* pointers to execute with */
    const char *s;
    char *old, *want, *got, *from; /* on the host */
} lm_field;

/* The emulated run time and HIP as the library sees it, with so many devices. */
const hipemu *lm_field_begin(int devices, int warp, bool lazy);
extern const lm_hip *lm_field_hip;

/* Before that: this machine is one of two nodes, with a device below each (tests/two-nodes.xml, the name of
 * which it returns); emulated device 2 is the one on the first node. */
const char *lm_field_two_nodes(void);

/* Fail the test over an error. */
void lm_field_good(lm_hip_error error);

/* Between any two kinds of memory. */
void lm_field_move(void *to, const void *from, size_t size);

/* Bytes of the caller's to free; each seed has its own. */
char *lm_field_noise(size_t size, uint64_t seed);

void lm_field_open(lm_field *f, const lm_trial *t, const lm_field_ends *e);
void lm_field_close(lm_field *f);

/* The same without the run time, which has lost its memory. */
void lm_field_abandon(lm_field *f);

/* Both blocks as they were at first. */
void lm_field_reset(lm_field *f);

/* Has the destination become what it must? */
bool lm_field_is_right(lm_field *f);

lm_hip_stream lm_field_stream(int device);

/* A plan for it; fails the test if there is none. */
lmad_plan *lm_field_plan(const lm_trial *t, const lm_field_ends *e);

/* Fail the test unless the status is this one, and its detail has such words. */
void lm_field_expect(lmad_status got, lmad_status wanted, const char *words);

/* A mistake of the caller's own, by a call that is not one of ours: it is HIP's last error now. */
lm_hip_error lm_field_mistake(void);

#endif
