/* SPDX-License-Identifier: BSD-3-Clause */
/* Short runs at any strides: gathers into dense rows, scatters from dense rows, and both sides strided.
 * One loop, specialised by the compiler for the usual run lengths and for the dense side. */
#include "kernel.h"
#include "name.h"
#include "shuffle.h"
#include "squeeze.h"
#include "stream.h"

/* One row of runs of a constant length. Compilers would turn these loops into gather and scatter
 * instructions, which are slower than plain loads and stores on every machine measured. */
LM_INLINE void row_of(char *d, const char *s, int64_t n, int64_t run, int64_t ds, int64_t ss) {
    int64_t i = 0;
    if (run == 8 && ds == 8) { /* half the stores */
        for (; i + 4 <= n; i += 4) {
            lane_store(d + i * 8, lane_pair(s, s + ss));
            lane_store(d + i * 8 + 16, lane_pair(s + 2 * ss, s + 3 * ss));
            s += 4 * ss;
            KEEP_LOOP();
        }
        d += i * 8;
    }
    for (; i + 4 <= n; i += 4) {
        memcpy(d, s, (size_t)run);
        memcpy(d + ds, s + ss, (size_t)run);
        memcpy(d + 2 * ds, s + 2 * ss, (size_t)run);
        memcpy(d + 3 * ds, s + 3 * ss, (size_t)run);
        d += 4 * ds;
        s += 4 * ss;
        KEEP_LOOP();
    }
    for (; i < n; i++) {
        memcpy(d, s, (size_t)run);
        d += ds;
        s += ss;
        KEEP_LOOP();
    }
}

LM_INLINE void row_of_any(char *d, const char *s, int64_t n, int64_t run, int64_t ds, int64_t ss) {
    for (int64_t i = 0; i < n; i++) lm_copy_short(d + i * ds, s + i * ss, run);
}

/* Runs that are no word, into a dense row, by the next longer word: each store overwrites what the one before
 * wrote too much. The runs at the ends, beyond which nothing may be read or written, are exact. */
LM_INLINE void row_of_words(char *d, const char *s, int64_t n, int64_t run, int64_t word, int64_t ss) {
    const int64_t safe = lm_magnitude(ss);
    if (n < 2 || safe < word - run) {
        row_of_any(d, s, n, run, run, ss);
        return;
    }
    lm_copy_short(d, s, run);
    int64_t i = 1;
    for (; i + 4 < n; i += 4) {
        memcpy(d + run, s + ss, (size_t)word);
        memcpy(d + 2 * run, s + 2 * ss, (size_t)word);
        memcpy(d + 3 * run, s + 3 * ss, (size_t)word);
        memcpy(d + 4 * run, s + 4 * ss, (size_t)word);
        d += 4 * run;
        s += 4 * ss;
        KEEP_LOOP();
    }
    for (; i < n - 1; i++) {
        d += run;
        s += ss;
        memcpy(d, s, (size_t)word);
        KEEP_LOOP();
    }
    lm_copy_short(d + run, s + ss, run);
}

/* The longest word of up to 16 bytes that a run is made of. */
LM_INLINE int64_t word_within(int64_t run) { return least(run & -run, 16); }

/* Runs that are several words into a dense row, word by word: where words are aligned no store lies across two lines. */
LM_INLINE void row_by_words(char *d, const char *s, int64_t n, int64_t run, int64_t word, int64_t ss) {
    for (int64_t i = 0; i < n; i++, d += run, s += ss) {
#pragma GCC unroll 8
        for (int64_t k = 0; k < run; k += word) memcpy(d + k, s + k, (size_t)word);
        KEEP_LOOP();
    }
}

/* Are there so many runs so far apart that each must be waited for, its line and its page? Stores wait in turn then,
 * and one that lies across two lines holds up all others for some 9 ns, many times longer than where lines are
 * near. Words of 4 bytes are so many that they take as long. */
LM_INLINE bool are_far(const lm_tile *t) {
    enum { STEP = 1024, RUNS = 2048 };
    return lm_magnitude(t->ss0) >= STEP && t->n0 * t->n1 >= RUNS;
}

LM_INLINE int64_t word_above(int64_t run) {
    int64_t word = 1;
    while (word < run) word *= 2;
    return word;
}

/* n1 rows; the compiler knows the run and, by the pattern, one of the steps. */
LM_INLINE void rows_of(char *dst, const char *src, const lm_tile *t, int64_t run, lm_pattern pattern) {
    const int64_t ds = pattern == LM_GATHER ? run : t->ds0, ss = pattern == LM_SCATTER ? run : t->ss0;
    const int64_t n0 = t->n0, n1 = t->n1, ds1 = t->ds1, ss1 = t->ss1, word = word_above(run);
    const bool far = pattern == LM_GATHER && word != run && word_within(run) >= 8 && are_far(t);
    for (int64_t j = 0; j < n1; j++) {
        if (far)
            row_by_words(dst + j * ds1, src + j * ss1, n0, run, word_within(run), ss);
        else if (pattern == LM_GATHER && word != run)
            row_of_words(dst + j * ds1, src + j * ss1, n0, run, word, ss);
        else
            row_of(dst + j * ds1, src + j * ss1, n0, run, ds, ss);
    }
}

