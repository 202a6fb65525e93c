/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles through LDS: each side is walked in its own order, in words as wide as it allows. Where words of the two sides
 * lie along different axes they are turned
 *     when they are loaded, as squares in registers: the words in LDS are those of the destination;
 *     when they are stored, likewise: those of the source;
 *     unit by unit when they are read from LDS: any number of axes, any element size;
 *     in LDS, as squares of elements of 3, 5, 6 or 7 bytes. */
#define LM_TURN (LM_OPTION & 3)

#if LM_TURN == 3
__shared__ __attribute__((aligned(16))) char lm_lds[LM_HIP_TWICE_LDS(LM_UNIT)];
#else
__shared__ __attribute__((aligned(16))) char lm_lds[LM_HIP_LDS];

/* Units in a word of each side. */
enum { LM_DST_UNITS = LM_DST_WORD / LM_UNIT, LM_SRC_UNITS = LM_SRC_WORD / LM_UNIT };
#endif

/* Items of a round, so that LM_ITEMS words are in flight. */
template <int WORDS> struct lm_round {
    enum { items = LM_ITEMS > WORDS ? LM_ITEMS / WORDS : 1 };
};

/* ---- words as they are ------------------------------------------------------------------------------ */

/* Pieces of a word of the source. */
enum {
    LM_PIECE = LM_UNIT > 4 ? LM_UNIT : 4,
    LM_PIECES = LM_SRC_WORD > LM_PIECE ? LM_SRC_WORD / LM_PIECE : 1
};

/* Gaps that are no multiples of words are those of pieces. */
LM_DEVICE void lm_keep_word(lm_args a, const lm_place &p, const lm_word<LM_SRC_WORD> &word, lm_u32 item) {
#if LM_TURN == 2 && LM_SRC_WORD > 4
    if (a->split) {
        lm_put_pieces<LM_PIECE>(lm_lds, p.lds, word, lm_piece_turn(a, LM_SRC_WORD, &p, item) % LM_PIECES);
        return;
    }
#endif
    (void)a, (void)item;
    lm_lds_put(lm_lds, p.lds, word);
}

/* So many accesses of LDS it makes. */
LM_DEVICE int lm_keep_accesses(lm_args a) { return a->split ? LM_PIECES : 1; }

#include "load.h"

/* An item beyond the edge, which is not stored. */
LM_DEVICE void lm_sit_out(int stores, int reads) {
    lm_idle(LM_SITE_LDS_READ, reads);
    lm_idle(LM_SITE_WRITE, stores);
}

LM_DEVICE void lm_store_words(lm_args a, const lm_tile_start &start, char *to) {
    const lm_view v = &a->view[0];
    for (lm_u32 first = lm_thread(); first < v->items; first += LM_ITEMS * a->block) {
        LM_UNROLL
        for (int k = 0; k < LM_ITEMS; k++) {
            const lm_place p = lm_view_at(v, start.doff, start.last, first + k * a->block);
            if (!p.outside)
                lm_put(to + p.global, lm_lds_get<LM_DST_WORD>(lm_lds, p.lds));
            else
                lm_sit_out(1, 1);
        }
    }
}

#if LM_TURN < 2

/* Threads that begin with different words of their squares: out[k] = in[(k + by) % N]. Large squares are kept apart by
 * gaps in LDS instead. */
template <int N, int BYTES> struct lm_takes_turns {
    enum { yes = N * BYTES <= LM_HIP_TURN_BYTES };
};
template <int N, int BYTES> LM_DEVICE void lm_turn_words(lm_word<BYTES> *word, lm_u32 by) {
    LM_UNROLL
    for (int step = 1; step < N; step *= 2) {
        lm_word<BYTES> t[N];
        LM_UNROLL
        for (int k = 0; k < N; k++) {
            LM_UNROLL
            for (int i = 0; i < (BYTES + 3) / 4; i++)
                t[k].w[i] = lm_either(by & step, word[(k + step) % N].w[i], word[k].w[i]);
        }
        LM_UNROLL
        for (int k = 0; k < N; k++) word[k] = t[k];
    }
}

/* ---- squares in registers ---------------------------------------------------------------------------- */

