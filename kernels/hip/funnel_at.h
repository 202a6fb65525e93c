/* SPDX-License-Identifier: BSD-3-Clause */
/* Which threads put which words of the destination together, in tiles of long elements (funnel.h): for the kernel, and
 * for the host that counts what it touches.
 *
 * A tile is some rows of the source, which lie in LDS as they are, a `gap` of whole turns of the banks longer than an
 * element apart: an element's place in a row of the destination is its bank, too. */
#ifndef LM_HIP_FUNNEL_AT_H
#define LM_HIP_FUNNEL_AT_H

#include "index.h"

enum {
    LM_FUNNEL_TURN = 128,  /* bytes that all banks give at once */
    LM_FUNNEL_SEGMENT = 64 /* bytes of memory that belong together */
};

/* Where row `row` of the source begins in LDS: at a whole bank. */
LM_BOTH lm_u32 lm_funnel_base(lm_args a, lm_u32 row) {
    return (row * (a->funnel.size + a->funnel.gap) + 3) & ~3u;
}

/* Threads that are served together have 128 bytes of a row of the destination each 8 (16, 32) of them, in rows that
 * begin a bank further in LDS from one to the next. Words begin where segments do, whatever the row. Of the place,
 * `first` is the byte in the row, `row` the number of the row. */
LM_BOTH lm_place lm_funnel_at(lm_args a, const lm_tile_start *tile, lm_u32 word, lm_u32 item) {
    const lm_u32 lanes = LM_FUNNEL_TURN / word, rows = word / 4, rest = item / (lanes * rows);
    const lm_u32 step = lm_short(rest, a->funnel.turns_quick), turn = rest - step * a->funnel.turns;
    const lm_u32 apart = a->funnel.apart, among = step & ((1u << apart) - 1);
    const lm_u32 row = ((step >> apart) * rows + item / lanes % rows) << apart | among;
    lm_place p = lm_view_at(&a->view[0], tile->doff, tile->last, row);
    const lm_u32 before = ((lm_u32)a->dlow + (lm_u32)p.global) % LM_FUNNEL_SEGMENT;
    p.first = turn * LM_FUNNEL_TURN + item % lanes * word - before;
    p.outside |= p.first >= (tile->last >> a->funnel.bit & 1 ? a->funnel.left : a->funnel.whole);
    p.global += p.first;
    p.row = row;
    return p;
}

#endif
