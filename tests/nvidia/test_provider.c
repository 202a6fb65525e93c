/* SPDX-License-Identifier: BSD-3-Clause */
/* The provider of HIP's entry points on NVIDIA's devices, against a stand-in for CUDA's driver: all names are
 * there, calls arrive with CUDA's arguments, CUDA's errors come back as HIP's. No device is needed, and none
 * is used.
 *
 *     test-provider libhipnv.so libfakecuda.so */
#define _GNU_SOURCE 1 /* setenv */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cuda.h"
#include "lib/hip_types.h"

typedef struct table {
#define LM_HIP(returns, name, parameters)          returns(*name) parameters;
#define LM_HIP_OPTIONAL(returns, name, parameters) LM_HIP(returns, name, parameters)
#include "lib/hip_list.h"
} table;

static table hip;
static fake_cuda *cuda;
static int checks, failures;

static void check(int line, const char *what, long long got, long long want) {
    checks++;
    if (got == want) return;
    failures++;
    fprintf(stderr, "line %d: %s is %lld, not %lld\n", line, what, got, want);
}
#define CHECK(expression, want) check(__LINE__, #expression, (long long)(expression), (long long)(want))

/* ISO C has no cast from object to function. Of hipLaunchHostFunc() and hipStreamAddCallback() one is enough. */
static int find(void *library, const char *name, void *slot) {
    void *address = dlsym(library, name);
    memcpy(slot, &address, sizeof address);
    if (address || !strcmp(name, "hipStreamAddCallback")) return 0;
    fprintf(stderr, "no %s\n", name);
    return 1;
}

static int load(const char *provider, const char *driver) {
    int missing = 0;
    setenv("LMAD_CUDA_LIBRARY", driver, 1);
    void *library = dlopen(provider, RTLD_NOW | RTLD_LOCAL), *other = dlopen(driver, RTLD_NOW | RTLD_LOCAL);
    if (!library || !other) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
#define LM_HIP(returns, name, parameters)          missing += find(library, #name, &hip.name);
#define LM_HIP_OPTIONAL(returns, name, parameters) LM_HIP(returns, name, parameters)
#include "lib/hip_list.h"
    cuda = dlsym(other, "fake");
    return missing || !cuda;
}

static void devices(void) {
    int n = 0, version = 0;
    char properties[4096];
    CHECK(hip.hipInit(0), 0);
    CHECK(hip.hipInit(1), LM_HIP_ERROR_INVALID_VALUE);
    CHECK(hip.hipGetLastError(), LM_HIP_ERROR_INVALID_VALUE);
    CHECK(hip.hipGetLastError(), LM_HIP_SUCCESS);
    CHECK(hip.hipRuntimeGetVersion(&version), 0);
    CHECK(version / 10000000, 6);
    CHECK(hip.hipGetDeviceCount(&n), 0);
    CHECK(n, 2);
    CHECK(hip.hipGetDevice(&n), 0);
    CHECK(n, 0);
    CHECK(hip.hipSetDevice(2), LM_HIP_ERROR_INVALID_DEVICE);
    CHECK(hip.hipSetDevice(1), 0);
    CHECK(hip.hipGetDevice(&n), 0);
    CHECK(n, 1);
    CHECK(hip.hipDeviceGetAttribute(&n, LM_HIP_ATTR_WAVE, 0), 0);
    CHECK(n, 32);
    CHECK(hip.hipDeviceGetAttribute(&n, LM_HIP_ATTR_UNITS, 0), 0);
    CHECK(n, 1016);
    CHECK(hip.hipDeviceGetAttribute(&n, -1, 0), LM_HIP_ERROR_INVALID_VALUE);
    CHECK(hip.hipGetDevicePropertiesR0600(properties, 0), 0);
    CHECK(strcmp(properties, "Fake"), 0);
    CHECK(strcmp(properties + 1160, "sm_90"), 0);
    hip.hipGetLastError();
}

/* Those of the driver that HIP numbers otherwise, and one that it does not. */
static void errors(void) {
    static const int pairs[][2] = {{2, LM_HIP_ERROR_OUT_OF_MEMORY},    {716, LM_HIP_ERROR_ILLEGAL_ADDRESS},
                                   {715, LM_HIP_ERROR_LAUNCH_FAILURE}, {222, LM_HIP_ERROR_INVALID_IMAGE},
                                   {46, LM_HIP_ERROR_NO_DEVICE},       {700, LM_HIP_ERROR_ILLEGAL_ADDRESS}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        cuda->fail = pairs[i][0];
        CHECK(hip.hipStreamSynchronize(NULL), pairs[i][1]);
        CHECK(hip.hipPeekAtLastError(), pairs[i][1]);
        CHECK(hip.hipGetLastError(), pairs[i][1]);
    }
    CHECK(strcmp(hip.hipGetErrorName(LM_HIP_ERROR_OUT_OF_MEMORY), "hipErrorOutOfMemory"), 0);
    CHECK(strcmp(hip.hipGetErrorName(12345), "hipErrorUnknown"), 0);
}

