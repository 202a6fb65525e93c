/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of devices, HIP's errors in our words, and the guard around whatever is done on a device. */
#ifndef LM_DEVICE_H
#define LM_DEVICE_H

#include <stdbool.h>

#include "hip.h"
#include "lmad.h"

/* What the planner knows of a device. Filled once, never changed, valid as long as the process. */
typedef struct lm_device {
    int number;      /* HIP's */
    char name[64];   /* for people; some cards have none */
    char arch[64];   /* with features: "gfx90a:sramecc+:xnack-" */
    bool emulated;   /* a test tool without a device: its timings mean nothing */
    int units;       /* compute units, multiprocessors */
    int wave;        /* work-items that run in step: 32 or 64 */
    int segment;     /* bytes of memory that one access touches at least: 64 at wave 64, 32 at wave 32 */
    int lds_bytes;   /* of a block */
    int max_threads; /* of a block */
    int64_t max_grid[3], l2_bytes, memory_bytes;
    int pci[3]; /* domain, bus, device */
} lm_device;

enum { LM_MAX_DEVICES = 64 };

/* Devices that there are; 0 without HIP. lm_hip_reason() then says why. */
int lm_device_count(void);

/* LMAD_ERR_NO_DEVICE with a reason, or the device's facts. */
lmad_status lm_device_get(int number, const lm_device **out);

/* Which devices share measurements, as snprintf: architecture with features, compute units, wave size. */
int lm_device_fingerprint(const lm_device *device, char *buf, size_t size);

/* A HIP error in our words: NO_MEMORY for memory, NO_CODE for code objects, DEVICE_LOST where nothing will
 * work any more, else DEVICE. @p what was being done, as in "copying to device 1". LMAD_OK for success. */
lmad_status lm_device_fail(lm_hip_error error, const char *what);

/* LMAD_ERR_ARGUMENT if a byte that a plan takes for memory of a device (not LM_HOST) is memory of another
 * one, or HIP does not know it: kernels that touch it would take the device down. @p side "destination" or
 * "source". */
lmad_status lm_device_check_memory(int device, const void *byte, const char *side);

/* Do what a public function does with devices: see lm_hip_aside(). LMAD_ERR_NO_MEMORY where there is no
 * thread. */
lmad_status lm_device_aside(lmad_status (*work)(const void *arg), const void *arg);

/* Work on a device leaves the caller's current device and last HIP error as they were found:
 *
 *     lm_device_guard guard;
 *     lmad_status status = lm_device_enter(&guard, number);
 *     if (status) return status;     nothing to leave then
 *     ...
 *     lm_device_leave(&guard);
 */
typedef struct lm_device_guard {
    int device;        /* that was current, */
    bool moved;        /* and whether it is another one now */
    lm_hip_error last; /* the caller's, not yet looked at */
} lm_device_guard;

lmad_status lm_device_enter(lm_device_guard *guard, int number);
void lm_device_leave(const lm_device_guard *guard);

/* Make the device the current one again that enter has made so, before leave; also should the run time fail
 * just now. */
void lm_device_return(int number);

#endif
