/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading CUDA's driver and NVRTC. */
#define _GNU_SOURCE 1 /* secure_getenv */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

/* One entry point: what the library calls it, and where its address goes. */
typedef struct entry {
    const char *symbol;
    void *slot;
} entry;

/* A library of one of these names, or the one that the environment names. It stays loaded. */
static void *open_library(const char *variable, const char *const *names) {
    const char *own = secure_getenv(variable);
    if (own && *own) return dlopen(own, RTLD_NOW | RTLD_LOCAL);
    void *library = NULL;
    for (; !library && *names; names++) library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* All of them, or none counts. */
static bool load(const char *variable, const char *const *names, const entry *entries, int count) {
    void *library = open_library(variable, names);
    if (!library) return false;
    for (int i = 0; i < count; i++) {
        void *address = dlsym(library, entries[i].symbol);
        if (!address) return false;
        memcpy(entries[i].slot, &address, sizeof address); /* ISO C has no cast from object to function */
    }
    return true;
}

static lm_cuda cuda;
static bool has_cuda;

static void load_cuda(void) {
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
    static const entry entries[] = {
#define LM_CU(name, symbol, parameters) {symbol, &cuda.name},
#include "cuda_list.h"
#undef LM_CU
    };
    has_cuda = load("LMAD_CUDA_LIBRARY", names, entries, sizeof entries / sizeof *entries);
}

const lm_cuda *lm_cuda_get(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_cuda);
    return has_cuda ? &cuda : NULL;
}

static lm_nvrtc nvrtc;
static bool has_nvrtc;

static void load_nvrtc(void) {
    static const char *const names[] = {"libnvrtc.so.13",
                                        "libnvrtc.so.12",
                                        "libnvrtc.so.11.2",
                                        "libnvrtc.so",
                                        "/usr/local/cuda/lib64/libnvrtc.so",
                                        NULL};
    static const entry entries[] = {
#define LM_NVRTC(name, parameters) {#name, &nvrtc.name},
#include "nvrtc_list.h"
#undef LM_NVRTC
    };
    has_nvrtc = load("LMAD_NVRTC_LIBRARY", names, entries, sizeof entries / sizeof *entries);
}

const lm_nvrtc *lm_nvrtc_get(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_nvrtc);
    return has_nvrtc ? &nvrtc : NULL;
}
