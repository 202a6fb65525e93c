/* SPDX-License-Identifier: BSD-3-Clause */
/* What the cost model must know of a machine beyond its facts: how long its basic steps take. */
#ifndef LM_CALIBRATION_H
#define LM_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>

/* All in nanoseconds, on one core. A line has 64 bytes. */
typedef struct lm_calibration {
    double l2, l3, read;        /* to fetch a line from the second or third cache, or from memory */
    double write, write_stream; /* to write one to memory through the caches, or past them */
    double tlb, walk;           /* a page that the first level of the TLB misses, or all of it */
    double latency;             /* a line from memory that nothing has asked for ahead */
    double call;                /* a kernel call */
    double thread;              /* starting and joining a thread */
} lm_calibration;

/* An ordinary server core (Zen 4 at about 3.5 GHz), for want of anything better. */
extern const lm_calibration lm_usual_calibration;

/* The problem under which wisdom files its records of this kind; a later layout, or model, gets another number. */
#define LM_CALIBRATION_KEY "calibration 3"

enum { LM_CALIBRATION_TEXT = 256 }; /* bytes that hold its text */

/* "l2=700 l3=1600 read=1700 ... thread=8000", whole picoseconds. As snprintf. Every value must be in range.
 */
int lm_calibration_format(char *buf, size_t size, const lm_calibration *calibration);

/* Read such a text and nothing else. NULL, or why not: then *out is as it was. The reason is static. */
const char *lm_calibration_parse(lm_calibration *out, const char *text);

/* Values that no machine has become the nearest possible one; what is no number becomes the usual one. */
void lm_calibration_clamp(lm_calibration *calibration);

#endif
