/* SPDX-License-Identifier: BSD-3-Clause */
/* Address sanitizer: forbidden memory and changes of the stack, where it is on. */
#ifndef HIPEMU_SANITIZE_H
#define HIPEMU_SANITIZE_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMU_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define EMU_ASAN 1
#endif

/* What a device adds to its name: its code is not for those without. */
#ifdef EMU_ASAN
#define EMU_SANITIZED " with address sanitizer"
#else
#define EMU_SANITIZED ""
#endif

#ifdef EMU_ASAN

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

static inline void emu_poison(const void *p, size_t size) { __asan_poison_memory_region(p, size); }
static inline void emu_unpoison(const void *p, size_t size) { __asan_unpoison_memory_region(p, size); }

static inline void emu_stack_leave(void **save, const void *bottom, size_t size) {
    __sanitizer_start_switch_fiber(save, bottom, size);
}
static inline void emu_stack_arrive(void *saved, const void **from, size_t *size) {
    __sanitizer_finish_switch_fiber(saved, from, size);
}

#else

static inline void emu_poison(const void *p, size_t size) { (void)p, (void)size; }
static inline void emu_unpoison(const void *p, size_t size) { (void)p, (void)size; }

static inline void emu_stack_leave(void **save, const void *bottom, size_t size) {
    (void)save, (void)bottom, (void)size;
}
static inline void emu_stack_arrive(void *saved, const void **from, size_t *size) {
    (void)saved, (void)from, (void)size;
}

#endif

#endif
