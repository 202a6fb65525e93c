/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost model. Memory: for each side the lines that are fetched given what the caches hold between two
 * touches of a line, by the nest alone. Processor: calls, rows and runs of the kernel. The two overlap.
 *
 * The constants are nanoseconds on an ordinary server core (Zen 4 and 5 at about 3.5 GHz); what decides is
 * how they compare. */
#include "cost.h"

#include "machine.h"

/* ---- lines of a box ------------------------------------------------------------------------------- */

typedef enum side { DST, SRC } side;

static int64_t step_of(const lm_pdim *d, side which) {
    if (which == DST) return d->ds;
    return d->ss < 0 ? -d->ss : d->ss;
}

/* A box is a part of the nest: extent[k] steps along axis k. Axes are taken in order of their step, short
 * ones melt into one chunk of neighbouring bytes, long ones repeat it. */
typedef struct box {
    const lm_nest *nest;
    int by_step[2][LM_NEST_DIMS]; /* axes by rising step, a side each; broadcast axes are left out */
    int axes[2];
    double extent[LM_NEST_DIMS];
} box;

static void sort_axes(box *b, side which) {
    int n = 0;
    for (int k = 0; k < b->nest->dims; k++) {
        const int64_t step = step_of(&b->nest->dim[k], which);
        if (step == 0 || b->nest->dim[k].n == 1) continue;
        int at = n++;
        for (; at > 0 && step_of(&b->nest->dim[b->by_step[which][at - 1]], which) > step; at--)
            b->by_step[which][at] = b->by_step[which][at - 1];
        b->by_step[which][at] = k;
    }
    b->axes[which] = n;
}

static void box_open(box *b, const lm_nest *nest) {
    b->nest = nest;
    sort_axes(b, DST);
    sort_axes(b, SRC);
    for (int k = 0; k < nest->dims; k++) b->extent[k] = (double)nest->dim[k].n;
}

/* Units (lines or pages) of `unit` bytes that the box touches on one side. A chunk that may begin anywhere
 * touches one more now and then. */
static double units_of(const box *b, side which, double unit) {
    double chunk = (double)b->nest->tile.run, chunks = 1;
    for (int k = 0; k < b->axes[which]; k++) {
        const int axis = b->by_step[which][k];
        const double step = (double)step_of(&b->nest->dim[axis], which), n = b->extent[axis];
        if (n == 1) continue;
        if (chunks == 1 && (step < unit || step <= chunk))
            chunk += (n - 1) * step;
        else
            chunks *= n;
    }
    const double more = chunk >= unit ? 0.25 : chunk <= 8 ? 1 - chunk / unit : 0.5;
    return chunks * (chunk / unit + more);
}

/* ---- memory --------------------------------------------------------------------------------------- */

/* A loop as the model sees it: it takes axis dim from `from` steps to `to`. */
typedef struct level {
    int dim;
    double from, to;
} level;

typedef struct levels {
    int count;
    level at[LM_NEST_LOOPS + 3];
    double left[LM_NEST_DIMS]; /* what is left of each axis inside the loops so far */
} levels;

static void add_level(levels *l, int dim, double step) {
    if (l->left[dim] <= step) return;
    l->at[l->count++] = (level){dim, step, l->left[dim]};
    l->left[dim] = step;
}

/* The loops of the nest and then the kernel's own: rows of runs, or for a transpose blocks of some lines down
 * bands of source lines. */
static void find_levels(levels *l, const lm_step *step) {
    const lm_nest *nest = &step->nest;
    l->count = 0;
    for (int k = 0; k < nest->dims; k++) l->left[k] = (double)nest->dim[k].n;
    for (int k = 0; k < nest->loops; k++) add_level(l, nest->loop[k].dim, (double)nest->loop[k].step);
    const bool blocks = step->kernel->pattern == LM_TRANSPOSE && nest->tile.run < 64;
    const double block = blocks ? 64.0 / (double)nest->tile.run : 1;
    add_level(l, 1, block);
    if (step->kernel->pattern != LM_ROWS) add_level(l, 0, block);
}

/* Fetches of units on each side over the whole nest, by a cache of `capacity` units. */
typedef struct traffic {
    double side[2];
} traffic;

/* Extend the box outwards loop by loop, as long as one round of the loop leaves its units in the cache for
 * the next round; every loop further out fetches all of them again. */
