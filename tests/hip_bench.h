/* SPDX-License-Identifier: BSD-3-Clause */
/* One launch of a device kernel on the emulated run time: what it wrote, and what it touched. */
#ifndef LM_HIP_BENCH_H
#define LM_HIP_BENCH_H

#include "emulator.h"
#include "lib/device.h"
#include "lib/launch.h"
#include "trial.h"

/* Memory of both sides on device 0. Pointers are `misaligned` bytes beyond a multiple of 256. */
typedef struct lm_hip_bench {
    lm_problem problem;
    char *block[2];
    char *pointer[2]; /* to launch with */
    unsigned align;   /* of both */
    size_t size[2];
    char *old, *want, *got;
} lm_hip_bench;

extern const hipemu *lm_bench_emu;
extern const lm_device *lm_bench_device;

/* The emulated run time with one device of this warp width. */
void lm_bench_begin(int warp);

void lm_bench_open(lm_hip_bench *b, const lm_trial *trial, unsigned misaligned);
void lm_bench_close(lm_hip_bench *b);

/* Launch and compare with the oracle: NULL, or what is wrong. *trace (may be NULL) becomes what was touched.
 */
const char *lm_bench_run(lm_hip_bench *b, const lm_launch *launch, hipemu_trace *trace);

/* Both sides' sums. */
static inline double lm_bench_ratio(const int64_t a[2], const int64_t b[2]) {
    return b[0] + b[1] ? (double)(a[0] + a[1]) / (double)(b[0] + b[1]) : 1;
}

#endif
