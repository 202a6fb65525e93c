/* SPDX-License-Identifier: BSD-3-Clause */
/* Single launches on the emulated run time. */
#include "hip_bench.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "lib/device_code.h"
#include "oracle.h"
#include "rng.h"

enum { ALIGNED = 256 };

const hipemu *lm_bench_emu;
const lm_device *lm_bench_device;
static const lm_hip *hip;

static void good(lm_hip_error error) {
    ck_assert_msg(error == LM_HIP_SUCCESS, "%s: %s", hip->hipGetErrorName(error), lm_bench_emu->report());
}

void lm_bench_begin(int warp) {
    lm_bench_emu = emulator();
    lm_bench_emu->set_devices(1);
    lm_bench_emu->set_warp(warp);
    hip = lm_hip_get();
    ck_assert_msg(hip != NULL, "%s", lm_hip_reason());
    if (lm_device_get(0, &lm_bench_device) != LMAD_OK) ck_abort_msg("%s", lmad_error_detail());
    ck_assert_int_eq(lm_bench_device->wave, warp);
    good(hip->hipSetDevice(0));
}

static char *noise(size_t size, uint64_t seed) {
    char *bytes = malloc(size + 8);
    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < size; i += 8) memcpy(bytes + i, &(uint64_t){lm_mix(seed + i)}, 8);
    return bytes;
}

/* Bytes [lo, hi) of a side, such that its pointer is aligned as asked for. */
static void open_side(lm_hip_bench *b, int side, int64_t lo, int64_t hi, unsigned misaligned) {
    const size_t before = (size_t)((lo % ALIGNED + ALIGNED) % ALIGNED) + misaligned;
    void *p;
    b->size[side] = (size_t)(hi - lo);
    good(hip->hipMalloc(&p, before + b->size[side]));
    b->block[side] = p;
    b->pointer[side] = b->block[side] + before - lo;
}

static void move(void *to, const void *from, size_t size) {
    good(hip->hipMemcpyAsync(to, from, size, LM_HIP_COPY_DEFAULT, NULL));
    good(hip->hipStreamSynchronize(NULL));
}

void lm_bench_open(lm_hip_bench *b, const lm_trial *t, unsigned misaligned) {
    lm_problem *p = &b->problem;
    if (lm_problem_make(p, LM_OP_COPY, &t->dst, &t->src, t->elem_size, 1) != LMAD_OK)
        ck_abort_msg("%s", lmad_error_detail());
    p->dst_space = p->src_space = 0;
    open_side(b, LM_DST, p->dlo, p->dhi, misaligned);
    open_side(b, LM_SRC, p->slo, p->shi, misaligned);
    b->align = misaligned ? misaligned & -misaligned : 16;
    b->old = noise(b->size[LM_DST], 1);
    b->want = noise(b->size[LM_DST], 1);
    b->got = malloc(b->size[LM_DST]);
    char *from = noise(b->size[LM_SRC], 1 << 20);
    lm_oracle_copy(b->want - p->dlo, &t->dst, from - p->slo, &t->src, t->elem_size);
    move(b->pointer[LM_SRC] + p->slo, from, b->size[LM_SRC]);
    free(from);
}

void lm_bench_close(lm_hip_bench *b) {
    good(hip->hipFree(b->block[LM_DST]));
    good(hip->hipFree(b->block[LM_SRC]));
    free(b->old);
    free(b->want);
    free(b->got);
}

const char *lm_bench_run(lm_hip_bench *b, const lm_launch *l, hipemu_trace *trace) {
    lm_hip_args args = l->args;
    void *parameters[] = {&b->pointer[LM_DST], &b->pointer[LM_SRC], &args};
    char *const dst = b->pointer[LM_DST] + b->problem.dlo;
    lm_hip_function function;
    if (lm_device_code_get(lm_bench_device, &l->variant, &function) != LMAD_OK) return lmad_error_detail();
    move(dst, b->old, b->size[LM_DST]);
    lm_bench_emu->set_trace(trace != NULL);
    lm_bench_emu->clear_trace();
    good(hip->hipModuleLaunchKernel(function, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                                    l->block[2], l->lds, NULL, parameters, NULL));
    good(hip->hipStreamSynchronize(NULL));
    if (trace) lm_bench_emu->trace(trace);
    lm_bench_emu->set_trace(false);
    move(b->got, dst, b->size[LM_DST]);
    if (!lm_bench_emu->intact()) return lm_bench_emu->report();
    return memcmp(b->got, b->want, b->size[LM_DST]) ? "wrong bytes" : NULL;
}
