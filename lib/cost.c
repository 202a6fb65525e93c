/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost model. Memory: for each side the lines that are fetched given what the caches hold between two
 * touches of a line, by the nest alone. Processor: calls, rows and runs of the kernel.
 *
 * The constants are nanoseconds on an ordinary server core (Zen 4 and 5 at about 3.5 GHz); what decides is
 * how they compare. */
#include "cost.h"

#include "calibration.h"
#include "machine.h"

/* What makes the model fit the times of some thousand candidates of the suites. */
static const struct model {
    double l1_share, l2_share, l3_share; /* of a cache, that data stay in */
    double tlb_first, tlb_all;           /* pages */
    double store_waits;                  /* stores wait for the TLB less */
    double near_write;                   /* lines of the third cache that writing one costs */
    double least_break;                  /* ns of a break where breaks are so many that they overlap */
    double seam;                         /* of a latency, for the rest of a row that is not streamed */
    double joint;                        /* of a latency, for a source line of a line that two tiles share */
    double late;                         /* of a latency, for a line that was asked for too far ahead */
    double turn;    /* ns until the reading of a transpose's next tile is in full swing */
    double against; /* ns a source line where loops do not follow the source */
} model = {0.56, 0.48, 0.6, 55, 1400, 0.2, 0.65, 8.4, 0.45, 0.025, 0.1, 40, 0.25};

static const lm_calibration *calibration(const lm_problem *p) {
    return p->calibration ? p->calibration : &lm_usual_calibration;
}

/* A kernel call: so many, of n0 x n1 runs each. */
typedef struct shape {
    double calls, n0, n1;
} shape;

static shape shape_of(const lm_nest *nest) {
    shape s = {1, (double)nest->dim[0].n, (double)nest->dim[1].n};
    for (int k = 0; k < nest->loops; k++) {
        const lm_loop *loop = &nest->loop[k];
        s.calls *= (double)((nest->dim[loop->dim].n - 1) / loop->step + 1);
        if (loop->dim == 0) s.n0 = (double)loop->step;
        if (loop->dim == 1) s.n1 = (double)loop->step;
    }
    return s;
}

/* ---- boxes ---------------------------------------------------------------------------------------- */

typedef enum side { DST, SRC } side;

static int64_t step_of(const lm_pdim *d, side which) {
    if (which == DST) return d->ds;
    return lm_magnitude(d->ss);
}

/* One axis of a side. */
typedef struct stride {
    int axis;
    double step;
} stride;

/* A box is a part of the nest: extent[k] steps along axis k. Axes are taken in order of their step, short
 * ones melt into one chunk of neighbouring bytes, long ones repeat it. */
typedef struct box {
    double run;
    int dims, axes[2];
    stride by_step[2][LM_NEST_DIMS]; /* axes by rising step, a side each; broadcast axes are left out */
    double extent[LM_NEST_DIMS];
} box;

static void sort_axes(box *b, const lm_nest *nest, side which) {
    stride *sorted = b->by_step[which];
    int n = 0;
    for (int k = 0; k < nest->dims; k++) {
        const double step = (double)step_of(&nest->dim[k], which);
        if (step == 0 || nest->dim[k].n == 1) continue;
        int at = n++;
        for (; at > 0 && sorted[at - 1].step > step; at--) sorted[at] = sorted[at - 1];
        sorted[at] = (stride){k, step};
    }
    b->axes[which] = n;
}

static void box_open(box *b, const lm_nest *nest) {
    b->run = (double)nest->tile.run;
    b->dims = nest->dims;
    sort_axes(b, nest, DST);
    sort_axes(b, nest, SRC);
    for (int k = 0; k < nest->dims; k++) b->extent[k] = (double)nest->dim[k].n;
}

/* Chunks of neighbouring bytes: `count` of `bytes` each. */
typedef struct chunks {
    double count, bytes;
} chunks;

/* What the box is on one side, where bytes closer than `unit` are neighbours. */
static chunks chunks_of(const box *b, side which, double unit) {
    chunks c = {1, b->run};
    for (int k = 0; k < b->axes[which]; k++) {
        const double step = b->by_step[which][k].step, n = b->extent[b->by_step[which][k].axis];
        if (n == 1) continue;
        if (c.count == 1 && (step < unit || step <= c.bytes))
            c.bytes += (n - 1) * step;
        else
            c.count *= n;
    }
    return c;
}

