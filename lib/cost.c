/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost model. Memory: for each side the lines that are fetched given what the caches hold between two
 * touches of a line, by the nest alone. Processor: calls, rows and runs of the kernel.
 *
 * The constants are nanoseconds on an ordinary server core (Zen 4 and 5 at about 3.5 GHz); what decides is
 * how they compare. */
#include "cost.h"

#include "calibration.h"
#include "machine.h"
#include "traffic.h"

/* What makes the model fit the times of some thousand candidates of the suites. */
static const struct model {
    double l3_least,
        l3_most; /* of the last cache: from the first on data leave it, from the second on all of them */
    double near_write;  /* lines of the third cache that writing one costs */
    double store_waits; /* stores wait for the TLB less */
    double least_break; /* ns of a break where breaks are so many that they overlap */
    double change;      /* ns for each place that is walked in turn, when the walk goes on at a distant one */
    double piece;       /* ns of a piece of a destination page, where lines are written past the caches */
    double write_break; /* ns of one in the destination, which is read before it is written */
    double seam;        /* of a latency, for the rest of a row that is not streamed */
    double joint;       /* of a latency, for a source line of a line that two tiles share */
    double late;        /* of a latency, for a line that was asked for too far ahead */
    double turn;        /* ns until the reading of a transpose's next tile is in full swing */
    double near_turn;   /* of that, in the third cache */
    double against;     /* ns a source line in memory where tiles do not follow the source */
    double near_against;  /* the same in the third cache */
    double edge;          /* ns a run that is left over beside the blocks of a transpose */
    double unasked;       /* ns a source line in memory that the tile before did not ask for, being shorter */
    double rows;          /* of the source that hardware follows at once */
    double blind;         /* ns a source line in memory that it does not follow */
    double overlap;       /* of the processor's time and that of stores, what hides behind the longer one */
    double missing;       /* ns a line that the first cache has lost between two stores to it */
    double missing_block; /* the same for transposes */
    double across;        /* ns a short row from afar, for a store that lies across two lines */
} model = {0.205, 0.318, 0.234, 1.13,   65.9, 0.393, 7.5,   5.24, 0.437, 0.0957, 0.0669, 225,
           0.5,   0.291, 1.83,  0.0253, 11.3, 16.1,  0.775, 0.8,  4,     1.5,    4};

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

enum { LINE = 64 };

/* ---- memory --------------------------------------------------------------------------------------- */

/* Bytes between breaks that do not overlap; between places whose pages have little in common. */
enum { FAR_APART = 4096, DISTANT = 512 << 10 };

/* Nanoseconds of the breaks in the walk through a source in memory, until hardware prefetchers see the new
 * place: little where breaks are so many that they overlap, the whole latency where they are few. Kernels
 * that transpose ask ahead. */
static double breaks_ns(const lm_calibration *c, const lm_step *step, const lm_traffic *t) {
    const lm_stroll *s = &t->stroll[LM_SRC];
    if (step->kernel->pattern == LM_TRANSPOSE) return 0;
    const double apart = s->stretch < FAR_APART ? s->stretch / FAR_APART : 1,
                 bytes = t->l2.side[LM_SRC] * LINE;
    const double changes = s->places > 1 ? bytes / s->piece * s->places : 0;
    const double distant = s->apart < DISTANT ? s->apart / DISTANT : 1;
    return bytes / s->stretch * (model.least_break + (c->latency - model.least_break) * apart) +
           changes * distant * model.change;
}

