/* SPDX-License-Identifier: BSD-3-Clause */
/* Cutting a problem into boxes. */
#include "device_crossing.h"

/* The axes of a problem as a crossing sees them: those along which the source moves, in the order of
 * crossing, the bytes of the run last; and the others. */
typedef struct axes {
    int moving, still;
    lm_pdim move[LM_CROSSING_AXES], stay[LMAD_MAX_RANK];
    int64_t doff, soff;
} axes;

/* Walk along the source. */
static void face_forwards(axes *a, lm_pdim *d) {
    if (d->ss >= 0) return;
    a->doff += (d->n - 1) * d->ds;
    a->soff += (d->n - 1) * d->ss;
    d->ds = -d->ds;
    d->ss = -d->ss;
}

/* Put an axis where it belongs by its steps in the source; equal ones stay in order. */
static void insert(axes *a, lm_pdim d) {
    int at = a->moving++;
    for (; at > 0 && a->move[at - 1].ss < d.ss; at--) a->move[at] = a->move[at - 1];
    a->move[at] = d;
}

static void sort_axes(axes *a, const lm_problem *p, lm_crossing_order order) {
    a->moving = a->still = 0;
    a->doff = p->doff;
    a->soff = p->soff;
    for (int k = 0; k < p->rank; k++) {
        lm_pdim d = p->dim[k];
        if (d.ss == 0) {
            a->stay[a->still++] = d;
        } else if (order == LM_CROSSING_DST) {
            a->move[a->moving++] = d; /* canonical problems are in this order */
        } else {
            face_forwards(a, &d);
            insert(a, d);
        }
    }
    a->move[a->moving++] = (lm_pdim){p->run, 1, 1};
}

/* ---- halves --------------------------------------------------------------------------------------- */

static void widen(int64_t step, int64_t n, int64_t *lo, int64_t *hi) {
    if (step < 0)
        *lo += (n - 1) * step;
    else
        *hi += (n - 1) * step;
}

/* A canonical problem over these axes around a run. */
static lm_problem half(const lm_problem *whole, int64_t run, const lm_pdim *dims, int rank) {
    lm_problem p = {.op = LM_OP_COPY,
                    .threads = whole->threads,
                    .grain = whole->grain,
                    .run = run,
                    .payload = run,
                    .dhi = run,
                    .shi = run};
    for (int k = 0; k < rank; k++) {
        if (dims[k].n == 1) continue;
        widen(dims[k].ds, dims[k].n, &p.dlo, &p.dhi);
        widen(dims[k].ss, dims[k].n, &p.slo, &p.shi);
        p.payload *= dims[k].n;
        p.dim[p.rank++] = dims[k];
    }
    lm_normalise(&p);
    p.count = p.payload / p.run;
    return p;
}

/* Both halves in the space of the side that they work on. */
static void set_spaces(lm_piece *piece, const lm_problem *p) {
    piece->in.dst_space = piece->in.src_space = p->src_space;
    piece->out.dst_space = piece->out.src_space = p->dst_space;
}

/* A box: the axes from `first` on, `n` of that one. step[k] is where axis k goes in the piece. */
typedef struct box {
    const lm_problem *whole;
    const axes *a;
    int first;
    int64_t n;
    const int64_t *step;
} box;

static int64_t run_of(const box *b) { return b->first == b->a->moving - 1 ? b->n : b->whole->run; }

static lm_problem out_of(const box *b) {
    lm_pdim dims[LM_CROSSING_AXES];
    int rank = 0;
    for (int k = b->first; k < b->a->moving - 1; k++)
        dims[rank++] = (lm_pdim){k == b->first ? b->n : b->a->move[k].n, b->a->move[k].ds, b->step[k]};
    for (int k = 0; k < b->a->still; k++) dims[rank++] = b->a->stay[k];
    return half(b->whole, run_of(b), dims, rank);
}

static lm_problem in_of(const box *b) {
    lm_pdim dims[LM_CROSSING_AXES];
    int rank = 0;
    for (int k = b->first; k < b->a->moving - 1; k++)
        dims[rank++] = (lm_pdim){k == b->first ? b->n : b->a->move[k].n, b->step[k], b->a->move[k].ss};
    return half(b->whole, run_of(b), dims, rank);
}

/* ---- cutting -------------------------------------------------------------------------------------- */

static int64_t ceil_div(int64_t a, int64_t b) { return (a - 1) / b + 1; }