enum { LINE = 64, PAGE = 4096 };

/* Lines that the box touches on one side. A chunk that may begin anywhere touches one more now and then. */
static double lines_of(const box *b, side which) {
    const chunks c = chunks_of(b, which, LINE);
    const double more = c.bytes >= LINE ? 0.25 : c.bytes <= 8 ? 1 - c.bytes / LINE : 0.5;
    return c.count * (c.bytes / LINE + more);
}

static double pages_of(const box *b, side which) {
    const chunks c = chunks_of(b, which, PAGE);
    return c.count * (c.bytes >= PAGE ? c.bytes / PAGE + 0.5 : 1 + 0.5 * c.bytes / PAGE);
}

/* ---- loops ---------------------------------------------------------------------------------------- */

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
    const bool blocks = step->kernel->pattern == LM_TRANSPOSE && nest->tile.run < LINE;
    const double block = blocks ? (double)LINE / (double)nest->tile.run : 1;
    add_level(l, 1, block);
    if (step->kernel->pattern != LM_ROWS) add_level(l, 0, block);
}

/* ---- memory --------------------------------------------------------------------------------------- */

/* What is fetched into something that holds so many units, over the whole nest. */
typedef struct cache {
    double capacity, fetched[2];
    bool full;
} cache;

enum { L1, L2, TLB_FIRST, TLB_ALL, CACHES };

/* The box that the innermost loops so far walk has so many units: as long as one round of the next loop
 * leaves them in the cache for its next round, they are fetched once; every loop further out fetches all of
 * them again. */
static void fill(cache *c, double dst, double src, double again) {
    if (c->full) return;
    c->fetched[DST] = dst * again;
    c->fetched[SRC] = src * again;
    c->full = dst + src > c->capacity;
}

static void find_traffic(cache *c, box *b, const levels *l, bool pages) {
    double again = 1;
    for (int k = 0; k < l->count; k++) again *= l->at[k].to / l->at[k].from;
    for (int k = 0; k < b->dims; k++) b->extent[k] = l->left[k];
    for (int k = l->count;; k--) {
        if (!c[L1].full || !c[L2].full) {
            const double dst = lines_of(b, DST), src = lines_of(b, SRC);
            fill(&c[L1], dst, src, again);
            fill(&c[L2], dst, src, again);
        }
        if (pages && (!c[TLB_FIRST].full || !c[TLB_ALL].full)) {
            const double dst = pages_of(b, DST), src = pages_of(b, SRC);
            fill(&c[TLB_FIRST], dst, src, again);
            fill(&c[TLB_ALL], dst, src, again);
        }
        if (k == 0) break;
        b->extent[l->at[k - 1].dim] = l->at[k - 1].to;
        again /= l->at[k - 1].to / l->at[k - 1].from;
    }
}

/* Nanoseconds of a break in the walk through a source in memory, until hardware prefetchers see the new
 * place: little where breaks are so many that they overlap, the whole latency where they are few. Kernels
 * that transpose ask ahead. */
enum { FAR_APART = 4096, STREAMS = 16 }; /* bytes between breaks that do not overlap; streams seen at once */

static double breaks_ns(const lm_calibration *c, const lm_step *step, const levels *l, double lines) {
    double chunk = step->kernel->pattern == LM_ROWS ? l->left[0] : (double)step->nest.tile.run, streams = 1;
    if (step->kernel->pattern == LM_TRANSPOSE) return 0;
    for (int k = l->count - 1; k >= 0; k--) {
        const double far = (double)step_of(&step->nest.dim[l->at[k].dim], SRC) * l->at[k].from;
        const double rounds = l->at[k].to / l->at[k].from;
        if (far <= chunk + LINE)
            chunk *= rounds;
        else if (streams * rounds <= STREAMS)
            streams *= rounds;
        else
            break;
    }
    if (chunk < LINE) chunk = LINE;
    const double apart = chunk < FAR_APART ? chunk / FAR_APART : 1;
    return lines * LINE / chunk * (model.least_break + (c->latency - model.least_break) * apart);
}

