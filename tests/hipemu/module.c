/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading code: a shared object in memory becomes a file without a name, and that is loaded. */
#define _GNU_SOURCE 1
#include "module.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stream.h"

static struct ihipModule_t *modules;

static struct ihipModule_t *module_of(lm_hip_module handle) {
    struct ihipModule_t *m = modules;
    while (m && m != handle) m = m->next;
    return m;
}

struct ihipModuleSymbol_t *emu_function_of(lm_hip_function handle) {
    for (struct ihipModule_t *m = modules; m; m = m->next)
        for (struct ihipModuleSymbol_t *f = m->functions; f; f = f->next)
            if (f == handle) return f;
    return NULL;
}

const char *emu_function_name(const struct ihipModuleSymbol_t *function) { return function->name; }

size_t emu_function_arg_bytes(const struct ihipModuleSymbol_t *function) {
    const hipemu_kernel_table *t = function->table;
    return t->count ? t->offset[t->count - 1] + t->size[t->count - 1] : 0;
}

static void unload(struct ihipModule_t *m) {
    while (m->functions) {
        struct ihipModuleSymbol_t *f = m->functions;
        m->functions = f->next;
        free(f);
    }
    if (m->handle) dlclose(m->handle);
    if (m->file >= 0) close(m->file);
    free(m);
}

void emu_modules_drop(void) {
    while (modules) {
        struct ihipModule_t *m = modules;
        modules = m->next;
        unload(m);
    }
}

/* hipModuleLoadData() gets no size: the table of sections ends the file. */
static size_t image_bytes(const void *image) {
    Elf64_Ehdr header;
    memcpy(&header, image, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return 0;
    return header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
}

static bool write_all(int file, const char *p, size_t bytes) {
    while (bytes > 0) {
        ssize_t written = write(file, p, bytes);
        if (written <= 0) return false;
        p += written;
        bytes -= (size_t)written;
    }
    return true;
}

/* The file stays open: reports of the sanitizers read it again, by this name. */
static lm_hip_error load(struct ihipModule_t *m, const void *image) {
    size_t bytes = image_bytes(image);
    if (bytes == 0) return LM_HIP_ERROR_INVALID_IMAGE;
    m->file = memfd_create("hipemu-module", MFD_CLOEXEC);
    if (m->file < 0 || !write_all(m->file, image, bytes)) return LM_HIP_ERROR_OUT_OF_MEMORY;
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), m->file);
    m->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!m->handle) {
        emu_complain("a module that does not load: %s", dlerror());
        return LM_HIP_ERROR_INVALID_IMAGE;
    }
    m->table = dlsym(m->handle, "hipemu_module");
    const bool fits = m->table && m->table->made_for == sizeof(hipemu_runtime);
    return fits ? LM_HIP_SUCCESS : LM_HIP_ERROR_INVALID_IMAGE;
}

lm_hip_error hipModuleLoadData(lm_hip_module *module, const void *image) {
    lm_hip_error error = emu_enter(CALL_hipModuleLoadData, emu_current);
    if (!error) error = emu_capture_forbids();
    if (!error && !image) error = LM_HIP_ERROR_INVALID_VALUE;
    if (error) return emu_leave(error);
    struct ihipModule_t *m = calloc(1, sizeof *m);
    if (!m) return emu_leave(LM_HIP_ERROR_OUT_OF_MEMORY);
    *m = (struct ihipModule_t){.next = modules, .device = emu_current, .file = -1};
    error = load(m, image);
    if (error) {
        unload(m);
        return emu_leave(error);
    }
    modules = m;
    emu.counts.modules++;
    *module = m;
    return emu_leave(LM_HIP_SUCCESS);
}

lm_hip_error hipModuleUnload(lm_hip_module module) {
    lm_hip_error error = emu_enter(CALL_hipModuleUnload, -1);
    struct ihipModule_t *m = module_of(module), **link = &modules;
    if (!m) return emu_leave(LM_HIP_ERROR_INVALID_HANDLE);
    emu_streams_drain(m->device);
    while (*link != m) link = &(*link)->next;
    *link = m->next;
    unload(m);
    emu.counts.modules--;
    return emu_leave(error);
}

static const hipemu_kernel_table *find_table(struct ihipModule_t *m, const char *name) {
    char symbol[160];
    snprintf(symbol, sizeof symbol, "hipemu_kernel_%s", name);
    return dlsym(m->handle, symbol);
}

lm_hip_error hipModuleGetFunction(lm_hip_function *function, lm_hip_module module, const char *name) {
    lm_hip_error error = emu_enter(CALL_hipModuleGetFunction, -1);
    struct ihipModule_t *m = module_of(module);
    if (!error && !m) error = LM_HIP_ERROR_INVALID_HANDLE;
    if (!error && (!name || strlen(name) >= sizeof m->functions->name)) error = LM_HIP_ERROR_INVALID_VALUE;
    if (error) return emu_leave(error);
    const hipemu_kernel_table *table = find_table(m, name);
    if (!table) return emu_leave(LM_HIP_ERROR_NOT_FOUND);
    struct ihipModuleSymbol_t *f = calloc(1, sizeof *f);
    if (!f) return emu_leave(LM_HIP_ERROR_OUT_OF_MEMORY);
    *f = (struct ihipModuleSymbol_t){.next = m->functions, .module = m, .table = table};
    snprintf(f->name, sizeof f->name, "%s", name);
    m->functions = f;
    *function = f;
    return emu_leave(LM_HIP_SUCCESS);
}
