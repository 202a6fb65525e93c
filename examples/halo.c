/* SPDX-License-Identifier: BSD-3-Clause */
/* A stencil on a block with a halo: all 26 faces, edges and corners are packed by one call, as a program would
 * before it sends them to its neighbours, and unpacked by another one. Here the neighbours are the block itself
 * (a periodic box), so that what must arrive is known.
 *
 *     cc halo.c $(pkg-config --cflags --libs lmad) && ./a.out
 */
#include <lmad.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20, HALO = 2, EDGE = N + 2 * HALO, NEIGHBOURS = 26, ROOM = N * N * HALO };

static double grid[EDGE][EDGE][EDGE], message[NEIGHBOURS][ROOM];

/* The part of the block towards a neighbour: what it needs of the inside, or the halo where its answer goes. */
static lmad_status part(lmad_desc *d, const int towards[3], int inside) {
    const int64_t shape[] = {EDGE, EDGE, EDGE};
    lmad_status status = lmad_row_major(d, 3, shape);
    for (int axis = 0; axis < 3 && status == LMAD_OK; axis++) {
        int64_t first = HALO, count = towards[axis] ? HALO : N;
        if (towards[axis] < 0) first = inside ? HALO : 0;
        if (towards[axis] > 0) first = inside ? N : N + HALO;
        status = lmad_slice(d, axis, first, first + count, 1);
    }
    return status;
}

static lmad_status describe(lmad_desc *sent, lmad_desc *received, lmad_desc *packed) {
    int k = 0;
    for (int i = 0; i < 27; i++) {
        const int towards[] = {i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1},
                  back[] = {-towards[0], -towards[1], -towards[2]};
        if (i == 13) continue; /* the block itself */
        lmad_status status = part(&sent[k], towards, 1);
        if (status == LMAD_OK) status = part(&received[k], back, 0);
        const int64_t shape[] = {sent[k].dim[0].n, sent[k].dim[1].n, sent[k].dim[2].n};
        if (status == LMAD_OK) status = lmad_row_major(&packed[k], 3, shape);
        if (status != LMAD_OK) return status;
        k++;
    }
    return LMAD_OK;
}

static int check(void) {
    for (int i = 0; i < EDGE; i++)
        for (int j = 0; j < EDGE; j++)
            for (int k = 0; k < EDGE; k++) {
                const int x = (i + N - HALO) % N, y = (j + N - HALO) % N, z = (k + N - HALO) % N;
                if (grid[i][j][k] != x * 10000 + y * 100 + z) return 0;
            }
    return 1;
}

int main(void) {
    static lmad_desc sent[NEIGHBOURS], received[NEIGHBOURS], packed[NEIGHBOURS];
    lmad_many_item pack[NEIGHBOURS], unpack[NEIGHBOURS];
    void *messages[NEIGHBOURS], *grids[NEIGHBOURS];
    lmad_plan *packing = NULL, *unpacking = NULL;
    int status = EXIT_FAILURE;

    for (int i = 0; i < N * N * N; i++)
        grid[HALO + i / N / N][HALO + i / N % N][HALO + i % N] = i / N / N * 10000 + i / N % N * 100 + i % N;
    if (describe(sent, received, packed) != LMAD_OK) goto complain;
    for (int k = 0; k < NEIGHBOURS; k++) {
        pack[k] = (lmad_many_item){&packed[k], &sent[k], sizeof(double)};
        unpack[k] = (lmad_many_item){&received[k], &packed[k], sizeof(double)};
        messages[k] = message[k];
        grids[k] = grid;
    }
    if (lmad_plan_many(&packing, NULL, NEIGHBOURS, pack, LMAD_ESTIMATE) != LMAD_OK ||
        lmad_plan_many(&unpacking, NULL, NEIGHBOURS, unpack, LMAD_ESTIMATE) != LMAD_OK)
        goto complain;
    for (int step = 0; step < 3; step++)
        if (lmad_execute_many(packing, messages, (const void *const *)grids) != LMAD_OK ||
            lmad_execute_many(unpacking, grids, (const void *const *)messages) != LMAD_OK)
            goto complain;
    if (check()) status = EXIT_SUCCESS;
    printf("26 parts of a halo exchanged: %s\n", status == EXIT_SUCCESS ? "right" : "WRONG");
    goto destroy;

complain:
    fprintf(stderr, "halo: %s\n", lmad_error_detail());
destroy:
    lmad_plan_destroy(packing);
    lmad_plan_destroy(unpacking);
    return status;
}