/* Whether all destination rows begin and end with a line, where they are this long. */
static bool whole_lines(const lm_nest *nest, int64_t row) {
    int64_t grid = row | nest->doff;
    for (int k = 1; k < nest->dims; k++)
        if (nest->dim[k].n > 1) grid |= nest->dim[k].ds;
    return grid % LINE == 0;
}

/* Rows of runs are streamed in whole lines only: what is left of a row is written through the caches, into a
 * line whose other part may have left them already. */
static double seams(const lm_problem *p, const lm_nest *nest, const shape *tile, int64_t row) {
    if (whole_lines(nest, row)) return 0;
    const double rows = (double)p->payload / (double)row;
    return nest->tile.ds1 == row ? rows / tile->n1 : rows;
}

/* Streamed transposes whose tiles are as long as lines write those that two of them share at once. A row has
 * its seams at its ends then, and the tile that writes a shared line fetches the source of all of it. */
static double joints_ns(const lm_problem *p, const lm_step *step, const shape *tile, double lines) {
    const lm_calibration *c = calibration(p);
    const lm_nest *nest = &step->nest;
    const int64_t row = (int64_t)tile->n0 * nest->tile.run, all = nest->dim[0].n * nest->tile.run;
    if (row == all || row % LINE) return seams(p, nest, tile, row) * model.seam * c->latency;
    double ns = seams(p, nest, tile, all) * model.seam * c->latency;
    if (!whole_lines(nest, row)) ns += lines * LINE / (double)row * (c->read + model.joint * c->latency);
    return ns;
}

/* Source lines of transposes that have left the second cache before their tile's turn. */
static double late_lines(const lm_nest *nest, const shape *tile, double capacity, double lines) {
    const double ahead = 2 * tile->n0 * tile->n1 * (double)nest->tile.run / LINE;
    return ahead <= capacity ? 0 : lines * (ahead < 2 * capacity ? ahead / capacity - 1 : 1);
}

/* What a transpose asks for ahead comes a little later where loops do not follow the source, for then the
 * hardware asks for nothing by itself. */
static double against_ns(const lm_step *step, double lines) {
    const bool against = step->kernel->pattern == LM_TRANSPOSE && step->params.order == LM_ORDER_DST;
    return against && step->nest.loops > 1 ? lines * model.against : 0;
}

/* What tiles cost beyond their lines and pages; `far` is what comes from beyond the second cache. */
static double tiles_ns(const lm_problem *p, const lm_step *step, const shape *tile, const cache *far) {
    const lm_pattern pattern = step->kernel->pattern;
    const double latency = calibration(p)->latency;
    double ns = 0;
    if (pattern == LM_TRANSPOSE) {
        ns += late_lines(&step->nest, tile, far->capacity, far->fetched[SRC]) * model.late * latency;
        ns += tile->calls * model.turn;
    }
    if (step->kernel->stream && pattern == LM_TRANSPOSE) ns += joints_ns(p, step, tile, far->fetched[SRC]);
    if (step->kernel->stream && pattern == LM_GATHER)
        ns += seams(p, &step->nest, tile, (int64_t)tile->n0 * step->nest.tile.run) * model.seam * latency;
    return ns;
}

static int64_t llc_bytes(const lm_machine *m) {
    const int64_t all = m->cache_bytes[2] ? m->cache_bytes[2] : m->cache_bytes[1];
    return all < lm_stream_threshold() * 2 ? all : lm_stream_threshold() * 2;
}