static traffic fetches(box *b, const levels *l, double unit, double capacity) {
    for (int k = 0; k < b->nest->dims; k++) b->extent[k] = l->left[k];
    traffic t = {{units_of(b, DST, unit), units_of(b, SRC, unit)}};
    int k = l->count - 1;
    for (; k >= 0 && t.side[DST] + t.side[SRC] <= capacity; k--) {
        b->extent[l->at[k].dim] = l->at[k].to;
        t.side[DST] = units_of(b, DST, unit);
        t.side[SRC] = units_of(b, SRC, unit);
    }
    for (; k >= 0; k--) {
        const double rounds = l->at[k].to / l->at[k].from;
        t.side[DST] *= rounds;
        t.side[SRC] *= rounds;
    }
    return t;
}

/* Nanoseconds a line. A written line outside the caches is read first, unless stores stream. */
static const struct {
    double l1, l2, l3, read, write, write_stream;
} line_ns = {0.3, 0.7, 1.6, 1.7, 3.4, 1.6};

/* Nanoseconds a page: a first-level miss of the TLB, a page walk; stores wait for them less. */
static const double tlb_ns = 2, walk_ns = 8, store_waits = 0.3;
enum { TLB_FIRST = 64, TLB_ALL = 2048 };

/* Nanoseconds of a break in the walk through a source in memory, until hardware prefetchers see the new
 * place: little where breaks are so many that they overlap, the whole latency where they are few. Kernels
 * that transpose ask ahead. */
static const double break_least_ns = 8, break_most_ns = 90;
enum { FAR_APART = 4096, STREAMS = 16 }; /* bytes between breaks that do not overlap; streams seen at once */

static double breaks_ns(const lm_step *step, const levels *l, double lines) {
    double chunk = step->kernel->pattern == LM_ROWS ? l->left[0] : (double)step->nest.tile.run, streams = 1;
    if (step->kernel->pattern == LM_TRANSPOSE) return 0;
    for (int k = l->count - 1; k >= 0; k--) {
        const double far = (double)step_of(&step->nest.dim[l->at[k].dim], SRC) * l->at[k].from;
        const double rounds = l->at[k].to / l->at[k].from;
        if (far <= chunk + 64)
            chunk *= rounds;
        else if (streams * rounds <= STREAMS)
            streams *= rounds;
        else
            break;
    }
    if (chunk < 64) chunk = 64;
    const double apart = chunk < FAR_APART ? chunk / FAR_APART : 1;
    return lines * 64 / chunk * (break_least_ns + (break_most_ns - break_least_ns) * apart);
}

/* What a transpose asks for ahead comes a little later where loops do not follow the source, for then the
 * hardware asks for nothing by itself. */
static const double against_source_ns = 0.25;

static double against_ns(const lm_step *step, double lines) {
    const bool against = step->kernel->pattern == LM_TRANSPOSE && step->params.order == LM_ORDER_DST;
    return against && step->nest.loops > 1 ? lines * against_source_ns : 0;
}

static int64_t llc_bytes(const lm_machine *m) {
    const int64_t all = m->cache_bytes[2] ? m->cache_bytes[2] : m->cache_bytes[1];
    return all < lm_stream_threshold() * 2 ? all : lm_stream_threshold() * 2;
}

static double memory_ns(const lm_step *step) {
    const lm_machine *m = lm_machine_get();
    const double l1 = (double)m->cache_bytes[0] / 64, l2 = (double)m->cache_bytes[1] / 64;
    const bool stream = step->kernel->stream;
    box b;
    levels l;
    box_open(&b, &step->nest);
    find_levels(&l, step);
    const double lines = units_of(&b, DST, 64) + units_of(&b, SRC, 64);
    const bool far = lines * 64 > (double)llc_bytes(m);
    const traffic from_l2 = fetches(&b, &l, 64, l1 * 0.75);
    double ns = (from_l2.side[DST] + from_l2.side[SRC]) * line_ns.l2;
    if (lines > l2 || stream) {
        const traffic out = fetches(&b, &l, 64, l2 * 0.6);
        const double write = stream ? line_ns.write_stream : far ? line_ns.write : line_ns.l3 * 1.5;
        if (far) ns += breaks_ns(step, &l, out.side[SRC]) + against_ns(step, out.side[SRC]);
        ns += out.side[SRC] * (far ? line_ns.read : line_ns.l3) + out.side[DST] * write;
    }
    if (lines > 64 * TLB_FIRST) {
        const traffic tlb = fetches(&b, &l, 4096, TLB_FIRST), walks = fetches(&b, &l, 4096, TLB_ALL);
        ns += (tlb.side[DST] * store_waits + tlb.side[SRC]) * tlb_ns;
        ns += (walks.side[DST] * store_waits + walks.side[SRC]) * walk_ns;
    }
    return ns;
}

