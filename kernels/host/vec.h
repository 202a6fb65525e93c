/* SPDX-License-Identifier: BSD-3-Clause */
/* Lanes of 16 bytes, and the widest vector of lanes of the instruction set that a file is compiled for.
 * Everything that differs between instruction sets is here; kernels are written once in these terms.
 *
 * lane_pair(a, b) is 8 bytes from each address. All loads and stores take any address; vec_stream() needs one
 * aligned to the vector. A zip interleaves runs of 1, 2, 4 or 8 bytes of the low or high halves of two lanes;
 * on vectors, lane by lane. vec_halves(p, q) is half a vector from each address; even and odd lanes are those of a,
 * then those of b. */
#ifndef LM_VEC_H
#define LM_VEC_H

#include <string.h>

#include "kernel.h"

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(LM_NEON)
#include <arm_neon.h>
#endif

#define LM_INLINE static inline __attribute__((always_inline))

/* Keeps compilers from making a loop into something else: gather instructions, a call of memcpy(). */
#define KEEP_LOOP() __asm__ volatile("")

/* Keeps compilers from stepping a pointer of its own for each row of a block, more than there are registers. */
#define FORGET(pointer) __asm__("" : "+r"(pointer))

/* ---- lanes ---------------------------------------------------------------------------------------- */

#if defined(__SSE2__)

typedef __m128i lane;
LM_INLINE lane lane_load(const char *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }
LM_INLINE void lane_store(char *p, lane v) { _mm_storeu_si128((__m128i *)(void *)p, v); }
LM_INLINE void lane_stream(char *p, lane v) { _mm_stream_si128((__m128i *)(void *)p, v); }
LM_INLINE lane lane_pair(const char *a, const char *b) {
    const __m128d low = _mm_castsi128_pd(_mm_loadl_epi64((const __m128i *)(const void *)a));
    return _mm_castpd_si128(_mm_loadh_pd(low, (const double *)(const void *)b));
}
LM_INLINE lane lane_zip_lo(lane a, lane b, int run) {
    switch (run) {
    case 1: return _mm_unpacklo_epi8(a, b);
    case 2: return _mm_unpacklo_epi16(a, b);
    case 4: return _mm_unpacklo_epi32(a, b);
    default: return _mm_unpacklo_epi64(a, b);
    }
}
LM_INLINE lane lane_zip_hi(lane a, lane b, int run) {
    switch (run) {
    case 1: return _mm_unpackhi_epi8(a, b);
    case 2: return _mm_unpackhi_epi16(a, b);
    case 4: return _mm_unpackhi_epi32(a, b);
    default: return _mm_unpackhi_epi64(a, b);
    }
}

#elif defined(LM_NEON)

