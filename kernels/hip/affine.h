/* SPDX-License-Identifier: BSD-3-Clause */
/* Values computed from indices: base + sum i_k*step_k, in the types of lmad_type. Axes stand in the order of the
 * descriptor, for terms of reals are added in this order; threads run along the one that is fastest in memory. */
enum { LM_AFFINE_INT32, LM_AFFINE_INT64, LM_AFFINE_FLOAT, LM_AFFINE_DOUBLE };

/* The bits of a value, or the first of them, as another type. */
template <class TO, class FROM> LM_DEVICE TO lm_bits(const FROM &from) {
    TO to;
#if defined(__CUDACC__)
    memcpy(&to, &from, sizeof to); /* a builtin of NVIDIA's; others declare it in a header */
#else
    __builtin_memcpy(&to, &from, sizeof to);
#endif
    return to;
}

#if LM_OPTION == 2 || LM_OPTION == 3

/* Products and sums stay apart: fused, they would round differently than on the host. */
LM_DEVICE double lm_real(lm_u64 bits) { return lm_bits<double>(bits); }
LM_DEVICE double lm_term(double value, lm_count i, lm_u64 step) {
#if defined(__CUDACC__) && !defined(LM_EMULATED)
    return __dadd_rn(value, __dmul_rn((double)i, lm_real(step)));
#else
#if defined(__clang__)
#pragma clang fp contract(off)
#endif
    const double product = (double)i * lm_real(step);
    return value + product;
#endif
}
typedef double lm_value;
LM_DEVICE lm_value lm_base(lm_args a) { return lm_real(a->fill.steps[0]); }
LM_DEVICE lm_word<LM_DST_WORD> lm_pack_value(lm_value value) {
#if LM_OPTION == 2
    return lm_bits<lm_word<LM_DST_WORD>>((float)value);
#else
    return lm_bits<lm_word<LM_DST_WORD>>(value);
#endif
}

#else

typedef lm_u64 lm_value;
LM_DEVICE lm_value lm_base(lm_args a) { return a->fill.steps[0]; }
LM_DEVICE lm_value lm_term(lm_value value, lm_count i, lm_u64 step) { return value + i * step; }
LM_DEVICE lm_word<LM_DST_WORD> lm_pack_value(lm_value value) { return lm_bits<lm_word<LM_DST_WORD>>(value); }

#endif

LM_DEVICE lm_count lm_index_of(lm_args a, lm_u32 k, lm_count number) {
#if LM_INDEX == 32
    const lm_u32 above = lm_quotient(number, a->axis[k].below_multiplier, a->axis[k].below_shift);
    return above - lm_divide(above, a, k) * (lm_u32)a->axis[k].n;
#else
    return number / a->axis[k].below % a->axis[k].n;
#endif
}

LM_ENTRY lmad_kernel(char *__restrict__ dst, const char *__restrict__ src, LM_VALUE_OF lm_hip_args args) {
    const lm_args a = LM_ARGS(args);
    const lm_u32 tile = lm_tile_number(a);
    (void)src;
    if (tile >= a->tiles) return;
    char *const to = dst + a->dlow;
    for (lm_u32 item = lm_thread(); item < a->tile_words; item += a->block) {
        const lm_count number = (lm_count)tile * a->tile_words + item;
        if (number >= a->words) break;
        lm_offset at = (lm_offset)a->doff;
        lm_value value = lm_base(a);
        for (lm_u32 k = 0; k < a->rank; k++) {
            const lm_count i = lm_index_of(a, k, number);
            at += (lm_offset)i * (lm_offset)a->axis[k].ds;
            value = lm_term(value, i, a->fill.steps[k + 1]);
        }
        lm_put(to + at, lm_pack_value(value));
    }
}
HIPEMU_KERNEL(lmad_kernel)
