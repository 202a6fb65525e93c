/* SPDX-License-Identifier: BSD-3-Clause */
/* Slots of scratch, claimed by compare-and-swap. */
#include "work.h"

#include <sched.h>
#include <stdlib.h>

#include "status.h"

/* What the slots of a plan may take together, beyond one slot of any size. */
enum { MOST_SLOTS = 8, MOST_BYTES = 4 << 20 };

lmad_status lm_work_open(lm_work *work, size_t bytes) {
    const size_t size = (bytes + LM_WORK_ALIGNMENT - 1) / LM_WORK_ALIGNMENT * LM_WORK_ALIGNMENT;
    size_t slots = MOST_BYTES / (size ? size : 1);
    slots = slots < 1 ? 1 : slots > MOST_SLOTS ? MOST_SLOTS : slots;
    char *memory = size >= bytes && size <= PTRDIFF_MAX ? aligned_alloc(LM_WORK_ALIGNMENT, size * slots) : NULL;
    if (!memory) return lm_fail(LMAD_ERR_NO_MEMORY, "no memory for %zu bytes of scratch", bytes);
    work->memory = memory;
    work->size = size;
    work->slots = (int)slots;
    atomic_init(&work->taken, 0);
    return LMAD_OK;
}

void lm_work_close(lm_work *work) { free(work->memory); }

char *lm_work_claim(lm_work *work) {
    const unsigned all = (1u << work->slots) - 1;
    unsigned taken = atomic_load_explicit(&work->taken, memory_order_relaxed);
    for (;;) {
        const unsigned free_slots = all & ~taken;
        if (!free_slots) {
            sched_yield();
            taken = atomic_load_explicit(&work->taken, memory_order_relaxed);
            continue;
        }
        const unsigned lowest = free_slots & -free_slots;
        if (atomic_compare_exchange_weak_explicit(&work->taken, &taken, taken | lowest, memory_order_acquire,
                                                  memory_order_relaxed))
            return work->memory + work->size * (size_t)__builtin_ctz(lowest);
    }
}

void lm_work_leave(lm_work *work, const char *slot) {
    const unsigned bit = 1u << (size_t)(slot - work->memory) / work->size;
    atomic_fetch_and_explicit(&work->taken, ~bit, memory_order_release);
}
