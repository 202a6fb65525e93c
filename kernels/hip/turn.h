/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of units turned in registers: rows that are words of one side become rows that are words of the other. */
#ifndef LM_HIP_TURN_H
#define LM_HIP_TURN_H

#include "access.h"

/* Four bytes chosen from eight, by the numbers in the bytes of pick: 0 .. 3 from low, 4 .. 7 from high. */
template <lm_u32 PICK> LM_DEVICE lm_u32 lm_bytes(lm_u32 high, lm_u32 low) {
#if defined(LM_EMULATED)
    const lm_u64 all = (lm_u64)high << 32 | low;
    lm_u32 out = 0;
    for (int k = 0; k < 4; k++) out |= (lm_u32)(all >> 8 * (PICK >> 8 * k & 7) & 255) << 8 * k;
    return out;
#elif defined(__CUDACC__)
    return __byte_perm(low, high,
                       (PICK & 7) | (PICK >> 4 & 0x70) | (PICK >> 8 & 0x700) | (PICK >> 12 & 0x7000));
#else
    return __builtin_amdgcn_perm(high, low, PICK);
#endif
}

/* Four bytes of eight, from the by-th on, 0 to 3. */
LM_DEVICE lm_u32 lm_funnel(lm_u32 high, lm_u32 low, lm_u32 by) {
#if defined(LM_EMULATED)
    return (lm_u32)(((lm_u64)high << 32 | low) >> 8 * by);
#elif defined(__CUDACC__)
    return __funnelshift_r(low, high, 8 * by);
#else
    return __builtin_amdgcn_alignbyte(high, low, by);
#endif
}

/* Byte k of a word. */
template <int BYTES> LM_DEVICE lm_u32 lm_byte(const lm_word<BYTES> &word, int k) {
    return word.w[k / 4] >> 8 * (k % 4) & 255;
}

/* out[x] unit j = in[j] unit x; words of OUT and IN bytes. */
template <int UNIT, int OUT, int IN> struct lm_turner {
    LM_DEVICE void turn(const lm_word<IN> *in, lm_word<OUT> *out) {
        LM_UNROLL
        for (int x = 0; x < IN / UNIT; x++) {
            LM_UNROLL
            for (int k = 0; k < (OUT + 3) / 4; k++) {
                lm_u32 w = 0;
                LM_UNROLL
                for (int b = 4 * k; b < 4 * k + 4 && b < OUT; b++)
                    w |= lm_byte(in[b / UNIT], x * UNIT + b % UNIT) << 8 * (b % 4);
                out[x].w[k] = w;
            }
        }
    }
};

/* Units of whole registers. */
template <int UNIT, int OUT, int IN> struct lm_turner_whole {
    LM_DEVICE void turn(const lm_word<IN> *in, lm_word<OUT> *out) {
        enum { N = UNIT / 4 };
        LM_UNROLL
        for (int x = 0; x < IN / UNIT; x++) {
            LM_UNROLL
            for (int j = 0; j < OUT / UNIT; j++) {
                LM_UNROLL
                for (int k = 0; k < N; k++) out[x].w[j * N + k] = in[j].w[x * N + k];
            }
        }
    }
};
template <int OUT, int IN> struct lm_turner<4, OUT, IN> : lm_turner_whole<4, OUT, IN> {};
template <int OUT, int IN> struct lm_turner<8, OUT, IN> : lm_turner_whole<8, OUT, IN> {};
template <int OUT, int IN> struct lm_turner<16, OUT, IN> : lm_turner_whole<16, OUT, IN> {};