static double memory_ns(const lm_problem *p, const lm_step *step, const shape *tile) {
    const lm_machine *m = lm_machine_get();
    const lm_calibration *c = calibration(p);
    const double l1 = (double)m->cache_bytes[0] / LINE, l2 = (double)m->cache_bytes[1] / LINE;
    const bool stream = step->kernel->stream;
    cache at[CACHES] = {[L1] = {.capacity = l1 * model.l1_share},
                        [L2] = {.capacity = l2 * model.l2_share},
                        [TLB_FIRST] = {.capacity = model.tlb_first},
                        [TLB_ALL] = {.capacity = model.tlb_all}};
    box b;
    levels l;
    box_open(&b, &step->nest);
    find_levels(&l, step);
    const double lines = lines_of(&b, DST) + lines_of(&b, SRC);
    const bool far = lines * LINE > (double)llc_bytes(m) * model.l3_share,
               pages = lines > LINE * model.tlb_first;
    find_traffic(at, &b, &l, pages);
    double ns = (at[L1].fetched[DST] + at[L1].fetched[SRC]) * c->l2;
    if (lines > l2 || stream) {
        const double write = stream ? c->write_stream : far ? c->write : c->l3 * model.near_write;
        if (far) ns += breaks_ns(c, step, &l, at[L2].fetched[SRC]) + against_ns(step, at[L2].fetched[SRC]);
        ns += at[L2].fetched[SRC] * (far ? c->read : c->l3) + at[L2].fetched[DST] * write;
    }
    ns += tiles_ns(p, step, tile, &at[L2]);
    if (pages) {
        ns += (at[TLB_FIRST].fetched[DST] * model.store_waits + at[TLB_FIRST].fetched[SRC]) * c->tlb;
        ns += (at[TLB_ALL].fetched[DST] * model.store_waits + at[TLB_ALL].fetched[SRC]) * c->walk;
    }
    return ns;
}

/* ---- processor ------------------------------------------------------------------------------------ */

/* Nanoseconds a kernel call, a row of its axis 1, a run, and a byte. */
static const struct {
    double call, row, run, byte;
} kernel_ns[LM_PATTERN_COUNT] = {
    [LM_ROWS] = {6, 0.3, 0, 0.015},      [LM_GATHER] = {6, 1.9, 0.36, 0.02},
    [LM_SCATTER] = {6, 2.0, 0.30, 0.02}, [LM_STRIDED] = {6, 2.0, 0.35, 0.02},
    [LM_REVERSE] = {6, 2.0, 0, 0.03},    [LM_FILL] = {8, 2.0, 0, 0.02},
    [LM_TRANSPOSE] = {8, 0.6, 0, 0.013},
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

static double processor_ns(const lm_problem *p, const lm_step *step, const shape *tile) {
    const lm_pattern pattern = step->kernel->pattern;
    const double runs = pattern == LM_ROWS ? 0 : (double)p->count;
    const double ns = tile->calls * kernel_ns[pattern].call +
                      tile->calls * tile->n1 * kernel_ns[pattern].row + runs * run_ns(step, tile->n0) +
                      (double)p->payload * kernel_ns[pattern].byte;
    return ns * calibration(p)->call / lm_usual_calibration.call;
}

/* ---- together ------------------------------------------------------------------------------------- */

/* Below this, everything is in the first cache after the first call, and only instructions count. */
enum { TINY = 4096 };

double lm_cost(const lm_problem *p, const lm_step *step) {
    if (p->count == 0) return 0;
    const shape tile = shape_of(&step->nest);
    double ns = processor_ns(p, step, &tile);
    if (p->payload > TINY) ns += memory_ns(p, step, &tile);
    return ns * 1e-9 / (step->params.threads > 1 ? 1 + 0.5 * (step->params.threads - 1) : 1);
}

int64_t lm_lines_touched(const lm_problem *p) {
    if (p->count == 0) return 0;
    lm_nest nest = {.tile = {.run = p->run}, .dims = p->rank};
    for (int k = 0; k < p->rank; k++) nest.dim[k] = p->dim[k];
    box b;
    box_open(&b, &nest);
    return (int64_t)(lines_of(&b, DST) + lines_of(&b, SRC) + 0.5);
}

/* The last-level cache holds source and destination below it. Reported sizes of virtual machines can be
 * hundreds of MiB that they do not have, so no more than 32 MiB are believed. */
int64_t lm_stream_threshold(void) {
    const int64_t believed = 32 << 20, llc = lm_machine_get()->cache_bytes[2];
    if (llc <= 0) return 8 << 20;
    return (llc < believed ? llc : believed) / 2;
}

enum { BYTES_A_THREAD = 256 << 10 };

int lm_threads_for(const lm_problem *p) {
    const double slower = calibration(p)->thread / lm_usual_calibration.thread;
    const int64_t most = (int64_t)((double)p->payload / slower) / BYTES_A_THREAD;
    return most < 2 ? 1 : most < p->threads ? (int)most : p->threads;
}
