/* SPDX-License-Identifier: BSD-3-Clause */
/* NumPy and PyTorch, in a process of their own each (worker.py), on the same memory. They time themselves. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "peers.h"

typedef struct worker {
    FILE *to, *from;
    bool started;
} worker;

/* The worker inherits the memory. It ends when its input does. */
static void start(worker *w, const char *library, int memory) {
    int to[2], from[2];
    char number[16];
    w->started = true;
    if (pipe(to) || pipe(from)) return;
    const pid_t pid = fork();
    if (pid == 0) {
        const char *python = getenv("PEERS_PYTHON"), *script = getenv("PEERS_WORKER");
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[1]);
        close(from[0]);
        snprintf(number, sizeof number, "%d", memory);
        if (script) execlp(python ? python : "python3", "python3", script, library, number, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    w->to = fdopen(to[1], "w");
    w->from = fdopen(from[0], "r");
}

/* A number, or -1 when there is no answer. */
static double answer(worker *w) {
    double value = -1;
    fflush(w->to);
    return fscanf(w->from, "%lf", &value) == 1 ? value : -1;
}

static void *open_worker(worker *w, const char *library, const peer_problem *p) {
    if (!w->started) start(w, library, p->memory);
    if (!w->to || !w->from) return NULL;
    fprintf(w->to, "open %lld %lld %lld", (long long)p->size, (long long)p->d_at, (long long)p->s_at);
    for (int k = 0; k < p->rank; k++)
        fprintf(w->to, " %lld %lld %lld", (long long)p->dim[k].n, (long long)p->dim[k].ds,
                (long long)p->dim[k].ss);
    fputc('\n', w->to);
    return answer(w) == 1 ? w : NULL;
}

static double run_worker(void *state, int64_t repeats) {
    worker *w = state;
    fprintf(w->to, "run %lld\n", (long long)repeats);
    return answer(w);
}

static void close_worker(void *state) { (void)state; }

static worker numpy, torch;

static void *open_numpy(const peer_problem *p) { return open_worker(&numpy, "numpy", p); }
static void *open_torch(const peer_problem *p) { return open_worker(&torch, "torch", p); }

const peer peer_numpy = {"NumPy", false, open_numpy, run_worker, close_worker};
const peer peer_torch = {"PyTorch", false, open_torch, run_worker, close_worker};