/* Squares of 4x4 bytes, of 2x2 pairs. */
template <> struct lm_turner<1, 16, 16> {
    LM_DEVICE void turn(const lm_word<16> *in, lm_word<16> *out) {
        LM_UNROLL
        for (int j = 0; j < 4; j++) {
            LM_UNROLL
            for (int x = 0; x < 4; x++) {
                const lm_u32 a = in[4 * j].w[x], b = in[4 * j + 1].w[x], c = in[4 * j + 2].w[x],
                             d = in[4 * j + 3].w[x];
                const lm_u32 ab0 = lm_bytes<0x05010400>(b, a), ab1 = lm_bytes<0x07030602>(b, a);
                const lm_u32 cd0 = lm_bytes<0x05010400>(d, c), cd1 = lm_bytes<0x07030602>(d, c);
                out[4 * x].w[j] = lm_bytes<0x05040100>(cd0, ab0);
                out[4 * x + 1].w[j] = lm_bytes<0x07060302>(cd0, ab0);
                out[4 * x + 2].w[j] = lm_bytes<0x05040100>(cd1, ab1);
                out[4 * x + 3].w[j] = lm_bytes<0x07060302>(cd1, ab1);
            }
        }
    }
};
template <> struct lm_turner<2, 16, 16> {
    LM_DEVICE void turn(const lm_word<16> *in, lm_word<16> *out) {
        LM_UNROLL
        for (int j = 0; j < 4; j++) {
            LM_UNROLL
            for (int x = 0; x < 4; x++) {
                const lm_u32 a = in[2 * j].w[x], b = in[2 * j + 1].w[x];
                out[2 * x].w[j] = lm_bytes<0x05040100>(b, a);
                out[2 * x + 1].w[j] = lm_bytes<0x07060302>(b, a);
            }
        }
    }
};

/* A word with its units in reverse. */
template <int UNIT, int BYTES> LM_DEVICE lm_word<BYTES> lm_reverse(const lm_word<BYTES> &in) {
    lm_word<BYTES> out;
    enum { N = (BYTES + 3) / 4, M = UNIT < 4 ? 1 : UNIT / 4 };
    LM_UNROLL
    for (int k = 0; k < N; k++) {
        const lm_u32 w = in.w[UNIT < 4 ? N - 1 - k : (N / M - 1 - k / M) * M + k % M];
        out.w[k] = BYTES == 2  ? lm_bytes<0x04040001>(0, w)
                   : UNIT == 1 ? lm_bytes<0x00010203>(0, w)
                   : UNIT == 2 ? lm_bytes<0x01000302>(0, w)
                               : w;
    }
    return out;
}

/* The value, not the place: what is chosen by its address would lie in memory. */
LM_DEVICE lm_u32 lm_either(lm_u32 which, lm_u32 a, lm_u32 b) { return which ? a : b; }

/* Rotate a word by bytes, towards the higher ones. */
template <int BYTES> LM_DEVICE lm_word<BYTES> lm_rotate(const lm_word<BYTES> &in, lm_u32 by) {
    enum { N = (BYTES + 3) / 4 };
    lm_word<BYTES> v = in, out;
    LM_UNROLL
    for (int step = 1; step < N; step *= 2) {
        lm_word<BYTES> t;
        LM_UNROLL
        for (int k = 0; k < N; k++) t.w[k] = lm_either(by & 4 * step, v.w[(k - step + N) % N], v.w[k]);
        v = t;
    }
    LM_UNROLL
    for (int k = 0; k < N; k++)
        out.w[k] = (lm_u32)(((lm_u64)v.w[k] << 32 | v.w[(k - 1 + N) % N]) >> (32 - 8 * (by & 3)));
    return out;
}

/* A word to LDS in pieces, the turn-th of them first. */
template <int PIECE, int BYTES>
LM_DEVICE void lm_put_pieces(char *lds, lm_u32 at, const lm_word<BYTES> &word, lm_u32 turn) {
    enum { EACH = PIECE / 4, N = BYTES / PIECE };
    const lm_word<BYTES> turned = lm_rotate(word, (N - turn) % N * PIECE);
    LM_UNROLL
    for (int k = 0; k < N; k++) {
        lm_word<PIECE> piece;
        LM_UNROLL
        for (int i = 0; i < EACH; i++) piece.w[i] = turned.w[k * EACH + i];
        lm_lds_put(lds, at + (k + turn) % N * PIECE, piece);
    }
}

#endif