LM_DEVICE void lm_load_squares(lm_args a, const lm_tile_start &start, const char *from) {
    enum { N = lm_round<LM_DST_UNITS>::items };
    const lm_view v = &a->view[1];
    for (lm_u32 first = lm_thread(); first < v->items; first += N * a->block) {
        lm_place p[N];
        lm_word<LM_SRC_WORD> in[N][LM_DST_UNITS];
        LM_UNROLL
        for (int k = 0; k < N; k++) {
            p[k] = lm_view_at(v, start.soff, start.last, first + k * a->block);
            if (p[k].outside) {
                lm_idle(LM_SITE_READ, LM_DST_UNITS);
                continue;
            }
            LM_UNROLL
            for (int j = 0; j < LM_DST_UNITS; j++)
                in[k][j] = lm_get<LM_SRC_WORD>(from + (lm_offset)(p[k].global + j * (lm_offset)a->row_step));
        }
        LM_UNROLL
        for (int k = 0; k < N; k++) {
            if (p[k].outside) {
                lm_idle(LM_SITE_LDS_WRITE, LM_SRC_UNITS);
                continue;
            }
            lm_word<LM_DST_WORD> out[LM_SRC_UNITS];
            lm_turner<LM_UNIT, LM_DST_WORD, LM_SRC_WORD>::turn(in[k], out);
            lm_u32 turn = 0;
            if (lm_takes_turns<LM_SRC_UNITS, LM_DST_WORD>::yes && a->turn_shift < LM_HIP_NO_TURNS) {
                turn = lm_turn(a, &p[k], first + k * a->block) % LM_SRC_UNITS;
                lm_turn_words<LM_SRC_UNITS>(out, turn);
            }
            LM_UNROLL
            for (int x = 0; x < LM_SRC_UNITS; x++)
                lm_lds_put(lm_lds, p[k].lds + (lm_i32)((x + turn) % LM_SRC_UNITS) * a->slot_step, out[x]);
        }
    }
}

LM_DEVICE void lm_store_squares(lm_args a, const lm_tile_start &start, char *to) {
    const lm_view v = &a->view[0];
    for (lm_u32 item = lm_thread(); item < v->items; item += a->block) {
        const lm_place p = lm_view_at(v, start.doff, start.last, item);
        if (p.outside) {
            lm_sit_out(LM_SRC_UNITS, LM_DST_UNITS);
            continue;
        }
        lm_word<LM_SRC_WORD> in[LM_DST_UNITS];
        lm_word<LM_DST_WORD> out[LM_SRC_UNITS];
        const bool turns = lm_takes_turns<LM_DST_UNITS, LM_SRC_WORD>::yes && a->turn_shift < LM_HIP_NO_TURNS;
        const lm_u32 turn = turns ? lm_turn(a, &p, item) % LM_DST_UNITS : 0;
        LM_UNROLL
        for (int j = 0; j < LM_DST_UNITS; j++)
            in[j] =
                lm_lds_get<LM_SRC_WORD>(lm_lds, p.lds + (lm_i32)((j + turn) % LM_DST_UNITS) * a->slot_step);
        if (turns) lm_turn_words<LM_DST_UNITS>(in, LM_DST_UNITS - turn);
        lm_turner<LM_UNIT, LM_DST_WORD, LM_SRC_WORD>::turn(in, out);
        LM_UNROLL
        for (int x = 0; x < LM_SRC_UNITS; x++)
            lm_put(to + (lm_offset)(p.global + x * (lm_offset)a->row_step), out[x]);
    }
}

#elif LM_TURN == 3

/* ---- squares of elements ----------------------------------------------------------------------------- */

/* The fewest elements that are whole registers, a square of them each thread. All are read before the first is written:
 * the turned tile lies where the other one was. */
