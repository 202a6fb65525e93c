/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans in words: describe, explain, info. */
#include <string.h>

#include "cost.h"
#include "device_plan.h"
#include "plan.h"
#include "status.h"
#include "text.h"

/* ---- describe ------------------------------------------------------------------------------------- */

static void add_axis(lm_text *text, const lm_step *step, int k) {
    const int axis = k == 0 ? step->params.inner : step->params.outer;
    const lm_pdim *d = &step->nest.dim[k];
    if (axis == LM_AXIS_NONE) return;
    if (axis == LM_AXIS_RUN)
        lm_text_add(text, " run=%lld", (long long)d->n);
    else
        lm_text_add(text, " %lldx(%lld<-%lld)", (long long)d->n, (long long)d->ds, (long long)d->ss);
    if (step->params.tile[k] < d->n) lm_text_add(text, "/%lld", (long long)step->params.tile[k]);
}

static void add_step(lm_text *text, const lm_step *step) {
    lm_text_add(text, "(%s %s", step->kind->name, step->kernel->name);
    if (step->nest.tile.run != 1 || step->params.inner != LM_AXIS_RUN)
        lm_text_add(text, " run=%lld", (long long)step->nest.tile.run);
    add_axis(text, step, 1);
    add_axis(text, step, 0);
    if (step->nest.loops > 1)
        lm_text_add(text, " order=%s", step->params.order == LM_ORDER_DST ? "dst" : "src");
    if (step->params.threads > 1 && step->nest.split) lm_text_add(text, " threads=%d", step->params.threads);
    lm_text_add(text, ")");
}

int lm_step_describe(const lm_step *step, char *buf, size_t size) {
    lm_text text = {buf, size, 0};
    add_step(&text, step);
    return (int)text.length;
}

/* Steps that make up the operation as they are. */
static int steps_of(const lmad_plan *p) {
    if (p->recipe == LM_RECIPE_BUFFERED) return 2;
    return p->recipe == LM_RECIPE_ONE || p->recipe == LM_RECIPE_VALUE;
}

static void add_mover(lm_text *text, const lmad_plan *p) {
    lm_text_add(text, " (%s", p->move.mover->name);
    if (p->work_bytes) lm_text_add(text, " work=%zu", p->work_bytes);
    if (p->move.parts > 1) lm_text_add(text, " threads=%d", p->move.parts);
    lm_text_add(text, ")");
}

static void add_many(lm_text *text, const lm_many *m) {
    lm_text_add(text, " %d items", m->count);
    if (m->threads > 1) lm_text_add(text, " threads=%d", m->threads);
    for (int k = 0; k < m->count; k++) {
        lm_text_add(text, " ");
        add_step(text, &m->item[k].step);
    }
}

static void add_runs(lm_text *text, const lm_runs *r) {
    lm_text_add(text, " (runs axis=%d n=%lld%s", r->along, (long long)r->n,
                r->kernel->stream ? " stream" : "");
    if (r->parts > 1) lm_text_add(text, " threads=%d", r->parts);
    lm_text_add(text, ")");
}

int lmad_plan_describe(const lmad_plan *p, char *buf, size_t size) {
    if (!p || (!buf && size)) return -1;
    lm_text text = {buf, size, 0};
    if (size) buf[0] = '\0';
    lm_text_add(&text, "(%s", lm_op_text(p->problem.op));
    if (p->recipe == LM_RECIPE_NOTHING) lm_text_add(&text, " (nop)");
    if (p->recipe == LM_RECIPE_BUFFERED) lm_text_add(&text, " (buffer %zu", p->work_bytes);
    if (p->recipe == LM_RECIPE_MOVE) add_mover(&text, p);
    if (p->recipe == LM_RECIPE_MANY) add_many(&text, p->many);
    if (p->recipe == LM_RECIPE_GENERATE) add_runs(&text, &p->runs);
    if (p->recipe == LM_RECIPE_DEVICE) lm_device_plan_describe(p, &text);
    for (int k = 0; k < steps_of(p); k++) {
        lm_text_add(&text, " ");
        add_step(&text, &p->step[k]);
    }
    lm_text_add(&text, p->recipe == LM_RECIPE_BUFFERED ? "))" : ")");
    return (int)text.length;
}

