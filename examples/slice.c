/* SPDX-License-Identifier: BSD-3-Clause */
/* One copy, no plan object: take every second row of the interior of a grid, last row first, and pack it.
 * With a NumPy-like eye:  packed = grid[9:0:-2, 1:-1]
 *
 *     cc slice.c $(pkg-config --cflags --libs lmad) && ./a.out
 */
#include <lmad.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 11, COLUMNS = 8 };

/* Views are values: each call rewrites the descriptor and moves no data. */
static lmad_status describe(lmad_desc *packed, lmad_desc *view) {
    const int64_t shape[] = {ROWS, COLUMNS};
    lmad_status status = lmad_row_major(view, 2, shape);
    if (status == LMAD_OK) status = lmad_slice(view, 0, 9, 0, -2); /* rows 9, 7, 5, 3, 1 */
    if (status == LMAD_OK) status = lmad_slice(view, 1, 1, COLUMNS - 1, 1);
    if (status != LMAD_OK) return status;

    const int64_t packed_shape[] = {view->dim[0].n, view->dim[1].n};
    return lmad_row_major(packed, 2, packed_shape);
}

int main(void) {
    int grid[ROWS][COLUMNS], packed[5][COLUMNS - 2];
    lmad_desc dst, src;

    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) grid[r][c] = 100 * r + c;

    if (describe(&dst, &src) != LMAD_OK || lmad_copy(packed, &dst, grid, &src, sizeof(int)) != LMAD_OK) {
        fprintf(stderr, "slice: %s\n", lmad_error_detail());
        return EXIT_FAILURE;
    }

    char text[128];
    lmad_format(text, sizeof text, &src);
    printf("%s\n", text);
    for (int r = 0; r < 5; r++)
        for (int c = 0; c < COLUMNS - 2; c++) {
            printf("%4d%s", packed[r][c], c == COLUMNS - 3 ? "\n" : " ");
            if (packed[r][c] != grid[9 - 2 * r][1 + c]) return EXIT_FAILURE;
        }
    return EXIT_SUCCESS;
}
