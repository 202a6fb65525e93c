/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows: n1 runs of n0 contiguous bytes. */
#include "kernel.h"
#include "name.h"
#include "stream.h"

/* From here on the C library's memcpy wins: it knows the machine's string instructions. */
enum { LONG_ROW = 2048 };

void LM_KERNEL(rows)(char *dst, const char *src, const lm_tile *t) {
    const int64_t n = t->n0;
    for (int64_t j = 0; j < t->n1; j++) {
        char *d = dst + j * t->ds1;
        const char *s = src + j * t->ss1;
        if (n >= LONG_ROW)
            memcpy(d, s, (size_t)n);
        else
            lm_copy_short(d, s, n);
    }
}

/* Lines of the next row to ask for before this one is copied: enough for a prefetcher to see where it goes.
 */
enum { FETCH_LINES = 8 };

void LM_KERNEL(rows_stream)(char *dst, const char *src, const lm_tile *t) {
    for (int64_t j = 0; j < t->n1; j++) {
        const char *s = src + j * t->ss1;
        for (int64_t k = 0; k < FETCH_LINES; k++) __builtin_prefetch(s + t->ss1 + k * LM_LINE);
        lm_stream_row(dst + j * t->ds1, s, t->n0);
    }
}