LM_DEVICE void lm_turn_tile(lm_args a) {
    enum { N = LM_HIP_TWICE_SQUARE(LM_UNIT), BYTES = N * LM_UNIT, WORDS = BYTES / 4 };
    const lm_place p = lm_view_at(&a->view[2], 0, 0, lm_thread());
    lm_word<BYTES> in[N], out[N];
    LM_UNROLL
    for (int j = 0; j < N; j++) {
        LM_UNROLL
        for (int k = 0; k < WORDS; k++)
            in[j].w[k] =
                p.outside ? 0
                          : lm_lds_get<4>(lm_lds, p.lds + j * a->slot_step + 4 * k, LM_SITE_TURN_READ).w[0];
    }
    lm_barrier();
    if (p.outside) return;
    lm_turner<LM_UNIT, BYTES, BYTES>::turn(in, out);
    LM_UNROLL
    for (int j = 0; j < N; j++) {
        LM_UNROLL
        for (int k = 0; k < WORDS; k++)
            lm_lds_put(lm_lds, (lm_u32)p.global + j * (lm_u32)a->row_step + 4 * k, lm_word<4>{{out[j].w[k]}},
                       LM_SITE_TURN_WRITE);
    }
}

#else

/* ---- unit by unit ------------------------------------------------------------------------------------ */

/* Put the unit read as the j-th into its place among the others. */
LM_DEVICE void lm_place_unit(lm_word<LM_DST_WORD> &word, int j, const lm_word<LM_UNIT> &unit) {
    enum { PER = LM_UNIT < 4 ? 4 / LM_UNIT : 1, EACH = LM_UNIT < 4 ? 1 : LM_UNIT / 4 };
    if (LM_UNIT < 4) {
        word.w[j / PER] |= unit.w[0] << 8 * LM_UNIT * (j % PER);
    } else {
        LM_UNROLL
        for (int k = 0; k < EACH; k++) word.w[j * EACH + k] = unit.w[k];
    }
}

LM_DEVICE lm_word<LM_DST_WORD> lm_collect(lm_args a, const lm_place &p, lm_u32 item) {
    const lm_u32 turn = lm_turn(a, &p, item) % LM_DST_UNITS, row = p.first * LM_DST_UNITS;
    lm_word<LM_DST_WORD> word = {{0}};
    if (a->in_row) {
        const lm_u32 begin = p.lds + lm_unit_at(a, row), step = (lm_u32)a->unit[0].lds;
        LM_UNROLL
        for (int j = 0; j < LM_DST_UNITS; j++)
            lm_place_unit(word, j, lm_lds_get<LM_UNIT>(lm_lds, begin + (j + turn) % LM_DST_UNITS * step));
    } else {
        LM_UNROLL
        for (int j = 0; j < LM_DST_UNITS; j++)
            lm_place_unit(
                word, j, lm_lds_get<LM_UNIT>(lm_lds, p.lds + lm_unit_at(a, row + (j + turn) % LM_DST_UNITS)));
    }
    return lm_rotate(word, turn * LM_UNIT);
}

LM_DEVICE void lm_store_units(lm_args a, const lm_tile_start &start, char *to) {
    const lm_view v = &a->view[0];
    for (lm_u32 item = lm_thread(); item < v->items; item += a->block) {
        const lm_place p = lm_view_at(v, start.doff, start.last, item);
        if (!p.outside)
            lm_put(to + p.global, lm_collect(a, p, item));
        else
            lm_sit_out(1, LM_DST_UNITS);
    }
}

#endif

LM_ENTRY lmad_kernel(char *__restrict__ dst, const char *__restrict__ src, LM_VALUE_OF lm_hip_args args) {
    const lm_args a = LM_ARGS(args);
    const lm_u32 tile = lm_tile_number(a);
    if (tile >= a->tiles) return;
    const lm_tile_start start = lm_tile_at(a, tile);
    char *const to = dst + a->dlow;
    const char *const from = src + a->slow;
#if LM_TURN == 0
    lm_load_squares(a, start, from);
#else
    lm_load_words(a, start, from);
#endif
    lm_barrier();
#if LM_TURN == 3
    lm_turn_tile(a);
    lm_barrier();
#endif
#if LM_TURN == 0 || LM_TURN == 3
    lm_store_words(a, start, to);
#elif LM_TURN == 1
    lm_store_squares(a, start, to);
#else
    lm_store_units(a, start, to);
#endif
}
HIPEMU_KERNEL(lmad_kernel)
