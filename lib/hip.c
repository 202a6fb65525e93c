/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding and loading HIP's run time. */
#include "hip.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "environment.h"

#ifdef LM_WITHOUT_HIP
enum { WITH_HIP = 0 };
#else
enum { WITH_HIP = 1 };
#endif

/* Where configure was told that HIP is, then newest first. What a name promises, the entry points that we
 * use, is the same in all of them. */
static const char *const runtimes[] = {
#ifdef LM_HIP_DIR
    LM_HIP_DIR "/lib/libamdhip64.so",
#endif
    "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"};
static const char *const compilers[] = {
#ifdef LM_HIP_DIR
    LM_HIP_DIR "/lib/libhiprtc.so",
#endif
    "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so"};
static const char *const comgrs[] = {"libamd_comgr.so.3", "libamd_comgr.so.2"};
#define LM_COUNT(names) ((int)(sizeof(names) / sizeof *(names)))

/* All that once() sets; const afterwards, but that the child of a fork() finds itself without. */
static struct {
    lm_hip hip;
    bool usable, forked;
    char library[256];
    char reason[256];
} state;

static void *open_first(const char *const *name, int count) {
    void *handle = NULL;
    for (int i = 0; i < count && !handle; i++) {
        handle = dlopen(name[i], RTLD_NOW | RTLD_LOCAL);
        if (handle) snprintf(state.library, sizeof state.library, "%s", name[i]);
    }
    return handle;
}

static void *open_runtime(void) {
    const char *wanted = lm_environment("LMAD_HIP_LIBRARY");
    void *handle = NULL;
    if (!wanted)
        handle = open_first(runtimes, LM_COUNT(runtimes));
    else if (wanted[0])
        handle = open_first(&wanted, 1);
    if (handle) return handle;
    if (wanted && !wanted[0])
        snprintf(state.reason, sizeof state.reason, "LMAD_HIP_LIBRARY is empty");
    else if (wanted)
        snprintf(state.reason, sizeof state.reason, "LMAD_HIP_LIBRARY: %s", dlerror());
    else
        snprintf(state.reason, sizeof state.reason, "no %s on this system", runtimes[LM_COUNT(runtimes) - 1]);
    return NULL;
}

