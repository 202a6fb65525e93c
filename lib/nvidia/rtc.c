/* SPDX-License-Identifier: BSD-3-Clause */
/* hiprtc on NVRTC: one program, its options translated. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "provider.h"

/* hiprtcResult; NVRTC's numbers are the same from 0 to 7, which is as far as they are used here. */
enum { RTC_OUT_OF_MEMORY = 1, RTC_INVALID_INPUT = 3, RTC_INVALID_OPTION = 5, RTC_INTERNAL = 11 };

struct _hiprtcProgram {
    lm_nvrtc_program program;
    bool ptx; /* the device is newer than the compiler: its driver finishes the work */
};

lm_hiprtc_result hiprtcCreateProgram(lm_hiprtc_program *program, const char *source, const char *name,
                                     int headers, const char **header, const char **include_name) {
    const lm_nvrtc *rtc = lm_nvrtc_get();
    if (!rtc) return RTC_INTERNAL;
    lm_hiprtc_program p = calloc(1, sizeof *p);
    if (!p) return RTC_OUT_OF_MEMORY;
    const lm_hiprtc_result result =
        rtc->nvrtcCreateProgram(&p->program, source, name, headers, header, include_name);
    if (result == 0)
        *program = p;
    else
        free(p);
    return result;
}

lm_hiprtc_result hiprtcDestroyProgram(lm_hiprtc_program *program) {
    if (!program || !*program) return RTC_INVALID_INPUT;
    const lm_hiprtc_result result = lm_nvrtc_get()->nvrtcDestroyProgram(&(*program)->program);
    free(*program);
    *program = NULL;
    return result;
}

/* The newest architecture that the compiler knows, up to `wanted`; 0 = none. */
static int known_arch(const lm_nvrtc *rtc, int wanted) {
    int count = 0, best = 0, archs[256];
    if (rtc->nvrtcGetNumSupportedArchs(&count) != 0 || count > 256 || rtc->nvrtcGetSupportedArchs(archs) != 0)
        return 0;
    for (int i = 0; i < count; i++)
        if (archs[i] <= wanted && archs[i] > best) best = archs[i];
    return best;
}

/* "--offload-arch=sm_90" in NVRTC's words. */
static lm_hiprtc_result set_arch(lm_hiprtc_program p, const char *arch, char *out, size_t size) {
    const int wanted = strncmp(arch, "sm_", 3) == 0 ? atoi(arch + 3) : 0,
              known = known_arch(lm_nvrtc_get(), wanted);
    if (wanted <= 0 || known == 0) return RTC_INVALID_OPTION;
    p->ptx = known != wanted;
    snprintf(out, size, "--gpu-architecture=%s_%d", p->ptx ? "compute" : "sm", known);
    return 0;
}

/* Options that both compilers know go through; what is clang's own has no meaning for NVRTC, which always
 * optimises. */
static bool passes(const char *option) {
    return strncmp(option, "-D", 2) == 0 || strncmp(option, "-I", 2) == 0 ||
           strncmp(option, "-std=", 5) == 0 || strncmp(option, "--std=", 6) == 0;
}

lm_hiprtc_result hiprtcCompileProgram(lm_hiprtc_program p, int count, const char **options) {
    static const char prefix[] = "--offload-arch=";
    const char **out = malloc((size_t)(count + 1) * sizeof *out);
    char arch[64] = "";
    lm_hiprtc_result result = out ? 0 : RTC_OUT_OF_MEMORY;
    int kept = 0;
    for (int i = 0; result == 0 && i < count; i++) {
        if (strncmp(options[i], prefix, sizeof prefix - 1) == 0)
            result = set_arch(p, options[i] + sizeof prefix - 1, arch, sizeof arch);
        else if (passes(options[i]))
            out[kept++] = options[i];
    }
    if (result == 0) {
        if (*arch) out[kept++] = arch;
        result = lm_nvrtc_get()->nvrtcCompileProgram(p->program, kept, out);
    }
    free(out);
    return result;
}

lm_hiprtc_result hiprtcGetProgramLogSize(lm_hiprtc_program p, size_t *size) {
    return lm_nvrtc_get()->nvrtcGetProgramLogSize(p->program, size);
}

lm_hiprtc_result hiprtcGetProgramLog(lm_hiprtc_program p, char *log) {
    return lm_nvrtc_get()->nvrtcGetProgramLog(p->program, log);
}

lm_hiprtc_result hiprtcGetCodeSize(lm_hiprtc_program p, size_t *size) {
    const lm_nvrtc *rtc = lm_nvrtc_get();
    return p->ptx ? rtc->nvrtcGetPTXSize(p->program, size) : rtc->nvrtcGetCUBINSize(p->program, size);
}

lm_hiprtc_result hiprtcGetCode(lm_hiprtc_program p, char *code) {
    const lm_nvrtc *rtc = lm_nvrtc_get();
    return p->ptx ? rtc->nvrtcGetPTX(p->program, code) : rtc->nvrtcGetCUBIN(p->program, code);
}