static void memory(void) {
    void *device = NULL, *pinned = NULL, *none = device;
    char text[8] = "abcdefg", back[8] = "";
    lm_hip_pointer_attributes a;
    CHECK(hip.hipMalloc(&none, 0), 0);
    CHECK(none == NULL, 1);
    CHECK(hip.hipMalloc(&device, 64), 0);
    CHECK(hip.hipHostMalloc(&pinned, 64, LM_HIP_HOST_PORTABLE | LM_HIP_HOST_NUMA_USER), 0);
    CHECK(hip.hipPointerGetAttributes(&a, (char *)device + 5), 0);
    CHECK(a.type, 2);
    CHECK(a.device, 1);
    CHECK(hip.hipPointerGetAttributes(&a, pinned), 0);
    CHECK(a.type, 1);
    CHECK(a.device_pointer == pinned, 1);
    CHECK(hip.hipPointerGetAttributes(&a, text), 0);
    CHECK(a.type, 0);
    CHECK(hip.hipMemcpyAsync(device, text, 8, LM_HIP_COPY_HOST_TO_DEVICE, NULL), 0);
    CHECK(hip.hipMemcpyPeerAsync(pinned, 0, device, 1, 8, NULL), 0);
    CHECK(hip.hipMemcpyPeerAsync(pinned, 7, device, 1, 8, NULL), LM_HIP_ERROR_INVALID_DEVICE);
    CHECK(hip.hipMemcpy2DAsync(back, 2, pinned, 4, 2, 2, LM_HIP_COPY_DEVICE_TO_HOST, NULL), 0);
    CHECK(memcmp(back, "abef", 4), 0);
    const lm_hip_copy_3d copy = {.src = {pinned, 1, 1, 4}, .dst = {back, 1, 1, 2}, .extent = {1, 2, 2}};
    CHECK(hip.hipMemcpy3DAsync(&copy, NULL), 0);
    CHECK(memcmp(back, "abef", 4), 0);
    CHECK(hip.hipMemsetAsync(device, 'x', 3, NULL), 0);
    CHECK(memcmp(device, "xxxd", 4), 0);
    cuda->fail = 2;
    CHECK(hip.hipMalloc(&none, 8), LM_HIP_ERROR_OUT_OF_MEMORY);
    CHECK(hip.hipFree(device), 0);
    CHECK(hip.hipFree(NULL), 0);
    CHECK(hip.hipHostFree(pinned), 0);
    CHECK(cuda->alive, 0);
    hip.hipGetLastError();
}

static void count_up(void *data) { ++*(int *)data; }

static void streams(void) {
    lm_hip_stream stream = NULL;
    lm_hip_event event = NULL;
    int called = 0, capturing = 1;
    float ms;
    CHECK(hip.hipStreamCreateWithFlags(&stream, LM_HIP_STREAM_NON_BLOCKING), 0);
    CHECK(hip.hipEventCreateWithFlags(&event, LM_HIP_EVENT_DISABLE_TIMING), 0);
    CHECK(hip.hipEventRecord(event, stream), 0);
    CHECK(hip.hipStreamWaitEvent(stream, event, 0), 0);
    cuda->fail = 600;
    CHECK(hip.hipEventElapsedTime(&ms, event, event), LM_HIP_ERROR_NOT_READY);
    CHECK(hip.hipGetLastError(), LM_HIP_SUCCESS);
    CHECK(hip.hipEventElapsedTime(&ms, event, event), 0);
    CHECK(hip.hipLaunchHostFunc(stream, count_up, &called), 0);
    CHECK(called, 1);
    CHECK(hip.hipStreamIsCapturing(stream, &capturing), 0);
    CHECK(capturing, 0);
    CHECK(hip.hipStreamSynchronize(stream), 0);
    CHECK(hip.hipEventSynchronize(event), 0);
    CHECK(hip.hipEventDestroy(event), 0);
    CHECK(hip.hipStreamDestroy(stream), 0);
}

static void launches(void) {
    lm_hip_module module = NULL;
    lm_hip_function function = NULL;
    char args[24] = "the arguments";
    size_t size = sizeof args;
    void *extra[] = {LM_HIP_LAUNCH_BUFFER, args, LM_HIP_LAUNCH_SIZE, &size, LM_HIP_LAUNCH_END};
    CHECK(hip.hipModuleLoadData(&module, args), 0);
    CHECK(hip.hipModuleGetFunction(&function, module, "kernel"), 0);
    CHECK(hip.hipModuleLaunchKernel(function, 2, 3, 4, 32, 2, 1, 0, NULL, NULL, extra), 0);
    CHECK(cuda->launch[0], 24);
    CHECK(cuda->launch[1], 64);
    CHECK(cuda->arg_bytes, sizeof args);
    CHECK(memcmp(cuda->args, args, sizeof args), 0);
    CHECK(hip.hipModuleUnload(module), 0);
}

/* Where NVRTC is installed: no device is needed to compile. */
static void compiler(void) {
    static const char *const source = "extern \"C\" __global__ void k(int *p) { *p = VALUE; }";
    const char *options[] = {"--offload-arch=sm_90", "-DVALUE=7", "-O3", "-std=c++14"};
    lm_hiprtc_program program = NULL;
    size_t size = 0;
    if (hip.hiprtcCreateProgram(&program, source, "k.hip", 0, NULL, NULL) != 0) {
        puts("no NVRTC: compiling is not tested");
        return;
    }
    CHECK(hip.hiprtcCompileProgram(program, 4, options), 0);
    CHECK(hip.hiprtcGetCodeSize(program, &size), 0);
    CHECK(size > 100, 1);
    char *code = malloc(size);
    CHECK(hip.hiprtcGetCode(program, code), 0);
    CHECK(memcmp(code, "\177ELF", 4), 0);
    free(code);
    options[0] = "--offload-arch=gfx90a";
    CHECK(hip.hiprtcCompileProgram(program, 4, options) != 0, 1);
    CHECK(hip.hiprtcDestroyProgram(&program), 0);
}

int main(int argc, char **argv) {
    if (argc != 3 || load(argv[1], argv[2])) return EXIT_FAILURE;
    devices();
    errors();
    memory();
    streams();
    launches();
    compiler();
    printf("%d checks, %d failures\n", checks, failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
