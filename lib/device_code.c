/* SPDX-License-Identifier: BSD-3-Clause */
/* Device code: compiled, kept, loaded. */
#define _GNU_SOURCE 1 /* strtok_r */
#include "device_code.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_cache.h"
#include "device_source.h"
#include "record.h"
#include "status.h"

/* ---- the source ------------------------------------------------------------------------------------- */

static char *source;
static char source_sum[17];

static void join_source(void) {
    size_t size = 1;
    for (const char *const *line = lm_device_source_lines; *line; line++) size += strlen(*line) + 1;
    char *text = malloc(size), *at = text;
    if (!text) return;
    for (const char *const *line = lm_device_source_lines; *line; line++) {
        const size_t length = strlen(*line);
        memcpy(at, *line, length);
        at[length] = '\n';
        at += length + 1;
    }
    *at = '\0';
    lm_record_checksum(source_sum, text, size - 1);
    source = text;
}

const char *lm_device_source(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, join_source);
    return source;
}

/* ---- compiling -------------------------------------------------------------------------------------- */

enum { OPTIONS = 32, OPTIONS_TEXT = 512 };

/* Cut a text at its blanks. */
static int split(char *text, const char **part, int most) {
    int count = 0;
    for (char *at = strtok_r(text, " ", &text); at && count < most; at = strtok_r(NULL, " ", &text))
        part[count++] = at;
    return count;
}

/* What the compiler says, as far as a sentence goes: its first line with an error. */
static lmad_status refuse(const lm_hip *hip, lm_hiprtc_program program, const char *arch) {
    char first[120] = "no reason given";
    size_t size = 0;
    char *log = NULL;
    if (hip->hiprtcGetProgramLogSize(program, &size) == 0 && size > 1) log = calloc(size + 1, 1);
    if (log && hip->hiprtcGetProgramLog(program, log) == 0) {
        const char *error = strstr(log, "error");
        snprintf(first, sizeof first, "%.*s", (int)strcspn(error ? error : log, "\n"), error ? error : log);
    }
    free(log);
    return lm_fail(LMAD_ERR_NO_CODE, "compiling a kernel for %s: %s", arch, first);
}

static lmad_status take_code(const lm_hip *hip, lm_hiprtc_program program, lm_cached *out) {
    size_t size = 0;
    if (hip->hiprtcGetCodeSize(program, &size) != 0 || size == 0)
        return lm_fail(LMAD_ERR_NO_CODE, "compiling a kernel: the compiler gives no code");
    char *bytes = malloc(size);
    if (!bytes) return lm_fail(LMAD_ERR_NO_MEMORY, "no memory for %zu bytes of device code", size);
    if (hip->hiprtcGetCode(program, bytes) != 0) {
        free(bytes);
        return lm_fail(LMAD_ERR_NO_CODE, "compiling a kernel: the compiler gives no code");
    }
    *out = (lm_cached){bytes, size};
    return LMAD_OK;
}

static lmad_status compile(const lm_hip *hip, const lm_device *device, const char *options, lm_cached *out) {
    char arch[96], text[OPTIONS_TEXT];
    const char *option[OPTIONS];
    lm_hiprtc_program program = NULL;
    if (!hip->can_compile)
        return lm_fail(LMAD_ERR_NO_CODE, "no compiler (hiprtc) for device code, and none of it on disk");
    if (!lm_hip_compiles_for(device->arch))
        return lm_fail(LMAD_ERR_NO_CODE, "this version of HIP's compiler does not know %s", device->arch);
    snprintf(arch, sizeof arch, "--offload-arch=%s", device->arch);
    snprintf(text, sizeof text, "%s", options);
    option[0] = arch;
    option[1] = "-std=c++17";
    const int count = 2 + split(text, option + 2, OPTIONS - 2);
    if (hip->hiprtcCreateProgram(&program, lm_device_source(), "lmad.hip", 0, NULL, NULL) != 0)
        return lm_fail(LMAD_ERR_NO_CODE, "the compiler for device code cannot be started");
    const lmad_status status = hip->hiprtcCompileProgram(program, count, option) == 0
                                   ? take_code(hip, program, out)
                                   : refuse(hip, program, device->arch);
    hip->hiprtcDestroyProgram(&program);
    return status;
}

