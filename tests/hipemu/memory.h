/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of devices and pinned memory of the host, between guard zones. Device memory can be touched while a
 * piece of work has it open; the host that touches it at other times gets SIGSEGV. */
#ifndef HIPEMU_MEMORY_H
#define HIPEMU_MEMORY_H

#include "state.h"

typedef enum emu_memory_kind { EMU_DEVICE_MEMORY, EMU_PINNED_MEMORY, EMU_MANAGED_MEMORY } emu_memory_kind;

typedef struct emu_memory {
    char *base, *end; /* the caller's */
    char *map;        /* guard page, front zone, memory, rear zone, guard page */
    size_t map_bytes;
    emu_memory_kind kind;
    int device;
    unsigned flags;
    int opened; /* how many pieces of work have it open */
} emu_memory;

/* Which memory contains all these bytes, or NULL. */
emu_memory *emu_memory_of(const volatile void *p, size_t bytes);

void emu_memory_open(emu_memory *memory);
void emu_memory_close(emu_memory *memory);

/* All memory of a device, for a kernel. */
void emu_memory_open_device(int device);
void emu_memory_close_device(int device);

/* Complain of zones that were written to; true if there is nothing to complain of. */
bool emu_memory_intact(void);

/* Give back all of a device's (-1 = everything). */
void emu_memory_drop(int device);

#endif
