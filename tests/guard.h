/* SPDX-License-Identifier: BSD-3-Clause */
/* Guarded buffers: a room between two unmapped pages, in which blocks are placed against either end, with
 * guard bytes around them. An access that leaves the room faults; a write that leaves the block is found. */
#ifndef LM_GUARD_H
#define LM_GUARD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lm_guard {
    char *map; /* all of it, the unmapped pages included */
    size_t map_size;
    char *room; /* what lies between them: whole pages */
    size_t room_size;
    char *block; /* the block placed last */
    size_t size;
} lm_guard;

/* Map a room for blocks of up to capacity bytes. Ends the test program when memory is exhausted. */
void lm_guard_open(lm_guard *g, size_t capacity);
void lm_guard_close(lm_guard *g);

/* Place a block of size bytes that ends (or starts, unless at_end) slack bytes (up to 64) from the unmapped
 * page, and set the guard bytes around it. The bytes of the block are left as they are. */
char *lm_guard_place(lm_guard *g, size_t size, bool at_end, size_t slack);

/* Are the guard bytes as they were set? If not *where is a changed one, relative to the block. */
bool lm_guard_intact(const lm_guard *g, long *where);

#endif