/* ---- what there is ---------------------------------------------------------------------------------- */

/* A variant for an architecture, and what became of it on devices. */
typedef struct code {
    struct code *next;
    lm_variant variant;
    char arch[sizeof((lm_device *)0)->arch];
    lm_cached bytes;
    char refused[200]; /* what the compiler had against it; it is not asked twice */
    lm_hip_function loaded[LM_MAX_DEVICES];
} code;

static code *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static code *find(const lm_device *device, const lm_variant *variant) {
    code *c = all;
    while (c && !(lm_variant_equal(&c->variant, variant) && strcmp(c->arch, device->arch) == 0)) c = c->next;
    return c;
}

/* All that code depends on, in a line. An emulated device tells by its name for which builds its code is; it
 * is not code for a real one in any case. */
static void key_of(char *key, size_t size, const lm_hip *hip, const lm_device *device, const char *options) {
    snprintf(key, size, "%s%s%s hip=%d source=%s %s", device->emulated ? device->name : "",
             device->emulated ? ": " : "", device->arch, hip->version, source_sum, options);
}

static lmad_status load(const lm_hip *hip, const lm_device *device, code *c) {
    lm_hip_module module;
    lm_hip_function function;
    lm_hip_error error = hip->hipModuleLoadData(&module, c->bytes.bytes);
    if (error) return lm_device_fail(error, "loading a kernel");
    error = hip->hipModuleGetFunction(&function, module, LM_HIP_ENTRY);
    if (error) {
        hip->hipModuleUnload(module);
        return lm_device_fail(error, "looking up a kernel");
    }
    c->loaded[device->number] = function; /* the module stays */
    return LMAD_OK;
}

/* From disk if what is there can be loaded, else compiled. */
static lmad_status obtain(const lm_hip *hip, const lm_device *device, code *c) {
    char options[OPTIONS_TEXT], key[OPTIONS_TEXT + 256];
    lm_variant_options(&c->variant, options, sizeof options);
    key_of(key, sizeof key, hip, device, options);
    if (lm_device_cache_read(key, &c->bytes)) {
        const lmad_status status = load(hip, device, c);
        if (status != LMAD_ERR_NO_CODE) return status;
        free(c->bytes.bytes);
        c->bytes.bytes = NULL;
    }
    lmad_status status = compile(hip, device, options, &c->bytes);
    if (status == LMAD_OK) status = load(hip, device, c);
    if (status == LMAD_OK) lm_device_cache_write(key, &c->bytes);
    return status;
}

static lmad_status add(const lm_hip *hip, const lm_device *device, const lm_variant *variant, code **out) {
    if (!lm_device_source()) return lm_fail(LMAD_ERR_NO_MEMORY, "no memory for the source of device code");
    code *c = calloc(1, sizeof *c);
    if (!c) return lm_fail(LMAD_ERR_NO_MEMORY, "no memory for device code");
    c->variant = *variant;
    memcpy(c->arch, device->arch, sizeof c->arch);
    const lmad_status status = obtain(hip, device, c);
    if (status == LMAD_ERR_NO_CODE && !c->bytes.bytes) {
        snprintf(c->refused, sizeof c->refused, "%s", lmad_error_detail());
    } else if (status != LMAD_OK) {
        free(c->bytes.bytes);
        free(c);
        return status;
    }
    c->next = all;
    *out = all = c;
    return status;
}

lmad_status lm_device_code_get(const lm_device *device, const lm_variant *variant, lm_hip_function *out) {
    const lm_hip *hip = lm_hip_get();
    lmad_status status = LMAD_OK;
    pthread_mutex_lock(&lock);
    code *c = find(device, variant);
    if (!c)
        status = add(hip, device, variant, &c);
    else if (*c->refused)
        status = lm_fail(LMAD_ERR_NO_CODE, "%s", c->refused);
    else if (!c->loaded[device->number])
        status = load(hip, device, c);
    if (status == LMAD_OK) *out = c->loaded[device->number];
    pthread_mutex_unlock(&lock);
    return status;
}
