/* SPDX-License-Identifier: BSD-3-Clause */
/* Reversed runs: the destination is dense, the source is walked backwards a run at a time. */
#include <stdbool.h>

#include "kernel.h"
#include "name.h"
#include "stream.h"
#include "turn.h"

/* ---- rows ----------------------------------------------------------------------------------------- */

/* `count` runs of a constant length: dst forwards, src backwards from its first (highest) run. */
LM_INLINE void turn_runs(char *dst, const char *src, int64_t count, int64_t run) {
    int64_t i = 0;
    if (can_turn(run, VEC) && count * run >= VEC) {
        const turner t = turner_make(run, VEC);
        const int64_t step = VEC / run;
        for (; i + step <= count; i += step)
            vec_store(dst + i * run, turn(vec_load(src - (i + step - 1) * run), &t));
    }
    for (; i < count; i++) memcpy(dst + i * run, src - i * run, (size_t)run);
}

static void turn_row(char *d, const char *s, int64_t n, int64_t run) {
    switch (run) {
    case 1: turn_runs(d, s, n, 1); break;
    case 2: turn_runs(d, s, n, 2); break;
    case 3: turn_runs(d, s, n, 3); break;
    case 4: turn_runs(d, s, n, 4); break;
    case 8: turn_runs(d, s, n, 8); break;
    case 12: turn_runs(d, s, n, 12); break;
    case 16: turn_runs(d, s, n, 16); break;
    default:
        for (int64_t i = 0; i < n; i++) lm_copy_short(d + i * run, s - i * run, run);
    }
}

/* n1 rows; short ones that follow each other on both sides are turned several to a vector. */
static void turn_rows(char *dst, const char *src, const lm_tile *t, int64_t n1) {
    const int64_t row = t->n0 * t->run;
    int64_t j = 0;
    if (can_turn(t->run, row) && t->ds1 == row && t->ss1 == row) {
        const turner turned = turner_make(t->run, row);
        const char *first = src - (row - t->run); /* the lowest byte of row 0 */
        for (; (j + VEC / row) <= n1; j += VEC / row)
            vec_store(dst + j * row, turn(vec_load(first + j * row), &turned));
    }
    for (; j < n1; j++) turn_row(dst + j * t->ds1, src + j * t->ss1, t->n0, t->run);
}

void LM_KERNEL(reverse)(char *dst, const char *src, const lm_tile *t) { turn_rows(dst, src, t, t->n1); }

/* ---- streaming ------------------------------------------------------------------------------------ */

/* Lines, from their end to their beginning, so that the source is read forwards, which is what hardware
 * prefetchers are good at. Runs [from, to) of a row, d aligned at both. */
LM_INLINE void stream_lines(char *d, const char *s, int64_t from, int64_t to, int64_t run, const turner *t) {
    const int64_t step = VEC / run;
    while (to > from) {
        to -= step;
        vec_stream_halves(d + to * run, turn(vec_load(s - (to + step - 1) * run), t));
    }
}

/* One row in whole vectors, straight to memory, where its runs meet the line boundaries. False, and nothing
 * done, where they do not. */
LM_INLINE bool stream_vectors(char *d, const char *s, int64_t n, int64_t run, const turner *t) {
    const int64_t head = lm_to_line(d) / run, line = LM_LINE / run, page = LM_PAGE / run;
    if (lm_to_line(d) % run || !can_turn(run, VEC) || n < head + line) return false;
    int64_t to = head + (n - head) / line * line;
    turn_row(d + to * run, s - to * run, n - to, run);
    for (; to - head > 2 * page; to -= page) {
        lm_fetch(s - (to - page - 1) * run, LM_FETCH_LINES);
        stream_lines(d, s, to - page, to, run, t);
    }
    stream_lines(d, s, head, to, run, t);
    turn_row(d, s, head, run);
    return true;
}

/* One row through a stage of its own. */
LM_INLINE void stream_row(char *d, const char *s, int64_t n, int64_t run) {
    lm_stage stage;
    lm_stage_open(&stage, d);
    for (int64_t i = 0, some; i < n; i += some) {
        some = least(lm_stage_room(&stage) / run, n - i);
        turn_row(stage.byte + stage.fill, s - i * run, some, run);
        stage.fill += some * run;
        lm_stage_flush(&stage);
    }
    lm_stage_close(&stage);
}

LM_INLINE void stream_long(char *dst, const char *src, const lm_tile *t) {
    const turner turned = turner_make(can_turn(t->run, VEC) ? t->run : 1, VEC);
    for (int64_t j = 0; j < t->n1; j++) {
        char *d = dst + j * t->ds1;
        const char *s = src + j * t->ss1;
        lm_fetch(s + t->ss1 - (t->n0 - 1) * t->run, LM_FETCH_LINES);
        if (!stream_vectors(d, s, t->n0, t->run, &turned)) stream_row(d, s, t->n0, t->run);
    }
}

/* Short rows, dense on both sides, in whole vectors, where they meet the line boundaries. Returns the rows
 * done, from the first one on. */
LM_INLINE int64_t stream_turned(char *dst, const char *src, const lm_tile *t) {
    const int64_t row = t->n0 * t->run, head = lm_to_line(dst) / row;
    if (!can_turn(t->run, row) || t->ss1 != row || lm_to_line(dst) % row || t->n1 < head + LM_LINE / row)
        return 0;
    const turner turned = turner_make(t->run, row);
    const char *first = src - (row - t->run); /* the lowest byte of row 0 */
    int64_t j = head;
    turn_rows(dst, src, t, head);
    for (; j + LM_LINE / row <= t->n1; j += LM_LINE / row)
        for (int64_t k = 0; k < LM_LINE; k += VEC)
            vec_stream(dst + j * row + k, turn(vec_load(first + j * row + k), &turned));
    return j;
}

/* Rows that follow each other in the destination share a stage. */
LM_INLINE void stream_short(char *dst, const char *src, const lm_tile *t) {
    const int64_t row = t->n0 * t->run;
    int64_t j = stream_turned(dst, src, t);
    lm_stage stage;
    lm_stage_open(&stage, dst + j * row);
    for (int64_t n; j < t->n1; j += n) {
        n = least(lm_stage_room(&stage) / row, t->n1 - j);
        turn_rows(stage.byte + stage.fill, src + j * t->ss1, t, n);
        stage.fill += n * row;
        lm_stage_flush(&stage);
    }
    lm_stage_close(&stage);
}

/* Short rows share a stage, where they follow each other in the destination; those of whole lines are faster
 * as they are from a few lines on. */
LM_INLINE bool is_short(const char *dst, const lm_tile *t, int64_t row) {
    const bool lines = (((uintptr_t)dst | (uintptr_t)row) & (LM_LINE - 1)) == 0 && can_turn(t->run, VEC);
    return t->ds1 == row && (row < 4 * LM_LINE || (!lines && row <= LM_STAGE_BYTES / 4));
}

void LM_KERNEL(reverse_stream)(char *dst, const char *src, const lm_tile *t) {
    const int64_t row = t->n0 * t->run;
    if (is_short(dst, t, row))
        stream_short(dst, src, t);
    else if (t->run <= LM_STAGE_BYTES / 8 && row >= 4 * LM_LINE)
        stream_long(dst, src, t);
    else
        turn_rows(dst, src, t, t->n1);
}
