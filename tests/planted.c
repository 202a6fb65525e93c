/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiling and launching planted kernels. */
#include "planted.h"

#include <stdio.h>
#include <stdlib.h>

#include "folder.h"

void planted_ok(lm_hip_error error) { ck_assert_int_eq(error, LM_HIP_SUCCESS); }

static char *read_source(void) {
    const char *folder = getenv("srcdir");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/hipemu/planted.hip", folder ? folder : ".");
    char *text = lm_file_text(path);
    ck_assert_msg(text != NULL, "%s cannot be read: srcdir?", path);
    return text;
}

static void *compile(const lm_hip *hip) {
    char *source = read_source();
    lm_hiprtc_program program;
    size_t bytes;
    planted_ok(hip->hiprtcCreateProgram(&program, source, "planted.hip", 0, NULL, NULL));
    lm_hiprtc_result result = hip->hiprtcCompileProgram(program, 0, NULL);
    planted_ok(hip->hiprtcGetProgramLogSize(program, &bytes));
    char *log = malloc(bytes);
    planted_ok(hip->hiprtcGetProgramLog(program, log));
    ck_assert_msg(result == 0, "%s", log);
    planted_ok(hip->hiprtcGetCodeSize(program, &bytes));
    char *code = malloc(bytes);
    planted_ok(hip->hiprtcGetCode(program, code));
    planted_ok(hip->hiprtcDestroyProgram(&program));
    free(log);
    free(source);
    return code;
}

/* Compile, load, make a stream. */
static void open_on(planted *p, const hipemu *emu) {
    p->emu = emu;
    p->hip = lm_hip_get();
    ck_assert_msg(p->hip != NULL, "%s", lm_hip_reason());
    void *code = compile(p->hip);
    planted_ok(p->hip->hipModuleLoadData(&p->module, code));
    free(code);
    planted_ok(p->hip->hipStreamCreateWithFlags(&p->stream, LM_HIP_STREAM_NON_BLOCKING));
}

static void close_all(planted *p) {
    p->hip->hipStreamDestroy(p->stream);
    p->hip->hipModuleUnload(p->module);
}

float *planted_floats(const planted *p, int64_t n, float first) {
    size_t bytes = (size_t)n * sizeof(float);
    void *memory;
    planted_ok(p->hip->hipMalloc(&memory, bytes));
    float *values = malloc(bytes);
    for (int64_t i = 0; i < n; i++) values[i] = first + (float)i;
    planted_ok(p->hip->hipMemcpyAsync(memory, values, bytes, LM_HIP_COPY_HOST_TO_DEVICE, p->stream));
    planted_ok(p->hip->hipStreamSynchronize(p->stream));
    free(values);
    return memory;
}

void planted_fetch(const planted *p, float *to, const float *from, int64_t n) {
    size_t bytes = (size_t)n * sizeof(float);
    planted_ok(p->hip->hipMemcpyAsync(to, from, bytes, LM_HIP_COPY_DEVICE_TO_HOST, p->stream));
    planted_ok(p->hip->hipStreamSynchronize(p->stream));
}

float planted_first(const planted *p, const float *from) {
    float value;
    planted_fetch(p, &value, from, 1);
    return value;
}

lm_hip_error planted_launch(const planted *p, const char *kernel, const uint32_t grid[3],
                            const uint32_t block[3], float *dst, const float *src, const planted_args *args) {
    struct {
        float *dst;
        const float *src;
        planted_args args;
    } all = {dst, src, *args};
    size_t bytes = sizeof all;
    void *extra[] = {LM_HIP_LAUNCH_BUFFER, &all, LM_HIP_LAUNCH_SIZE, &bytes, LM_HIP_LAUNCH_END};
    lm_hip_function function;
    planted_ok(p->hip->hipModuleGetFunction(&function, p->module, kernel));
    return p->hip->hipModuleLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                         32 * 33 * sizeof(float), p->stream, NULL, extra);
}

lm_hip_error planted_run(const planted *p, const char *kernel, int threads, float *dst, const float *src,
                         const planted_args *args) {
    const uint32_t grid[] = {((uint32_t)threads + 63) / 64, 1, 1}, block[] = {64, 1, 1};
    return planted_launch(p, kernel, grid, block, dst, src, args);
}

void planted_increment(const planted *p, lm_hip_stream stream, float *memory) {
    planted on = *p;
    on.stream = stream;
    planted_ok(
        planted_run(&on, "increment", PLANTED_FLOATS, memory, memory, &(planted_args){.n = PLANTED_FLOATS}));
}

lm_hip_event planted_event(const planted *p) {
    lm_hip_event event;
    planted_ok(p->hip->hipEventCreateWithFlags(&event, 0));
    return event;
}

/* ---- fixtures ---------------------------------------------------------------------------------------- */

planted planted_rig;

static void set_up(void) { open_on(&planted_rig, emulator()); }

static void tear_down(void) {
    close_all(&planted_rig);
    emulator_is_clean();
}

TCase *planted_case(Suite *suite, const char *name) {
    TCase *tc = tcase_create(name);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    suite_add_tcase(suite, tc);
    return tc;
}
