/* SPDX-License-Identifier: BSD-3-Clause */
/* A count of the program's allocations, to show that a piece of code makes none, or bears that one fails. */
#ifndef LM_COUNT_MALLOC_H
#define LM_COUNT_MALLOC_H

#include <stdbool.h>

/* Are allocations counted at all? Not where a sanitizer or another C library has its own allocator. */
bool lm_count_malloc_works(void);

/* Count allocations of all threads from now on. */
void lm_count_malloc_start(void);

/* The same, and let the one of this number (from 1 on) fail. */
void lm_count_malloc_start_failing(long which);

/* Stop, and the number of calls since the start. */
long lm_count_malloc_stop(void);

#endif
