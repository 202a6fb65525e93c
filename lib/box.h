/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of boxes whose extents are known only when they run: the pieces in which in-place operations are
 * staged through a buffer in the caches. Strides and the kernel are fixed beforehand; no blocking, for a piece is
 * small. */
#ifndef LM_BOX_H
#define LM_BOX_H

#include "kernels/host/kernel.h"
#include "problem.h"

/* One axis more than a problem has: the run may become an axis of bytes. */
enum { LM_FORM_DIMS = LMAD_MAX_RANK + 1 };

typedef struct lm_box {
    int rank, inner, outer; /* axes of the kernel, LM_BOX_NONE and LM_BOX_RUN included */
    int64_t run;
    lm_pdim dim[LM_FORM_DIMS]; /* n: the most that it will be */
    const lm_kernel *kernel;
} lm_box;

enum { LM_BOX_NONE = -1, LM_BOX_RUN = -2 };

/* The axis other than `but`, and of more than one index, with the shortest step in the destination; LM_BOX_NONE. */
int lm_box_next_axis(int rank, const lm_pdim *dim, int but);

/* Choose kernel and axes for rank, run and dim, which the caller has set. */
void lm_box_make(lm_box *box, bool stream);

/* Copy extents n[0 .. rank-1], each at most what dim says. `ahead` is the distance from src to the source of the
 * next box, to prefetch; 0 = not known. Streaming kernels want a fence in the end. */
void lm_box_run(const lm_box *box, char *dst, const char *src, const int64_t *n, int64_t ahead);

/* The transpose of rows x columns runs in rows `from_row` bytes apart, as rows `to_row` bytes apart. */
void lm_box_turn(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows, int64_t columns,
                 int64_t run);

#endif
