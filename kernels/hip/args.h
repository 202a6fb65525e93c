/* SPDX-License-Identifier: BSD-3-Clause */
/* What a device kernel is told, shared by host and device:
 *
 *     lmad_kernel(char *dst, const char *src, lm_hip_args args)
 *
 * dst and src are the pointers of the execution; args are a value without pointers, the same for every execution.
 * Includes nothing: kernels are compiled where there are no headers. */
#ifndef LM_HIP_ARGS_H
#define LM_HIP_ARGS_H

typedef int lm_i32;
typedef unsigned lm_u32;
typedef long long lm_i64;
typedef unsigned long long lm_u64;

enum {
    LM_HIP_AXES = 36,          /* of a kernel: those of a problem, the run, pieces of axes that tiles cut */
    LM_HIP_VIEW = 8,           /* within a tile */
    LM_HIP_VALUE = 64,         /* bytes of a fill's value, repeated as often as it fits */
    LM_HIP_LDS = 17408,        /* bytes of LDS of a tile with its gaps, at most; of others see below */
    LM_HIP_FUNNEL_LDS = 32768, /* of a tile of long elements, at most: two are at work at a time */
    LM_HIP_TWICE = 7,          /* bytes of elements that pass LDS twice, at most */
    LM_HIP_TURN_BYTES = 64,    /* of a square whose words threads take in turn, at most */
    LM_HIP_NO_TURNS = 31,      /* a turn_shift: none does */
    LM_HIP_NO_BIT = 31, /* the bit of axes that tiles divide, between tiles: none within a tile asks for it */
    LM_UNCUT = 30,      /* that of such axes within a tile: it is never set */
    LM_HIP_THREADS = 256 /* threads of a block, at most */
};

/* Elements that pass LDS twice: a side of their squares in registers, one of their tiles, and the bytes of LDS that
 * tiles take with their gaps. */
#define LM_HIP_TWICE_SQUARE(size) ((size) % 2 ? 4 : 2)
#define LM_HIP_TWICE_SIDE(size)   ((size) % 2 ? 64 : 32)
#define LM_HIP_TWICE_LDS(size)                                                                               \
    (LM_HIP_TWICE_SIDE(size) * LM_HIP_TWICE_SIDE(size) * (size) + ((size) % 2 ? 2560 : 1280))

/* An axis between tiles (or, in flat copies, of words), the fastest first: n indices, steps in bytes. Affine values
 * have those of the descriptor in its order. */
typedef struct lm_hip_axis {
    lm_i64 ds, ss;
    lm_u64 n;
    lm_u32 multiplier, shift;             /* division by n: see lm_quotient() */
    lm_u32 quick;                         /* division of small numbers by n: see lm_quick(); 0 = n is long */
    lm_u32 bit;                           /* of the mask that tells the last tiles along an axis */
    lm_u64 below;                         /* affine: product of the extents of faster axes, */
    lm_u32 below_multiplier, below_shift; /* and division by it */
} lm_hip_axis;

/* An axis within a tile as one side walks it, the fastest first. */
typedef struct lm_hip_view_axis {
    lm_i64 step;     /* in global memory, bytes */
    lm_i32 lds;      /* in LDS, bytes */
    lm_u32 n, quick; /* indices; their divisor, 0 for 1 */
    lm_u32 whole;    /* the limit of indices: n, unless they are parts of an axis */
    lm_u32 left;     /* and in a last tile: where `bit` of the mask is set */
    lm_u32 bit;
} lm_hip_view_axis;

/* What one side does with a tile: items, each a word, or a square of words that is turned in registers. */
typedef struct lm_hip_view {
    lm_u32 items, rank;
    lm_u32 period, quick, idle; /* of a period of threads the last few rest; its divisor; how many */
    lm_u32 pair;      /* from this axis on there are two that are parts of one: it has the limits of both */
    lm_i64 start;     /* of item 0, relative to the tile: in global memory */
    lm_i32 lds_start; /* in LDS */
    lm_hip_view_axis axis[LM_HIP_VIEW];
} lm_hip_view;

/* An axis that the words of the destination walk in LDS, unit by unit. */
typedef struct lm_hip_unit_axis {
    lm_u32 n, quick;
    lm_i32 lds;
} lm_hip_unit_axis;

/* Tiles of long elements (funnel_at.h). */
typedef struct lm_hip_rows {
    lm_u32 size, size_quick;   /* bytes of an element */
    lm_u32 gap;                /* from row to row of the source, beyond an element, in LDS */
    lm_u32 parts;              /* elements that a word may hold bytes of */
    lm_u32 apart;              /* rows of threads served together are so far apart, as a shift */
    lm_u32 turns, turns_quick; /* of the banks that a row of the destination takes, wherever it begins */
    lm_u32 items;              /* of the destination */
    lm_u32 whole, left, bit;   /* bytes of a row; and in a last tile: where `bit` of the mask is set */
} lm_hip_rows;

typedef struct lm_hip_args {
    /* Bytes from the pointers to the first tile; with 32-bit offsets, from their lowest bytes. */
    lm_i64 doff, soff;
    lm_i64 dlow, slow; /* bytes from the pointers to where offsets count from */
    lm_u32 tiles;      /* blocks of threads that work */
    lm_u32 grid;       /* blocks in a row of the grid */
    lm_u32 block;      /* threads in a block */
    lm_u32 rank;       /* axes used */
    lm_u64 words;      /* flat: of all tiles */
    lm_u32 tile_words; /* flat: of one */

    /* through LDS */
    lm_i32 slot_step; /* from one word of a turned square to the next, in LDS */
    lm_i64 row_step;  /* in global memory; of squares of elements, in LDS after they are turned */
    lm_u32 units;     /* axes used below */
    lm_u32 in_row;    /* a word's units lie along unit axis 0 */
    lm_u32 turn_shift, turn_row, turn_up; /* see lm_turn() */
    lm_u32 split;     /* words of the source go to LDS in pieces: gaps are no multiples of words */
    lm_u32 piece_row; /* see lm_piece_turn() */
    lm_hip_unit_axis unit[LM_HIP_VIEW];
    lm_hip_rows funnel;
    lm_hip_view view[3]; /* destination, source; squares of elements, whose global memory is LDS, too */
    lm_hip_axis axis[LM_HIP_AXES];
    union {
        lm_u64 value[LM_HIP_VALUE / 8]; /* fill */
        lm_u64 steps[LM_HIP_AXES];      /* affine: base, and a step along each axis, bit for bit */
    } fill;
} lm_hip_args;

#endif
