/* SPDX-License-Identifier: BSD-3-Clause */
/* The lock, settings, counters, planted failures. */
#include "state.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

emu_state emu = {.lock = PTHREAD_MUTEX_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER};
EMU_THREAD_LOCAL int emu_current;
static EMU_THREAD_LOCAL lm_hip_error last_error;

static int number_of(const char *variable, int otherwise) {
    const char *text = getenv(variable);
    return text && *text ? atoi(text) : otherwise;
}

void emu_set_up(void) {
    int devices = number_of("HIPEMU_DEVICES", 1);
    emu.devices = devices < 0 ? 0 : devices > EMU_DEVICES ? EMU_DEVICES : devices;
    emu.warp = number_of("HIPEMU_WARP", 64) == 32 ? 32 : 64;
    emu.lazy = number_of("HIPEMU_LAZY", 0) != 0;
    emu.peers = number_of("HIPEMU_PEERS", 1) != 0;
    emu.version = number_of("HIPEMU_VERSION", LM_HIP_7);
    emu.memory = (int64_t)8 << 30;
    emu.grid[0] = INT_MAX, emu.grid[1] = emu.grid[2] = 65535;
    memset(emu.device, 0, sizeof emu.device);
    memset(&emu.counts, 0, sizeof emu.counts);
    memset(emu.calls, 0, sizeof emu.calls);
    emu.report[0] = '\0';
    emu.work_ns = 1000, emu.byte_ns = 0.001;
    emu.cost = NULL;
    emu.fail_nth = 0;
}

void emu_complain(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(emu.report, sizeof emu.report, format, args);
    va_end(args);
    emu.counts.complaints++;
    fprintf(stderr, "hipemu: %s\n", emu.report);
}

/* What is asked about the run time itself, and the last error, does not fail on order. */
static bool can_fail(emu_call call) {
    return call != CALL_hipGetErrorName && call != CALL_hipGetLastError && call != CALL_hipPeekAtLastError;
}

static bool is_ordered_to_fail(emu_call call) {
    if (!can_fail(call) || (emu.fail_call >= 0 && emu.fail_call != (int)call)) return false;
    emu.fail_seen++;
    return emu.fail_nth > 0 && emu.fail_seen == emu.fail_nth;
}

static pthread_once_t set_up = PTHREAD_ONCE_INIT;

lm_hip_error emu_enter(emu_call call, int device) {
    pthread_once(&set_up, emu_set_up);
    pthread_mutex_lock(&emu.lock);
    emu.calls[call]++;
    if (is_ordered_to_fail(call)) return emu.fail_error;
    if (device < 0) return LM_HIP_SUCCESS;
    if (emu.devices == 0) return LM_HIP_ERROR_NO_DEVICE;
    if (device >= emu.devices) return LM_HIP_ERROR_INVALID_DEVICE;
    return emu.device[device].fault;
}

/* Before version 7 success overwrites the last error, too; since then an error waits until somebody asks. */
lm_hip_error emu_leave(lm_hip_error error) {
    if (error != LM_HIP_SUCCESS || emu.version < LM_HIP_7) last_error = error;
    pthread_mutex_unlock(&emu.lock);
    return error;
}

lm_hip_error hipGetLastError(void) {
    emu_enter(CALL_hipGetLastError, -1);
    lm_hip_error error = last_error;
    last_error = LM_HIP_SUCCESS;
    pthread_mutex_unlock(&emu.lock);
    return error;
}

lm_hip_error hipPeekAtLastError(void) {
    emu_enter(CALL_hipPeekAtLastError, -1);
    lm_hip_error error = last_error;
    pthread_mutex_unlock(&emu.lock);
    return error;
}

const char *hipGetErrorName(lm_hip_error error) {
    static const struct {
        lm_hip_error error;
        const char *name;
    } names[] = {
#define LM_HIP_ERROR(ours, hips, number) {ours, #hips},
#include "lib/hip_errors.h"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].error == error) return names[i].name;
    return "hipErrorUnknown";
}