/* A member of the table. ISO C has no conversion from the void * of dlsym() to a function. */
static bool find(void *handle, const char *name, void *member) {
    void *symbol = dlsym(handle, name);
    if (symbol) memcpy(member, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* hiprtc left the run time's library in version 6; from the same release, wherever it is. */
static void find_compiler(void) {
    void *handle = NULL;
    for (int i = 0; i < LM_COUNT(compilers) && !handle; i++)
        handle = dlopen(compilers[i], RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
#define LM_HIP(returns, name, parameters)
#define LM_HIP_OPTIONAL(returns, name, parameters)                                                           \
    if (!state.hip.name) find(handle, #name, &state.hip.name);
#include "hip_list.h"
}

/* ---- hipLaunchHostFunc() where there is none ------------------------------------------------------ */

typedef struct host_call {
    lm_hip_host_function function;
    void *data;
} host_call;

static void call_back(lm_hip_stream stream, lm_hip_error status, void *data) {
    (void)stream, (void)status;
    host_call call = *(host_call *)data;
    free(data);
    call.function(call.data);
}

static lm_hip_error launch_by_callback(lm_hip_stream stream, lm_hip_host_function function, void *data) {
    host_call *call = malloc(sizeof *call);
    if (!call) return LM_HIP_ERROR_OUT_OF_MEMORY;
    *call = (host_call){function, data};
    lm_hip_error error = state.hip.hipStreamAddCallback(stream, call_back, call, 0);
    if (error) free(call);
    return error;
}

/* ---- The table ---------------------------------------------------------------------------------- */

static bool can_compile(const lm_hip *hip) {
    return hip->hiprtcCreateProgram && hip->hiprtcCompileProgram && hip->hiprtcGetProgramLogSize &&
           hip->hiprtcGetProgramLog && hip->hiprtcGetCodeSize && hip->hiprtcGetCode &&
           hip->hiprtcDestroyProgram;
}

static bool fill_table(void *handle) {
    const char *missing = NULL;
#define LM_HIP(returns, name, parameters)                                                                    \
    if (!find(handle, #name, &state.hip.name) && !missing) missing = #name;
#define LM_HIP_OPTIONAL(returns, name, parameters) find(handle, #name, &state.hip.name);
#include "hip_list.h"
    if (!state.hip.hipLaunchHostFunc) {
        if (state.hip.hipStreamAddCallback)
            state.hip.hipLaunchHostFunc = launch_by_callback;
        else if (!missing)
            missing = "hipLaunchHostFunc";
    }
    if (missing) {
        snprintf(state.reason, sizeof state.reason, "%.100s: no %s in it", state.library, missing);
        return false;
    }
    if (!can_compile(&state.hip)) find_compiler();
    state.hip.can_compile = can_compile(&state.hip);
    return true;
}

/* Without a GPU hipInit() says 101 and hipGetDeviceCount() 100, in version 5; others are as good. */
static void look_for_devices(void *arg) {
    const lm_hip *hip = &state.hip;
    int count = 0;
    bool *found = arg;
    lm_hip_error error = hip->hipInit(0);
    const char *what = "hipInit";
    if (!error) error = hip->hipGetDeviceCount(&count), what = "hipGetDeviceCount";
    *found = !error && count > 0;
    if (*found && hip->hipRuntimeGetVersion(&state.hip.version) == LM_HIP_SUCCESS) return;
    state.hip.version = 0;
    hip->hipGetLastError();
    if (*found) return;
    if (error && error != LM_HIP_ERROR_NO_DEVICE && error != LM_HIP_ERROR_INVALID_DEVICE) {
        const char *name = hip->hipGetErrorName(error);
        snprintf(state.reason, sizeof state.reason, "%.100s: %s: %s (%d)", state.library, what,
                 name ? name : "unknown error", error);
    } else
        snprintf(state.reason, sizeof state.reason, "%.100s finds no GPU", state.library);
}

/* HIP does not survive fork(): calls of the child may wait for threads that it does not have. */
static void in_child(void) { state.forked = true; }

/* The library stays loaded even where it is of no use: HIP's does not survive being unloaded. */
static void load(void) {
    void *handle = WITH_HIP ? open_runtime() : NULL;
    bool found = false;
    if (!WITH_HIP) snprintf(state.reason, sizeof state.reason, "built without HIP");
    if (!handle || !fill_table(handle)) return;
    if (!lm_hip_aside(&state.hip, look_for_devices, &found))
        snprintf(state.reason, sizeof state.reason, "no thread to initialise HIP");
    if (!found) return;
    pthread_atfork(NULL, NULL, in_child);
    state.usable = true;
}

static void once(void) {
    static pthread_once_t done = PTHREAD_ONCE_INIT;
    pthread_once(&done, load);
}

const lm_hip *lm_hip_get(void) {
    once();
    return state.usable && !state.forked ? &state.hip : NULL;
}

const char *lm_hip_reason(void) {
    once();
    return state.forked ? "HIP cannot be used after fork()" : state.reason;
}

const char *lm_hip_library(void) {
    once();
    return state.library;
}

/* ISA names are "amdgcn-amd-amdhsa--gfx90a": features do not matter to whether comgr knows it. */
static bool is_known(const char *isa, const char *arch, size_t length) {
    const char *name = strrchr(isa, '-');
    return name && strlen(name + 1) == length && strncmp(name + 1, arch, length) == 0;
}

typedef int comgr_count(size_t *count);
typedef int comgr_name(size_t index, const char **name);

/* Where comgr cannot be asked, what happens is between the user and HIP. It stays loaded: LLVM, which it is
 * made of, aborts when it is loaded again. */
bool lm_hip_compiles_for(const char *arch) {
    if (!lm_hip_get() || !state.hip.can_compile) return false;
    if (state.hip.version >= LM_HIP_6) return true;
    comgr_count *count = NULL;
    comgr_name *name = NULL;
    void *handle = NULL;
    for (int i = 0; i < LM_COUNT(comgrs) && !handle; i++) handle = dlopen(comgrs[i], RTLD_NOW | RTLD_LOCAL);
    size_t isas = 0, length = strcspn(arch, ":");
    bool known = !handle || !find(handle, "amd_comgr_get_isa_count", &count) ||
                 !find(handle, "amd_comgr_get_isa_name", &name) || count(&isas) != 0;
    for (size_t i = 0; i < isas && !known; i++) {
        const char *isa;
        known = name(i, &isa) == 0 && is_known(isa, arch, length);
    }
    return known;
}

/* hipMemoryType: host 0, device 1 before version 6; unregistered 0, host 1, device 2, managed 3 since. */
static lm_hip_memory memory_kind(const lm_hip_pointer_attributes *a, int version) {
    if (a->managed) return LM_HIP_MEMORY_MANAGED;
    int type = version >= LM_HIP_6 ? a->type : a->type + 1;
    switch (type) {
    case 1: return LM_HIP_MEMORY_PINNED;
    case 2: return LM_HIP_MEMORY_DEVICE;
    case 3: return LM_HIP_MEMORY_MANAGED;
    default: return LM_HIP_MEMORY_PAGEABLE;
    }
}

lm_hip_memory lm_hip_memory_of(const void *p, int *device) {
    lm_hip_pointer_attributes attributes = {0};
    const lm_hip *hip = lm_hip_get();
    if (device) *device = -1;
    if (!hip) return LM_HIP_MEMORY_PAGEABLE;
    lm_hip_error before = hip->hipPeekAtLastError();
    if (hip->hipPointerGetAttributes(&attributes, p) != LM_HIP_SUCCESS) {
        if (before == LM_HIP_SUCCESS) hip->hipGetLastError();
        return LM_HIP_MEMORY_PAGEABLE;
    }
    lm_hip_memory kind = memory_kind(&attributes, hip->version);
    if (device && (kind == LM_HIP_MEMORY_DEVICE || kind == LM_HIP_MEMORY_MANAGED))
        *device = attributes.device;
    return kind;
}
