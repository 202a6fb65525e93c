/* SPDX-License-Identifier: BSD-3-Clause */
/* Problems on the emulated run time. */
#include "hip_field.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lmad-hip.h"
#include "oracle.h"
#include "rng.h"

const lm_hip *lm_field_hip;
static const hipemu *emu;

const hipemu *lm_field_begin(int devices, int warp, bool lazy) {
    emu = emulator();
    emu->set_devices(devices);
    emu->set_warp(warp);
    emu->set_lazy(lazy);
    lm_field_hip = lm_hip_get();
    ck_assert_msg(lm_field_hip != NULL, "%s", lm_hip_reason());
    return emu;
}

const char *lm_field_two_nodes(void) {
    static char xml[4096];
    const char *folder = getenv("srcdir");
    snprintf(xml, sizeof xml, "%s/tests/two-nodes.xml", folder ? folder : ".");
    setenv("HWLOC_XMLFILE", xml, 1);
    setenv("HWLOC_THISSYSTEM", "1", 1);
    return xml;
}

void lm_field_good(lm_hip_error error) {
    ck_assert_msg(error == LM_HIP_SUCCESS, "%s: %s", lm_field_hip->hipGetErrorName(error), emu->report());
}

static char *allocate(lm_field_kind kind, int device, size_t size) {
    const lm_hip *hip = lm_field_hip;
    void *p = NULL;
    if (kind == PAGEABLE) return malloc(size);
    lm_field_good(hip->hipSetDevice(device < 0 ? 0 : device));
    switch (kind) {
    case PINNED: lm_field_good(hip->hipHostMalloc(&p, size, LM_HIP_HOST_PORTABLE)); break;
    case MANAGED: lm_field_good(emulator_more()->hipMallocManaged(&p, size, 1)); break;
    default: lm_field_good(hip->hipMalloc(&p, size));
    }
    return p;
}

static void release(lm_field_kind kind, char *p) {
    if (kind == PAGEABLE)
        free(p);
    else
        lm_field_good(kind == PINNED ? lm_field_hip->hipHostFree(p) : lm_field_hip->hipFree(p));
}

void lm_field_move(void *to, const void *from, size_t size) {
    lm_field_good(lm_field_hip->hipMemcpyAsync(to, from, size, LM_HIP_COPY_DEFAULT, NULL));
    lm_field_good(lm_field_hip->hipStreamSynchronize(NULL));
}

char *lm_field_noise(size_t size, uint64_t seed) {
    char *bytes = malloc(size + 8);
    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < size; i += 8) memcpy(bytes + i, &(uint64_t){lm_mix(seed + i)}, 8);
    return bytes;
}

void lm_field_open(lm_field *f, const lm_trial *t, const lm_field_ends *e) {
    lm_problem *p = &f->problem;
    if (lm_problem_make(p, LM_OP_COPY, &t->dst, &t->src, t->elem_size, 1) != LMAD_OK)
        ck_abort_msg("%s", lmad_error_detail());
    p->dst_space = e->dst;
    p->src_space = e->src;
    f->dst_kind = e->dst == LM_HOST ? e->host : DEVICE;
    f->src_kind = e->src == LM_HOST ? e->host : DEVICE;
    f->dst_size = (size_t)(p->dhi - p->dlo);
    f->src_size = (size_t)(p->shi - p->slo);
    f->old = lm_field_noise(f->dst_size, 1);
    f->want = lm_field_noise(f->dst_size, 1);
    f->got = malloc(f->dst_size);
    f->from = lm_field_noise(f->src_size, 1 << 20);
    lm_oracle_copy(f->want - p->dlo, &t->dst, f->from - p->slo, &t->src, t->elem_size);
    f->dst = allocate(f->dst_kind, e->dst, f->dst_size);
    f->src = allocate(f->src_kind, e->src, f->src_size);
    f->d = f->dst - p->dlo;
    f->s = f->src - p->slo;
}

void lm_field_reset(lm_field *f) {
    lm_field_move(f->dst, f->old, f->dst_size);
    lm_field_move(f->src, f->from, f->src_size);
}

bool lm_field_is_right(lm_field *f) {
    lm_field_move(f->got, f->dst, f->dst_size);
    return memcmp(f->got, f->want, f->dst_size) == 0;
}

static void forget(lm_field *f) {
    free(f->old);
    free(f->want);
    free(f->got);
    free(f->from);
}

void lm_field_close(lm_field *f) {
    release(f->dst_kind, f->dst);
    release(f->src_kind, f->src);
    forget(f);
}

void lm_field_abandon(lm_field *f) {
    if (f->dst_kind == PAGEABLE) free(f->dst);
    if (f->src_kind == PAGEABLE) free(f->src);
    forget(f);
}

lm_hip_stream lm_field_stream(int device) {
    lm_hip_stream stream;
    lm_field_good(lm_field_hip->hipSetDevice(device));
    lm_field_good(lm_field_hip->hipStreamCreateWithFlags(&stream, LM_HIP_STREAM_NON_BLOCKING));
    return stream;
}

lmad_plan *lm_field_plan(const lm_trial *t, const lm_field_ends *e) {
    lmad_plan *p = NULL;
    const lmad_status status =
        t->op == LM_OP_MOVE ? lmad_plan_move_hip(&p, NULL, &t->dst, &t->src, e->dst, t->elem_size, 0)
                            : lmad_plan_copy_hip(&p, NULL, &t->dst, e->dst, &t->src, e->src, t->elem_size, 0);
    if (status != LMAD_OK) ck_abort_msg("%s", lmad_error_detail());
    return p;
}

void lm_field_expect(lmad_status got, lmad_status wanted, const char *words) {
    ck_assert_msg(got == wanted, "status %d: %s", (int)got, lmad_error_detail());
    ck_assert_msg(strstr(lmad_error_detail(), words) != NULL, "no \"%s\" in: %s", words, lmad_error_detail());
}

lm_hip_error lm_field_mistake(void) {
    ck_assert_int_eq(lm_field_hip->hipSetDevice(99), LM_HIP_ERROR_INVALID_DEVICE);
    return LM_HIP_ERROR_INVALID_DEVICE;
}
