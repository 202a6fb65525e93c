/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles through LDS: each side is walked in its own order, in words as wide as it allows. Where words of the two sides
 * lie along different axes they are turned
 *     when they are loaded, as squares in registers: the words in LDS are those of the destination;
 *     when they are stored, likewise: those of the source;
 *     unit by unit when they are read from LDS: any number of axes, any element size. */
#include "turn.h"

enum { LM_TURN_LOADED, LM_TURN_STORED, LM_TURN_UNITS };
#define LM_TURN (LM_OPTION & 3)

static __shared__ __attribute__((aligned(16))) char lm_lds[LM_HIP_LDS];

/* Units in a word of each side. */
enum { LM_DST_UNITS = LM_DST_WORD / LM_UNIT, LM_SRC_UNITS = LM_SRC_WORD / LM_UNIT };

/* Items of a round, so that LM_ITEMS words are in flight. */
template <int WORDS> struct lm_round {
    enum { items = LM_ITEMS > WORDS ? LM_ITEMS / WORDS : 1 };
};

/* ---- words as they are ------------------------------------------------------------------------------ */

static __device__ inline void lm_load_words(lm_args a, const lm_tile_start &start, const char *from) {
    const lm_view v = &a->view[1];
    for (lm_u32 first = lm_thread(); first < v->items; first += LM_ITEMS * a->block) {
        lm_place p[LM_ITEMS];
        lm_word<LM_SRC_WORD> word[LM_ITEMS];
        LM_UNROLL for (int k = 0; k < LM_ITEMS; k++) {
            p[k] = lm_view_at(v, start.soff, start.last, first + k * a->block);
            if (!p[k].outside) word[k] = lm_get<LM_SRC_WORD>(from + p[k].global);
        }
        LM_UNROLL for (int k = 0; k < LM_ITEMS; k++)
            if (!p[k].outside) lm_lds_put(lm_lds, p[k].lds, word[k]);
    }
}

static __device__ inline void lm_store_words(lm_args a, const lm_tile_start &start, char *to) {
    const lm_view v = &a->view[0];
    for (lm_u32 first = lm_thread(); first < v->items; first += LM_ITEMS * a->block) {
        LM_UNROLL for (int k = 0; k < LM_ITEMS; k++) {
            const lm_place p = lm_view_at(v, start.doff, start.last, first + k * a->block);
            if (!p.outside) lm_put(to + p.global, lm_lds_get<LM_DST_WORD>(lm_lds, p.lds));
        }
    }
}

/* ---- squares in registers ---------------------------------------------------------------------------- */

static __device__ inline void lm_load_squares(lm_args a, const lm_tile_start &start, const char *from) {
    enum { N = lm_round<LM_DST_UNITS>::items };
    const lm_view v = &a->view[1];
    for (lm_u32 first = lm_thread(); first < v->items; first += N * a->block) {
        lm_place p[N];
        lm_word<LM_SRC_WORD> in[N][LM_DST_UNITS];
        LM_UNROLL for (int k = 0; k < N; k++) {
            p[k] = lm_view_at(v, start.soff, start.last, first + k * a->block);
            if (p[k].outside) continue;
            LM_UNROLL for (int j = 0; j < LM_DST_UNITS; j++)
                in[k][j] = lm_get<LM_SRC_WORD>(from + (lm_offset)(p[k].global + j * (lm_offset)a->row_step));
        }
        LM_UNROLL for (int k = 0; k < N; k++) {
            if (p[k].outside) continue;
            lm_word<LM_DST_WORD> out[LM_SRC_UNITS];
            lm_turner<LM_UNIT, LM_DST_WORD, LM_SRC_WORD>::turn(in[k], out);
            LM_UNROLL for (int x = 0; x < LM_SRC_UNITS; x++) lm_lds_put(lm_lds, p[k].lds + x * a->slot_step, out[x]);
        }
    }
}

static __device__ inline void lm_store_squares(lm_args a, const lm_tile_start &start, char *to) {
    const lm_view v = &a->view[0];
    for (lm_u32 item = lm_thread(); item < v->items; item += a->block) {
        const lm_place p = lm_view_at(v, start.doff, start.last, item);
        if (p.outside) continue;
        lm_word<LM_SRC_WORD> in[LM_DST_UNITS];
        lm_word<LM_DST_WORD> out[LM_SRC_UNITS];
        LM_UNROLL for (int j = 0; j < LM_DST_UNITS; j++)
            in[j] = lm_lds_get<LM_SRC_WORD>(lm_lds, p.lds + j * a->slot_step);
        lm_turner<LM_UNIT, LM_DST_WORD, LM_SRC_WORD>::turn(in, out);
        LM_UNROLL for (int x = 0; x < LM_SRC_UNITS; x++)
            lm_put(to + (lm_offset)(p.global + x * (lm_offset)a->row_step), out[x]);
    }
}

/* ---- unit by unit ------------------------------------------------------------------------------------ */

static __device__ inline lm_word<LM_DST_WORD> lm_collect(lm_args a, const lm_place &p, lm_u32 item) {
    enum { PER = LM_UNIT < 4 ? 4 / LM_UNIT : 1, EACH = LM_UNIT < 4 ? 1 : LM_UNIT / 4 };
    const lm_u32 turn = lm_unit_turn(LM_DST_WORD, LM_UNIT, item), row = p.first * LM_DST_UNITS;
    lm_word<LM_DST_WORD> word = {{0}};
    LM_UNROLL for (int j = 0; j < LM_DST_UNITS; j++) {
        const lm_u32 at = lm_unit_at(a, row, (j + turn) % LM_DST_UNITS);
        const lm_word<LM_UNIT> w = lm_lds_get<LM_UNIT>(lm_lds, p.lds + at);
        if (LM_UNIT < 4) {
            word.w[j / PER] |= w.w[0] << 8 * LM_UNIT * (j % PER);
        } else {
            LM_UNROLL for (int k = 0; k < EACH; k++) word.w[j * EACH + k] = w.w[k];
        }
    }
    return lm_rotate(word, turn / PER * EACH);
}

static __device__ inline void lm_store_units(lm_args a, const lm_tile_start &start, char *to) {
    const lm_view v = &a->view[0];
    for (lm_u32 item = lm_thread(); item < v->items; item += a->block) {
        const lm_place p = lm_view_at(v, start.doff, start.last, item);
        if (!p.outside) lm_put(to + p.global, lm_collect(a, p, item));
    }
}

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
#if LM_TURN == 0
    lm_store_words(a, start, to);
#elif LM_TURN == 1
    lm_store_squares(a, start, to);
#else
    lm_store_units(a, start, to);
#endif
}
HIPEMU_KERNEL(lmad_kernel)
