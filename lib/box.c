/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes: which kernel suits the strides, and the loops around it. */
#include "box.h"

#include "cpu.h"

int lm_box_next_axis(int rank, const lm_pdim *dim, int but) {
    int best = LM_BOX_NONE;
    for (int k = 0; k < rank; k++) {
        if (k == but || dim[k].n == 1) continue;
        if (best == LM_BOX_NONE || lm_magnitude(dim[k].ds) <= lm_magnitude(dim[best].ds)) best = k;
    }
    return best;
}

/* Axes that are dense on a side; LM_BOX_NONE when there are none. */
typedef struct dense {
    int both, dst, src;
} dense;

static dense find_dense(const lm_box *b) {
    dense d = {LM_BOX_NONE, LM_BOX_NONE, LM_BOX_NONE};
    for (int k = 0; k < b->rank; k++) {
        const lm_pdim *a = &b->dim[k];
        if (a->n == 1) continue;
        const bool dst = a->ds == b->run, src = lm_magnitude(a->ss) == b->run;
        if (dst && a->ss == b->run) d.both = k;
        if (dst) d.dst = k;
        if (src) d.src = k;
    }
    return d;
}

/* Runs of this many bytes are copied as rows. */
enum { ROW = 32 };

static lm_pattern choose_axes(lm_box *b) {
    const dense d = find_dense(b);
    b->inner = d.both != LM_BOX_NONE ? d.both : b->run >= ROW ? LM_BOX_RUN : d.dst;
    b->outer = lm_box_next_axis(b->rank, b->dim, b->inner);
    if (d.both != LM_BOX_NONE || b->run >= ROW) return LM_ROWS;
    if (d.dst != LM_BOX_NONE && d.src != LM_BOX_NONE && d.dst != d.src) {
        b->outer = d.src;
        return LM_TRANSPOSE;
    }
    if (d.dst != LM_BOX_NONE) return b->dim[d.dst].ss == -b->run ? LM_REVERSE : LM_GATHER;
    const bool dense = d.src != LM_BOX_NONE && b->dim[d.src].ss == b->run;
    b->inner = dense ? d.src : lm_box_next_axis(b->rank, b->dim, LM_BOX_NONE);
    b->outer = lm_box_next_axis(b->rank, b->dim, b->inner);
    return b->inner == d.src && d.src != LM_BOX_NONE ? LM_SCATTER : LM_STRIDED;
}

void lm_box_make(lm_box *box, bool stream) {
    const lm_pattern pattern = choose_axes(box);
    box->kernel = lm_kernel_find(pattern, pattern == LM_ROWS ? 1 : box->run, stream, lm_cpu_isa());
}

static void walk(const lm_box *b, int k, char *dst, const char *src, const int64_t *n, const lm_tile *tile) {
    while (k < b->rank && (k == b->inner || k == b->outer || n[k] == 1)) k++;
    if (k == b->rank) {
        b->kernel->fn(dst, src, tile);
        return;
    }
    for (int64_t i = 0; i < n[k]; i++)
        walk(b, k + 1, dst + i * b->dim[k].ds, src + i * b->dim[k].ss, n, tile);
}

void lm_box_run(const lm_box *box, char *dst, const char *src, const int64_t *n, int64_t ahead) {
    lm_tile tile = {.run = box->run, .n0 = 1, .n1 = 1, .ahead = ahead};
    if (box->kernel->pattern == LM_ROWS) {
        tile.n0 = box->inner >= 0 ? n[box->inner] * box->run : box->run;
        tile.run = tile.ds0 = tile.ss0 = 1;
    } else if (box->inner >= 0) {
        tile.n0 = n[box->inner];
        tile.ds0 = box->dim[box->inner].ds;
        tile.ss0 = box->dim[box->inner].ss;
    }
    if (box->outer >= 0) {
        tile.n1 = n[box->outer];
        tile.ds1 = box->dim[box->outer].ds;
        tile.ss1 = box->dim[box->outer].ss;
    }
    walk(box, 0, dst, src, n, &tile);
}

void lm_box_turn(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows, int64_t columns,
                 int64_t run) {
    const int64_t n[] = {columns, rows};
    lm_box box = {.rank = 2, .run = run, .dim = {{columns, to_row, run}, {rows, run, from_row}}};
    if (rows == 0 || columns == 0) return;
    lm_box_make(&box, false);
    lm_box_run(&box, to, from, n, 0);
}
