/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules: shared objects that hiprtc made. */
#ifndef HIPEMU_MODULE_H
#define HIPEMU_MODULE_H

#include "abi.h"
#include "state.h"

struct ihipModuleSymbol_t {
    struct ihipModuleSymbol_t *next;
    struct ihipModule_t *module;
    const hipemu_kernel_table *table;
    char name[128];
};

struct ihipModule_t {
    struct ihipModule_t *next;
    int device, file;
    void *handle;
    hipemu_module_table *table;
    struct ihipModuleSymbol_t *functions;
};

const char *emu_function_name(const struct ihipModuleSymbol_t *function);
struct ihipModuleSymbol_t *emu_function_of(lm_hip_function handle);
size_t emu_function_arg_bytes(const struct ihipModuleSymbol_t *function);
void emu_modules_drop(void);
void emu_programs_drop(void);

#endif
