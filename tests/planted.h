/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of tests/hipemu/planted.hip on the emulated run time, without the library's planner. */
#ifndef LM_TEST_PLANTED_H
#define LM_TEST_PLANTED_H

#include <check.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator.h"
#include "lib/hip.h"

typedef struct planted_args { /* as in planted.hip */
    int64_t n;
    int pitch, barrier;
} planted_args;

typedef struct planted {
    const hipemu *emu;
    const lm_hip *hip;
    lm_hip_module module;
    lm_hip_stream stream;
} planted;

/* What tests of planted_case() work with. */
extern planted planted_rig;

/* A test case in whose tests it is open, on the emulator just reset, and after which nothing is left. */
TCase *planted_case(Suite *suite, const char *name);

/* Fail the test unless a HIP call succeeded. */
void planted_ok(lm_hip_error error);

/* Device memory for so many floats: 1, 2, 3, ... plus `first`; and back. */
float *planted_floats(const planted *p, int64_t n, float first);
void planted_fetch(const planted *p, float *to, const float *from, int64_t n);
float planted_first(const planted *p, const float *from);

/* Launch; the launch's own error. */
lm_hip_error planted_launch(const planted *p, const char *kernel, const uint32_t grid[3],
                            const uint32_t block[3], float *dst, const float *src, const planted_args *args);
/* `threads` in blocks of 64. */
lm_hip_error planted_run(const planted *p, const char *kernel, int threads, float *dst, const float *src,
                         const planted_args *args);

/* Add 1 to each of PLANTED_FLOATS, on a stream. */
enum { PLANTED_FLOATS = 1000 };
void planted_increment(const planted *p, lm_hip_stream stream, float *memory);

lm_hip_event planted_event(const planted *p);

#endif
