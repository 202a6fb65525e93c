/* SPDX-License-Identifier: BSD-3-Clause */
/* Problems on a device. */
#include "hip_rig.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "hip_field.h"
#include "lib/scale.h"
#include "lmad-hip.h"
#include "oracle.h"

/* ---- rig --------------------------------------------------------------------------------------------- */

enum { GUARD = 256 };

static char *allocate(size_t size) {
    void *p = NULL;
    lm_field_good(lm_field_hip->hipMalloc(&p, size));
    return p;
}

/* What the destination's block must become. `pointer` is where its pointer lies in it; likewise in the
 * source's. */
static void work_out(lm_hip_rig *rig, ptrdiff_t pointer, ptrdiff_t source) {
    const lm_trial *t = rig->trial;
    if (t->op == LM_OP_FILL)
        lm_oracle_fill(rig->want + pointer, &t->dst, rig->value, t->elem_size);
    else if (t->op == LM_OP_MOVE)
        lm_oracle_copy(rig->want + pointer, &t->dst, rig->old + pointer, &t->src, t->elem_size);
    else
        lm_oracle_copy(rig->want + pointer, &t->dst, rig->from + source, &t->src, t->elem_size);
}

void lm_hip_rig_open(lm_hip_rig *rig, const lm_trial *t) {
    const lm_block d = lm_trial_dst(t), s = lm_trial_src(t);
    *rig = (lm_hip_rig){.trial = t};
    rig->dst_size = (size_t)d.size + 2 * GUARD + t->dst_slack;
    rig->src_size = (size_t)s.size + 2 * GUARD + t->src_slack;
    const ptrdiff_t dst_at = (ptrdiff_t)(GUARD + t->dst_slack) - d.lo,
                    src_at = (ptrdiff_t)(GUARD + t->src_slack) - s.lo;
    rig->old = lm_field_noise(rig->dst_size, 1);
    rig->want = lm_field_noise(rig->dst_size, 1);
    rig->got = malloc(rig->dst_size + rig->src_size);
    rig->from = lm_field_noise(rig->src_size, 1 << 20);
    rig->value = lm_field_noise(t->elem_size, 7);
    work_out(rig, dst_at, src_at);
    rig->dst = allocate(rig->dst_size);
    rig->src = t->op == LM_OP_COPY ? allocate(rig->src_size) : NULL;
    rig->d = rig->dst + dst_at;
    rig->s = t->op == LM_OP_FILL ? rig->value : t->op == LM_OP_MOVE ? rig->d : rig->src + src_at;
    lm_hip_rig_reset(rig);
}

void lm_hip_rig_reset(lm_hip_rig *rig) {
    lm_field_move(rig->dst, rig->old, rig->dst_size);
    if (rig->src) lm_field_move(rig->src, rig->from, rig->src_size);
}

const char *lm_hip_rig_verdict(lm_hip_rig *rig) {
    lm_field_move(rig->got, rig->dst, rig->dst_size);
    if (memcmp(rig->got, rig->want, rig->dst_size) != 0)
        return "the destination's block is not what it must be";
    if (!rig->src) return NULL;
    lm_field_move(rig->got, rig->src, rig->src_size);
    return memcmp(rig->got, rig->from, rig->src_size) ? "the source changed" : NULL;
}

void lm_hip_rig_close(lm_hip_rig *rig) {
    lm_field_good(lm_field_hip->hipFree(rig->dst));
    if (rig->src) lm_field_good(lm_field_hip->hipFree(rig->src));
    free(rig->old);
    free(rig->want);
    free(rig->got);
    free(rig->from);
    free(rig->value);
}

/* ---- trying ------------------------------------------------------------------------------------------ */

lmad_status lm_hip_rig_plan(lmad_plan **plan, const lm_trial *t, int device, lmad_ctx *ctx, unsigned flags) {
    switch (t->op) {
    case LM_OP_FILL: return lmad_plan_fill_hip(plan, ctx, &t->dst, device, t->elem_size, flags);
    case LM_OP_MOVE: return lmad_plan_move_hip(plan, ctx, &t->dst, &t->src, device, t->elem_size, flags);
    default: return lmad_plan_copy_hip(plan, ctx, &t->dst, device, &t->src, device, t->elem_size, flags);
    }
}

const char *lm_hip_rig_try(const lm_trial *t, int device, lmad_ctx *ctx, unsigned flags) {
    lm_hip_rig rig;
    lmad_plan *plan;
    if (lm_hip_rig_plan(&plan, t, device, ctx, flags) != LMAD_OK) return lmad_error_detail();
    lm_field_good(lm_field_hip->hipSetDevice(device));
    lm_hip_rig_open(&rig, t);
    const bool done = lmad_execute(plan, rig.d, rig.s) == LMAD_OK;
    const char *why = done ? lm_hip_rig_verdict(&rig) : lmad_error_detail();
    lmad_plan_destroy(plan);
    lm_hip_rig_close(&rig);
    return why;
}

/* ---- scaling ----------------------------------------------------------------------------------------- */

static int64_t gcd(int64_t a, int64_t b) {
    if (a < 0) a = -a;
    if (b < 0) b = -b;
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Elements become as large as strides and offsets allow. */
static int64_t element_of(const lm_problem *p) {
    int64_t size = gcd(gcd(p->run, p->doff), p->soff);
    for (int k = 0; k < p->rank; k++) size = gcd(gcd(size, p->dim[k].ds), p->dim[k].ss);
    return size;
}

void lm_hip_rig_scale(const lm_trial *full, int64_t cap, lm_trial *out) {
    lm_problem p, s;
    *out = *full;
    if (lm_problem_make(&p, full->op, &full->dst, full->op == LM_OP_FILL ? NULL : &full->src, full->elem_size,
                        1) != LMAD_OK)
        ck_abort_msg("%s", lmad_error_detail());
    if (p.count == 0 || (p.dhi - p.dlo <= cap && p.shi - p.slo <= cap)) return;
    lm_scale_problem(&p, cap, &s);
    const int64_t size = gcd((int64_t)full->elem_size, element_of(&s));
    out->elem_size = (size_t)size;
    out->dst = (lmad_desc){.rank = s.rank + 1, .offset = s.doff / size};
    out->src = (lmad_desc){.rank = s.rank + 1, .offset = s.soff / size};
    for (int k = 0; k < s.rank; k++) {
        out->dst.dim[k] = (lmad_dim){s.dim[k].n, s.dim[k].ds / size};
        out->src.dim[k] = (lmad_dim){s.dim[k].n, s.dim[k].ss / size};
    }
    out->dst.dim[s.rank] = out->src.dim[s.rank] = (lmad_dim){s.run / size, 1};
}
