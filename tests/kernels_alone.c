/* SPDX-License-Identifier: BSD-3-Clause */
/* The test of the kernels as a program that needs no library: for machines that have none, as emulated ones
 * do (tests/cross.sh). An argument N: every Nth tile only. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/cpu.h"
#include "tiles.h"

enum { SEED = 20240229 };

static int try_kernel(lm_tile_rig *rig, const lm_kernel *k, int every) {
    lm_tile_text text;
    const char *why = lm_tiles_random(rig, k, SEED, every, &text);
    if (!why) why = lm_tiles_at_edges(rig, k, SEED, every, &text);
    if (why) printf("%s: %s\n", why, text.is);
    return why != NULL;
}

int main(int argc, char **argv) {
    const int every = argc > 1 ? atoi(argv[1]) : 1;
    int count, tried = 0, failed = 0;
    const lm_kernel *list = lm_kernel_list(&count);
    lm_tile_rig *rig = lm_tile_rig_open();
    for (int k = 0; k < count; k++) {
        if (!lm_isa_supported(list[k].isa)) continue;
        printf("%s\n", list[k].name); /* a fault is its */
        fflush(stdout);
        tried++;
        failed += try_kernel(rig, &list[k], every > 1 ? every : 1);
    }
    lm_tile_rig_close(rig);
    printf("widest: %s. %d passed, %d failed\n", lm_isa_name(lm_cpu_isa()), tried - failed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
