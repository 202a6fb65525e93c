/* SPDX-License-Identifier: BSD-3-Clause */
/* Words one by one in some order of axes: rows, flat copies, gathers, scatters, and with words turned round reversed
 * runs; the value of a fill lies in the arguments. All words of a thread are loaded before the first is stored. */
enum { LM_FLAT_REVERSED = 1 };

#if LM_FILL
LM_DEVICE lm_word<LM_DST_WORD> lm_source(lm_args a, const char *src, lm_offset at) {
    const LM_CONSTANT char *value = (const LM_CONSTANT char *)&a->fill + at;
    lm_word<LM_DST_WORD> word = {{0}};
    (void)src;
#if LM_DST_WORD < 4
    LM_UNROLL
    for (int k = 0; k < LM_DST_WORD; k++) word.w[0] |= (lm_u32)(unsigned char)value[k] << 8 * k;
#else
    LM_UNROLL
    for (int k = 0; k < LM_DST_WORD / 4; k++) word.w[k] = ((const LM_CONSTANT lm_raw4 *)value)[k];
#endif
    return word;
}
#else
LM_DEVICE lm_word<LM_DST_WORD> lm_source(lm_args a, const char *src, lm_offset at) {
    (void)a;
    return lm_get<LM_DST_WORD>(src + at);
}
#endif

/* Digits of many axes do not fit into registers. */
#if LM_MANY_AXES
LM_DEVICE const lm_start *lm_begin(lm_args a, lm_u32 tile) {
    __shared__ lm_start shared;
    if (lm_thread() == 0) lm_flat_start(a, tile, &shared);
    lm_barrier();
    return &shared;
}
#define LM_BEGIN(a, tile) const lm_start *const start = lm_begin(a, tile)
#else
#define LM_BEGIN(a, tile)                                                                                    \
    lm_start start[1];                                                                                       \
    lm_flat_start(a, tile, start)
#endif

LM_ENTRY lmad_kernel(char *__restrict__ dst, const char *__restrict__ src, LM_VALUE_OF lm_hip_args args) {
    const lm_args a = LM_ARGS(args);
    const lm_u32 tile = lm_tile_number(a);
    if (tile >= a->tiles) return;
    LM_BEGIN(a, tile);
    char *const to = dst + a->dlow;
    const char *const from = src + a->slow;
    lm_word<LM_DST_WORD> word[LM_ITEMS];
    lm_offset at[LM_ITEMS];
    LM_UNROLL
    for (int k = 0; k < LM_ITEMS; k++) {
        const lm_u32 item = lm_thread() + k * a->block;
        if (item >= start->words) break;
        const lm_pair pair = lm_flat_at(a, start, item);
        word[k] = lm_source(a, from, pair.s);
        at[k] = pair.d;
    }
    LM_UNROLL
    for (int k = 0; k < LM_ITEMS; k++) {
        if (lm_thread() + k * a->block >= start->words) break;
        if (LM_OPTION & LM_FLAT_REVERSED) word[k] = lm_reverse<LM_UNIT>(word[k]);
        lm_put(to + at[k], word[k]);
    }
}
HIPEMU_KERNEL(lmad_kernel)