/* Blocks of about equal size; of bytes, multiples of what every access likes, where there are so many. */
static int64_t even_block(int64_t n, int64_t block, bool bytes) {
    enum { LIKED = 256 };
    if (block >= n) return n;
    if (bytes && block >= LIKED) return block / LIKED * LIKED;
    return bytes ? block : ceil_div(n, ceil_div(n, block));
}

/* Cut axis `first` into blocks, and those outside it one by one. */
static void set_cut(lm_crossing *c, const axes *a, int first, int64_t block) {
    c->axes = first + 1;
    for (int k = 0; k <= first; k++) c->axis[k] = a->move[k];
    c->block = even_block(a->move[first].n, block, first == a->moving - 1);
    c->doff = a->doff;
    c->soff = a->soff;
    c->chunks = ceil_div(a->move[first].n, c->block);
    for (int k = 0; k < first; k++) c->chunks *= a->move[k].n;
}

static void add_up(lm_crossing *c) {
    const int64_t blocks = ceil_div(c->axis[c->axes - 1].n, c->block), rounds = c->chunks / blocks;
    const bool rest = c->piece[1].bytes > 0;
    c->crossing = rounds * ((blocks - rest) * c->piece[0].bytes + c->piece[1].bytes);
}

/* Blocks of the outermost axis of which one index fits into a chunk. step[k] is where axis k goes in a piece,
 * span[k] how many bytes there one index of it takes. */
static void cut(lm_crossing *c, const lm_problem *p, const axes *a, const int64_t *step, const int64_t *span,
                int64_t chunk, bool packed) {
    int first = 0;
    while (span[first] > chunk) first++;
    set_cut(c, a, first, (chunk - span[first]) / step[first] + 1);
    const int64_t n[2] = {c->block, a->move[first].n % c->block};
    for (int i = 0; i < 2; i++) {
        const box b = {p, a, first, n[i], step};
        lm_piece *piece = &c->piece[i];
        piece->bytes = n[i] ? span[first] + (n[i] - 1) * step[first] : 0;
        if (piece->bytes == 0) continue;
        piece->in = packed ? in_of(&b) : half(p, piece->bytes, NULL, 0);
        piece->out = out_of(&b);
        set_spaces(piece, p);
    }
    add_up(c);
}

/* In a packed piece nothing lies between the indices of an axis. */
void lm_crossing_flat(lm_crossing *c, const lm_problem *p, lm_crossing_order order, int64_t chunk) {
    axes a;
    int64_t step[LM_CROSSING_AXES];
    sort_axes(&a, p, order);
    step[a.moving - 1] = 1;
    for (int k = a.moving - 2; k >= 0; k--) step[k] = step[k + 1] * a.move[k + 1].n;
    cut(c, p, &a, step, step, chunk, true);
}

void lm_crossing_raw(lm_crossing *c, const lm_problem *p, int64_t chunk) {
    axes a;
    int64_t step[LM_CROSSING_AXES], span[LM_CROSSING_AXES];
    sort_axes(&a, p, LM_CROSSING_SRC);
    span[a.moving - 1] = 1;
    for (int k = a.moving - 2; k >= 0; k--) span[k] = span[k + 1] + (a.move[k + 1].n - 1) * a.move[k + 1].ss;
    for (int k = 0; k < a.moving; k++) step[k] = a.move[k].ss;
    cut(c, p, &a, step, span, chunk, false);
}

bool lm_crossing_raw_allowed(const lm_problem *p, int64_t page) {
    axes a;
    int64_t span = 1;
    sort_axes(&a, p, LM_CROSSING_SRC);
    for (int k = a.moving - 1; k >= 0; k--) {
        if (a.move[k].ss - span >= page) return false;
        span += (a.move[k].n - 1) * a.move[k].ss;
    }
    return true;
}

const lm_piece *lm_crossing_box(const lm_crossing *c, int64_t number, int64_t *dst, int64_t *src) {
    const lm_pdim *cut = &c->axis[c->axes - 1];
    const int64_t blocks = ceil_div(cut->n, c->block), i = number % blocks * c->block;
    *dst = c->doff + i * cut->ds;
    *src = c->soff + i * cut->ss;
    number /= blocks;
    for (int k = c->axes - 2; k >= 0; k--) {
        *dst += number % c->axis[k].n * c->axis[k].ds;
        *src += number % c->axis[k].n * c->axis[k].ss;
        number /= c->axis[k].n;
    }
    return &c->piece[cut->n - i < c->block];
}
