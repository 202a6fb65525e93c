/* SPDX-License-Identifier: BSD-3-Clause */
/* Streaming transposes of runs of three quarters of a word (3, 6, 12 bytes) into destination rows of any
 * alignment: turned as words, closed up into whole vectors, four blocks to three of them, and shifted into
 * lines (shifted.h). */
#ifndef LM_SHIFTED_ODD_H
#define LM_SHIFTED_ODD_H

#include "odd.h"
#include "shifted.h"

/* Blocks in the order of columns share three source lines; four of them in the order of rows make three
 * lines. */
enum { ODD_BLOCKS = 16, ODD_GROUP = 4, ODD_BYTES = 3 * LM_LINE };

#if defined(__AVX512VBMI__)

/* How to take words apart and put them together again. */
typedef struct closing {
    vec spread[2]; /* words of a row: from its beginning; from 4 bytes before, so that no byte after it is
                      read */
    vec join[3];   /* vector v of a group, out of its blocks v and v + 1 */
} closing;

LM_INLINE closing find_closing(int run, int word) {
    closing c;
    for (int from = 0; from < 2; from++)
        c.spread[from] = _mm512_add_epi8(spread_order(run, word), _mm512_set1_epi8((char)(4 * from)));
    for (int v = 0; v < 3; v++) {
        uint8_t order[VEC];
        for (int k = 0; k < VEC; k++) {
            const int at = v * VEC + k, block = at / 48 - v, byte = at % 48; /* 0 or 1, and where in it */
            order[k] = (uint8_t)(block * VEC + byte / run * word + byte % run);
        }
        c.join[v] = vec_load((const char *)order);
    }
    return c;
}

/* A group's rows of 16/word columns from `col` of the band on; `from` is 4 where src may be read 4 bytes
 * before. */
LM_INLINE void group_odd(shifts *c, const closing *o, int64_t col, char *dst, int64_t ds1, const char *src,
                         int64_t ss0, int from, int word, shift_step step) {
    const int rows = 16 / word, high = VEC / word;
    vec a[ODD_GROUP][4];
#pragma GCC unroll 4
    for (int b = 0; b < ODD_GROUP; b++) {
#pragma GCC unroll 4
        for (int k = 0; k < rows; k++)
            a[b][k] =
                vec_shuffle(vec_rows(src - from + (b * high + k) * ss0, rows * ss0), o->spread[from / 4]);
        zip_rounds(a[b], word);
    }
#pragma GCC unroll 4
    for (int k = 0; k < rows; k++) {
        vec before = vec_load(c->before[col + k]);
#pragma GCC unroll 3
        for (int v = 0; v < 3; v++) {
            const vec now = _mm512_permutex2var_epi8(a[v][k], o->join[v], a[v + 1][k]);
            send_line(c, col + k, dst + k * ds1 + v * VEC, before, now, v && step == FIRST ? MIDDLE : step);
            before = now;
        }
        vec_store(c->before[col + k], before);
    }
}

/* All the columns of a band, and the share of each group of columns in the lines asked for ahead. `inside`:
 * there are columns before these. */
LM_INLINE void groups_odd(shifts *c, const closing *o, char *dst, int64_t ds1, const char *src, int64_t ss0,
                          int64_t ahead, int64_t blocks, bool inside, int run, int word, shift_step step) {
    const int wide = 16 / word, rows = ODD_GROUP * VEC / word, share = rows / ODD_BLOCKS;
    for (int64_t b = 0; b < blocks; b++) {
        if (ahead)
            for (int k = 0; k < share; k++)
                for (int line = 0; line < ODD_BYTES; line += LM_LINE)
                    __builtin_prefetch(src + ahead + (b * share + k) * ss0 + line, 0, 2);
        group_odd(c, o, b * wide, dst + b * wide * ds1, ds1, src + b * wide * run, ss0, b || inside ? 4 : 0,
                  word, step);
    }
}

/* n0 rows, a multiple of a group's; n1 columns, a multiple of 16/word, at least 16 bytes of them. */
LM_INLINE void shifted_odd(char *dst, const char *src, const lm_tile *t, int run, int word, bool head,
                           bool tail) {
    const int64_t wide = 16 / word, rows = ODD_GROUP * VEC / word, ds1 = t->ds1, ss0 = t->ss0,
                  ahead = t->ahead;
    const closing o = find_closing(run, word);
    for (int64_t j = 0; j < t->n1; j += ODD_BLOCKS * wide) {
        const int64_t n1 = least(ODD_BLOCKS * wide, t->n1 - j);
        char *d = dst + j * ds1;
        const char *s = src + j * run;
        shifts c;
        find_shifts(&c, d, ds1, n1);
        if (head)
            groups_odd(&c, &o, d - rows * run, ds1, s - rows * ss0, ss0, 0, n1 / wide, j > 0, run, word,
                       ONLY_KEEP);
        for (int64_t i = 0; i < t->n0; i += rows)
            groups_odd(&c, &o, d + i * run, ds1, s + i * ss0, ss0, ahead, n1 / wide, j > 0, run, word,
                       i || head ? MIDDLE : FIRST);
        if (!tail) finish_rows(&c, d + t->n0 * run, ds1, n1);
    }
}

#else

LM_INLINE void shifted_odd(char *dst, const char *src, const lm_tile *t, int run, int word, bool head,
                           bool tail) {
    (void)dst, (void)src, (void)t, (void)run, (void)word, (void)head, (void)tail;
}

#endif

#endif
