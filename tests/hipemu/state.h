/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated run time as a whole: its one lock, settings, devices, counters, and what every entry point
 * does first and last. */
#ifndef HIPEMU_STATE_H
#define HIPEMU_STATE_H

#include <pthread.h>

#include "hipemu.h"
#include "lib/hip_types.h"

/* Entry points that only tests use. */
typedef struct ihipGraph *emu_graph;
typedef struct hipGraphExec *emu_graph_exec;

/* All entry points: a number each, and their declarations. */
typedef enum emu_call {
#define LM_HIP(returns, name, parameters)          CALL_##name,
#define LM_HIP_OPTIONAL(returns, name, parameters) CALL_##name,
#include "lib/hip_list.h"
#define LM_HIP(returns, name, parameters) CALL_##name,
#include "test_list.h"
    EMU_CALLS
} emu_call;

#define LM_HIP(returns, name, parameters)          HIPEMU_EXPORT returns name parameters;
#define LM_HIP_OPTIONAL(returns, name, parameters) HIPEMU_EXPORT returns name parameters;
#include "lib/hip_list.h"
#define LM_HIP(returns, name, parameters) HIPEMU_EXPORT returns name parameters;
#include "test_list.h"

enum { EMU_DEVICES = 8, EMU_LOST = LM_HIP_ERROR_CONTEXT_IS_DESTROYED };

typedef struct emu_device {
    lm_hip_error fault;        /* what everything on it says since a kernel failed, or since it was lost */
    int64_t used;              /* bytes allocated */
    bool reaches[EMU_DEVICES]; /* peers to which access is enabled */
    double busy[3]; /* until when the fake clock has its engines at work: compute, inwards, outwards */
    struct ihipStream_t *null_stream;
} emu_device;

typedef struct emu_state {
    pthread_mutex_t lock;
    pthread_cond_t idle; /* signalled when a stream is no longer busy with a host function */
    int devices, warp, version;
    bool lazy, peers; /* peers: devices can be made to reach each other's memory */
    int64_t memory;
    int grid[3]; /* limits */
    emu_device device[EMU_DEVICES];
    hipemu_counts counts;
    int64_t calls[EMU_CALLS];
    char report[512];
    double work_ns, byte_ns;
    hipemu_cost *cost;
    void *cost_data;
    /* The order to fail. */
    int fail_call, fail_nth, fail_error, fail_seen; /* call -1 = any */
} emu_state;

extern emu_state emu;

/* Variables of threads lie in the block that a thread gets when it is made: those of libraries that are
 * loaded later lead gcc 12's leak sanitizer astray. */
#define EMU_THREAD_LOCAL __attribute__((tls_model("initial-exec"))) _Thread_local

/* The calling thread's current device. */
extern EMU_THREAD_LOCAL int emu_current;

/* Every entry point: enter with the device that it works on (-1 = none), work unless that says otherwise,
 * leave with the result. Between them the lock is held. Those that destroy something work in any case. */
lm_hip_error emu_enter(emu_call call, int device);
lm_hip_error emu_leave(lm_hip_error error);

/* A complaint, printf style. */
void emu_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Settings from the environment; nothing is alive then. */
void emu_set_up(void);

#endif