typedef uint8x16_t lane;
LM_INLINE lane lane_load(const char *p) { return vld1q_u8((const uint8_t *)p); }
LM_INLINE void lane_store(char *p, lane v) { vst1q_u8((uint8_t *)p, v); }
/* A processor that sees whole lines being written does not read them first: no special stores needed. */
LM_INLINE void lane_stream(char *p, lane v) { lane_store(p, v); }
LM_INLINE lane lane_pair(const char *a, const char *b) {
    return vcombine_u8(vld1_u8((const uint8_t *)a), vld1_u8((const uint8_t *)b));
}
LM_INLINE lane lane_zip_lo(lane a, lane b, int run) {
    switch (run) {
    case 1: return vzip1q_u8(a, b);
    case 2: return vreinterpretq_u8_u16(vzip1q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
    case 4: return vreinterpretq_u8_u32(vzip1q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
    default: return vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
    }
}
LM_INLINE lane lane_zip_hi(lane a, lane b, int run) {
    switch (run) {
    case 1: return vzip2q_u8(a, b);
    case 2: return vreinterpretq_u8_u16(vzip2q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
    case 4: return vreinterpretq_u8_u32(vzip2q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
    default: return vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
    }
}

#else /* plain C, in the compilers' vector types (VSX, ... or scalar code) */

typedef uint8_t lane __attribute__((vector_size(16)));
typedef uint16_t lm_u16x8 __attribute__((vector_size(16)));
typedef uint32_t lm_u32x4 __attribute__((vector_size(16)));
typedef uint64_t lm_u64x2 __attribute__((vector_size(16)));
LM_INLINE lane lane_load(const char *p) {
    lane v;
    memcpy(&v, p, sizeof v);
    return v;
}
LM_INLINE void lane_store(char *p, lane v) { memcpy(p, &v, sizeof v); }
LM_INLINE void lane_stream(char *p, lane v) { memcpy(p, &v, sizeof v); }
LM_INLINE lane lane_pair(const char *a, const char *b) {
    lane v;
    memcpy(&v, a, 8);
    memcpy((char *)&v + 8, b, 8);
    return v;
}
LM_INLINE lane lane_zip_lo(lane a, lane b, int run) {
    switch (run) {
    case 1: return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    case 2: return (lane)__builtin_shufflevector((lm_u16x8)a, (lm_u16x8)b, 0, 8, 1, 9, 2, 10, 3, 11);
    case 4: return (lane)__builtin_shufflevector((lm_u32x4)a, (lm_u32x4)b, 0, 4, 1, 5);
    default: return (lane)__builtin_shufflevector((lm_u64x2)a, (lm_u64x2)b, 0, 2);
    }
}
LM_INLINE lane lane_zip_hi(lane a, lane b, int run) {
    switch (run) {
    case 1:
        return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    case 2: return (lane)__builtin_shufflevector((lm_u16x8)a, (lm_u16x8)b, 4, 12, 5, 13, 6, 14, 7, 15);
    case 4: return (lane)__builtin_shufflevector((lm_u32x4)a, (lm_u32x4)b, 2, 6, 3, 7);
    default: return (lane)__builtin_shufflevector((lm_u64x2)a, (lm_u64x2)b, 1, 3);
    }
}

#endif

/* ---- vectors -------------------------------------------------------------------------------------- */

/* vec_shuffle(v, order): byte k of each lane becomes byte order[k] of that lane, where VEC_SHUFFLES.
 * vec_rows(p, stride): lane l is the 16 bytes at p + l*stride. vec_scatter(p, stride, v): the way back.
 * vec_narrow(a, b): the doubles of a, then those of b, as floats. vec_add(a, b): a + b in each place, not
 * where vec_narrow() is done, if processors can add elsewhere. */

#if defined(__AVX512BW__)

typedef __m512i vec;
typedef __m512d vec_reals;
LM_INLINE vec vec_load(const char *p) { return _mm512_loadu_si512((const void *)p); }
LM_INLINE void vec_store(char *p, vec v) { _mm512_storeu_si512((void *)p, v); }
LM_INLINE void vec_stream(char *p, vec v) { _mm512_stream_si512((__m512i *)(void *)p, v); }
enum { VEC_SHUFFLES = 1 };
LM_INLINE vec vec_shuffle(vec v, vec order) { return _mm512_shuffle_epi8(v, order); }
LM_INLINE vec vec_rows(const char *p, int64_t stride) {
    __m512i v = _mm512_castsi128_si512(lane_load(p));
    v = _mm512_inserti32x4(v, lane_load(p + stride), 1);
    v = _mm512_inserti32x4(v, lane_load(p + 2 * stride), 2);
    return _mm512_inserti32x4(v, lane_load(p + 3 * stride), 3);
}
LM_INLINE void vec_scatter(char *p, int64_t stride, vec v) {
    lane_store(p, _mm512_castsi512_si128(v));
    lane_store(p + stride, _mm512_extracti32x4_epi32(v, 1));
    lane_store(p + 2 * stride, _mm512_extracti32x4_epi32(v, 2));
    lane_store(p + 3 * stride, _mm512_extracti32x4_epi32(v, 3));
}
enum { VEC_HALVES = 1 };
LM_INLINE vec vec_halves(const char *p, const char *q) {
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)p);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low),
                              _mm256_loadu_si256((const __m256i *)(const void *)q), 1);
}
LM_INLINE vec vec_even_lanes(vec a, vec b) { return _mm512_shuffle_i32x4(a, b, 0x88); }
LM_INLINE vec vec_odd_lanes(vec a, vec b) { return _mm512_shuffle_i32x4(a, b, 0xdd); }
LM_INLINE vec vec_narrow(vec_reals a, vec_reals b) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_castps_si256(_mm512_cvtpd_ps(a))),
                              _mm256_castps_si256(_mm512_cvtpd_ps(b)), 1);
}
LM_INLINE vec_reals vec_add(vec_reals a, double b) {
    return _mm512_fmadd_pd(a, _mm512_set1_pd(1), _mm512_set1_pd(b)); /* nothing to round but the sum */
}
LM_INLINE vec vec_zip_lo(vec a, vec b, int run) {
    switch (run) {
    case 1: return _mm512_unpacklo_epi8(a, b);
    case 2: return _mm512_unpacklo_epi16(a, b);
    case 4: return _mm512_unpacklo_epi32(a, b);
    default: return _mm512_unpacklo_epi64(a, b);
    }
}
LM_INLINE vec vec_zip_hi(vec a, vec b, int run) {
    switch (run) {
    case 1: return _mm512_unpackhi_epi8(a, b);
    case 2: return _mm512_unpackhi_epi16(a, b);
    case 4: return _mm512_unpackhi_epi32(a, b);
    default: return _mm512_unpackhi_epi64(a, b);
    }
}

#elif defined(__AVX2__)