LM_INLINE void words_of(char *dst, const char *src, const lm_tile *t, int64_t word) {
    for (int64_t j = 0; j < t->n1; j++)
        row_of_words(dst + j * t->ds1, src + j * t->ss1, t->n0, t->run, word, t->ss0);
}

/* Runs of 5 to 31 bytes into dense rows that have no code of their own. */
static __attribute__((noinline)) void gather_others(char *dst, const char *src, const lm_tile *t) {
    if (t->run <= 8)
        words_of(dst, src, t, 8);
    else if (t->run <= 16)
        words_of(dst, src, t, 16);
    else
        words_of(dst, src, t, 32);
}

/* Turn the run into a constant. */
LM_INLINE void copy_tile(char *dst, const char *src, const lm_tile *t, lm_pattern pattern) {
    switch (t->run) {
    case 1: rows_of(dst, src, t, 1, pattern); break;
    case 2: rows_of(dst, src, t, 2, pattern); break;
    case 3: rows_of(dst, src, t, 3, pattern); break;
    case 4: rows_of(dst, src, t, 4, pattern); break;
    case 6: rows_of(dst, src, t, 6, pattern); break;
    case 8: rows_of(dst, src, t, 8, pattern); break;
    case 12: rows_of(dst, src, t, 12, pattern); break;
    case 16: rows_of(dst, src, t, 16, pattern); break;
    case 20: rows_of(dst, src, t, 20, pattern); break;
    case 24: rows_of(dst, src, t, 24, pattern); break;
    case 32: rows_of(dst, src, t, 32, pattern); break;
    case 40: rows_of(dst, src, t, 40, pattern); break;
    case 48: rows_of(dst, src, t, 48, pattern); break;
    case 64: rows_of(dst, src, t, 64, pattern); break;
    default:
        if (pattern == LM_GATHER && t->run < 32) {
            gather_others(dst, src, t);
            break;
        }
        for (int64_t j = 0; j < t->n1; j++)
            row_of_any(dst + j * t->ds1, src + j * t->ss1, t->n0, t->run, t->ds0, t->ss0);
    }
}

LM_INLINE void shuffle_long_rows(char *dst, const char *src, const lm_tile *t, const shuffle *q) {
    lm_tile rest = *t;
    rest.n1 = 1;
    for (int64_t j = 0; j < t->n1; j++) {
        char *d = dst + j * t->ds1;
        const char *s = src + j * t->ss1;
        const int64_t done = shuffle_rows(d, s, q, t->n0);
        rest.n0 = t->n0 - done;
        copy_tile(d + done * t->run, s + done * t->ss0, &rest, LM_GATHER);
    }
}

LM_INLINE void shuffle_short_rows(char *dst, const char *src, const lm_tile *t, const shuffle *q) {
    lm_tile rest = *t;
    const int64_t done = shuffle_rows(dst, src, q, t->n1);
    rest.n1 -= done;
    copy_tile(dst + done * t->ds1, src + done * t->ss1, &rest, LM_GATHER);
}

LM_INLINE void gather_rows(char *dst, const char *src, const lm_tile *t, const shuffle *q) {
    if (!q)
        copy_tile(dst, src, t, LM_GATHER);
    else if (q->long_rows)
        shuffle_long_rows(dst, src, t, q);
    else
        shuffle_short_rows(dst, src, t, q);
}

void LM_KERNEL(gather)(char *dst, const char *src, const lm_tile *t) {
    shuffle q;
    gather_rows(dst, src, t, find_shuffle(&q, t) ? &q : NULL);
}

void LM_KERNEL(scatter)(char *dst, const char *src, const lm_tile *t) { copy_tile(dst, src, t, LM_SCATTER); }
void LM_KERNEL(strided)(char *dst, const char *src, const lm_tile *t) { copy_tile(dst, src, t, LM_STRIDED); }

/* ---- streaming ------------------------------------------------------------------------------------ */

/* Hardware prefetchers do not follow short runs at long steps: ask for those that come some KiB later, in the
 * same row, or at the same place of a later one where rows are short. */
enum { FETCH_BYTES = 2048, FETCH_LINES = 8, FETCH_STEP = 512 };

typedef struct fetch {
    int64_t shift; /* bytes of source from a run to the one to ask for; 0 = leave it to the hardware */
    int64_t lines;
} fetch;

