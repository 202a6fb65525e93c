/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a kernel: blocks one after another, the threads of a block as fibres, each until it ends or comes
 * to a barrier. The order of blocks, and that of threads between two barriers, differs each time, in the same
 * way in every run of a program. */
#include <stdlib.h>
#include <string.h>

#include "fibre.h"
#include "memory.h"
#include "module.h"
#include "sanitize.h"
#include "stream.h"
#include "trace.h"

enum { MAX_THREADS = 1024, LDS_BYTES = 65536, LDS_BYTE = 0xcd };

static struct {
    const emu_launch *launch;
    int device;
    hipemu_runtime runtime;
    emu_fibre *fibre[MAX_THREADS]; /* that have begun and not ended */
    int threads, thread;           /* of the block; the one that runs */
    lm_hip_error fault;
    uint32_t random;
    char lds[LDS_BYTES] __attribute__((aligned(256)));
} run;

/* ---- Called by device code ---------------------------------------------------------------------- */

static void fail(lm_hip_error error) {
    run.fault = error;
    emu_fibre_pause();
}

static void barrier(void) { emu_fibre_pause(); }

static bool is_reachable(const emu_memory *m) {
    if (!m || m->kind != EMU_DEVICE_MEMORY || m->device == run.device) return m;
    return emu.device[run.device].reaches[m->device];
}

static void complain_of_access(const char *memory, int site, const volatile void *p, int bytes, int store) {
    const hipemu_index *b = &run.runtime.block, *t = &run.runtime.thread;
    emu_complain("kernel %s, site %d: %s of %d bytes at %p, outside of all %s, by thread (%u,%u,%u) of block "
                 "(%u,%u,%u)",
                 emu_function_name(run.launch->function), site, store ? "store" : "load", bytes,
                 (void *)(uintptr_t)p, memory, t->x, t->y, t->z, b->x, b->y, b->z);
    fail(LM_HIP_ERROR_ILLEGAL_ADDRESS);
}

static void check_global(int site, const volatile char *p, int bytes, int store) {
    hipemu_runtime *r = &run.runtime;
    store = store != 0;
    if (p >= r->seen[store] && p + bytes <= r->seen_end[store]) return;
    const emu_memory *m = emu_memory_of(p, (size_t)bytes);
    if (!is_reachable(m)) {
        complain_of_access("memory of the device", site, p, bytes, store);
        return;
    }
    r->seen[store] = m->base;
    r->seen_end[store] = m->end;
}

static bool lies_in(const volatile char *p, int bytes, const char *begin, const char *end) {
    return p >= begin && p + bytes <= end;
}

static void check_lds(int site, const volatile char *p, int bytes, int store) {
    const hipemu_module_table *table = run.launch->function->module->table;
    if (!lies_in(p, bytes, table->lds, table->lds_end) &&
        !lies_in(p, bytes, run.runtime.dynamic_lds, run.runtime.dynamic_lds_end))
        complain_of_access("LDS", site, p, bytes, store);
}

static void access_memory(int space, int site, const volatile void *p, int bytes, int store) {
    if (bytes == 0)
        ; /* sat out */
    else if (space == HIPEMU_GLOBAL)
        check_global(site, p, bytes, store);
    else
        check_lds(site, p, bytes, store);
    if (emu_tracing) emu_trace_access(space, site, run.thread, p, bytes, store);
}

/* ---- A block ------------------------------------------------------------------------------------ */

static uint32_t next_random(void) { return run.random = run.random * 1664525u + 1013904223u; }

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/* A walk over [0, n): from `at` on in steps that have no factor in common with n. */
typedef struct walk {
    uint64_t at, step, n;
} walk;

static walk any_walk(uint64_t n) {
    walk w = {next_random() % n, 1 + next_random() % n, n};
    while (common_divisor(w.step, n) != 1) w.step++;
    return w;
}

static uint64_t walk_on(walk *w) {
    w->at = (w->at + w->step % w->n) % w->n;
    return w->at;
}

static void poison_lds(void) {
    const hipemu_module_table *table = run.launch->function->module->table;
    if (table->lds) memset(table->lds, LDS_BYTE, (size_t)(table->lds_end - table->lds));
    memset(run.lds, LDS_BYTE, run.launch->lds_bytes);
}

static void thread_body(void *data) { run.launch->function->table->call(data); }

static void step_thread(int thread) {
    const uint32_t *block = run.launch->block;
    unsigned row = (unsigned)thread / block[0];
    run.thread = thread;
    run.runtime.thread = (hipemu_index){(unsigned)thread % block[0], row % block[1], row / block[1]};
    if (emu_fibre_resume(run.fibre[thread])) run.fibre[thread] = NULL;
}

/* A thread begins when its turn comes, on the stack of one that has ended, if there is one. */
static void start_thread(int thread) {
    run.fibre[thread] = emu_fibre_start(thread_body, run.launch->args);
    if (run.fibre[thread])
        step_thread(thread);
    else
        run.fault = LM_HIP_ERROR_OUT_OF_MEMORY;
}

static int alive_threads(void) {
    int alive = 0;
    for (int i = 0; i < run.threads; i++) alive += run.fibre[i] != NULL;
    return alive;
}

/* All threads, up to the next barrier or the first one. */
static void step_block(void (*step)(int thread)) {
    walk w = any_walk((uint64_t)run.threads);
    for (int i = 0; i < run.threads && !run.fault; i++) step((int)walk_on(&w));
}

