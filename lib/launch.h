/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches of device kernels: which ways there are to do a problem on a device (plans/hip_*.c), and the whole
 * arithmetic of each: what is compiled, the grid, the arguments, the memory segments that it will touch.
 * Nothing here talks to a device. */
#ifndef LM_LAUNCH_H
#define LM_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/hip/args.h"
#include "planner.h"
#include "problem.h"

typedef struct lm_device lm_device; /* lib/device.h */

/* The two sides where something is kept for both. */
enum { LM_DST, LM_SRC };

/* Kinds of kernels. */
typedef enum lm_hip_kernel {
    LM_HIP_COPY,   /* words by words in one order of axes: rows, flat copies, gathers, scatters, reversed runs
                    */
    LM_HIP_TILE,   /* two axes, one dense on each side, as squares: in registers; in LDS where long axes have
                      short elements of a size that is no multiple of 4 */
    LM_HIP_BLOCK,  /* a box of axes through LDS, unit by unit: tiny extents, other sizes, narrow sides */
    LM_HIP_FILL,   /* LM_HIP_COPY of a value that lies in the arguments */
    LM_HIP_AFFINE, /* values computed from indices */
    LM_HIP_FUNNEL, /* rows of long elements through LDS, of any size, where the sides have them along different
                      axes */
    LM_HIP_KERNELS
} lm_hip_kernel;

/* What is compiled: one kernel, specialised. There are a few dozen of them; no shape is in here. */
typedef struct lm_variant {
    lm_hip_kernel kernel;
    int unit;    /* bytes that stay together: 1, 2, 4, 8, 16; or an element that LDS turns */
    int word[2]; /* bytes of an access of either side; >= unit, but for elements that LDS turns */
    int index;   /* bits of offsets: 32, 64 */
    int items;   /* words that a thread has in flight */
    int option;  /* what else a kernel has to choose: see its source */
    bool stream; /* stores past the caches */
} lm_variant;

bool lm_variant_equal(const lm_variant *a, const lm_variant *b);

/* The compiler's options for it, separated by single spaces: "-DLM_KERNEL=0 -DLM_UNIT=4 ...". As snprintf. */
int lm_variant_options(const lm_variant *variant, char *buf, size_t size);

/* The name of the one kernel in each compiled variant. */
#define LM_HIP_ENTRY "lmad_kernel"

/* What tells one candidate from another. */
typedef struct lm_hip_params {
    lm_hip_kernel kernel;
    int word[2];     /* the widest access of either side; narrower where addresses demand it */
    int64_t tile[2]; /* bytes of a tile's rows on this side; 0 = the kernel has none */
    lm_order order;  /* of tiles: by the destination's steps or by the source's */
    int items;       /* words that a thread has in flight */
    bool stream;
} lm_hip_params;

bool lm_hip_params_equal(const lm_hip_params *a, const lm_hip_params *b);

/* "hip-tile word=16x16 tile=64x64 order=src items=4 store=plain" (destination x source; tiles in bytes). As
 * snprintf.
 */
int lm_hip_params_format(char *buf, size_t size, const lm_hip_params *params);

/* Read what lm_hip_params_format() writes, and nothing else; false, and *out as it was, for anything else. */
bool lm_hip_params_parse(lm_hip_params *out, const char *text);

/* A candidate made ready for one device. A value: no pointers to free. */
typedef struct lm_launch {
    lm_variant variant;
    uint32_t grid[3], block[3];
    uint32_t lds;                  /* dynamic LDS to ask for, in bytes; kernels that declare theirs have 0 */
    int64_t segments[2], ideal[2]; /* per side: memory segments touched by all warp accesses, and the fewest
                                      that the bytes of these could touch */
    int64_t lds_cycles, lds_ideal; /* of all LDS accesses, and without conflicts */
    double seconds;                /* predicted */
    lm_hip_args args;
} lm_launch;

enum { LM_HIP_PROPOSALS = 64 };

/* Write the candidates worth a look with this effort, at most `max` (>= 1; LM_HIP_PROPOSALS is enough for
 * all), the best by estimate first. There is one for every problem with count > 0 that is not larger than
 * what a device can be told to do at once, some TiB. */
int lm_hip_propose(const lm_problem *problem, const lm_device *device, int effort, lm_hip_params *out,
                   int max);

/* May the candidate be made for this problem? Whatever its values: they may come from a file. */
bool lm_hip_allows(const lm_problem *problem, const lm_device *device, const lm_hip_params *params);

/* Make an allowed candidate ready. `align` is the largest power of two <= 16 that divides both pointers:
 * words shrink to what it and the problem allow. A grid of 0 blocks: more than the device takes at once. What
 * is predicted is left at 0. */
void lm_hip_make(const lm_problem *problem, const lm_device *device, const lm_hip_params *params,
                 unsigned align, lm_launch *out);

/* How many seconds a candidate takes, predicted; HUGE_VAL for one that cannot be made. */
double lm_hip_predict(const lm_problem *problem, const lm_device *device, const lm_hip_params *params);

/* Predict what a launch touches, and how long it takes: segments, ideal, lds_cycles, lds_ideal, seconds. */
void lm_hip_estimate(const lm_device *device, unsigned align, lm_launch *launch);

/* Fills: an LM_HIP_FILL launch writes the value in args.value. Set it in (a copy of) the arguments before
 * launching. Only elements of up to LM_HIP_VALUE bytes; for longer ones propose gives LM_HIP_COPY with a
 * source in device memory (one element). */
void lm_launch_set_value(lm_hip_args *args, const void *value, size_t elem_size);

/* Affine values: not a candidate, for there is one way. The canonical problem does not know the indices,
 * hence the descriptor. Set the base and the steps in the arguments before launching. */
void lm_hip_make_affine(const lm_problem *problem, const lmad_desc *dst, lmad_type type,
                        const lm_device *device, unsigned align, lm_launch *out);
void lm_launch_set_steps(lm_hip_args *args, lmad_type type, int rank, const void *base_and_steps);

#endif
