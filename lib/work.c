/* SPDX-License-Identifier: BSD-3-Clause */
/* Slots of scratch, claimed by compare-and-swap. */
#include "work.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "status.h"

/* What the slots of a plan may take together, beyond one slot of any size. */
enum { MOST_SLOTS = 8, MOST_BYTES = 4 << 20 };

lmad_status lm_work_open(lm_work *work, size_t bytes) {
    const size_t size = (bytes + LM_WORK_ALIGNMENT - 1) / LM_WORK_ALIGNMENT * LM_WORK_ALIGNMENT;
    size_t slots = MOST_BYTES / (size ? size : 1);
    slots = slots < 1 ? 1 : slots > MOST_SLOTS ? MOST_SLOTS : slots;
    char *memory =
        size >= bytes && size <= PTRDIFF_MAX ? aligned_alloc(LM_WORK_ALIGNMENT, size * slots) : NULL;
    if (!memory) return lm_fail(LMAD_ERR_NO_MEMORY, "no memory for %zu bytes of scratch", bytes);
    work->memory = memory;
    work->size = size;
    work->slots = (int)slots;
    atomic_init(&work->claims, 0);
    return LMAD_OK;
}

void lm_work_close(lm_work *work) { free(work->memory); }

/* Processes from the first one to this, by fork. Claims of an older one are of threads that are not here. */
static atomic_uint generation = 1;

static void in_child(void) { atomic_fetch_add(&generation, 1); }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }

char *lm_work_claim(lm_work *work, bool wait) {
    const uint64_t mine = (uint64_t)atomic_load_explicit(&generation, memory_order_relaxed) << 32;
    const unsigned all = (1u << work->slots) - 1;
    uint64_t claims = atomic_load_explicit(&work->claims, memory_order_relaxed);
    for (;;) {
        const bool alive = claims >> 32 << 32 == mine;
        const unsigned taken = alive ? (unsigned)claims : 0, free_slots = all & ~taken;
        if (!free_slots) {
            if (!wait) return NULL;
            sched_yield();
            claims = atomic_load_explicit(&work->claims, memory_order_relaxed);
            continue;
        }
        const unsigned lowest = free_slots & -free_slots;
        if (atomic_compare_exchange_weak_explicit(&work->claims, &claims, mine | taken | lowest,
                                                  memory_order_acquire, memory_order_relaxed))
            return work->memory + work->size * (size_t)__builtin_ctz(lowest);
    }
}

void lm_work_leave(lm_work *work, const char *slot) {
    const uint64_t bit = UINT64_C(1) << (size_t)(slot - work->memory) / work->size;
    atomic_fetch_and_explicit(&work->claims, ~bit, memory_order_release);
}
