/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiles the library's device source with HIP's own run-time compiler, once for each line of options on
 * standard input. Needs no device. An architecture that the compiler does not know may abort the process.
 *
 *     hip-variants | hiprtc-compile libamdhip64.so.5 gfx90a
 *
 * Exit status 77 = no such library. */
#define _GNU_SOURCE 1 /* strtok_r */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/device_code.h"
#include "lib/hip_types.h"

#define LM_HIP(returns, name, parameters)
#define LM_HIP_OPTIONAL(returns, name, parameters) static returns(*name) parameters;
#include "lib/hip_list.h"

enum { SKIPPED = 77, OPTIONS = 32 };

static bool find(void *library, const char *name, void *slot) {
    void *address = dlsym(library, name);
    memcpy(slot, &address, sizeof address); /* ISO C has no cast from object to function */
    return address || strncmp(name, "hiprtc", 6) != 0;
}

static bool load(const char *path) {
    void *library = dlopen(path, RTLD_NOW);
    bool all = library;
#define LM_HIP(returns, name, parameters)
#define LM_HIP_OPTIONAL(returns, name, parameters) all = all && find(library, #name, &name);
#include "lib/hip_list.h"
    if (!all) printf("%s: %s\n", path, library ? "no hiprtc in it" : "cannot be loaded");
    return all;
}

/* The NVIDIA provider is there whether or not NVRTC is. HIP takes no program without text. */
static bool can_start(const char *path) {
    lm_hiprtc_program program;
    const bool can = hiprtcCreateProgram(&program, "enum { NOTHING };", "try.hip", 0, NULL, NULL) == 0;
    if (can)
        hiprtcDestroyProgram(&program);
    else
        printf("%s: no compiler behind it\n", path);
    return can;
}

static void show_log(lm_hiprtc_program program) {
    size_t size = 0;
    char *log = hiprtcGetProgramLogSize(program, &size) == 0 ? calloc(size + 1, 1) : NULL;
    if (log && hiprtcGetProgramLog(program, log) == 0 && *log) puts(log);
    free(log);
}

/* Cuts the line up. */
static bool compile(const char *arch, char *line) {
    const char *option[OPTIONS] = {arch, "-std=c++17"};
    int count = 2;
    size_t size = 0;
    lm_hiprtc_program program;
    for (char *at = strtok_r(line, " \n", &line); at && count < OPTIONS; at = strtok_r(NULL, " \n", &line))
        option[count++] = at;
    if (hiprtcCreateProgram(&program, lm_device_source(), "lmad.hip", 0, NULL, NULL) != 0) return false;
    const bool good = hiprtcCompileProgram(program, count, option) == 0 &&
                      hiprtcGetCodeSize(program, &size) == 0 && size > 0;
    show_log(program); /* warnings, too */
    hiprtcDestroyProgram(&program);
    return good;
}

int main(int argc, char **argv) {
    char arch[96], line[512];
    int done = 0, failed = 0;
    if (argc != 3) return EXIT_FAILURE;
    if (!load(argv[1]) || !can_start(argv[1])) return SKIPPED;
    snprintf(arch, sizeof arch, "--offload-arch=%s", argv[2]);
    for (; fgets(line, sizeof line, stdin); done++) failed += !compile(arch, line);
    printf("%s through hiprtc: %d variants, %d failed\n", argv[2], done, failed);
    return failed || !done ? EXIT_FAILURE : EXIT_SUCCESS;
}
