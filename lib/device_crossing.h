/* SPDX-License-Identifier: BSD-3-Clause */
/* How a problem of two memory spaces is cut into boxes that cross the bus one after the other, and what is to
 * be done with a box on either side. Arithmetic only: nothing here talks to a device. */
#ifndef LM_DEVICE_CROSSING_H
#define LM_DEVICE_CROSSING_H

#include "problem.h"

/* All axes of a problem, and its run as an axis of bytes. */
enum { LM_CROSSING_AXES = LMAD_MAX_RANK + 1 };

/* What is done with boxes of one size. A box crosses as one contiguous piece. */
typedef struct lm_piece {
    int64_t bytes;  /* that cross; 0 = there is no such box */
    lm_problem in;  /* from the box's place in the source to the piece */
    lm_problem out; /* from the piece to the box's place in the destination */
} lm_piece;

typedef struct lm_crossing {
    int axes; /* that are cut: all but the last one by one, that one in blocks */
    lm_pdim axis[LM_CROSSING_AXES];
    int64_t block;      /* of the last of these */
    int64_t chunks;     /* boxes */
    int64_t doff, soff; /* of the first box */
    int64_t crossing;   /* bytes of all pieces together */
    lm_piece piece[2];  /* of a whole block, and of what is left at the end of the axis */
} lm_crossing;

/* In what order the elements cross: as they lie in the source, or in the destination. */
typedef enum lm_crossing_order { LM_CROSSING_DST, LM_CROSSING_SRC } lm_crossing_order;

/* Cut a problem (count > 0) into boxes of at most `chunk` (>= 1) bytes of packed elements. Axes along which
 * the source stands still cross once. */
void lm_crossing_flat(lm_crossing *out, const lm_problem *problem, lm_crossing_order order, int64_t chunk);

/* The same where a piece is the range of bytes in which the box's source lies. */
void lm_crossing_raw(lm_crossing *out, const lm_problem *problem, int64_t chunk);

/* May the source be read as it lies? Where a gap of it is at least `page` bytes there might be no memory. */
bool lm_crossing_raw_allowed(const lm_problem *problem, int64_t page);

/* Box `number`, in [0, chunks): where it lies relative to the pointers, and which piece it is. */
const lm_piece *lm_crossing_box(const lm_crossing *crossing, int64_t number, int64_t *dst, int64_t *src);

/* Is it one contiguous copy? */
static inline bool lm_crossing_trivial(const lm_problem *half) { return half->count == 1; }

#endif