static void run_block(void) {
    const hipemu_index *b = &run.runtime.block;
    poison_lds();
    if (emu_tracing) emu_trace_begin(run.threads);
    for (void (*step)(int) = start_thread; !run.fault; step = step_thread) {
        step_block(step);
        int alive = run.fault ? 0 : alive_threads();
        if (alive == 0) break;
        if (alive == run.threads) continue;
        emu_complain("kernel %s, block (%u,%u,%u): %d of %d threads wait at a barrier, the others have ended",
                     emu_function_name(run.launch->function), b->x, b->y, b->z, alive, run.threads);
        run.fault = LM_HIP_ERROR_LAUNCH_FAILURE;
    }
    for (int i = 0; i < run.threads; i++)
        if (run.fibre[i]) emu_fibre_abandon(run.fibre[i]), run.fibre[i] = NULL;
}

/* ---- A grid ------------------------------------------------------------------------------------- */

lm_hip_error emu_run_kernel(int device, const emu_launch *launch, int64_t *bytes, int64_t *segments) {
    const uint32_t *g = launch->grid, *b = launch->block;
    run.launch = launch;
    run.device = device;
    run.fault = LM_HIP_SUCCESS;
    run.threads = (int)(b[0] * b[1] * b[2]);
    *segments = 0;
    run.runtime = (hipemu_runtime){.block_dim = {b[0], b[1], b[2]},
                                   .grid_dim = {g[0], g[1], g[2]},
                                   .dynamic_lds = run.lds,
                                   .dynamic_lds_end = run.lds + launch->lds_bytes,
                                   .tracing = emu_tracing,
                                   .barrier = barrier,
                                   .access = access_memory};
    launch->function->module->table->runtime = &run.runtime;
    uint64_t blocks = (uint64_t)g[0] * g[1] * g[2];
    walk w = any_walk(blocks);
    emu.counts.launches++;
    for (uint64_t i = 0; i < blocks && !run.fault; i++) {
        uint64_t k = walk_on(&w), row = k / g[0];
        run.runtime.block =
            (hipemu_index){(unsigned)(k % g[0]), (unsigned)(row % g[1]), (unsigned)(row / g[1])};
        run_block();
        if (emu_tracing) *segments += emu_trace_end();
    }
    *bytes = run.runtime.bytes;
    return run.fault;
}

/* ---- Entry point -------------------------------------------------------------------------------- */

static lm_hip_error check_sizes(const emu_launch *l) {
    const hipemu_module_table *table = l->function->module->table;
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (l->grid[i] == 0 || l->block[i] == 0 || l->grid[i] > (uint32_t)emu.grid[i] ||
            l->block[i] > MAX_THREADS)
            return LM_HIP_ERROR_INVALID_CONFIGURATION;
        if ((uint64_t)l->grid[i] * l->block[i] > UINT32_MAX) return LM_HIP_ERROR_INVALID_CONFIGURATION;
        threads *= l->block[i];
    }
    if (threads > MAX_THREADS) return LM_HIP_ERROR_INVALID_CONFIGURATION;
    if ((uint64_t)(table->lds_end - table->lds) + l->lds_bytes > LDS_BYTES) return LM_HIP_ERROR_INVALID_VALUE;
    return LM_HIP_SUCCESS;
}

/* The buffer of `extra`, which ends with LM_HIP_LAUNCH_END. */
static lm_hip_error take_buffer(emu_launch *l, void **extra) {
    const void *from = NULL;
    size_t bytes = 0;
    for (; *extra != LM_HIP_LAUNCH_END; extra += 2) {
        if (*extra == LM_HIP_LAUNCH_BUFFER) from = extra[1];
        if (*extra == LM_HIP_LAUNCH_SIZE) bytes = *(const size_t *)extra[1];
    }
    if (!from || bytes < l->arg_bytes) return LM_HIP_ERROR_INVALID_VALUE;
    memcpy(l->args, from, l->arg_bytes);
    return LM_HIP_SUCCESS;
}

static lm_hip_error take_args(emu_launch *l, void **parameters, void **extra) {
    const hipemu_kernel_table *t = l->function->table;
    if ((parameters != NULL) == (extra != NULL)) return LM_HIP_ERROR_INVALID_VALUE;
    if (extra) return take_buffer(l, extra);
    for (int i = 0; i < t->count; i++) memcpy((char *)l->args + t->offset[i], parameters[i], t->size[i]);
    return LM_HIP_SUCCESS;
}

static lm_hip_error give(struct ihipStream_t *s, emu_launch *l, void **parameters, void **extra) {
    if (l->function->module->device != s->device) {
        emu_complain("kernel %s was loaded on device %d and launched on %d", emu_function_name(l->function),
                     l->function->module->device, s->device);
        return LM_HIP_ERROR_INVALID_HANDLE;
    }
    lm_hip_error error = check_sizes(l);
    if (error) return error;
    l->arg_bytes = emu_function_arg_bytes(l->function);
    l->args = calloc(1, l->arg_bytes + 1);
    if (!l->args) return LM_HIP_ERROR_OUT_OF_MEMORY;
    error = take_args(l, parameters, extra);
    emu_op work = {.kind = OP_KERNEL, .launch = *l};
    if (!error) error = emu_give(s, &work);
    free(l->args);
    return error;
}

lm_hip_error hipModuleLaunchKernel(lm_hip_function function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                                   unsigned lds_bytes, lm_hip_stream stream, void **parameters,
                                   void **extra) {
    int device = emu_stream_device(stream);
    lm_hip_error error = emu_enter(CALL_hipModuleLaunchKernel, device);
    emu_launch launch = {.function = emu_function_of(function),
                         .grid = {grid_x, grid_y, grid_z},
                         .block = {block_x, block_y, block_z},
                         .lds_bytes = lds_bytes};
    if (!error && (device < 0 || !launch.function)) error = LM_HIP_ERROR_INVALID_HANDLE;
    return emu_leave(error ? error : give(emu_stream_of(stream), &launch, parameters, extra));
}
