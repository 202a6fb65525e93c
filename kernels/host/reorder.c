/* SPDX-License-Identifier: BSD-3-Clause */
/* Small copies as permutations of bytes in registers; for AVX-512 VBMI alone, whose shuffles look into two
 * registers of 64 bytes at once. */
#include "reorder.h"
#include "name.h"
#include "vec.h"

/* `from` is known when this is compiled. The highest bit of an order tells which two blocks it means. */
LM_INLINE void reorder(char *dst, const char *src, const lm_reorder *t, int from) {
    vec s[LM_REORDER_BLOCKS];
    for (int k = 0; k < from - 1; k++) s[k] = vec_load(src + k * VEC);
    s[from - 1] = _mm512_maskz_loadu_epi8(t->last, src + (from - 1) * VEC);
    for (int k = 0; k < t->to; k++) {
        const vec order = vec_load((const char *)t->order + k * VEC);
        vec v =
            from == 1 ? _mm512_permutexvar_epi8(order, s[0]) : _mm512_permutex2var_epi8(s[0], order, s[1]);
        if (from > 2)
            v = _mm512_mask_mov_epi8(v, _mm512_movepi8_mask(order),
                                     _mm512_permutex2var_epi8(s[2], order, s[from - 1]));
        _mm512_mask_storeu_epi8(dst + k * VEC, t->written[k], v);
    }
}

void LM_KERNEL(reorder)(char *dst, const char *src, const lm_reorder *t) {
    switch (t->from) {
    case 1: reorder(dst, src, t, 1); break;
    case 2: reorder(dst, src, t, 2); break;
    case 3: reorder(dst, src, t, 3); break;
    default: reorder(dst, src, t, 4);
    }
}
