/* SPDX-License-Identifier: BSD-3-Clause */
/* Loop nests from parameters. */
#include "build.h"

#include "cpu.h"
#include "cut.h"

/* The kernel's two axes come first in the nest; *axis_of tells which problem axes they are. */
static void add_kernel_axes(lm_nest *nest, const lm_problem *p, const lm_params *params) {
    const bool bytes = params->inner == LM_AXIS_RUN;
    nest->dim[0] = bytes                ? (lm_pdim){p->run, 1, 1}
                   : params->inner >= 0 ? p->dim[params->inner]
                                        : (lm_pdim){1, 0, 0};
    nest->dim[1] = params->outer >= 0 ? p->dim[params->outer] : (lm_pdim){1, 0, 0};
    nest->dims = LM_KERNEL_AXES;
    const lm_pdim *a = &nest->dim[0], *b = &nest->dim[1];
    nest->tile = (lm_tile){bytes ? 1 : p->run, a->n, a->ds, a->ss, b->n, b->ds, b->ss, 0, 0, 0};
}

/* How far one step of a loop goes on the side that the order looks at. */
static int64_t reach(const lm_nest *nest, const lm_loop *loop, lm_order order) {
    const lm_pdim *d = &nest->dim[loop->dim];
    return (order == LM_ORDER_DST ? d->ds : lm_magnitude(d->ss)) * loop->step;
}

/* Insert a loop where its step belongs, longest steps outermost. */
static void add_loop(lm_nest *nest, int dim, int64_t step, lm_order order) {
    const lm_loop loop = {dim, step};
    const int64_t far = reach(nest, &loop, order);
    int at = nest->loops++;
    for (; at > 0 && reach(nest, &nest->loop[at - 1], order) < far; at--) nest->loop[at] = nest->loop[at - 1];
    nest->loop[at] = loop;
}

static void add_loops(lm_nest *nest, const lm_problem *p, const lm_params *params) {
    nest->loops = 0;
    for (int k = 0; k < p->rank; k++) {
        if (k == params->inner || k == params->outer) continue;
        nest->dim[nest->dims] = p->dim[k];
        add_loop(nest, nest->dims++, 1, params->order);
    }
    for (int k = 0; k < 2; k++)
        if (params->tile[k] < nest->dim[k].n) add_loop(nest, k, params->tile[k], params->order);
}

/* Problems of so many bytes are in the second cache after a few tiles. */
enum { SECOND_CACHE = 256 << 10 };

/* The next tile is mostly one round of the innermost loop further on; the nest tells when it is not. */
static void look_ahead(lm_nest *nest, lm_pattern pattern, int64_t payload) {
    if (nest->loops == 0 || pattern != LM_TRANSPOSE || payload <= SECOND_CACHE) return;
    const lm_loop *last = &nest->loop[nest->loops - 1];
    nest->tile.ahead = last->step * nest->dim[last->dim].ss;
}

/* Copies of so many bytes stay near enough to the core that its instructions are what they take. */
enum { NEAR = 100 << 10 };

/* Blocks of 16 bytes are not shuffled, and for runs that are no word long vectors have shuffles of their own.
 */
static lm_isa choose_isa(const lm_problem *p, const lm_params *params, lm_pattern pattern) {
    const bool words = p->run < 16 && lm_is_word(p->run);
    const bool halves = pattern == LM_ROWS || (pattern == LM_TRANSPOSE && words);
    return halves && !params->stream && p->payload <= NEAR ? lm_cpu_isa_near() : lm_cpu_isa();
}

void lm_build(lm_step *step, const lm_problem *problem, const lm_params *params, lm_pattern pattern) {
    lm_nest *nest = &step->nest;
    step->params = *params;
    add_kernel_axes(nest, problem, params);
    add_loops(nest, problem, params);
    nest->doff = problem->doff;
    nest->soff = problem->soff;
    look_ahead(nest, pattern, problem->payload);
    lm_cut(nest, params->threads);
    step->kernel =
        lm_kernel_find(pattern, nest->tile.run, params->stream, choose_isa(problem, params, pattern));
}
