/* SPDX-License-Identifier: BSD-3-Clause */
/* A stand-in for CUDA's driver, without a device: memory is the host's, streams do at once what they are
 * told, and kernels do nothing but keep their arguments. Enough to see that the provider asks the right
 * questions. */
#include "fake_cuda.h"

#include <stdlib.h>
#include <string.h>

#define LM_CU(name, symbol, parameters) FAKE_EXPORT lm_cu_result fake_##name parameters __asm__(symbol);
#include "lib/nvidia/cuda_list.h"
#undef LM_CU

fake_cuda fake = {.devices = 2, .capability = 90};

enum { MOST = 64 };
static struct {
    char *at;
    size_t size;
    unsigned type;
    int device;
} blocks[MOST];
static int current = -1;
static char contexts[2];

/* The failure that was asked for, once. */
static lm_cu_result outcome(void) {
    const lm_cu_result result = fake.fail;
    fake.fail = 0;
    fake.calls++;
    return result;
}

static lm_cu_result keep(void **out, size_t size, unsigned type) {
    const lm_cu_result result = outcome();
    if (result) return result;
    for (int i = 0; i < MOST; i++) {
        if (blocks[i].at) continue;
        *out = blocks[i].at = malloc(size);
        blocks[i].size = size;
        blocks[i].type = type;
        blocks[i].device = current;
        fake.alive++;
        return 0;
    }
    return 2;
}

static int block_of(const void *p) {
    for (int i = 0; i < MOST; i++)
        if (blocks[i].at && (const char *)p >= blocks[i].at &&
            (const char *)p < blocks[i].at + blocks[i].size)
            return i;
    return -1;
}

static lm_cu_result drop(void *p) {
    const int i = block_of(p);
    if (i < 0) return 1;
    free(blocks[i].at);
    blocks[i].at = NULL;
    fake.alive--;
    return outcome();
}

static void *pointer(lm_cu_address address) { return (void *)(size_t)address; }

