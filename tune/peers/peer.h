/* SPDX-License-Identifier: BSD-3-Clause */
/* What every library that can copy looks like to the comparison (tune/peers/run.sh). */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lmad.h"

/* One axis, strides in elements. */
typedef struct peer_dim {
    int64_t n, ds, ss;
} peer_dim;

/* A row of a suite. The axes are those of the line, but without those of extent 1, and neighbours that are
 * one axis on both sides are one. */
typedef struct peer_problem {
    const char *name;
    int64_t size; /* of an element, bytes */
    int64_t payload;
    lmad_desc dst, src;
    int rank;
    peer_dim dim[LMAD_MAX_RANK];
    char *d; /* element 0 of either side */
    const char *s;
    char *dst_origin; /* what the offsets of dst and src are relative to */
    const char *src_origin;
    char *d_low; /* the lowest byte of either side, behind which there is room for the payload */
    const char *s_low;
    int memory; /* a file in memory that holds both sides: element 0 of either is here in it */
    int64_t d_at, s_at;
} peer_problem;

/* open: get ready for a problem; NULL when the library has nothing for it. May write to both sides if it
 * spoils them. run: copy so many times over; the nanoseconds that took, or 0 to leave that to the caller's
 * clock. */
typedef struct peer {
    const char *name;
    bool spoils;
    void *(*open)(const peer_problem *p);
    double (*run)(void *state, int64_t repeats);
    void (*close)(void *state);
} peer;

#ifdef __cplusplus
#define PEER_C extern "C"
#else
#define PEER_C extern
#endif

/* Call body for each index of axes [0, rank), with the bytes from element 0 on either side. */
typedef void peer_body(void *arg, int64_t d, int64_t s);
PEER_C void peer_each(const peer_problem *p, const bool *skip, peer_body *body, void *arg);

/* An axis whose stride is 1 in the destination (or in the source); -1 when there is none. */
PEER_C int peer_dense(const peer_problem *p, bool in_dst);

/* Is the destination dense, in the order of the axes? */
PEER_C bool peer_packs(const peer_problem *p);

#endif
