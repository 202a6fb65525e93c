/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposes of long elements, of any size: rows of the source go to LDS as they are; words of the destination are put
 * together from neighbouring words of LDS by funnel shifts, and where they hold the end of one element and the beginning
 * of the next from both. All threads read the same word of theirs at the same time, and no two of them from one bank:
 * funnel_at.h.
 *
 * LM_UNIT is 4 where elements are whole words of LDS, else 1. */

enum {
    LM_DST_REGISTERS = LM_DST_WORD / 4,
    LM_SRC_REGISTERS = LM_SRC_WORD / 4,
    LM_WINDOW = LM_DST_REGISTERS + 2 /* words of LDS that may hold a word of the destination */
};

/* ---- to LDS ----------------------------------------------------------------------------------------- */

/* Rows begin at any bank. Threads begin with pieces of different banks. */
LM_DEVICE void lm_keep_word(lm_args a, const lm_place &p, const lm_word<LM_SRC_WORD> &word, lm_u32 item) {
    const lm_u32 base = lm_funnel_base(a, p.row);
    const lm_u32 turn = (item * LM_SRC_WORD / 128 - base / 4) % LM_SRC_REGISTERS;
    lm_put_pieces<4>(lm_dynamic_lds(), base + p.first * LM_SRC_WORD, word, turn);
}

LM_DEVICE int lm_keep_accesses(lm_args) { return LM_SRC_REGISTERS; }

#include "load.h"

/* ---- from LDS --------------------------------------------------------------------------------------- */

#if LM_UNIT == 4

/* Words of LDS are those of one element each. */
LM_DEVICE lm_word<LM_DST_WORD> lm_put_together(lm_args a, const lm_place &p, lm_u32 item) {
    const lm_u32 size = a->funnel.size, element = lm_short(p.first, a->funnel.size_quick);
    const lm_u32 at = element * a->funnel.gap + p.first + p.row * size, end = (element + 1) * size - p.first;
    const lm_u32 turn = (item * LM_DST_WORD / 128 - p.row * (size / 4)) % LM_DST_REGISTERS;
    lm_word<LM_DST_WORD> word;
    LM_UNROLL
    for (int k = 0; k < LM_DST_REGISTERS; k++) {
        const lm_u32 byte = (k + turn) % LM_DST_REGISTERS * 4;
        word.w[k] =
            lm_lds_get<4>(lm_dynamic_lds(), at + byte + lm_either(byte >= end, a->funnel.gap, 0)).w[0];
    }
    return lm_rotate(word, turn * 4);
}

LM_DEVICE lm_u32 lm_reads(lm_args) { return LM_DST_REGISTERS; }

#else

/* The word that begins `shift` bytes, 0 to 6, after the whole bank `at`. */
LM_DEVICE lm_word<LM_DST_WORD> lm_window(lm_u32 at, lm_u32 shift) {
    lm_u32 v[LM_WINDOW];
    lm_word<LM_DST_WORD> word;
    LM_UNROLL
    for (int k = 0; k < LM_WINDOW; k++) v[k] = lm_lds_get<4>(lm_dynamic_lds(), at + 4 * k).w[0];
    LM_UNROLL
    for (int k = 0; k < LM_WINDOW - 1; k++) v[k] = lm_either(shift & 4, v[k + 1], v[k]);
    LM_UNROLL
    for (int k = 0; k < LM_DST_REGISTERS; k++) word.w[k] = lm_funnel(v[k + 1], v[k], shift & 3);
    return word;
}

/* Bytes from `byte` on are those of another word. */
LM_DEVICE void lm_replace(lm_word<LM_DST_WORD> &word, const lm_word<LM_DST_WORD> &by, lm_i32 byte) {
    LM_UNROLL
    for (int k = 0; k < LM_DST_REGISTERS; k++) {
        const lm_i32 kept = byte - 4 * k;
        const lm_u32 mask = kept >= 4 ? 0 : ~0u << 8 * (kept < 0 ? 0 : kept);
        word.w[k] = (word.w[k] & ~mask) | (by.w[k] & mask);
    }
}

/* An element after the other, as many as a word may hold bytes of. */
LM_DEVICE lm_word<LM_DST_WORD> lm_put_together(lm_args a, const lm_place &p, lm_u32) {
    const lm_u32 size = a->funnel.size, across = p.row * size;
    lm_u32 element = lm_short(p.first, a->funnel.size_quick), end = (element + 1) * size - p.first;
    lm_u32 at = element * a->funnel.gap + p.first + (across & ~3u);
    lm_word<LM_DST_WORD> word = lm_window(at, (across & 3) + ((0 - element * size) & 3));
    for (lm_u32 k = 1; k < a->funnel.parts; k++) {
        if (end < LM_DST_WORD) at += a->funnel.gap;
        element++;
        lm_replace(word, lm_window(at, (across & 3) + ((0 - element * size) & 3)), (lm_i32)end);
        end += size;
    }
    return word;
}

LM_DEVICE lm_u32 lm_reads(lm_args a) { return a->funnel.parts * LM_WINDOW; }

#endif

LM_DEVICE void lm_store_rows(lm_args a, const lm_tile_start &start, char *to) {
    for (lm_u32 item = lm_thread(); item < a->funnel.items; item += a->block) {
        const lm_place p = lm_funnel_at(a, &start, LM_DST_WORD, item);
        if (!p.outside) {
            lm_put(to + p.global, lm_put_together(a, p, item));
        } else {
            lm_idle(LM_SITE_LDS_READ, lm_reads(a));
            lm_idle(LM_SITE_WRITE, 1);
        }
    }
}

LM_ENTRY lmad_kernel(char *__restrict__ dst, const char *__restrict__ src, LM_VALUE_OF lm_hip_args args) {
    const lm_args a = LM_ARGS(args);
    const lm_u32 tile = lm_tile_number(a);
    if (tile >= a->tiles) return;
    const lm_tile_start start = lm_tile_at(a, tile);
    lm_load_words(a, start, src + a->slow);
    lm_barrier();
    lm_store_rows(a, start, dst + a->dlow);
}
HIPEMU_KERNEL(lmad_kernel)