/* ---- explain -------------------------------------------------------------------------------------- */

static void add_problem(lm_text *text, const lm_problem *p) {
    lm_text_add(text, "problem: %s of %lld bytes in %lld runs of %lld bytes, %d thread%s at most\n",
                lm_op_text(p->op), (long long)p->payload, (long long)p->count, (long long)p->run, p->threads,
                p->threads == 1 ? "" : "s");
    lm_text_add(text,
                "axes, outermost in the destination first: extent (bytes in destination <- in source)\n ");
    for (int k = 0; k < p->rank; k++)
        lm_text_add(text, " %lld (%lld <- %lld)", (long long)p->dim[k].n, (long long)p->dim[k].ds,
                    (long long)p->dim[k].ss);
    lm_text_add(text, p->rank ? "\n" : " none\n");
}

static void add_origin(lm_text *text, const lmad_plan *p) {
    static const char *const source[] = {[LMAD_SOURCE_ESTIMATED] = "estimated",
                                         [LMAD_SOURCE_MEASURED] = "measured",
                                         [LMAD_SOURCE_WISDOM] = "from wisdom",
                                         [LMAD_SOURCE_TIMED_OUT] = "measured until the time limit"};
    const lm_origin o = lm_plan_origin(p);
    lm_text_add(text, "choice: %s", source[o.source]);
    if (o.source == LMAD_SOURCE_MEASURED || o.source == LMAD_SOURCE_WISDOM)
        lm_text_add(text, " (effort %s)", lm_effort_name(o.effort));
    if (o.sibling) lm_text_add(text, ", that of another machine: %s", p->machine);
    if (o.candidates) lm_text_add(text, ", %d candidates timed", o.candidates);
    if (o.seconds > 0) lm_text_add(text, ", %.3f us an execution", o.seconds * 1e6);
    lm_text_add(text, "\n");
}

typedef struct listing {
    lm_text *text;
    const lm_step *chosen;
    int found;
} listing;

static bool list_candidate(void *arg, const lm_step *step) {
    listing *l = arg;
    const bool chosen = step->kind == l->chosen->kind && lm_params_equal(&step->params, &l->chosen->params);
    l->found += chosen;
    lm_text_add(l->text, "%c %10.3f us  ", chosen ? '*' : ' ', step->seconds * 1e6);
    add_step(l->text, step);
    lm_text_add(l->text, "\n");
    return true;
}

static void add_candidates(lm_text *text, const lmad_plan *p) {
    const int effort = p->origin[0].source == LMAD_SOURCE_MEASURED ? p->origin[0].effort : LMAD_ESTIMATE;
    listing all = {text, &p->step[0], 0};
    lm_text_add(text, "candidates with their estimates, * = chosen:\n");
    lm_planner_each(&p->problem, effort, list_candidate, &all);
    if (!all.found) list_candidate(&all, &p->step[0]);
}

/* What there was to choose from, or the one way. */
static void add_ways(lm_text *text, const lmad_plan *p) {
    switch (p->recipe) {
    case LM_RECIPE_NOTHING: lm_text_add(text, "nothing to do"); break;
    case LM_RECIPE_ONE:
    case LM_RECIPE_VALUE: add_candidates(text, p); return;
    case LM_RECIPE_DEVICE: lm_device_plan_explain(p, text); return;
    case LM_RECIPE_BUFFERED:
        lm_text_add(text, "the views share bytes: through %zu bytes of scratch by\n  ", p->work_bytes);
        add_step(text, &p->step[0]);
        lm_text_add(text, "\n  ");
        add_step(text, &p->step[1]);
        break;
    case LM_RECIPE_MOVE:
        lm_text_add(text, "the views share bytes: in place by\n ");
        add_mover(text, p);
        break;
    case LM_RECIPE_MANY:
        lm_text_add(text, "the one way:");
        add_many(text, p->many);
        break;
    case LM_RECIPE_GENERATE:
        lm_text_add(text, "the one way:");
        add_runs(text, &p->runs);
        break;
    }
    lm_text_add(text, "\n");
}

