/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows on a device: memory there that mirrors the arena, and work that is timed by the device's clock. */
#ifndef LM_BENCH_DEVICE_H
#define LM_BENCH_DEVICE_H

#include "bench_operation.h"
#include "lib/device.h"

/* Starts as {0}: rows run on the host. */
typedef struct lm_bench_device {
    const lm_device *device; /* NULL = the host */
    char *memory;
    size_t size;
    lm_hip_stream stream;
    lm_hip_event start, stop;
} lm_bench_device;

/* 0, or -1 with the reason. @p number LMAD_HOST: nothing is opened. */
int lm_bench_device_open(lm_bench_device *d, int number, char *reason, size_t size);
void lm_bench_device_close(lm_bench_device *d);

/* Memory for a mirror of the arena. 0, or -1 with the reason. */
int lm_bench_device_reserve(lm_bench_device *d, const lm_arena *arena, char *reason, size_t size);

/* What of the arena is timed on the device. */
typedef struct lm_bench_work {
    const lm_bench_device *device;
    const lm_arena *arena;
    const lm_operation *operation;
    const lm_buffers *buffers;
    size_t payload;
} lm_bench_work;

/* Bring the arena's contents to the device, execute once, bring back what is there then. */
lmad_status lm_bench_device_run(const lm_bench_work *w);

/* Nanoseconds of so many executions, or of the device's own copies of the payload, by events; < 0 = it
 * failed. */
double lm_bench_device_time(void *work, int64_t repeats);
double lm_bench_device_memcpy(void *work, int64_t repeats);

#endif
