/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies within a device: launches for what the pointers' low bits may be. */
#include "device_copy.h"

#include <stdlib.h>

#include "device_code.h"
#include "device_planner.h"
#include "log.h"
#include "status.h"

/* The widest words, those of pointers that are aligned as their elements are, and bytes. */
enum { RUNGS = 3 };

/* For pointers that are multiples of `align`. */
typedef struct rung {
    unsigned align;
    lm_hip_function function;
    lm_launch launch;
} rung;

struct lm_device_copy {
    const lm_device *device;
    lm_op op;
    lm_device_way way;
    int64_t doff, soff, run; /* of the problem */
    lmad_type type;          /* of affine values, */
    int rank;                /* and their axes */
    int rungs;               /* 0: the run time's own copy */
    rung rung[RUNGS];
};

/* ---- making ----------------------------------------------------------------------------------------- */

/* Makes the launch for an alignment. */
typedef struct maker {
    void (*launch)(const struct maker *maker, unsigned align, lm_launch *out);
    const lm_problem *problem;
    const lm_device *device;
    const lm_hip_params *params;
    const lmad_desc *dst;
    lmad_type type;
} maker;

static void launch_copy(const maker *m, unsigned align, lm_launch *out) {
    lm_hip_make(m->problem, m->device, m->params, align, out);
}

static void launch_affine(const maker *m, unsigned align, lm_launch *out) {
    lm_hip_make_affine(m->problem, m->dst, m->type, m->device, align, out);
}

/* The first `most` of them; alignments for which the same code serves share a rung. */
static lmad_status make_rungs(lm_device_copy *copy, const maker *m, int most) {
    const unsigned grain = m->problem->grain > 0 ? (unsigned)m->problem->grain : 1,
                   aligns[RUNGS] = {16, grain, 1};
    copy->rungs = 0;
    for (int k = 0; k < most; k++) {
        rung *r = &copy->rung[copy->rungs];
        if (copy->rungs && r[-1].align == aligns[k]) continue;
        m->launch(m, aligns[k], &r->launch);
        if (r->launch.grid[0] == 0)
            return lm_fail(LMAD_ERR_NO_CODE, "no launch of a kernel can do %lld bytes on device %d",
                           (long long)m->problem->payload, m->device->number);
        r->align = aligns[k];
        if (copy->rungs && lm_variant_equal(&r[-1].launch.variant, &r->launch.variant)) {
            r[-1].align = aligns[k];
        } else {
            const lmad_status status = lm_device_code_get(m->device, &r->launch.variant, &r->function);
            if (status != LMAD_OK) return status;
            copy->rungs++;
        }
    }
    return LMAD_OK;
}

static lmad_status make_way(lm_device_copy *copy, const lm_problem *problem, const lm_device_way *way,
                            int rungs) {
    copy->way = *way;
    copy->rungs = 0;
    if (way->kind == LM_WAY_MEMCPY) return LMAD_OK;
    const maker m = {launch_copy, problem, copy->device, &way->kernel, NULL, LMAD_INT32};
    return make_rungs(copy, &m, rungs);
}

/* Whatever there is code for. */
typedef struct fallback {
    lm_device_copy *copy;
    const lm_problem *problem;
    lmad_status status;
} fallback;

static bool try_way(void *arg, const lm_device_way *way, double seconds) {
    fallback *f = arg;
    (void)seconds;
    f->status = make_way(f->copy, f->problem, way, RUNGS);
    return f->status == LMAD_ERR_NO_CODE;
}

static lmad_status make_any(lm_device_copy *copy, const lm_problem *problem) {
    fallback f = {copy, problem, LMAD_ERR_NO_CODE};
    const lm_device_way general = lm_device_general_way(problem->op);
    lm_device_each(problem, copy->device, LMAD_EXHAUSTIVE, try_way, &f);
    if (f.status == LMAD_ERR_NO_CODE && lm_device_way_allows(&general, problem, copy->device))
        try_way(&f, &general, 0);
    return f.status;
}

/* How a copy is to be made; affine values where dst is not NULL. */
typedef struct making {
    lmad_ctx *ctx;
    const lm_device_way *way; /* NULL = wisdom's, or the estimate's */
    const lmad_desc *dst;
    lmad_type type;
} making;

static lmad_status make_best(lm_device_copy *copy, const lm_problem *problem, const making *how) {
    lm_device_way best;
    if (how->way)
        best = *how->way;
    else
        lm_device_guess(problem, copy->device, how->ctx, &best);
    lmad_status status = make_way(copy, problem, &best, RUNGS);
    if (status == LMAD_ERR_NO_CODE) {
        lm_log(how->ctx, "device %d: the best way cannot be had: %s", copy->device->number,
               lmad_error_detail());
        status = make_any(copy, problem);
    }
    return status;
}

