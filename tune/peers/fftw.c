/* SPDX-License-Identifier: BSD-3-Clause */
/* FFTW: transforms of rank 0, which are copies, planned with FFTW_MEASURE (for a second at most). */
#include <fftw3.h>
#include <stdlib.h>

#include "peers.h"

/* Elements are made of reals: `reals` of them, 4 or 8 bytes each. */
typedef struct plans {
    fftwf_plan f;
    fftw_plan d;
} plans;

enum { DIMS = LMAD_MAX_RANK + 1 };

static const double limit_seconds = 1;

static int reals_in(int64_t size) {
    return size % 8 == 0 ? (int)(size / 8) : size % 4 == 0 ? (int)(size / 4) : 0;
}

/* The axes, and the reals of an element as one more. */
static int dims_of(const peer_problem *p, int reals, fftw_iodim64 *dim) {
    int rank = 0;
    for (; rank < p->rank; rank++)
        dim[rank] = (fftw_iodim64){p->dim[rank].n, p->dim[rank].ss * reals, p->dim[rank].ds * reals};
    if (reals > 1) dim[rank++] = (fftw_iodim64){reals, 1, 1};
    return rank;
}

static void *open_fftw(const peer_problem *p) {
    fftw_iodim64 dim[DIMS];
    const int reals = reals_in(p->size);
    plans *made = reals ? calloc(1, sizeof *made) : NULL;
    if (!made) return NULL;
    const int rank = dims_of(p, reals, dim);
    if (p->size % 8 == 0) {
        fftw_set_timelimit(limit_seconds);
        made->d =
            fftw_plan_guru64_r2r(0, NULL, rank, dim, (double *)p->s, (double *)p->d, NULL, FFTW_MEASURE);
    } else {
        fftwf_set_timelimit(limit_seconds);
        made->f = fftwf_plan_guru64_r2r(0, NULL, rank, (fftwf_iodim64 *)dim, (float *)p->s, (float *)p->d,
                                        NULL, FFTW_MEASURE);
    }
    if (made->d || made->f) return made;
    free(made);
    return NULL;
}

static double run_fftw(void *state, int64_t repeats) {
    const plans *made = state;
    for (; repeats > 0; repeats--) {
        if (made->d)
            fftw_execute(made->d);
        else
            fftwf_execute(made->f);
    }
    return 0;
}

static void close_fftw(void *state) {
    plans *made = state;
    if (made->d) fftw_destroy_plan(made->d);
    if (made->f) fftwf_destroy_plan(made->f);
    free(made);
}

const peer peer_fftw = {"FFTW", true, open_fftw, run_fftw, close_fftw};
