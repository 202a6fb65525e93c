/* SPDX-License-Identifier: BSD-3-Clause */
/* Open MPI: MPI_Pack of nested vector types. The destination must be dense. */
#include <mpi.h>
#include <stdlib.h>

#include "peers.h"

typedef struct packing {
    const peer_problem *p;
    MPI_Datatype type;
} packing;

static void start(void) {
    int running;
    MPI_Initialized(&running);
    if (running) return;
    MPI_Init(NULL, NULL);
    atexit((void (*)(void))MPI_Finalize);
}

/* From the inside out; a contiguous innermost axis is a contiguous type. */
static MPI_Datatype type_of(const peer_problem *p) {
    MPI_Datatype type = MPI_BYTE, outer;
    MPI_Type_contiguous((int)p->size, MPI_BYTE, &type);
    for (int k = p->rank - 1; k >= 0; k--) {
        if (k == p->rank - 1 && p->dim[k].ss == 1)
            MPI_Type_contiguous((int)p->dim[k].n, type, &outer);
        else
            MPI_Type_create_hvector((int)p->dim[k].n, 1, (MPI_Aint)(p->dim[k].ss * p->size), type, &outer);
        MPI_Type_free(&type);
        type = outer;
    }
    MPI_Type_commit(&type);
    return type;
}

static void *open_mpi(const peer_problem *p) {
    if (!peer_packs(p) || p->payload > INT32_MAX) return NULL;
    packing *m = malloc(sizeof *m);
    if (!m) return NULL;
    start();
    *m = (packing){p, type_of(p)};
    return m;
}

static double run_mpi(void *state, int64_t repeats) {
    const packing *m = state;
    for (; repeats > 0; repeats--) {
        int position = 0;
        MPI_Pack(m->p->s, 1, m->type, m->p->d, (int)m->p->payload, &position, MPI_COMM_SELF);
    }
    return 0;
}

static void close_mpi(void *state) {
    packing *m = state;
    MPI_Type_free(&m->type);
    free(m);
}

const peer peer_mpi = {"MPI_Pack", false, open_mpi, run_mpi, close_mpi};
