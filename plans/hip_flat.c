/* SPDX-License-Identifier: BSD-3-Clause */
/* Device copies word by word in one order of axes (rows, flat copies, gathers, scatters, reversed runs), and
 * fills. */
#include "hip_box.h"

/* What the kernel may do besides: kernels/hip/flat.h. */
enum { PLAIN, REVERSED = 1, MANY_AXES = 2 };
enum { FEW_AXES = 4 };

static bool always(const lm_problem *p) { return p->op != LM_OP_FILL && p->op != LM_OP_AFFINE; }

static int least_int(int a, int b) { return a < b ? a : b; }

/* ---- words ------------------------------------------------------------------------------------------ */

/* The axis that runs backwards in the source and is dense on both sides. */
static int reversed_axis(const lm_problem *p) {
    if (p->run > 8 || (p->run & (p->run - 1))) return LM_AXIS_NONE;
    for (int k = p->rank - 1; k >= 0; k--)
        if (p->dim[k].ds == p->run && p->dim[k].ss == -p->run) return k;
    return LM_AXIS_NONE;
}

/* The widest word of reversed runs along this axis; not wider than the run when there is none. */
static int reversed_word(const lm_problem *p, int axis, int most) {
    if (axis == LM_AXIS_NONE) return 1;
    const int64_t d = lm_hip_steps(p, LM_DST, axis) | p->doff, s = lm_hip_steps(p, LM_SRC, axis);
    for (int word = most; word > p->run; word /= 2)
        if (lm_hip_power(d | s | (p->soff + p->run)) >= word && p->dim[axis].n * p->run % word == 0)
            return word;
    return 1;
}

/* ---- axes ------------------------------------------------------------------------------------------- */

static void add(lm_hip_form *f, int64_t n, int64_t ds, int64_t ss) {
    if (n > 1) f->dim[f->rank++] = (lm_pdim){n, ds, ss};
}

static void add_others(lm_hip_form *f, const lm_problem *p, int but) {
    for (int k = 0; k < p->rank; k++)
        if (k != but) add(f, p->dim[k].n, p->dim[k].ds, p->dim[k].ss);
}

/* Axes of words, launched. @p keep: so many of them stay in front. */
static bool launch(const lm_device *device, const lm_hip_params *params, lm_hip_form *f, int keep,
                   int64_t words, lm_launch *out) {
    const int block = LM_HIP_THREADS;
    lm_hip_args *a = &out->args;
    if (f->rank == 0) f->dim[f->rank++] = (lm_pdim){1, 0, 0};
    lm_hip_sort(f, keep, params->order);
    for (int k = 0; k < f->rank; k++) lm_hip_set_axis(&a->axis[k], &f->dim[k]);
    if (f->rank > FEW_AXES) out->variant.option |= MANY_AXES;
    a->rank = (lm_u32)f->rank;
    a->words = (lm_u64)words;
    a->tile_words = (lm_u32)(block * params->items);
    out->variant.items = params->items;
    out->variant.stream = params->stream;
    return lm_hip_set_grid(device, (words - 1) / a->tile_words + 1, block, out);
}

static void set_word(lm_launch *out, lm_hip_kernel kernel, int unit, int word) {
    out->variant.kernel = kernel;
    out->variant.unit = unit;
    out->variant.word[LM_DST] = out->variant.word[LM_SRC] = word;
}

static bool make(const lm_problem *p, const lm_device *device, const lm_hip_params *params, unsigned align,
                 bool final, lm_launch *out) {
    (void) final;
    const int most = least_int(least_int(params->word[LM_DST], params->word[LM_SRC]), (int)align);
    const int back = reversed_axis(p), turned = reversed_word(p, back, most);
    const int64_t bits = lm_hip_steps(p, LM_DST, LM_AXIS_NONE) | lm_hip_steps(p, LM_SRC, LM_AXIS_NONE);
    const int straight = least_int(lm_hip_power(bits | p->run | p->doff | p->soff), most),
              word = turned > 1 ? turned : straight;
    lm_hip_form f = {0};
    set_word(out, LM_HIP_COPY, turned > 1 ? (int)p->run : word, word);
    out->variant.option = turned > 1 ? REVERSED : PLAIN;
    lm_hip_set_reach(p, out);
    if (turned > 1) {
        add(&f, p->dim[back].n * p->run / word, word, -word);
        out->args.soff -= word - p->run;
    } else {
        add(&f, p->run / word, word, word);
    }
    const int keep = f.rank;
    add_others(&f, p, turned > 1 ? back : LM_AXIS_NONE);
    return launch(device, params, &f, keep, p->payload / word, out);
}

static int propose(const lm_problem *p, int effort, lm_hip_params *out, int count, int max) {
    for (int items = 2; items <= 8; items *= 2) {
        if (items != 4 && effort < LMAD_PATIENT) continue;
        for (int k = 0; k < 4 && count < max; k++) {
            if (k % 2 == 1 && p->rank < 2) continue;
            if (k / 2 == 1 && effort < LMAD_MEASURE) continue;
            out[count++] = (lm_hip_params){.kernel = p->op == LM_OP_FILL ? LM_HIP_FILL : LM_HIP_COPY,
                                           .word = {16, 16},
                                           .order = k % 2 ? LM_ORDER_SRC : LM_ORDER_DST,
                                           .items = items,
                                           .stream = k / 2};
        }
    }
    return count;
}

const lm_hip_kind lm_hip_copy = {"hip-copy", always, propose, make};

/* ---- fills ------------------------------------------------------------------------------------------ */

static bool is_fill(const lm_problem *p) { return p->op == LM_OP_FILL && p->run <= LM_HIP_VALUE; }

/* Words along the dense axis: a pattern that is repeated. Returns whether they fit. */
static bool add_pattern(lm_hip_form *f, const lm_problem *p, int dense, int word) {
    const int64_t bytes = p->dim[dense].n * p->run, period = p->run / lm_hip_divisor(p->run, word) * word;
    if (period > LM_HIP_VALUE || bytes % period ||
        lm_hip_power(lm_hip_steps(p, LM_DST, dense) | p->doff) < word)
        return false;
    add(f, period / word, word, word);
    add(f, bytes / period, period, 0);
    return true;
}

static bool make_fill(const lm_problem *p, const lm_device *device, const lm_hip_params *params,
                      unsigned align, bool final, lm_launch *out) {
    (void) final;
    int word = least_int(params->word[LM_DST], (int)align), dense = LM_AXIS_NONE;
    lm_hip_form f = {0};
    for (int k = 0; k < p->rank; k++)
        if (p->dim[k].ds == p->run) dense = k;
    while (dense >= 0 && word > 1 && !add_pattern(&f, p, dense, word)) word /= 2;
    if (f.rank == 0) {
        dense = LM_AXIS_NONE;
        word = least_int(least_int(params->word[LM_DST], (int)align),
                         lm_hip_power(lm_hip_steps(p, LM_DST, LM_AXIS_NONE) | p->doff | p->run));
        add(&f, p->run / word, word, word);
    }
    set_word(out, LM_HIP_FILL, word, word);
    out->variant.option = PLAIN;
    lm_hip_set_reach(p, out);
    const int keep = f.rank;
    add_others(&f, p, dense);
    return launch(device, params, &f, keep, p->payload / word, out);
}

const lm_hip_kind lm_hip_fill = {"hip-fill", is_fill, propose, make_fill};
