/* SPDX-License-Identifier: BSD-3-Clause */
/* The allocation functions of this program, in front of glibc's own. */
#include "count_malloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_OWN_ALLOCATOR 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define HAS_OWN_ALLOCATOR 1
#endif

static atomic_bool counting;
static atomic_long calls, failing;

void lm_count_malloc_start(void) { lm_count_malloc_start_failing(0); }

void lm_count_malloc_start_failing(long which) {
    atomic_store(&failing, which);
    atomic_store(&calls, 0);
    atomic_store(&counting, true);
}

long lm_count_malloc_stop(void) {
    atomic_store(&counting, false);
    return atomic_load(&calls);
}

#ifdef HAS_OWN_ALLOCATOR

bool lm_count_malloc_works(void) { return false; }

#else

bool lm_count_malloc_works(void) { return true; }

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *p);

/* False for the one that is to fail. */
static bool count(void) {
    if (!atomic_load_explicit(&counting, memory_order_relaxed)) return true;
    return atomic_fetch_add(&calls, 1) + 1 != atomic_load_explicit(&failing, memory_order_relaxed);
}

void *malloc(size_t size) { return count() ? __libc_malloc(size) : NULL; }

void *calloc(size_t n, size_t size) { return count() ? __libc_calloc(n, size) : NULL; }

void *realloc(void *p, size_t size) { return count() ? __libc_realloc(p, size) : NULL; }

void *aligned_alloc(size_t alignment, size_t size) {
    return count() ? __libc_memalign(alignment, size) : NULL;
}

int posix_memalign(void **p, size_t alignment, size_t size) {
    void *made = count() ? __libc_memalign(alignment, size) : NULL;
    if (!made) return ENOMEM;
    *p = made;
    return 0;
}

void free(void *p) { __libc_free(p); }

#endif
