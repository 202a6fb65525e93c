/* SPDX-License-Identifier: BSD-3-Clause */
/* HIP's run time: found and loaded when a device is first asked for, never before. */
#ifndef LM_HIP_H
#define LM_HIP_H

#include <stdbool.h>

#include "hip_types.h"

/* Entry points under HIP's own names: hip->hipMalloc(&p, size). */
typedef struct lm_hip {
#define LM_HIP(returns, name, parameters)          returns(*name) parameters;
#define LM_HIP_OPTIONAL(returns, name, parameters) returns(*name) parameters;
#include "hip_list.h"
    int version;      /* as hipRuntimeGetVersion() says: major * 10000000 + minor * 100000 + patch; or 0 */
    bool can_compile; /* all of hiprtc is there */
} lm_hip;

/* The run time: the library that LMAD_HIP_LIBRARY names (not in setuid programs), else the newest libamdhip64
 * of the system. The first call loads and initialises it, some 25 ms. NULL where there is none, or it finds
 * no device, and in the child of a fork() after that. Any thread; later calls cost nothing. */
const lm_hip *lm_hip_get(void);

/* Why lm_hip_get() is NULL, in words; "" where it is not. Static. */
const char *lm_hip_reason(void);

/* The file that was loaded, as it was named; "" where none was. Static. */
const char *lm_hip_library(void);

/* Call work(arg) so that an error of the caller's that HIP keeps for this thread is still the last one
 * afterwards. There is no way to put one back, but every thread has its own; so, where one waits, and only
 * then, the work is done by another thread. False where none can be made: nothing was done then. */
bool lm_hip_aside(const lm_hip *hip, void (*work)(void *arg), void *arg);

/* The same, always by another thread. Its current device is 0. */
bool lm_hip_apart(void (*work)(void *arg), void *arg);

/* May the compiler of this run time be asked for such code ("gfx90a:sramecc+:xnack-")? Versions before 6
 * abort the process over an architecture that they do not know. */
bool lm_hip_compiles_for(const char *arch);

/* Kinds of memory, whatever the version calls them. */
typedef enum lm_hip_memory {
    LM_HIP_MEMORY_PAGEABLE, /* nothing that HIP knows of */
    LM_HIP_MEMORY_PINNED,
    LM_HIP_MEMORY_DEVICE,
    LM_HIP_MEMORY_MANAGED
} lm_hip_memory;

/* What p points to; *device (may be NULL) becomes the device that it belongs to, or -1. HIP's last error is
 * as it was for memory that HIP does not know. */
lm_hip_memory lm_hip_memory_of(const void *p, int *device);

#endif
