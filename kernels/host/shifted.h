/* SPDX-License-Identifier: BSD-3-Clause */
/* Streaming transposes into destination rows of any alignment. Vectors come out of a block at the row's own
 * alignment, lines go to memory at theirs: the vector before is kept for each row, and a line is permuted out
 * of the two. So reads and writes alternate finely and overlap, which they do not when a tile is staged and
 * then sent. Rows are taken whole, because a line that is written in two parts costs as much as many whole
 * ones. */
#ifndef LM_SHIFTED_H
#define LM_SHIFTED_H

#include "blocks.h"
#include "kernel.h"

#if defined(__AVX512VBMI__)

/* Destination rows at a time, and bytes of each until the next columns of the same source rows are read. */
enum { SHIFTED_ROWS = 256 };
LM_INLINE int64_t shifted_bytes(int run) { return run < 8 ? 512 : 1024; }

typedef struct carry {
    _Alignas(LM_LINE) char line[SHIFTED_ROWS][LM_LINE]; /* the vector before, a destination row each */
} carry;

/* The line around d: the end of the vector before and the beginning of this one. */
LM_INLINE vec line_at(const char *d, const char *before, vec now, vec iota) {
    const char shift = (char)(LM_LINE - ((uintptr_t)d & (LM_LINE - 1)));
    return _mm512_permutex2var_epi8(vec_load(before), _mm512_add_epi8(iota, _mm512_set1_epi8(shift)), now);
}

LM_INLINE vec iota_bytes(void) {
    char byte[LM_LINE];
    for (int k = 0; k < LM_LINE; k++) byte[k] = (char)k;
    return vec_load(byte);
}

/* A high block whose first destination row begins its vector at dst. */
LM_INLINE void block_shifted(char *dst, int64_t ds1, const char *src, int64_t ss0, int run,
                             char (*before)[LM_LINE], vec iota, int first) {
    const int rows = 16 / run;
    vec a[16];
#pragma GCC unroll 16
    for (int k = 0; k < rows; k++) a[k] = vec_rows(src + k * ss0, rows * ss0);
    zip_rounds(a, run);
#pragma GCC unroll 16
    for (int k = 0; k < rows; k++) {
        char *d = dst + k * ds1;
        const int64_t begun = (int64_t)((uintptr_t)d & (LM_LINE - 1));
        const vec line = line_at(d, before[k], a[k], iota);
        if (first && begun)
            _mm512_mask_storeu_epi8(d - begun, ~(__mmask64)0 << begun, line);
        else
            vec_stream(d - begun, line);
        vec_store(before[k], a[k]);
    }
}

/* Source rows [i, i + n0), a multiple of the block's, all columns. */
LM_INLINE void shifted_chunk(carry *c, char *dst, const char *src, const lm_tile *t, int64_t n0,
                             int64_t ahead, int run, int first) {
    const int64_t high = VEC / run, wide = 16 / run, line = LM_LINE / run;
    const vec iota = iota_bytes();
    for (int64_t j = 0; j < t->n1; j += line) {
        const int64_t parts = (t->n1 - j < line ? t->n1 - j : line) / wide;
        for (int64_t i = 0; i < n0; i += high) {
            for (int64_t part = 0; part < parts; part++) {
                const int64_t col = j + part * wide;
                const char *s = src + i * t->ss0 + col * run;
                if (ahead) fetch_ahead(src + i * t->ss0 + j * run + ahead, t->ss0, high, part, parts);
                block_shifted(dst + col * t->ds1 + i * run, t->ds1, s, t->ss0, run, &c->line[col], iota,
                              first && i == 0);
            }
        }
    }
}

/* n0 a multiple of VEC/run, n1 one of 16/run and at most SHIFTED_ROWS. */
LM_INLINE void shifted(carry *c, char *dst, const char *src, const lm_tile *t, int run) {
    const int64_t chunk = shifted_bytes(run) / run;
    const vec iota = iota_bytes();
    for (int64_t i = 0; i < t->n0; i += chunk) {
        const int64_t left = t->n0 - i, n0 = left < chunk ? left : chunk;
        const int64_t ahead = left > chunk ? chunk * t->ss0 : t->ahead;
        shifted_chunk(c, dst + i * run, src + i * t->ss0, t, n0, ahead, run, i == 0);
    }
    for (int64_t j = 0; j < t->n1; j++) { /* what is left of the last vectors */
        char *d = dst + j * t->ds1 + t->n0 * run;
        const int64_t begun = (int64_t)((uintptr_t)d & (LM_LINE - 1));
        const vec line = line_at(d, c->line[j], iota, iota);
        _mm512_mask_storeu_epi8(d - begun, ((__mmask64)1 << begun) - 1, line);
    }
}

#endif

#endif
