/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenBLAS: omatcopy of the two axes that are dense on either side, in a loop over the others. Elements of 4,
 * 8 and 16 bytes are multiplied by one on the way. */
#include <cblas.h>
#include <stdlib.h>

#include "peers.h"

typedef struct matrices {
    const peer_problem *p;
    bool skip[LMAD_MAX_RANK]; /* the axes of the matrix */
    CBLAS_TRANSPOSE how;
    blasint rows, columns, lda, ldb; /* of the source, row by row */
} matrices;

static const double one[2] = {1, 0};

static void copy_matrix(void *arg, int64_t d, int64_t s) {
    const matrices *m = arg;
    char *dst = m->p->d + d;
    const char *src = m->p->s + s;
    switch (m->p->size) {
    case 4:
        cblas_somatcopy(CblasRowMajor, m->how, m->rows, m->columns, 1, (const float *)src, m->lda,
                        (float *)dst, m->ldb);
        break;
    case 8:
        cblas_domatcopy(CblasRowMajor, m->how, m->rows, m->columns, 1, (const double *)src, m->lda,
                        (double *)dst, m->ldb);
        break;
    default:
        cblas_zomatcopy(CblasRowMajor, m->how, m->rows, m->columns, one, (const double *)src, m->lda,
                        (double *)dst, m->ldb);
    }
}

static bool fits(int64_t v) { return v > 0 && v <= INT32_MAX; }

/* Rows of a strided copy: the outermost axis but for the dense one. */
static int other_axis(const peer_problem *p, int dense) {
    for (int k = p->rank - 1; k >= 0; k--)
        if (k != dense) return k;
    return -1;
}

static bool choose(matrices *m, const peer_problem *p) {
    const int a = peer_dense(p, true), b = peer_dense(p, false);
    if (a < 0 || b < 0) return false;
    const peer_dim *row = a == b ? NULL : &p->dim[a], *column = &p->dim[b];
    const int other = a == b ? other_axis(p, a) : a;
    m->p = p;
    m->how = a == b ? CblasNoTrans : CblasTrans;
    if (a == b && other >= 0) row = &p->dim[other];
    m->skip[b] = true;
    if (other >= 0) m->skip[other] = true;
    const int64_t rows = row ? row->n : 1, lda = row ? row->ss : column->n;
    const int64_t ldb = a != b ? column->ds : row ? row->ds : column->n;
    if (!fits(rows) || !fits(column->n) || !fits(lda) || !fits(ldb)) return false;
    if (lda < column->n || ldb < (a == b ? column->n : rows)) return false;
    m->rows = (blasint)rows, m->columns = (blasint)column->n, m->lda = (blasint)lda, m->ldb = (blasint)ldb;
    return true;
}

static void *open_openblas(const peer_problem *p) {
    if (p->size != 4 && p->size != 8 && p->size != 16) return NULL;
    matrices *m = calloc(1, sizeof *m);
    if (!m || choose(m, p)) return m;
    free(m);
    return NULL;
}

static double run_openblas(void *state, int64_t repeats) {
    matrices *m = state;
    for (; repeats > 0; repeats--) peer_each(m->p, m->skip, copy_matrix, m);
    return 0;
}

const peer peer_openblas = {"OpenBLAS", false, open_openblas, run_openblas, free};
