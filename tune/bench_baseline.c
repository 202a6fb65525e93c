/* SPDX-License-Identifier: BSD-3-Clause */
/* Contiguous copies: memcpy, rep movsb, streaming stores. */
#include "bench_baseline.h"

#include <string.h>

#include "bench_time.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

typedef void copy_fn(char *dst, const char *src, size_t bytes);

/* Parts begin on page boundaries, so that no two threads write one line. */
static void split(const lm_span *s, copy_fn *copy) {
    const size_t page = 4096, parts = (size_t)s->threads;
    const size_t part = (s->bytes / parts / page + 1) * page;
#ifdef _OPENMP
#pragma omp parallel for num_threads(s->threads) schedule(static, 1)
#endif
    for (size_t i = 0; i < parts; i++) {
        const size_t first = i * part;
        if (first >= s->bytes) continue;
        copy(s->dst + first, s->src + first, s->bytes - first < part ? s->bytes - first : part);
    }
}

static void copy_memcpy(char *dst, const char *src, size_t bytes) { memcpy(dst, src, bytes); }

static void run_memcpy(void *span, int64_t repeats) {
    const lm_span *s = span;
    for (; repeats > 0; repeats--) {
        if (s->threads == 1)
            memcpy(s->dst, s->src, s->bytes);
        else
            split(s, copy_memcpy);
        lm_keep();
    }
}

#if defined(__x86_64__)

static void copy_movsb(char *dst, const char *src, size_t bytes) {
    __asm__ volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(bytes) : : "memory");
}

/* Whole lines of the destination go past the caches, what is left at the ends through them. */
static void copy_stream(char *dst, const char *src, size_t bytes) {
    size_t head = -(uintptr_t)dst & 63;
    if (head > bytes) head = bytes;
    memcpy(dst, src, head);
    size_t at = head;
    for (; bytes - at >= 64; at += 64) {
        const __m128i *s = (const __m128i *)(const void *)(src + at);
        __m128i *d = (__m128i *)(void *)(dst + at);
        const __m128i a = _mm_loadu_si128(s), b = _mm_loadu_si128(s + 1);
        const __m128i e = _mm_loadu_si128(s + 2), f = _mm_loadu_si128(s + 3);
        _mm_stream_si128(d, a);
        _mm_stream_si128(d + 1, b);
        _mm_stream_si128(d + 2, e);
        _mm_stream_si128(d + 3, f);
    }
    memcpy(dst + at, src + at, bytes - at);
    _mm_sfence();
}

static void run_movsb(void *span, int64_t repeats) {
    for (; repeats > 0; repeats--) split(span, copy_movsb);
}

static void run_stream(void *span, int64_t repeats) {
    for (; repeats > 0; repeats--) split(span, copy_stream);
}

void (*const lm_baseline[LM_BASELINES])(void *, int64_t) = {run_memcpy, run_movsb, run_stream};
const char *const lm_baseline_name[LM_BASELINES] = {"memcpy", "movsb", "stream"};

#else

void (*const lm_baseline[LM_BASELINES])(void *, int64_t) = {run_memcpy};
const char *const lm_baseline_name[LM_BASELINES] = {"memcpy"};

#endif