lm_cu_result fake_cuInit(unsigned flags) { return flags ? 1 : outcome(); }
lm_cu_result fake_cuDriverGetVersion(int *version) { return *version = 13000, outcome(); }
lm_cu_result fake_cuDeviceGetCount(int *count) { return *count = fake.devices, outcome(); }
lm_cu_result fake_cuDeviceGet(lm_cu_device *device, int ordinal) {
    *device = ordinal;
    return ordinal < 0 || ordinal >= fake.devices ? 101 : outcome();
}
lm_cu_result fake_cuDeviceGetName(char *name, int length, lm_cu_device device) {
    (void)device;
    strncpy(name, "Fake", (size_t)length);
    return outcome();
}
lm_cu_result fake_cuDeviceGetAttribute(int *value, int attribute, lm_cu_device device) {
    (void)device;
    *value = attribute == LM_CU_ATTR_COMPUTE_MAJOR   ? fake.capability / 10
             : attribute == LM_CU_ATTR_COMPUTE_MINOR ? fake.capability % 10
             : attribute == 10                       ? 32
                                                     : 1000 + attribute;
    return outcome();
}
lm_cu_result fake_cuDeviceTotalMem(size_t *bytes, lm_cu_device device) {
    (void)device;
    *bytes = (size_t)1 << 30;
    return outcome();
}
lm_cu_result fake_cuDeviceCanAccessPeer(int *can, lm_cu_device device, lm_cu_device peer) {
    *can = device != peer;
    return outcome();
}
lm_cu_result fake_cuDevicePrimaryCtxRetain(lm_cu_context *context, lm_cu_device device) {
    *context = (lm_cu_context)(void *)&contexts[device];
    return outcome();
}
lm_cu_result fake_cuCtxGetCurrent(lm_cu_context *context) {
    *context = current < 0 ? NULL : (lm_cu_context)(void *)&contexts[current];
    return 0;
}
lm_cu_result fake_cuCtxSetCurrent(lm_cu_context context) {
    current = (int)((char *)context - contexts);
    return 0;
}
lm_cu_result fake_cuCtxGetDevice(lm_cu_device *device) { return *device = current, outcome(); }
lm_cu_result fake_cuMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    *free_bytes = *total_bytes = (size_t)1 << 30;
    return outcome();
}
lm_cu_result fake_cuMemAlloc(lm_cu_address *address, size_t bytes) {
    void *p = NULL;
    const lm_cu_result result = bytes ? keep(&p, bytes, LM_CU_MEMORY_DEVICE) : 1;
    *address = (lm_cu_address)(size_t)p;
    return result;
}
lm_cu_result fake_cuMemFree(lm_cu_address address) { return drop(pointer(address)); }
lm_cu_result fake_cuMemHostAlloc(void **p, size_t bytes, unsigned flags) {
    return flags & ~7u ? 1 : keep(p, bytes, LM_CU_MEMORY_HOST);
}
lm_cu_result fake_cuMemFreeHost(void *p) { return drop(p); }
lm_cu_result fake_cuPointerGetAttribute(void *value, int attribute, lm_cu_address address) {
    const int i = block_of(pointer(address));
    const lm_cu_result result = outcome();
    if (i < 0 || result) return result ? result : 1;
    switch (attribute) {
    case LM_CU_POINTER_MEMORY_TYPE: *(unsigned *)value = blocks[i].type; break;
    case LM_CU_POINTER_IS_MANAGED: *(unsigned *)value = 0; break;
    case LM_CU_POINTER_DEVICE_ORDINAL: *(int *)value = blocks[i].device; break;
    default: memcpy(value, &address, sizeof address);
    }
    return 0;
}
lm_cu_result fake_cuMemcpyAsync(lm_cu_address dst, lm_cu_address src, size_t bytes, lm_cu_stream stream) {
    (void)stream;
    memcpy(pointer(dst), pointer(src), bytes);
    return outcome();
}
lm_cu_result fake_cuMemcpyPeerAsync(lm_cu_address dst, lm_cu_context dst_context, lm_cu_address src,
                                    lm_cu_context src_context, size_t bytes, lm_cu_stream stream) {
    return dst_context && src_context ? fake_cuMemcpyAsync(dst, src, bytes, stream) : 201;
}
lm_cu_result fake_cuMemcpy3DAsync(const lm_cu_copy_3d *c, lm_cu_stream stream) {
    (void)stream;
    if (c->src_type != LM_CU_MEMORY_HOST && c->src_type != LM_CU_MEMORY_UNIFIED) return 1;
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++)
            memcpy((char *)pointer(c->dst_device) + c->dst_x + (y + c->dst_y) * c->dst_pitch +
                       (z + c->dst_z) * c->dst_pitch * c->dst_height,
                   (char *)pointer(c->src_device) + c->src_x + (y + c->src_y) * c->src_pitch +
                       (z + c->src_z) * c->src_pitch * c->src_height,
                   c->width);
    return outcome();
}
lm_cu_result fake_cuMemcpy2DAsync(const lm_cu_copy_2d *c, lm_cu_stream stream) {
    const lm_cu_copy_3d copy = {.src_type = c->src_type,
                                .src_device = c->src_device,
                                .src_pitch = c->src_pitch,
                                .dst_device = c->dst_device,
                                .dst_pitch = c->dst_pitch,
                                .width = c->width,
                                .height = c->height,
                                .depth = 1};
    return fake_cuMemcpy3DAsync(&copy, stream);
}
lm_cu_result fake_cuMemsetD8Async(lm_cu_address address, unsigned char value, size_t bytes,
                                  lm_cu_stream stream) {
    (void)stream;
    memset(pointer(address), value, bytes);
    return outcome();
}

/* Handles are places in here. */
static char handles[8];
#define HANDLE(k) ((void *)&handles[k])

