/* SPDX-License-Identifier: BSD-3-Clause */
/* A program may close the shared library after threads have worked for it: they wait for more work in code
 * that came with it. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#endif

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "lmad.h"

enum { ROWS = 2000, SKIPPED = 77 };

static const char path[] = "./.libs/liblmad.so";

/* What a program takes from the library. */
typedef struct api {
    lmad_status (*set_threads)(lmad_ctx *ctx, int n);
    lmad_status (*copy)(void *dst, const lmad_desc *ddst, const void *src, const lmad_desc *dsrc,
                        size_t elem_size);
} api;

/* A copy on several threads, wherever there is more than one. */
static int use(void *library) {
    static const lmad_desc rows = {2, 0, {{ROWS, ROWS}, {ROWS, 1}}},
                           columns = {2, 0, {{ROWS, 1}, {ROWS, ROWS}}};
    static float in[ROWS][ROWS], out[ROWS][ROWS];
    api lmad;
    *(void **)&lmad.set_threads = dlsym(library, "lmad_ctx_set_threads");
    *(void **)&lmad.copy = dlsym(library, "lmad_copy");
    if (!lmad.set_threads || !lmad.copy) return -1;
    in[1][2] = 3;
    if (lmad.set_threads(NULL, 4) || lmad.copy(out, &rows, in, &columns, sizeof(float))) return -1;
    return out[2][1] == 3 ? 0 : -1;
}

int main(void) {
    if (access(path, F_OK) != 0) {
        puts("no shared library in this build");
        return SKIPPED;
    }
    for (int round = 0; round < 3; round++) {
        void *library = dlopen(path, RTLD_NOW);
        if (!library || use(library) != 0 || dlclose(library) != 0) {
            const char *reason = dlerror();
            printf("round %d failed: %s\n", round, reason ? reason : "a wrong copy");
            return EXIT_FAILURE;
        }
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); /* time for a thread to fall over */
    }
    return EXIT_SUCCESS;
}
