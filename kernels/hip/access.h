/* SPDX-License-Identifier: BSD-3-Clause */
/* Words, and the only places that touch memory: global memory and LDS. With the emulated run time each access is
 * announced first, with the number of its place in the source. */
#ifndef LM_HIP_ACCESS_H
#define LM_HIP_ACCESS_H

#include "device.h"
#include "index.h"

#define LM_UNROLL _Pragma("unroll")
#if defined(LM_EMULATED)
#undef LM_UNROLL
#define LM_UNROLL
#endif

/* The places. */
enum {
    LM_SITE_READ = 1,
    LM_SITE_WRITE,
    LM_SITE_LDS_READ,
    LM_SITE_LDS_WRITE,
    LM_SITE_TURN_READ,
    LM_SITE_TURN_WRITE
};

/* A word in registers; shorter ones in the low bytes. */
template <int BYTES> struct lm_word { lm_u32 w[(BYTES + 3) / 4]; };

/* And in memory. */
#if defined(__CUDACC__) && !defined(LM_EMULATED)
typedef unsigned char lm_raw1;
typedef unsigned short lm_raw2;
typedef unsigned lm_raw4;
typedef uint2 lm_raw8;
typedef uint4 lm_raw16;
#define LM_LANE(v, k) ((&(v).x)[k])
#else
typedef unsigned char lm_raw1;
typedef unsigned short lm_raw2 __attribute__((may_alias));
typedef unsigned lm_raw4 __attribute__((may_alias));
typedef unsigned lm_raw8 __attribute__((vector_size(8), may_alias));
typedef unsigned lm_raw16 __attribute__((vector_size(16), may_alias));
#define LM_LANE(v, k) ((v)[k])
#endif

/* A store past the caches, where the compiler has one. */
template <class RAW> LM_DEVICE void lm_store(RAW *p, const RAW &value) {
#if LM_STREAM && defined(__CUDACC__) && !defined(LM_EMULATED)
    __stcs(p, value);
#elif LM_STREAM && defined(__clang__)
    __builtin_nontemporal_store(value, p);
#else
    *p = value;
#endif
}

template <int BYTES> struct lm_raw { typedef lm_raw1 type; };
template <> struct lm_raw<2> { typedef lm_raw2 type; };
template <> struct lm_raw<4> { typedef lm_raw4 type; };
template <> struct lm_raw<8> { typedef lm_raw8 type; };
template <> struct lm_raw<16> { typedef lm_raw16 type; };

template <int BYTES> struct lm_pack {
    typedef typename lm_raw<BYTES>::type raw;
    LM_DEVICE lm_word<BYTES> words(const raw &v) { return lm_word<BYTES>{{(lm_u32)v}}; }
    LM_DEVICE raw memory(const lm_word<BYTES> &v) { return (raw)v.w[0]; }
};
template <> struct lm_pack<8> {
    LM_DEVICE lm_word<8> words(const lm_raw8 &v) { return lm_word<8>{{LM_LANE(v, 0), LM_LANE(v, 1)}}; }
    LM_DEVICE lm_raw8 memory(const lm_word<8> &v) { return lm_raw8{v.w[0], v.w[1]}; }
};
template <> struct lm_pack<16> {
    LM_DEVICE lm_word<16> words(const lm_raw16 &v) {
        return lm_word<16>{{LM_LANE(v, 0), LM_LANE(v, 1), LM_LANE(v, 2), LM_LANE(v, 3)}};
    }
    LM_DEVICE lm_raw16 memory(const lm_word<16> &v) { return lm_raw16{v.w[0], v.w[1], v.w[2], v.w[3]}; }
};

template <int BYTES> LM_DEVICE lm_word<BYTES> lm_get(const char *p) {
#if defined(LM_EMULATED)
    hipemu_global(LM_SITE_READ, p, BYTES, 0);
#endif
    return lm_pack<BYTES>::words(*(const typename lm_raw<BYTES>::type *)p);
}

template <int BYTES> LM_DEVICE void lm_put(char *p, const lm_word<BYTES> &value) {
#if defined(LM_EMULATED)
    hipemu_global(LM_SITE_WRITE, p, BYTES, 1);
#endif
    lm_store((typename lm_raw<BYTES>::type *)p, lm_pack<BYTES>::memory(value));
}

template <int BYTES>
LM_DEVICE lm_word<BYTES> lm_lds_get(const char *lds, lm_u32 at, int site = LM_SITE_LDS_READ) {
    (void)site;
#if defined(LM_EMULATED)
    hipemu_lds(site, lds + at, BYTES, 0);
#endif
    return lm_pack<BYTES>::words(*(const typename lm_raw<BYTES>::type *)(lds + at));
}

template <int BYTES>
LM_DEVICE void lm_lds_put(char *lds, lm_u32 at, const lm_word<BYTES> &value, int site = LM_SITE_LDS_WRITE) {
    (void)site;
#if defined(LM_EMULATED)
    hipemu_lds(site, lds + at, BYTES, 1);
#endif
    *(typename lm_raw<BYTES>::type *)(lds + at) = lm_pack<BYTES>::memory(value);
}

/* A thread sits out so many accesses that others of its warp may do: the emulated run time counts together what is done
 * together. */
LM_DEVICE void lm_idle(int site, int accesses) {
    (void)site, (void)accesses;
#if defined(LM_EMULATED)
    hipemu_idle(site >= LM_SITE_LDS_READ, site, accesses);
#endif
}

/* Which tile a block is for. Grids are folded where one row of them would be too long. */
LM_DEVICE lm_u32 lm_tile_number(lm_args a) { return lm_block_y() * a->grid + lm_block_x(); }

#endif