lm_cu_result fake_cuStreamCreate(lm_cu_stream *stream, unsigned flags) {
    (void)flags;
    *stream = HANDLE(0);
    return outcome();
}
lm_cu_result fake_cuStreamDestroy(lm_cu_stream stream) { return stream == HANDLE(0) ? outcome() : 400; }
lm_cu_result fake_cuStreamSynchronize(lm_cu_stream stream) {
    return stream == HANDLE(0) || !stream ? outcome() : 400;
}
lm_cu_result fake_cuStreamWaitEvent(lm_cu_stream stream, lm_cu_event event, unsigned flags) {
    (void)stream, (void)flags;
    return event == HANDLE(1) ? outcome() : 400;
}
lm_cu_result fake_cuStreamIsCapturing(lm_cu_stream stream, int *status) {
    (void)stream;
    return *status = 0, outcome();
}
lm_cu_result fake_cuStreamBeginCapture(lm_cu_stream stream, int mode) {
    (void)stream, (void)mode;
    return outcome();
}
lm_cu_result fake_cuStreamEndCapture(lm_cu_stream stream, lm_cu_graph *graph) {
    (void)stream;
    return *graph = HANDLE(4), outcome();
}
lm_cu_result fake_cuLaunchHostFunc(lm_cu_stream stream, void (*function)(void *data), void *data) {
    (void)stream;
    function(data);
    return outcome();
}
lm_cu_result fake_cuEventCreate(lm_cu_event *event, unsigned flags) {
    (void)flags;
    *event = HANDLE(1);
    return outcome();
}
lm_cu_result fake_cuEventDestroy(lm_cu_event event) { return event == HANDLE(1) ? outcome() : 400; }
lm_cu_result fake_cuEventRecord(lm_cu_event event, lm_cu_stream stream) {
    (void)stream;
    return event == HANDLE(1) ? outcome() : 400;
}
lm_cu_result fake_cuEventSynchronize(lm_cu_event event) { return event == HANDLE(1) ? outcome() : 400; }
lm_cu_result fake_cuEventElapsedTime(float *milliseconds, lm_cu_event start, lm_cu_event end) {
    (void)start, (void)end;
    return *milliseconds = 1, outcome();
}
lm_cu_result fake_cuModuleLoadData(lm_cu_module *module, const void *image) {
    (void)image;
    return *module = HANDLE(2), outcome();
}
lm_cu_result fake_cuModuleUnload(lm_cu_module module) { return module == HANDLE(2) ? outcome() : 400; }
lm_cu_result fake_cuModuleGetFunction(lm_cu_function *function, lm_cu_module module, const char *name) {
    *function = HANDLE(3);
    return module == HANDLE(2) && *name ? outcome() : 500;
}
lm_cu_result fake_cuLaunchKernel(lm_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                 lm_cu_stream stream, void **parameters, void **extra) {
    (void)shared, (void)stream;
    if (function != HANDLE(3) || parameters || !extra || extra[0] != (void *)LM_CU_LAUNCH_POINTER ||
        extra[2] != (void *)LM_CU_LAUNCH_SIZE || extra[4])
        return 1;
    fake.launch[0] = grid_x * grid_y * grid_z;
    fake.launch[1] = block_x * block_y * block_z;
    fake.arg_bytes = *(size_t *)extra[3];
    memcpy(fake.args, extra[1], fake.arg_bytes < sizeof fake.args ? fake.arg_bytes : sizeof fake.args);
    return outcome();
}
lm_cu_result fake_cuGraphInstantiateWithFlags(lm_cu_graph_exec *exec, lm_cu_graph graph,
                                              unsigned long long flags) {
    (void)graph, (void)flags;
    return *exec = HANDLE(5), outcome();
}
lm_cu_result fake_cuGraphLaunch(lm_cu_graph_exec exec, lm_cu_stream stream) {
    (void)stream;
    return exec == HANDLE(5) ? outcome() : 400;
}
lm_cu_result fake_cuGraphDestroy(lm_cu_graph graph) { return graph == HANDLE(4) ? outcome() : 400; }
lm_cu_result fake_cuGraphExecDestroy(lm_cu_graph_exec exec) { return exec == HANDLE(5) ? outcome() : 400; }
