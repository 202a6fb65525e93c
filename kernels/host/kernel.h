/* SPDX-License-Identifier: BSD-3-Clause */
/* What a host kernel is: a loop body that copies a two-dimensional set of byte runs,
 *
 *     for j < n1, i < n0:  copy run bytes  from src + j*ss1 + i*ss0  to dst + j*ds1 + i*ds0
 *
 * All kernels have this one signature; they differ in what they demand of the tile (the pattern, the run)
 * and in the instructions they use. Plan kinds pick a kernel by pattern and run; the loops around it belong
 * to the nest (lib/nest.h). Kernels assume nothing of alignment: they look at the addresses they get. */
#ifndef LM_KERNEL_H
#define LM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "isa.h"

/* One kernel call. Extents >= 1 (a one-dimensional tile has n1 = 1), strides in bytes, any sign. */
typedef struct lm_tile {
    int64_t run;
    int64_t n0, ds0, ss0;
    int64_t n1, ds1, ss1;
    int64_t ahead; /* bytes from src to the source of the next tile, to prefetch; 0 = not known */

    /* Where a nest walks axis 0 in blocks of whole cache lines: steps of it before and after this tile, all
     * of them walked in blocks as long as this one, but for a shorter one at the end. A kernel may then leave
     * a line that two tiles share to the later one. Exchanges, which no nest walks, read both sides: `before`
     * is for dst what `ahead` is for src. */
    int64_t before, after;
} lm_tile;

typedef void lm_kernel_fn(char *dst, const char *src, const lm_tile *tile);

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* A stride without its sign. */
static inline int64_t lm_magnitude(int64_t v) { return v < 0 ? -v : v; }

/* Is a run a machine word, of at most 16 bytes? Those are turned in registers. */
static inline bool lm_is_word(int64_t run) { return run <= 16 && (run & (run - 1)) == 0; }

/* What a kernel demands of its tile. */
typedef enum lm_pattern {
    LM_ROWS,      /* run = ds0 = ss0 = 1: n1 rows of n0 contiguous bytes */
    LM_GATHER,    /* ds0 = run: the destination is dense along axis 0 */
    LM_SCATTER,   /* ss0 = run: the source is dense along axis 0 */
    LM_STRIDED,   /* nothing */
    LM_REVERSE,   /* ds0 = run, ss0 = -run */
    LM_FILL,      /* ds0 = run, ss0 = 0 */
    LM_TRANSPOSE, /* ds0 = run, ss1 = run or -run */
    LM_EXCHANGE,  /* ds0 = run, ss1 = run, and both sides are written: runs change places. The sides share no
                     byte, or are equal (dst = src, n0 <= n1, ds1 = ss0): then those with i < j do */
    LM_SWAP,      /* ds0 = run, ss0 = run or -run, and both sides are written: runs change places. The sides
                     share no byte */
    LM_PATTERN_COUNT
} lm_pattern;

/* One kernel of the list. */
typedef struct lm_kernel {
    const char *name;
    lm_pattern pattern;
    lm_isa isa;
    int run;     /* the one run it is for; 0 = any */
    bool stream; /* writes past the caches where addresses allow; the caller fences */
    lm_kernel_fn *fn;
} lm_kernel;

/* All kernels compiled in, whatever this CPU runs; *count of them. */
const lm_kernel *lm_kernel_list(int *count);

/* The best kernel for a pattern and a run within an instruction set; never NULL. Asking for a streaming
 * kernel where there is none gives the plain one. */
const lm_kernel *lm_kernel_find(lm_pattern pattern, int64_t run, bool stream, lm_isa isa);

/* Order streaming stores before whatever follows. */
void lm_kernel_fence(void);

#endif
