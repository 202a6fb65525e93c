/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations. Each is a mapping of its own: inaccessible page, zone, memory, zone, inaccessible page. Memory
 * starts at a multiple of 256 bytes and ends as near to the second inaccessible page as that allows; the
 * zones hold a pattern that is looked at when the memory is freed. */
#define _GNU_SOURCE 1
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sanitize.h"
#include "stream.h"

enum { PAGE = 4096, ALIGNMENT = 256, ZONE_BYTE = 0x5a, FRESH_BYTE = 0xcb };

/* Of larger memory there is only as much as is touched, and it is zero: more than the machine has, for
 * problems that reach far. */
enum { FILLED = 1 << 30 };

static emu_memory **list; /* by address */
static int count, room;

/* ---- Finding ------------------------------------------------------------------------------------ */

/* The first in the list that ends after p. */
static int position(const volatile char *p) {
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (list[middle]->end > p)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

emu_memory *emu_memory_of(const volatile void *p, size_t bytes) {
    const volatile char *at = p;
    int k = position(at);
    if (k == count || at < list[k]->base || bytes > (size_t)(list[k]->end - at)) return NULL;
    return list[k];
}

/* ---- Opening ------------------------------------------------------------------------------------ */

static size_t body_bytes(const emu_memory *m) { return m->map_bytes - 2 * PAGE; }

static void protect(const emu_memory *m, int how) { mprotect(m->map + PAGE, body_bytes(m), how); }

void emu_memory_open(emu_memory *m) {
    if (m->kind == EMU_DEVICE_MEMORY && m->opened++ == 0) protect(m, PROT_READ | PROT_WRITE);
}

void emu_memory_close(emu_memory *m) {
    if (m->kind == EMU_DEVICE_MEMORY && --m->opened == 0) protect(m, PROT_NONE);
}

void emu_memory_open_device(int device) {
    for (int i = 0; i < count; i++)
        if (list[i]->device == device) emu_memory_open(list[i]);
}

void emu_memory_close_device(int device) {
    for (int i = 0; i < count; i++)
        if (list[i]->device == device) emu_memory_close(list[i]);
}

/* ---- Zones -------------------------------------------------------------------------------------- */

static bool is_untouched(const char *p, const char *end, const emu_memory *m) {
    while (p < end && (unsigned char)*p == ZONE_BYTE) p++;
    if (p == end) return true;
    emu_complain("byte %lld of an allocation of %lld bytes was written", (long long)(p - m->base),
                 (long long)(m->end - m->base));
    return false;
}

static char *front_of(const emu_memory *m) { return m->map + PAGE; }
static char *rear_end_of(const emu_memory *m) { return m->map + m->map_bytes - PAGE; }

static void forbid_zones(const emu_memory *m) {
    emu_poison(front_of(m), (size_t)(m->base - front_of(m)));
    emu_poison(m->end, (size_t)(rear_end_of(m) - m->end));
}

/* Only these: the sanitizer keeps notes of all that it is told of, an eighth as large. */
static void allow_zones(const emu_memory *m) {
    emu_unpoison(front_of(m), (size_t)(m->base - front_of(m)));
    emu_unpoison(m->end, (size_t)(rear_end_of(m) - m->end));
}

static bool is_intact(emu_memory *m) {
    emu_memory_open(m);
    allow_zones(m);
    bool intact = is_untouched(front_of(m), m->base, m);
    intact = is_untouched(m->end, rear_end_of(m), m) && intact;
    forbid_zones(m);
    emu_memory_close(m);
    return intact;
}

bool emu_memory_intact(void) {
    bool intact = true;
    for (int i = 0; i < count; i++) intact = is_intact(list[i]) && intact;
    return intact;
}

/* ---- Allocating --------------------------------------------------------------------------------- */

static bool make_room(void) {
    if (count < room) return true;
    int more = room ? 2 * room : 64;
    emu_memory **larger = realloc(list, (size_t)more * sizeof *list);
    if (!larger) return false;
    list = larger, room = more;
    return true;
}

static bool map_memory(emu_memory *m, size_t size) {
    size_t body = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t pages = (body + PAGE - 1) / PAGE * PAGE;
    m->map_bytes = pages + 2 * PAGE;
    m->map = mmap(NULL, m->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m->map == MAP_FAILED) return false;
    protect(m, PROT_READ | PROT_WRITE);
    m->base = m->map + PAGE + (pages - body);
    m->end = m->base + size;
    memset(front_of(m), ZONE_BYTE, pages - body);
    memset(m->end, ZONE_BYTE, body - size);
    if (size <= FILLED) memset(m->base, FRESH_BYTE, size);
    forbid_zones(m);
    if (m->kind == EMU_DEVICE_MEMORY) protect(m, PROT_NONE);
    return true;
}

static int64_t *alive_count(emu_memory_kind kind) {
    return kind == EMU_PINNED_MEMORY ? &emu.counts.host_memory : &emu.counts.device_memory;
}

static int64_t *alive_bytes(emu_memory_kind kind) {
    return kind == EMU_PINNED_MEMORY ? &emu.counts.host_bytes : &emu.counts.device_bytes;
}

static void account(const emu_memory *m, int sign) {
    int64_t bytes = m->end - m->base;
    *alive_count(m->kind) += sign;
    *alive_bytes(m->kind) += sign * bytes;
    if (m->kind != EMU_PINNED_MEMORY) emu.device[m->device].used += sign * bytes;
}

static lm_hip_error allocate(void **p, size_t size, emu_memory_kind kind, unsigned flags) {
    if (!p) return LM_HIP_ERROR_INVALID_VALUE;
    *p = NULL;
    if (size == 0) return LM_HIP_SUCCESS;
    if (kind != EMU_PINNED_MEMORY && (int64_t)size > emu.memory - emu.device[emu_current].used)
        return LM_HIP_ERROR_OUT_OF_MEMORY;
    if (size > (size_t)1 << 46 || !make_room()) return LM_HIP_ERROR_OUT_OF_MEMORY;
    emu_memory *m = malloc(sizeof *m);
    if (!m) return LM_HIP_ERROR_OUT_OF_MEMORY;
    *m = (emu_memory){.kind = kind, .device = emu_current, .flags = flags};
    if (!map_memory(m, size)) {
        free(m);
        return LM_HIP_ERROR_OUT_OF_MEMORY;
    }
    int k = position(m->base);
    memmove(list + k + 1, list + k, (size_t)(count - k) * sizeof *list);
    list[k] = m;
    count++;
    account(m, 1);
    (*(kind == EMU_PINNED_MEMORY ? &emu.counts.host_allocations : &emu.counts.device_allocations))++;
    *p = m->base;
    return LM_HIP_SUCCESS;
}

static void give_back(int k) {
    emu_memory *m = list[k];
    is_intact(m);
    account(m, -1);
    allow_zones(m);
    munmap(m->map, m->map_bytes);
    free(m);
    count--;
    memmove(list + k, list + k + 1, (size_t)(count - k) * sizeof *list);
}

void emu_memory_drop(int device) {
    for (int i = count - 1; i >= 0; i--)
        if (device < 0 || (list[i]->device == device && list[i]->kind != EMU_PINNED_MEMORY)) give_back(i);
    if (device >= 0) return;
    free(list);
    list = NULL, room = 0;
}

/* As HIP does, all work of the device comes first. */
static lm_hip_error release(void *p, bool pinned) {
    if (!p) return LM_HIP_SUCCESS;
    emu_memory *m = emu_memory_of(p, 1);
    if (!m || m->base != p || pinned != (m->kind == EMU_PINNED_MEMORY)) return LM_HIP_ERROR_INVALID_VALUE;
    lm_hip_error error = emu_streams_drain(m->device);
    m = emu_memory_of(p, 1); /* another thread may have been here */
    if (m) give_back(position(p));
    return error;
}

/* ---- Entry points ------------------------------------------------------------------------------- */

lm_hip_error hipMalloc(void **p, size_t size) {
    lm_hip_error error = emu_enter(CALL_hipMalloc, emu_current);
    if (!error) error = emu_capture_forbids();
    return emu_leave(error ? error : allocate(p, size, EMU_DEVICE_MEMORY, 0));
}

lm_hip_error hipMallocManaged(void **p, size_t size, unsigned flags) {
    lm_hip_error error = emu_enter(CALL_hipMallocManaged, emu_current);
    if (!error) error = emu_capture_forbids();
    return emu_leave(error ? error : allocate(p, size, EMU_MANAGED_MEMORY, flags));
}

lm_hip_error hipHostMalloc(void **p, size_t size, unsigned flags) {
    lm_hip_error error = emu_enter(CALL_hipHostMalloc, emu_current);
    if (!error) error = emu_capture_forbids();
    return emu_leave(error ? error : allocate(p, size, EMU_PINNED_MEMORY, flags));
}

static lm_hip_error free_memory(emu_call call, void *p, bool pinned) {
    lm_hip_error error = emu_enter(call, -1);
    if (!error) error = emu_capture_forbids();
    lm_hip_error released = release(p, pinned);
    return emu_leave(error ? error : released);
}

/* After a device is lost its memory is gone, and what is freed unknown; that is no mistake of the caller's.
 */
lm_hip_error hipFree(void *p) { return free_memory(CALL_hipFree, p, false); }

lm_hip_error hipHostFree(void *p) { return free_memory(CALL_hipHostFree, p, true); }

lm_hip_error hipMemGetInfo(size_t *available, size_t *total) {
    lm_hip_error error = emu_enter(CALL_hipMemGetInfo, emu_current);
    if (!error) {
        *total = (size_t)emu.memory;
        *available = (size_t)(emu.memory - emu.device[emu_current].used);
    }
    return emu_leave(error);
}

/* Version 5: host 0, device 1; later: unregistered 0, host 1, device 2, managed 3. */
static void describe(const emu_memory *m, const void *p, lm_hip_pointer_attributes *a) {
    static const int type[] = {[EMU_DEVICE_MEMORY] = 2, [EMU_PINNED_MEMORY] = 1, [EMU_MANAGED_MEMORY] = 3};
    union {
        const void *constant;
        void *plain;
    } same = {p};
    *a = (lm_hip_pointer_attributes){.type = type[m->kind],
                                     .device = m->device,
                                     .device_pointer = same.plain,
                                     .host_pointer = m->kind == EMU_DEVICE_MEMORY ? NULL : same.plain,
                                     .managed = m->kind == EMU_MANAGED_MEMORY,
                                     .flags = m->flags};
    if (emu.version < LM_HIP_6) a->type = m->kind == EMU_PINNED_MEMORY ? 0 : 1;
}

lm_hip_error hipPointerGetAttributes(lm_hip_pointer_attributes *attributes, const void *p) {
    lm_hip_error error = emu_enter(CALL_hipPointerGetAttributes, -1);
    if (error) return emu_leave(error);
    const emu_memory *m = emu_memory_of(p, 1);
    if (m)
        describe(m, p, attributes);
    else if (emu.version < LM_HIP_7)
        error = LM_HIP_ERROR_INVALID_VALUE;
    else
        *attributes = (lm_hip_pointer_attributes){.device = -2};
    return emu_leave(error);
}
