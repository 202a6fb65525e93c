/* SPDX-License-Identifier: BSD-3-Clause */
/* hipemu_control(): what tests set and ask. */
#include <string.h>

#include "fibre.h"
#include "memory.h"
#include "module.h"
#include "stream.h"
#include "trace.h"

static void lock(void) {
    emu_enter(CALL_hipGetErrorName, -1);
    emu.calls[CALL_hipGetErrorName]--;
}

static void unlock(void) { pthread_mutex_unlock(&emu.lock); }

static void reset(void) {
    lock();
    emu_streams_drop();
    emu_events_drop();
    emu_graphs_drop();
    emu_modules_drop();
    emu_programs_drop();
    emu_memory_drop(-1);
    emu_trace_drop();
    emu_fibres_drop();
    emu_tracing = false;
    emu_set_up();
    unlock();
    emu_current = 0;
    hipGetLastError();
}

static void set_devices(int count) {
    lock();
    emu.devices = count;
    unlock();
}

static void set_warp(int width) {
    lock();
    emu.warp = width;
    unlock();
}

static void set_lazy(bool lazy) {
    lock();
    emu.lazy = lazy;
    unlock();
}

static void set_peers(bool reachable) {
    lock();
    emu.peers = reachable;
    unlock();
}

static void set_version(int version) {
    lock();
    emu.version = version;
    unlock();
}

static void set_memory(int64_t bytes) {
    lock();
    emu.memory = bytes;
    unlock();
}

static void set_grid(int x, int yz) {
    lock();
    emu.grid[0] = x;
    emu.grid[1] = emu.grid[2] = yz;
    unlock();
}

static const char *const names[] = {
#define LM_HIP(returns, name, parameters)          #name,
#define LM_HIP_OPTIONAL(returns, name, parameters) #name,
#include "lib/hip_list.h"
#define LM_HIP(returns, name, parameters) #name,
#include "test_list.h"
};

/* -1 for NULL, -2 for a name that there is not. */
static int number_of(const char *call) {
    if (!call) return -1;
    for (int i = 0; i < EMU_CALLS; i++)
        if (strcmp(names[i], call) == 0) return i;
    emu_complain("there is no entry point %s", call);
    return -2;
}

static void break_call(const char *call, int nth, int error) {
    lock();
    emu.fail_call = number_of(call);
    emu.fail_nth = emu.fail_call == -2 ? 0 : nth;
    emu.fail_error = error;
    emu.fail_seen = 0;
    unlock();
}

static int breakable_calls(void) {
    lock();
    int seen = emu.fail_seen;
    unlock();
    return seen;
}

static void lose_device(int number) {
    lock();
    emu.device[number].fault = EMU_LOST;
    emu_streams_drain(number); /* does nothing more than to end it */
    emu_memory_drop(number);
    unlock();
}

static void counts(hipemu_counts *counts) {
    lock();
    *counts = emu.counts;
    unlock();
}

static int64_t calls(const char *call) {
    lock();
    int number = number_of(call);
    int64_t count = number >= 0 ? emu.calls[number] : 0;
    unlock();
    return count;
}

static const char *report(void) { return emu.report; }

static bool intact(void) {
    lock();
    bool intact = emu_memory_intact();
    unlock();
    return intact;
}

static int64_t pending(void) {
    lock();
    int64_t count = emu_streams_pending();
    unlock();
    return count;
}

static void set_trace(bool on) {
    lock();
    emu_tracing = on;
    unlock();
}

static void clear_trace(void) {
    lock();
    emu_trace_clear();
    unlock();
}

static void trace(hipemu_trace *total) {
    lock();
    emu_trace_total(total);
    unlock();
}

static void trace_site(int site, hipemu_trace *of_site) {
    lock();
    emu_trace_site(site, of_site);
    unlock();
}

static void set_clock(double work_ns, double byte_ns) {
    lock();
    emu.work_ns = work_ns;
    emu.byte_ns = byte_ns;
    unlock();
}

static void set_cost(hipemu_cost *cost, void *data) {
    lock();
    emu.cost = cost;
    emu.cost_data = data;
    unlock();
}

const hipemu *hipemu_control(void) {
    static const hipemu control = {
        reset,      set_devices,     set_warp,    set_lazy,   set_peers, set_version, set_memory, set_grid,
        break_call, breakable_calls, lose_device, counts,     calls,     report,      intact,     pending,
        set_trace,  clear_trace,     trace,       trace_site, set_clock, set_cost};
    return &control;
}