static fetch fetch_plan(const lm_tile *t) {
    const int64_t row = t->n0 * t->run, gap = lm_magnitude(t->ss0);
    fetch f = {0, least((t->run + LM_LINE - 1) / LM_LINE, FETCH_LINES)};
    if (gap < t->run + FETCH_STEP) return f;
    f.shift = row <= 2 * FETCH_BYTES && t->n1 > 1 ? (FETCH_BYTES / row + 1) * t->ss1
                                                  : (FETCH_BYTES / t->run + 1) * t->ss0;
    return f;
}

LM_INLINE void fetch_runs(const fetch *f, const char *s, int64_t n, int64_t ss) {
    if (!f->shift) return;
    for (int64_t i = 0; i < n; i++) lm_fetch(s + f->shift + i * ss, f->lines);
}

/* Whole lines into whole lines. */
LM_INLINE void stream_direct(char *dst, const char *src, const lm_tile *t) {
    const fetch f = fetch_plan(t);
    for (int64_t j = 0; j < t->n1; j++) {
        for (int64_t i = 0; i < t->n0; i++) {
            const char *s = src + j * t->ss1 + i * t->ss0;
            fetch_runs(&f, s, 1, 0);
            lm_stream_lines(dst + j * t->ds1 + i * t->run, s, t->run);
        }
    }
}

/* Runs too long for the stage fill lines of their own. */
LM_INLINE void stream_long(char *dst, const char *src, const lm_tile *t) {
    for (int64_t j = 0; j < t->n1; j++)
        for (int64_t i = 0; i < t->n0; i++)
            lm_stream_row(dst + j * t->ds1 + i * t->run, src + j * t->ss1 + i * t->ss0, t->run, true);
}

/* One row. */
LM_INLINE void stage_row(lm_stage *stage, const char *src, const lm_tile *t, const fetch *f,
                         const shuffle *q) {
    lm_tile piece = *t;
    piece.n1 = 1;
    for (int64_t i = 0; i < t->n0; i += piece.n0) {
        const char *s = src + i * t->ss0;
        piece.n0 = least(lm_stage_room(stage) / t->run, t->n0 - i);
        fetch_runs(f, s, piece.n0, t->ss0);
        gather_rows(stage->byte + stage->fill, s, &piece, q);
        stage->fill += piece.n0 * t->run;
        lm_stage_flush(stage);
    }
}

/* Rows that follow each other in the destination, several at a time. */
LM_INLINE void stage_rows(lm_stage *stage, const char *src, const lm_tile *t, const fetch *f,
                          const shuffle *q) {
    lm_tile piece = *t;
    for (int64_t j = 0; j < t->n1; j += piece.n1) {
        const char *s = src + j * t->ss1;
        piece.n1 = least(lm_stage_room(stage) / t->ds1, t->n1 - j);
        for (int64_t k = 0; f->shift && k < piece.n1; k++) fetch_runs(f, s + k * t->ss1, t->n0, t->ss0);
        gather_rows(stage->byte + stage->fill, s, &piece, q);
        stage->fill += piece.n1 * t->ds1;
        lm_stage_flush(stage);
    }
}

/* Rows that follow each other in the destination share the stage, so that the lines between them are whole.
 */
LM_INLINE void stream_staged(char *dst, const char *src, const lm_tile *t) {
    const fetch f = fetch_plan(t);
    const int64_t row = t->n0 * t->run;
    lm_stage stage;
    shuffle found, *q = find_shuffle(&found, t) ? &found : NULL;
    lm_stage_open(&stage, dst);
    if (t->ds1 == row && row <= LM_STAGE_BYTES / 2) {
        stage_rows(&stage, src, t, &f, q);
    } else {
        for (int64_t j = 0; j < t->n1; j++) {
            if (j && t->ds1 != row) {
                lm_stage_close(&stage);
                lm_stage_open(&stage, dst + j * t->ds1);
            }
            stage_row(&stage, src + j * t->ss1, t, &f, q);
        }
    }
    lm_stage_close(&stage);
}

/* Rows whose lines come straight out of the source, as far as there are any. */
LM_INLINE void stream_dense(char *dst, const char *src, const lm_tile *t) {
    lm_tile rest = *t;
    int64_t j = 0;
    while (j < t->n1 && squeeze_row(dst + j * t->ds1, src + j * t->ss1, t->n0, t->run, t->ss0)) j++;
    rest.n1 -= j;
    if (rest.n1) stream_staged(dst + j * t->ds1, src + j * t->ss1, &rest);
}

/* Gather, whole lines past the caches. */
void LM_KERNEL(gather_stream)(char *dst, const char *src, const lm_tile *t) {
    if ((((uintptr_t)dst | (uintptr_t)t->run | (uintptr_t)(t->n1 > 1 ? t->ds1 : 0)) & (LM_LINE - 1)) == 0)
        stream_direct(dst, src, t);
    else if (t->run > LM_STAGE_BYTES / 2)
        stream_long(dst, src, t);
    else
        stream_dense(dst, src, t);
}
