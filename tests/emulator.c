/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads the emulated HIP run time, which lies beside the test program. */
#include "emulator.h"

#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void find_library(char *path, size_t size) {
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    ck_assert_int_gt(length, 0);
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    ck_assert_ptr_nonnull(slash);
    snprintf(slash, size - (size_t)(slash - path), "/libhipemu.so");
}

static const hipemu *control;

const hipemu *emulator(void) {
    if (!control) {
        char path[4096];
        find_library(path, sizeof path);
        void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        ck_assert_msg(handle != NULL, "%s", dlerror());
        const hipemu *(*get)(void);
        void *symbol = dlsym(handle, "hipemu_control");
        ck_assert_ptr_nonnull(symbol);
        memcpy(&get, &symbol, sizeof get);
        setenv("LMAD_HIP_LIBRARY", path, 1);
        control = get();
    }
    control->reset();
    return control;
}

void emulator_is_clean(void) {
    hipemu_counts n;
    ck_assert(control->intact());
    control->counts(&n);
    ck_assert_msg(n.complaints == 0, "%s", control->report());
    ck_assert_int_eq(n.device_memory, 0);
    ck_assert_int_eq(n.host_memory, 0);
    ck_assert_int_eq(n.streams, 0);
    ck_assert_int_eq(n.events, 0);
    ck_assert_int_eq(n.programs, 0);
    ck_assert_int_eq(n.graphs, 0);
    ck_assert_int_eq(control->pending(), 0);
}