/* ---- processor ------------------------------------------------------------------------------------ */

/* Nanoseconds a kernel call, a row of its axis 1, a run, and a byte. */
static const struct {
    double call, row, run, byte;
} kernel_ns[LM_PATTERN_COUNT] = {
    [LM_ROWS] = {6, 2.0, 0, 0.015},      [LM_GATHER] = {6, 2.0, 0.30, 0.02},
    [LM_SCATTER] = {6, 2.0, 0.30, 0.02}, [LM_STRIDED] = {6, 2.0, 0.35, 0.02},
    [LM_REVERSE] = {6, 2.0, 0, 0.03},    [LM_FILL] = {8, 2.0, 0, 0.02},
    [LM_TRANSPOSE] = {8, 0.5, 0, 0.04},
};

/* What the kernels turn in registers costs by the byte; the rest is copied run by run. */
static double run_ns(const lm_step *step, double n0) {
    const lm_pattern pattern = step->kernel->pattern;
    const int64_t run = step->nest.tile.run, row = (int64_t)n0 * run;
    const bool word = run <= 16 && (run & (run - 1)) == 0;
    if (pattern == LM_TRANSPOSE) return word && (row >= 16 || step->nest.tile.ds1 == row) ? 0 : 0.5;
    if (pattern == LM_REVERSE) return word && (row >= 64 || (row & (row - 1)) == 0) ? 0 : 0.5;
    return kernel_ns[pattern].run;
}

static double processor_ns(const lm_problem *p, const lm_step *step) {
    const lm_nest *nest = &step->nest;
    double calls = 1, n0 = (double)nest->dim[0].n, n1 = (double)nest->dim[1].n;
    for (int k = 0; k < nest->loops; k++) {
        const lm_loop *loop = &nest->loop[k];
        const double n = (double)((nest->dim[loop->dim].n - 1) / loop->step + 1);
        calls *= n;
        if (loop->dim == 0) n0 = (double)loop->step;
        if (loop->dim == 1) n1 = (double)loop->step;
    }
    const lm_pattern pattern = step->kernel->pattern;
    const double runs = pattern == LM_ROWS ? 0 : (double)p->count;
    return calls * kernel_ns[pattern].call + calls * n1 * kernel_ns[pattern].row + runs * run_ns(step, n0) +
           (double)p->payload * kernel_ns[pattern].byte;
}

/* ---- together ------------------------------------------------------------------------------------- */

/* Below this, everything is in the first cache after the first call, and only instructions count. */
enum { TINY = 4096 };

double lm_cost(const lm_problem *p, const lm_step *step) {
    if (p->count == 0) return 0;
    double ns = processor_ns(p, step);
    if (p->payload > TINY) {
        const double memory = memory_ns(step);
        ns = memory > ns ? memory + ns / 4 : ns + memory / 4;
    }
    return ns * 1e-9 / (step->params.threads > 1 ? 1 + 0.5 * (step->params.threads - 1) : 1);
}

int64_t lm_lines_touched(const lm_problem *p) {
    if (p->count == 0) return 0;
    lm_nest nest = {.tile = {.run = p->run}, .dims = p->rank};
    for (int k = 0; k < p->rank; k++) nest.dim[k] = p->dim[k];
    box b;
    box_open(&b, &nest);
    return (int64_t)(units_of(&b, DST, 64) + units_of(&b, SRC, 64) + 0.5);
}

/* The last-level cache holds source and destination below it. Reported sizes of virtual machines can be
 * hundreds of MiB that they do not have, so no more than 32 MiB are believed. */
int64_t lm_stream_threshold(void) {
    const int64_t believed = 32 << 20, llc = lm_machine_get()->cache_bytes[2];
    if (llc <= 0) return 8 << 20;
    return (llc < believed ? llc : believed) / 2;
}

enum { BYTES_A_THREAD = 256 << 10 };

int lm_worthwhile_threads(int64_t payload, int limit) {
    const int64_t most = payload / BYTES_A_THREAD;
    return most < 2 ? 1 : most < limit ? (int)most : limit;
}