/* Nanoseconds a byte of breaks in the destination. Those of transposes are the misses of the TLB. */
static double writes_ns(const lm_step *step, const lm_stroll *s) {
    if (!step->kernel->stream) return model.write_break / s->stretch;
    return step->kernel->pattern == LM_TRANSPOSE ? 0 : model.piece / s->piece;
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

/* What a transpose asks for ahead comes a little later where tiles do not follow the source, for then the
 * hardware asks for nothing by itself. */
static double against_ns(const lm_step *step, const lm_traffic *t, double far) {
    if (step->kernel->pattern != LM_TRANSPOSE || t->follows) return 0;
    return t->l2.side[LM_SRC] * (model.against * far + model.near_against * (1 - far));
}

/* The share of an axis whose block comes after a shorter one. */
static double after_shorter(int64_t n, int64_t block) {
    return n % block ? (double)(block - n % block) / (double)n : 0;
}

/* A tile asks for as much of the next one as it has itself. */
static double unasked_share(const lm_nest *nest) {
    if (nest->loops == 0) return 0;
    const lm_loop *last = &nest->loop[nest->loops - 1];
    return after_shorter(nest->dim[last->dim].n, last->step);
}

/* The share of a transpose's source that hardware does not fetch by itself. It follows so many rows at once,
 * if they go on in the next tile; short rows that follow each other are one. What the tile before asks for
 * comes later. */
static double blind_share(const lm_nest *nest, const shape *tile) {
    enum { SHORT = 4 * LINE };
    const int64_t ss = lm_magnitude(nest->dim[0].ss);
    const double beyond = tile->n1 * (double)nest->tile.run + LINE;
    if (ss <= SHORT && (double)ss <= beyond) return 0;
    const lm_loop *last = nest->loops ? &nest->loop[nest->loops - 1] : NULL;
    if (last && (double)(lm_magnitude(nest->dim[last->dim].ss) * last->step) > beyond) return 1;
    const double blind = tile->n0 / model.rows - 1;
    return blind < 0 ? 0 : blind < 1 ? blind : 1;
}

/* Bytes of a tile whose reading gets into full swing; shorter ones are read together with the next. */
enum { SWING = 4096 };

static double turn_ns(const lm_nest *nest, const shape *tile, double far) {
    const double share = tile->n0 * tile->n1 * (double)nest->tile.run / SWING;
    return (share < 1 ? share : 1) * (far + (1 - far) * model.near_turn) * model.turn;
}

/* What tiles cost beyond their lines and pages. */
static double tiles_ns(const lm_problem *p, const lm_step *step, const shape *tile, const lm_traffic *t,
                       double far) {
    const lm_pattern pattern = step->kernel->pattern;
    const double latency = calibration(p)->latency, source = t->l2.side[LM_SRC];
    double ns = 0;
    if (pattern == LM_TRANSPOSE) {
        ns += late_lines(&step->nest, tile, t->l2_capacity, source) * model.late * latency;
        ns += source * far *
              (unasked_share(&step->nest) * model.unasked + blind_share(&step->nest, tile) * model.blind);
        ns += tile->calls * turn_ns(&step->nest, tile, far);
    }
    if (step->kernel->stream && pattern == LM_TRANSPOSE) ns += joints_ns(p, step, tile, source);
    if (step->kernel->stream && pattern == LM_GATHER)
        ns += seams(p, &step->nest, tile, (int64_t)tile->n0 * step->nest.tile.run) * model.seam * latency;
    return ns;
}

static int64_t llc_bytes(const lm_machine *m) {
    const int64_t all = m->cache_bytes[2] ? m->cache_bytes[2] : m->cache_bytes[1];
    return all < lm_stream_threshold() * 2 ? all : lm_stream_threshold() * 2;
}

/* The share of the lines that are not in the last cache. */
static double far_share(const lm_machine *m, double lines) {
    const double full = lines * LINE / (double)llc_bytes(m);
    const double over = (full - model.l3_least) / (model.l3_most - model.l3_least);
    return over < 0 ? 0 : over < 1 ? over : 1;
}

/* Bytes from one short piece that a kernel stores to the next; 0 where they make up lines. */
static int64_t store_step(const lm_step *step) {
    const lm_tile *tile = &step->nest.tile;
    const lm_pattern pattern = step->kernel->pattern;
    if (pattern == LM_SCATTER || pattern == LM_STRIDED) return tile->ds0;
    return tile->n0 * tile->run < LINE ? tile->ds1 : 0;
}

/* Stores wait in turn for lines that the first cache has lost since the last store to them, where hardware
 * does not see them coming. Transposes store whole vectors. */
static double missing_ns(const lm_step *step, const lm_traffic *t) {
    enum { APART = 4 * LINE };
    const double again = t->l1.side[LM_DST] - t->least_written;
    if (step->kernel->stream || again <= 0) return 0;
    if (step->kernel->pattern == LM_TRANSPOSE) return again * model.missing_block;
    return lm_magnitude(store_step(step)) > APART ? again * model.missing : 0;
}

/* Short rows from places so far apart that each is waited for. Gathers of these lengths store them word by word (if
 * they are many), so that no store lies across two lines, and are that much faster. */
static double across_ns(const lm_step *step, const shape *tile) {
    enum { FAR = 1024 };
    const int64_t row = (int64_t)tile->n0;
    const bool words = row == 24 || row == 40 || row == 48;
    if (step->kernel->pattern != LM_ROWS || !words || lm_magnitude(step->nest.tile.ss1) < FAR) return 0;
    return tile->calls * tile->n1 * model.across;
}

/* *writing becomes the part that stores wait for while the processor goes on. */
static double memory_ns(const lm_problem *p, const lm_step *step, const shape *tile, double *writing) {
    const lm_machine *m = lm_machine_get();
    const lm_calibration *c = calibration(p);
    const bool stream = step->kernel->stream;
    lm_traffic t;
    lm_traffic_find(&t, step);
    const double far = far_share(m, t.lines), near = 1 - far;
    double ns = (t.l1.side[LM_DST] + t.l1.side[LM_SRC]) * c->l2 + missing_ns(step, &t);
    if (t.lines > (double)m->cache_bytes[1] / LINE || stream) {
        const double write = stream ? c->write_stream : c->l3 * model.near_write * near;
        if (!stream) *writing = t.l2.side[LM_DST] * c->write * far;
        ns += breaks_ns(c, step, &t) * far + against_ns(step, &t, far);
        ns += writes_ns(step, &t.stroll[LM_DST]) * t.l2.side[LM_DST] * LINE * far;
        ns += t.l2.side[LM_SRC] * (c->read * far + c->l3 * near) + t.l2.side[LM_DST] * write;
    }
    ns += tiles_ns(p, step, tile, &t, far);
    if (t.pages) {
        ns += across_ns(step, tile);
        ns += (t.tlb_first.side[LM_DST] * model.store_waits + t.tlb_first.side[LM_SRC]) * c->tlb;
        ns += (t.tlb_all.side[LM_DST] * model.store_waits + t.tlb_all.side[LM_SRC]) * c->walk;
    }
    return ns;
}

/* ---- processor ------------------------------------------------------------------------------------ */

/* Nanoseconds a kernel call, a row of its axis 1, a run, and a byte. */
static const struct {
    double call, row, run, byte;
} kernel_ns[LM_PATTERN_COUNT] = {
    [LM_ROWS] = {10.8, 0.309, 0, 0.00728},   [LM_GATHER] = {12, 1.5, 0.272, 0.0122},
    [LM_SCATTER] = {16, 0.8, 0.263, 0.0122}, [LM_STRIDED] = {12, 1.8, 0.326, 0.0122},
    [LM_REVERSE] = {12, 1.5, 0, 0.023},      [LM_FILL] = {5, 0.3, 0, 0.02},
    [LM_TRANSPOSE] = {8, 0.383, 0, 0.015},
};

/* Nanoseconds that some kernels take besides. */
static const struct {
    double stage, stage_row,
        stage_byte;             /* of a stage: filling and emptying it, a short row, a byte of long runs */
    double block_stage;         /* of a transpose */
    double ragged, ragged_byte; /* streamed rows that are no whole lines; short ones with gaps by the byte */
    double piece;               /* a run of a tile that is no blocks */
    double laid_out;            /* a row of a fill */
    double unknown;             /* a run of another length, scattered */
    double odd, odd_few;        /* a run of a transpose that is no word, in few rows */
} extra_ns = {10, 0.5, 0.015, 20, 10, 0.08, 0.35, 45, 2, 0.35, 0.8};

/* Runs besides words that scatters copy as fast as words. */
static bool is_scattered(int64_t run) { return run == 3 || run == 6 || run == 12 || run >= 32; }

static double odd_run_ns(double rows) { return rows < 4 ? extra_ns.odd_few : extra_ns.odd; }

/* What the kernels turn in registers costs by the byte; the rest is copied run by run. */
static double run_ns(const lm_step *step, double n0) {
    const lm_pattern pattern = step->kernel->pattern;
    const int64_t run = step->nest.tile.run, row = (int64_t)n0 * run;
    const bool word = lm_is_word(run);
    if (pattern == LM_TRANSPOSE && !word) return odd_run_ns(n0);
    if (pattern == LM_TRANSPOSE) return row >= 16 || step->nest.tile.ds1 == row ? 0 : 0.5;
    if (pattern == LM_REVERSE) return word && (row >= 64 || (row & (row - 1)) == 0) ? 0 : 0.5;
    if (pattern == LM_SCATTER || pattern == LM_STRIDED)
        return word || is_scattered(run) ? kernel_ns[pattern].run : extra_ns.unknown;
    return kernel_ns[pattern].run;
}

/* Runs of a tile that do not fill blocks of a line by 16 bytes. */
static double left_over(const lm_step *step, const shape *tile) {
    const int64_t run = step->nest.tile.run, n0 = (int64_t)tile->n0, n1 = (int64_t)tile->n1;
    if (step->kernel->pattern != LM_TRANSPOSE || run > 16) return 0;
    const int64_t rows = n0 - n0 % (LINE / run), columns = n1 - n1 % (16 / run);
    return tile->calls * (double)(n0 * n1 - rows * columns);
}

/* What streaming kernels do besides: calls fill a stage and empty it, and rows and runs that do not begin and
 * end with lines are put together. Long ones are all lines but for their ends. */
static double staging_ns(const lm_problem *p, const lm_step *step, const shape *tile) {
    enum { SHORT_ROW = 2 * LINE, LONG_ROW = 5 * LINE };
    const lm_pattern pattern = step->kernel->pattern;
    const lm_tile *t = &step->nest.tile;
    const int64_t row = (int64_t)tile->n0;
    if (!step->kernel->stream) return 0;
    if (pattern == LM_TRANSPOSE) return tile->calls * extra_ns.block_stage;
    if (pattern == LM_GATHER)
        return tile->calls * (extra_ns.stage + tile->n1 * extra_ns.stage_row) +
               (t->run >= SHORT_ROW && t->run % LINE ? (double)p->payload * extra_ns.stage_byte : 0);
    if (pattern != LM_ROWS || row >= LONG_ROW || whole_lines(&step->nest, row)) return 0;
    if (row < SHORT_ROW)
        return t->ds1 == row ? 0 : tile->calls * tile->n1 * (double)row * extra_ns.ragged_byte;
    return tile->calls * tile->n1 * extra_ns.ragged;
}

/* A tile of less than some lines that is not made of blocks goes run by run; the first runs are in its call.
 */
static double in_pieces_ns(const lm_step *step, const shape *tile) {
    enum { FEW = 3 * LINE, FIRST = 8 };
    const int64_t run = step->nest.tile.run, n0 = (int64_t)tile->n0, n1 = (int64_t)tile->n1;
    if (step->kernel->pattern != LM_TRANSPOSE || !lm_is_word(run) || n0 * n1 * run > FEW) return 0;
    if (run_ns(step, tile->n0) > 0 || n0 * n1 <= FIRST || (n0 | n1) % (16 / run) == 0) return 0;
    return tile->calls * (double)(n0 * n1 - FIRST) * extra_ns.piece;
}

/* Rows of a fill that are longer than a line but no stretch of their own. */
static double laid_out_ns(const lm_step *step, const shape *tile) {
    enum { STRETCH = 1024 };
    const int64_t run = step->nest.tile.run, row = (int64_t)tile->n0 * run;
    return step->kernel->pattern == LM_FILL && run < LINE && row >= LINE && row <= STRETCH
               ? tile->calls * tile->n1 * extra_ns.laid_out
               : 0;
}

static double processor_ns(const lm_problem *p, const lm_step *step, const shape *tile) {
    const lm_pattern pattern = step->kernel->pattern;
    const double runs = pattern == LM_ROWS ? 0 : (double)p->count;
    const double ns = tile->calls * kernel_ns[pattern].call +
                      tile->calls * tile->n1 * kernel_ns[pattern].row + runs * run_ns(step, tile->n0) +
                      left_over(step, tile) * model.edge + (double)p->payload * kernel_ns[pattern].byte +
                      staging_ns(p, step, tile) + in_pieces_ns(step, tile) + laid_out_ns(step, tile);
    return ns * calibration(p)->call / lm_usual_calibration.call;
}

/* ---- together ------------------------------------------------------------------------------------- */

/* Below this, everything is in the first cache after the first call, and only instructions count. */
enum { TINY = 4096 };

/* Processors go on while stores wait for lines, except between the blocks of transposes, which are stored at
 * once. */
static double hidden_ns(const lm_step *step, double processor, double writing) {
    if (step->kernel->pattern == LM_TRANSPOSE) return 0;
    return model.overlap * (processor < writing ? processor : writing);
}

double lm_cost(const lm_problem *p, const lm_step *step) {
    if (p->count == 0) return 0;
    const shape tile = shape_of(&step->nest);
    double ns = processor_ns(p, step, &tile), writing = 0;
    if (p->payload > TINY) {
        const double memory = memory_ns(p, step, &tile, &writing);
        ns += memory + writing - hidden_ns(step, ns, writing);
    }
    return ns * 1e-9 / (step->params.threads > 1 ? 1 + 0.5 * (step->params.threads - 1) : 1);
}

int64_t lm_lines_touched(const lm_problem *p) {
    return p->count == 0 ? 0 : (int64_t)(lm_traffic_least(p) + 0.5);
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
