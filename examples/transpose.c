/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan once, execute often: transpose a stream of matrices.
 *
 *     cc transpose.c $(pkg-config --cflags --libs lmad) && ./a.out
 */
#include <lmad.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 600, COLUMNS = 1000, FRAMES = 10 };

/* A plan for a ROWS x COLUMNS matrix of float to its transpose; NULL, and a message, on failure. */
static lmad_plan *plan_transpose(void) {
    const int64_t shape[] = {ROWS, COLUMNS}, transposed[] = {COLUMNS, ROWS};
    const int swap[] = {1, 0};
    lmad_desc src, dst;
    lmad_plan *plan = NULL;

    /* The source, seen with its axes exchanged, has the shape of the destination: that is the transpose. */
    if (lmad_row_major(&src, 2, shape) != LMAD_OK || lmad_permute(&src, swap) != LMAD_OK ||
        lmad_row_major(&dst, 2, transposed) != LMAD_OK ||
        lmad_plan_copy(&plan, NULL, &dst, &src, sizeof(float), LMAD_ESTIMATE) != LMAD_OK)
        fprintf(stderr, "transpose: %s\n", lmad_error_detail());
    return plan;
}

static int check(const float *out, const float *in) {
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            if (out[c * ROWS + r] != in[r * COLUMNS + c]) return 0;
    return 1;
}

int main(void) {
    int status = EXIT_FAILURE;
    float *in = malloc(sizeof(float) * ROWS * COLUMNS);
    float *out = malloc(sizeof(float) * ROWS * COLUMNS);
    lmad_plan *plan = plan_transpose();
    if (!in || !out || !plan) goto free_all;

    char text[256];
    lmad_plan_describe(plan, text, sizeof text);
    printf("plan: %s\n", text);

    /* The plan knows layouts, not arrays: it serves any pair of buffers. */
    for (int frame = 0; frame < FRAMES; frame++) {
        for (int i = 0; i < ROWS * COLUMNS; i++) in[i] = (float)(i + frame);
        if (lmad_execute(plan, out, in) != LMAD_OK) {
            fprintf(stderr, "transpose: %s\n", lmad_error_detail());
            goto free_all;
        }
        if (!check(out, in)) goto free_all;
    }
    printf("%d matrices transposed\n", FRAMES);
    status = EXIT_SUCCESS;

free_all:
    lmad_plan_destroy(plan);
    free(out);
    free(in);
    return status;
}
