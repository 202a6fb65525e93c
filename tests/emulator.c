/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads the emulated HIP run time, which lies beside the test program. */
#include "emulator.h"

#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *library;
static const hipemu *control;

const char *emulator_path(void) {
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    ck_assert_int_gt(length, 0);
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    ck_assert_ptr_nonnull(slash);
    snprintf(slash, sizeof path - (size_t)(slash - path), "/libhipemu.so");
    return path;
}

/* ISO C has no conversion from the void * of dlsym() to a function. */
static void find(const char *name, void *function) {
    void *symbol = dlsym(library, name);
    ck_assert_msg(symbol != NULL, "no %s", name);
    memcpy(function, &symbol, sizeof symbol);
}

const hipemu *emulator(void) {
    if (!control) {
        library = dlopen(emulator_path(), RTLD_NOW | RTLD_LOCAL);
        ck_assert_msg(library != NULL, "%s", dlerror());
        const hipemu *(*get)(void);
        find("hipemu_control", &get);
        setenv("LMAD_HIP_LIBRARY", emulator_path(), 1);
        control = get();
    }
    control->reset();
    return control;
}

const emulator_calls *emulator_more(void) {
    static emulator_calls calls;
#define LM_HIP(returns, name, parameters) find(#name, &calls.name);
#include "hipemu/test_list.h"
    return &calls;
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
