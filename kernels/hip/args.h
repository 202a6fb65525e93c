/* SPDX-License-Identifier: BSD-3-Clause */
/* What a device kernel is told, shared by host and device:
 *
 *     lmad_kernel(char *dst, const char *src, lm_hip_args args)
 *
 * dst and src are the pointers of the execution; args are a value without pointers, the same for every execution.
 * Includes nothing: the includer has fixed-width integers (uint32_t, int64_t, ...). */
#ifndef LM_HIP_ARGS_H
#define LM_HIP_ARGS_H

/* Axes of a kernel: those of a problem, the run, and pieces of axes that tiles cut. */
enum { LM_HIP_AXES = 36, LM_HIP_BOX = 8, LM_HIP_VALUE = 64 };

/* Quotients by n without division: x / n = (x * multiplier) >> 32 >> shift with the carry kept, x < 2^32. */
typedef struct lm_hip_divisor {
    uint32_t n, multiplier, shift;
} lm_hip_divisor;

/* An axis that tiles are walked along: tiles, and the steps from one to the next in bytes. */
typedef struct lm_hip_axis {
    int64_t ds, ss;
    lm_hip_divisor tiles;
    uint32_t left; /* of the axis, in the last tile; all others have the box's extent */
    int32_t box;   /* which axis of the box it cuts; -1 = none */
} lm_hip_axis;

/* An axis within a tile, in words: its steps on both sides and in LDS, in bytes. */
typedef struct lm_hip_box {
    int64_t ds, ss;
    int32_t lds;
    lm_hip_divisor n;
} lm_hip_box;

typedef struct lm_hip_args {
    int64_t doff, soff;    /* of the first tile */
    uint64_t tiles;        /* blocks of threads that work */
    uint32_t grid;         /* blocks in a row of the grid */
    uint32_t block;        /* threads in a block */
    uint32_t rank;         /* axes used */
    uint32_t box_rank;     /* box axes used */
    uint32_t items;        /* words of a tile */
    uint32_t lds;          /* step in LDS that no box axis tells */
    lm_hip_box box[LM_HIP_BOX];
    lm_hip_axis axis[LM_HIP_AXES];
    uint64_t value[LM_HIP_VALUE / 8]; /* of a fill; base and steps of affine values stand in `steps` */
    uint64_t steps[33];               /* affine: base, then the step along each axis of the descriptor */
} lm_hip_args;

#endif
