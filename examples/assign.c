/* SPDX-License-Identifier: BSD-3-Clause */
/* Slice assignment in a parallel loop, as an array language's run time does it: no plan objects, no allocation,
 * and one thread each, for the loop is already parallel. For each row of a table
 *
 *     a[r][4..10] = 1;  a[r][11..17] = a[r][4..10];  a[r][12..18] = a[r][11..17];
 *
 *     cc -fopenmp assign.c $(pkg-config --cflags --libs lmad) && ./a.out
 */
#include <lmad.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1000, COLUMNS = 20 };

static double a[ROWS][COLUMNS];

/* Elements first .. last of a row. */
static lmad_desc slice(int first, int last) { return (lmad_desc){1, first, {{last - first + 1, 1}}}; }

static int assign(double *row) {
    const lmad_desc to = slice(4, 10), copy = slice(11, 17), shifted = slice(12, 18);
    const double one = 1;
    if (lmad_fill(row, &to, &one, sizeof one) != LMAD_OK) return -1;
    if (lmad_copy(row, &copy, row, &to, sizeof(double)) != LMAD_OK) return -1;
    return lmad_move(row, &shifted, row, &copy, sizeof(double)) == LMAD_OK ? 0 : -1;
}

int main(void) {
    int failed = 0;
#pragma omp parallel for reduction(+ : failed)
    for (int r = 0; r < ROWS; r++) failed += assign(a[r]) != 0;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) failed += a[r][c] != (c >= 4 && c <= 18);
    printf("%d rows assigned, %d wrong\n", ROWS, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
