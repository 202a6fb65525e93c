/* SPDX-License-Identifier: BSD-3-Clause */
/* Single launches on the emulated run time. */
#include "hip_bench.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "hip_field.h"
#include "lib/device_code.h"
#include "oracle.h"

enum { ALIGNED = 256 };

const lm_device *lm_bench_device;
const hipemu *lm_bench_emu;
static const lm_hip *hip;

void lm_bench_begin(int warp) {
    lm_bench_emu = lm_field_begin(1, warp, false);
    hip = lm_field_hip;
    if (lm_device_get(0, &lm_bench_device) != LMAD_OK) ck_abort_msg("%s", lmad_error_detail());
    ck_assert_int_eq(lm_bench_device->wave, warp);
    lm_field_good(hip->hipSetDevice(0));
}

/* Bytes [lo, hi) of a side, such that its pointer is aligned as asked for. */
static void open_side(lm_hip_bench *b, int side, int64_t lo, int64_t hi, unsigned misaligned) {
    const size_t before = (size_t)((lo % ALIGNED + ALIGNED) % ALIGNED) + misaligned;
    void *p;
    b->size[side] = (size_t)(hi - lo);
    lm_field_good(hip->hipMalloc(&p, before + b->size[side]));
    b->block[side] = p;
    b->pointer[side] = b->block[side] + before - lo;
}

void lm_bench_open(lm_hip_bench *b, const lm_trial *t, unsigned misaligned) {
    lm_problem *p = &b->problem;
    if (lm_problem_make(p, LM_OP_COPY, &t->dst, &t->src, t->elem_size, 1) != LMAD_OK)
        ck_abort_msg("%s", lmad_error_detail());
    p->dst_space = p->src_space = 0;
    open_side(b, LM_DST, p->dlo, p->dhi, misaligned);
    open_side(b, LM_SRC, p->slo, p->shi, misaligned);
    b->align = misaligned ? misaligned & -misaligned : 16;
    b->old = lm_field_noise(b->size[LM_DST], 1);
    b->want = lm_field_noise(b->size[LM_DST], 1);
    b->got = malloc(b->size[LM_DST]);
    char *from = lm_field_noise(b->size[LM_SRC], 1 << 20);
    lm_oracle_copy(b->want - p->dlo, &t->dst, from - p->slo, &t->src, t->elem_size);
    lm_field_move(b->pointer[LM_SRC] + p->slo, from, b->size[LM_SRC]);
    free(from);
}

void lm_bench_close(lm_hip_bench *b) {
    lm_field_good(hip->hipFree(b->block[LM_DST]));
    lm_field_good(hip->hipFree(b->block[LM_SRC]));
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
    lm_field_move(dst, b->old, b->size[LM_DST]);
    lm_bench_emu->set_trace(trace != NULL);
    lm_bench_emu->clear_trace();
    lm_field_good(hip->hipModuleLaunchKernel(function, l->grid[0], l->grid[1], l->grid[2], l->block[0],
                                             l->block[1], l->block[2], l->lds, NULL, parameters, NULL));
    lm_field_good(hip->hipStreamSynchronize(NULL));
    if (trace) lm_bench_emu->trace(trace);
    lm_bench_emu->set_trace(false);
    lm_field_move(b->got, dst, b->size[LM_DST]);
    if (!lm_bench_emu->intact()) return lm_bench_emu->report();
    return memcmp(b->got, b->want, b->size[LM_DST]) ? "wrong bytes" : NULL;
}