typedef __m256i vec;
typedef __m256d vec_reals;
LM_INLINE vec vec_load(const char *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }
LM_INLINE void vec_store(char *p, vec v) { _mm256_storeu_si256((__m256i *)(void *)p, v); }
LM_INLINE void vec_stream(char *p, vec v) { _mm256_stream_si256((__m256i *)(void *)p, v); }
enum { VEC_SHUFFLES = 1 };
LM_INLINE vec vec_shuffle(vec v, vec order) { return _mm256_shuffle_epi8(v, order); }
LM_INLINE vec vec_rows(const char *p, int64_t stride) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(lane_load(p)), lane_load(p + stride), 1);
}
LM_INLINE void vec_scatter(char *p, int64_t stride, vec v) {
    lane_store(p, _mm256_castsi256_si128(v));
    lane_store(p + stride, _mm256_extracti128_si256(v, 1));
}
LM_INLINE vec vec_narrow(vec_reals a, vec_reals b) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_castps_si128(_mm256_cvtpd_ps(a))),
                                   _mm_castps_si128(_mm256_cvtpd_ps(b)), 1);
}
LM_INLINE vec vec_zip_lo(vec a, vec b, int run) {
    switch (run) {
    case 1: return _mm256_unpacklo_epi8(a, b);
    case 2: return _mm256_unpacklo_epi16(a, b);
    case 4: return _mm256_unpacklo_epi32(a, b);
    default: return _mm256_unpacklo_epi64(a, b);
    }
}
LM_INLINE vec vec_zip_hi(vec a, vec b, int run) {
    switch (run) {
    case 1: return _mm256_unpackhi_epi8(a, b);
    case 2: return _mm256_unpackhi_epi16(a, b);
    case 4: return _mm256_unpackhi_epi32(a, b);
    default: return _mm256_unpackhi_epi64(a, b);
    }
}

#else

typedef lane vec;
typedef double vec_reals __attribute__((vector_size(16)));
LM_INLINE vec vec_load(const char *p) { return lane_load(p); }
LM_INLINE void vec_store(char *p, vec v) { lane_store(p, v); }
LM_INLINE void vec_stream(char *p, vec v) { lane_stream(p, v); }
#if defined(LM_NEON)
enum { VEC_SHUFFLES = 1 };
LM_INLINE vec vec_shuffle(vec v, vec order) { return vqtbl1q_u8(v, order); }
#else
enum { VEC_SHUFFLES = 0 };
LM_INLINE vec vec_shuffle(vec v, vec order) {
    (void)order;
    return v;
}
#endif
LM_INLINE vec vec_rows(const char *p, int64_t stride) {
    (void)stride;
    return lane_load(p);
}
LM_INLINE void vec_scatter(char *p, int64_t stride, vec v) {
    (void)stride;
    lane_store(p, v);
}
LM_INLINE vec vec_narrow(vec_reals a, vec_reals b) {
#if defined(__SSE2__)
    return _mm_castps_si128(_mm_movelh_ps(_mm_cvtpd_ps(a), _mm_cvtpd_ps(b)));
#else
    const float v[] = {(float)a[0], (float)a[1], (float)b[0], (float)b[1]};
    return lane_load((const char *)v);
#endif
}
LM_INLINE vec vec_zip_lo(vec a, vec b, int run) { return lane_zip_lo(a, b, run); }
LM_INLINE vec vec_zip_hi(vec a, vec b, int run) { return lane_zip_hi(a, b, run); }

#endif

#if !defined(__AVX512BW__)
LM_INLINE vec_reals vec_add(vec_reals a, double b) { return a + b; }
enum { VEC_HALVES = 0 };
LM_INLINE vec vec_halves(const char *p, const char *q) { return (void)q, vec_load(p); }
LM_INLINE vec vec_even_lanes(vec a, vec b) { return (void)b, a; }
LM_INLINE vec vec_odd_lanes(vec a, vec b) { return (void)b, a; }
#endif

/* Streams of long vectors run faster in stores of half a line. These, too, are aligned to what they store. */
#if defined(__AVX512BW__)
typedef __m256i half;
LM_INLINE half half_load(const char *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }
LM_INLINE void half_stream(char *p, half v) { _mm256_stream_si256((__m256i *)(void *)p, v); }
LM_INLINE void vec_stream_halves(char *p, vec v) {
    half_stream(p, _mm512_castsi512_si256(v));
    half_stream(p + sizeof(half), _mm512_extracti64x4_epi64(v, 1));
}
#else
typedef vec half;
LM_INLINE half half_load(const char *p) { return vec_load(p); }
LM_INLINE void half_stream(char *p, half v) { vec_stream(p, v); }
LM_INLINE void vec_stream_halves(char *p, vec v) { vec_stream(p, v); }
#endif

/* Bytes of a cache line, the unit of streaming stores; of a vector; of what streams store at once. */
enum { LM_LINE = 64, VEC = sizeof(vec), HALF = sizeof(half) };

#endif
