/* SPDX-License-Identifier: BSD-3-Clause */
/* Contiguous copies that plans are compared with, each split over a number of threads. */
#ifndef LM_BENCH_BASELINE_H
#define LM_BENCH_BASELINE_H

#include <stddef.h>
#include <stdint.h>

/* The argument of the copies below. */
typedef struct lm_span {
    char *dst;
    const char *src;
    size_t bytes;
    int threads;
} lm_span;

#if defined(__x86_64__)
enum { LM_BASELINES = 3 };
#else
enum { LM_BASELINES = 1 };
#endif

/* lm_sampled functions on an lm_span. The first is libc's memcpy; on x86-64 `rep movsb` and stores past the
 * caches follow. */
extern void (*const lm_baseline[LM_BASELINES])(void *span, int64_t repeats);
extern const char *const lm_baseline_name[LM_BASELINES];

#endif