static lmad_status make_affine(lm_device_copy *copy, const lm_problem *problem, const making *how) {
    const maker m = {launch_affine, problem, copy->device, NULL, how->dst, how->type};
    copy->type = how->type;
    copy->rank = how->dst->rank;
    return make_rungs(copy, &m, RUNGS);
}

static lm_device_copy *allocate(const lm_problem *problem, lmad_status *status) {
    const lm_device *device;
    *status = lm_device_get(problem->dst_space, &device);
    if (*status != LMAD_OK) return NULL;
    lm_device_copy *copy = malloc(sizeof *copy);
    if (!copy) {
        *status = lm_fail(LMAD_ERR_NO_MEMORY, "no memory for a copy of %zu bytes", sizeof *copy);
        return NULL;
    }
    copy->device = device;
    copy->op = problem->op;
    copy->doff = problem->doff;
    copy->soff = problem->soff;
    copy->run = problem->run;
    return copy;
}

/* Keep what was made, or not. */
static lmad_status settle(lm_device_copy **out, lm_device_copy *copy, lmad_status status) {
    if (status == LMAD_OK)
        *out = copy;
    else
        free(copy);
    return status;
}

static lmad_status make(lm_device_copy **out, const lm_problem *problem, const making *how) {
    lm_device_guard guard;
    lmad_status status;
    lm_device_copy *copy = allocate(problem, &status);
    if (!copy) return status;
    status = lm_device_enter(&guard, copy->device->number);
    if (status == LMAD_OK) {
        status = how->dst ? make_affine(copy, problem, how) : make_best(copy, problem, how);
        lm_device_leave(&guard);
    }
    return settle(out, copy, status);
}

lmad_status lm_device_copy_make(lm_device_copy **out, const lm_problem *problem, lmad_ctx *ctx,
                                const lm_device_way *way) {
    return make(out, problem, &(making){.ctx = ctx, .way = way});
}

lmad_status lm_device_affine_make(lm_device_copy **out, const lm_problem *problem, const lmad_desc *dst,
                                  lmad_type type) {
    return make(out, problem, &(making){.dst = dst, .type = type});
}

lmad_status lm_device_copy_probe(lm_device_copy **out, const lm_problem *problem, const lm_device_way *way) {
    lmad_status status;
    lm_device_copy *copy = allocate(problem, &status);
    return copy ? settle(out, copy, make_way(copy, problem, way, 1)) : status;
}

/* Code stays loaded, so that nothing in flight needs what is freed here: arguments were copied at the launch.
 */
void lm_device_copy_destroy(lm_device_copy *copy) { free(copy); }

/* ---- running ---------------------------------------------------------------------------------------- */

/* The first rung that the low bits of the addresses allow; the last one allows all. */
static const rung *rung_for(const lm_device_copy *copy, uintptr_t bits) {
    int k = 0;
    while (bits & (copy->rung[k].align - 1)) k++;
    return &copy->rung[k];
}

static lmad_status launch(const rung *r, char *dst, const char *src, const lm_hip_args *args,
                          lm_hip_stream stream) {
    const lm_launch *l = &r->launch;
    void *parameters[] = {&dst, &src, (void *)args};
    return lm_device_fail(lm_hip_get()->hipModuleLaunchKernel(r->function, l->grid[0], l->grid[1], l->grid[2],
                                                              l->block[0], l->block[1], l->block[2], l->lds,
                                                              stream, parameters, NULL),
                          "launching a kernel");
}

/* Values travel in the arguments. */
static lmad_status run_value(const lm_device_copy *copy, char *dst, const void *value, lm_hip_stream stream) {
    const rung *r = rung_for(copy, (uintptr_t)dst);
    lm_hip_args args = r->launch.args;
    if (copy->op == LM_OP_AFFINE)
        lm_launch_set_steps(&args, copy->type, copy->rank, value);
    else
        lm_launch_set_value(&args, value, (size_t)copy->run);
    return launch(r, dst, NULL, &args, stream);
}

static bool has_value(const lm_device_copy *copy) {
    return copy->op == LM_OP_AFFINE || copy->op == LM_OP_FILL;
}

lmad_status lm_device_copy_run(const lm_device_copy *copy, char *dst, const void *src, lm_hip_stream stream) {
    if (copy->rungs == 0)
        return lm_device_fail(lm_hip_get()->hipMemcpyAsync(dst + copy->doff, (const char *)src + copy->soff,
                                                           (size_t)copy->run, LM_HIP_COPY_DEFAULT, stream),
                              "copying within a device");
    if (has_value(copy)) return run_value(copy, dst, src, stream);
    const rung *r = rung_for(copy, (uintptr_t)dst | (uintptr_t)src);
    return launch(r, dst, src, &r->launch.args, stream);
}

const lm_device_way *lm_device_copy_way(const lm_device_copy *copy) {
    return copy->op == LM_OP_AFFINE ? NULL : &copy->way;
}

const lm_launch *lm_device_copy_launch(const lm_device_copy *copy) {
    return copy->rungs ? &copy->rung[0].launch : NULL;
}