int lmad_plan_explain(const lmad_plan *p, char *buf, size_t size) {
    if (!p || (!buf && size)) return -1;
    lm_text text = {buf, size, 0};
    if (size) buf[0] = '\0';
    add_problem(&text, &p->problem);
    if (p->recipe != LM_RECIPE_NOTHING) add_origin(&text, p);
    add_ways(&text, p);
    return (int)text.length;
}

/* ---- info ----------------------------------------------------------------------------------------- */

/* The estimate is a sum over both sides and axis by axis, so a problem that fits into 64 bits may have one
 * that does not. */
static void add_lines(lmad_info *info, const lm_problem *p) {
    const int64_t lines = lm_lines_touched(p);
    const bool fits = lines >= 0 && lines <= INT64_MAX - info->lines_touched;
    info->lines_touched = fits ? info->lines_touched + lines : INT64_MAX;
}

static void count_lines(lmad_info *info, const lmad_plan *p) {
    const int64_t line_bytes = 64;
    if (!p->many) add_lines(info, &p->problem);
    for (int k = 0; p->many && k < p->many->count; k++) add_lines(info, &p->many->item[k].problem);
    info->bytes_touched =
        info->lines_touched <= INT64_MAX / line_bytes ? info->lines_touched * line_bytes : INT64_MAX;
}

static void add_device(lmad_info *info, const lmad_plan *p) {
    lm_device_facts facts;
    lm_device_plan_facts(p, &facts);
    info->kind = facts.kind;
    info->threads = lm_problem_crosses(&p->problem) ? p->problem.threads : 1;
    info->predicted_seconds = facts.predicted;
    info->launches = facts.launches;
}

/* What there is instead of steps. */
static void add_recipe(lmad_info *info, const lmad_plan *p) {
    if (p->recipe == LM_RECIPE_MOVE) {
        info->kind = p->move.mover->name;
        info->threads = p->move.parts;
    } else if (p->recipe == LM_RECIPE_MANY) {
        info->kind = "many";
        info->threads = p->many->threads;
        info->predicted_seconds = p->many->seconds / p->many->threads;
    } else if (p->recipe == LM_RECIPE_GENERATE) {
        info->kind = "runs";
        info->threads = p->runs.parts;
    } else if (p->recipe == LM_RECIPE_DEVICE) {
        add_device(info, p);
    }
}

static void add_steps(lmad_info *info, const lmad_plan *p) {
    const int steps = steps_of(p);
    if (steps) info->kind = steps == 2 ? "buffer" : p->step[0].kind->name;
    for (int k = 0; k < steps; k++) {
        info->predicted_seconds += p->step[k].seconds;
        if (p->step[k].nest.split && p->step[k].params.threads > info->threads)
            info->threads = p->step[k].params.threads;
    }
}

lmad_status lmad_plan_info(const lmad_plan *p, lmad_info *info) {
    if (!p) return lm_fail(LMAD_ERR_NULL, "plan: NULL");
    if (!info) return lm_fail(LMAD_ERR_NULL, "info: NULL");
    if (info->struct_size < sizeof info->struct_size)
        return lm_fail(LMAD_ERR_ARGUMENT, "info: struct_size %zu is not set", info->struct_size);
    lmad_info all = {.struct_size = info->struct_size,
                     .kind = "nop",
                     .threads = 1,
                     .device = lm_problem_device(&p->problem)};
    const lm_origin origin = lm_plan_origin(p);
    add_recipe(&all, p);
    add_steps(&all, p);
    all.payload_bytes = p->problem.payload;
    count_lines(&all, p);
    all.work_size = p->work_bytes;
    all.source = origin.source;
    all.measured_seconds = origin.seconds;
    all.effort = origin.effort;
    all.sibling = origin.sibling;
    all.candidates = origin.candidates;
    memcpy(info, &all, all.struct_size < sizeof all ? all.struct_size : sizeof all);
    if (all.struct_size > sizeof all) memset((char *)info + sizeof all, 0, all.struct_size - sizeof all);
    return LMAD_OK;
}
