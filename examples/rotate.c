/* SPDX-License-Identifier: BSD-3-Clause */
/* In place: turn every picture of a stack by a right angle, and exchange the axes of a cube in a cycle.
 *
 *     cc rotate.c $(pkg-config --cflags --libs lmad) && ./a.out
 */
#include <lmad.h>
#include <stdio.h>
#include <stdlib.h>

enum { PICTURES = 5, SIDE = 300, CUBE = 96 };

static int stack[PICTURES][SIDE][SIDE], cube[CUBE][CUBE][CUBE];

/* Plan the move of a view of an array onto the array itself, say what it takes, do it. */
static lmad_status move(void *array, const lmad_desc *to, const lmad_desc *from) {
    char text[200];
    lmad_plan *plan;
    lmad_status status = lmad_plan_move(&plan, NULL, to, from, sizeof(int), LMAD_ESTIMATE);
    if (status != LMAD_OK) return status;
    lmad_plan_describe(plan, text, sizeof text);
    printf("%s, %zu bytes of scratch\n", text, lmad_work_size(plan));
    status = lmad_execute(plan, array, array);
    lmad_plan_destroy(plan);
    return status;
}

/* new[r][c] = old[c][SIDE - 1 - r]: a quarter turn to the left. */
static lmad_status turn_pictures(void) {
    const int64_t shape[] = {PICTURES, SIDE, SIDE};
    const int swap[] = {0, 2, 1};
    lmad_desc to, from;
    lmad_status status = lmad_row_major(&to, 3, shape);
    from = to;
    if (status == LMAD_OK) status = lmad_permute(&from, swap);
    if (status == LMAD_OK) status = lmad_reverse(&from, 1);
    return status == LMAD_OK ? move(stack, &to, &from) : status;
}

/* new[i][j][k] = old[k][i][j] */
static lmad_status turn_cube(void) {
    const int64_t shape[] = {CUBE, CUBE, CUBE};
    const int cycle[] = {1, 2, 0};
    lmad_desc to, from;
    lmad_status status = lmad_row_major(&to, 3, shape);
    from = to;
    if (status == LMAD_OK) status = lmad_permute(&from, cycle);
    return status == LMAD_OK ? move(cube, &to, &from) : status;
}

static int check(void) {
    for (int p = 0; p < PICTURES; p++)
        for (int r = 0; r < SIDE; r++)
            for (int c = 0; c < SIDE; c++)
                if (stack[p][r][c] != (p * SIDE + c) * SIDE + SIDE - 1 - r) return 0;
    for (int i = 0; i < CUBE; i++)
        for (int j = 0; j < CUBE; j++)
            for (int k = 0; k < CUBE; k++)
                if (cube[i][j][k] != (k * CUBE + i) * CUBE + j) return 0;
    return 1;
}

int main(void) {
    for (int i = 0; i < PICTURES * SIDE * SIDE; i++) (&stack[0][0][0])[i] = i;
    for (int i = 0; i < CUBE * CUBE * CUBE; i++) (&cube[0][0][0])[i] = i;
    if (turn_pictures() != LMAD_OK || turn_cube() != LMAD_OK) {
        fprintf(stderr, "rotate: %s\n", lmad_error_detail());
        return EXIT_FAILURE;
    }
    return check() ? EXIT_SUCCESS : EXIT_FAILURE;
}
