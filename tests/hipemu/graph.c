/* SPDX-License-Identifier: BSD-3-Clause */
/* Capture into graphs. A graph is the captured work in the order in which it was given, which is one of those
 * that its dependencies allow; launched, it runs in that order on one stream. */
#include <stdlib.h>
#include <string.h>

#include "stream.h"

enum { MODE_GLOBAL = 0, MODE_THREAD = 1, MODE_RELAXED = 2 };

struct ihipGraph {
    struct ihipGraph *next;
    emu_op *head, *tail;
    bool capturing, ruined;
    int mode;
    pthread_t thread;
};

struct hipGraphExec {
    struct hipGraphExec *next;
    emu_op *head, *tail;
};

static struct ihipGraph *graphs;
static struct hipGraphExec *execs;

static lm_hip_error append(emu_op **head, emu_op **tail, const emu_op *work) {
    emu_op *op = emu_op_copy(work);
    if (!op) return LM_HIP_ERROR_OUT_OF_MEMORY;
    *(*tail ? &(*tail)->next : head) = op;
    *tail = op;
    return LM_HIP_SUCCESS;
}

static void free_work(emu_op *op) {
    while (op) {
        emu_op *next = op->next;
        emu_op_release(op);
        free(op);
        op = next;
    }
}

lm_hip_error emu_capture_forbids(void) {
    lm_hip_error error = LM_HIP_SUCCESS;
    for (struct ihipGraph *g = graphs; g; g = g->next) {
        if (!g->capturing || g->mode == MODE_RELAXED) continue;
        if (g->mode == MODE_THREAD && !pthread_equal(g->thread, pthread_self())) continue;
        g->ruined = true;
        error = LM_HIP_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return error;
}

lm_hip_error emu_capture_take(struct ihipStream_t *s, const emu_op *work) {
    struct ihipGraph *g = s->capture;
    if (g->ruined) return LM_HIP_ERROR_STREAM_CAPTURE_INVALIDATED;
    return append(&g->head, &g->tail, work);
}

static struct ihipGraph *graph_of(emu_graph graph) {
    struct ihipGraph *g = graphs;
    while (g && g != graph) g = g->next;
    return g;
}

static struct hipGraphExec *exec_of(emu_graph_exec exec) {
    struct hipGraphExec *x = execs;
    while (x && x != exec) x = x->next;
    return x;
}

static void drop_graph(struct ihipGraph *g) {
    free_work(g->head);
    free(g);
}

static void drop_exec(struct hipGraphExec *x) {
    free_work(x->head);
    free(x);
}

void emu_graphs_drop(void) {
    while (graphs) {
        struct ihipGraph *g = graphs;
        graphs = g->next;
        drop_graph(g);
    }
    while (execs) {
        struct hipGraphExec *x = execs;
        execs = x->next;
        drop_exec(x);
    }
}

/* ---- Entry points ------------------------------------------------------------------------------- */

lm_hip_error hipStreamIsCapturing(lm_hip_stream stream, lm_hip_capture_status *status) {
    int device = emu_stream_device(stream);
    lm_hip_error error = emu_enter(CALL_hipStreamIsCapturing, device);
    if (!error && device < 0) error = LM_HIP_ERROR_INVALID_HANDLE;
    if (error) return emu_leave(error);
    const struct ihipGraph *g = emu_stream_of(stream)->capture;
    *status = !g ? LM_HIP_CAPTURE_NONE : g->ruined ? LM_HIP_CAPTURE_INVALIDATED : LM_HIP_CAPTURE_ACTIVE;
    return emu_leave(LM_HIP_SUCCESS);
}

lm_hip_error hipStreamBeginCapture(lm_hip_stream stream, int mode) {
    int device = emu_stream_device(stream);
    lm_hip_error error = emu_enter(CALL_hipStreamBeginCapture, device);
    if (!error && device < 0) error = LM_HIP_ERROR_INVALID_HANDLE;
    if (!error && !stream) error = LM_HIP_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (error) return emu_leave(error);
    struct ihipStream_t *s = emu_stream_of(stream);
    struct ihipGraph *g = s->capture ? NULL : calloc(1, sizeof *g);
    if (!g) return emu_leave(LM_HIP_ERROR_INVALID_VALUE);
    *g = (struct ihipGraph){.next = graphs, .capturing = true, .mode = mode, .thread = pthread_self()};
    graphs = g;
    s->capture = g;
    s->capture_origin = true;
    emu.counts.graphs++;
    return emu_leave(LM_HIP_SUCCESS);
}

static void unlink_graph(struct ihipGraph *g) {
    struct ihipGraph **link = &graphs;
    while (*link != g) link = &(*link)->next;
    *link = g->next;
    drop_graph(g);
    emu.counts.graphs--;
}

lm_hip_error hipStreamEndCapture(lm_hip_stream stream, emu_graph *graph) {
    int device = emu_stream_device(stream);
    lm_hip_error error = emu_enter(CALL_hipStreamEndCapture, device);
    struct ihipStream_t *s = device < 0 ? NULL : emu_stream_of(stream);
    if (!error && (!s || !s->capture || !s->capture_origin)) error = LM_HIP_ERROR_INVALID_VALUE;
    if (error) return emu_leave(error);
    struct ihipGraph *g = s->capture;
    emu_streams_uncapture(g);
    emu_events_uncapture(g);
    g->capturing = false;
    if (g->ruined) {
        unlink_graph(g);
        *graph = NULL;
        return emu_leave(LM_HIP_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
    *graph = g;
    return emu_leave(LM_HIP_SUCCESS);
}

lm_hip_error hipGraphInstantiate(emu_graph_exec *exec, emu_graph graph, void **error_node, char *log,
                                 size_t log_size) {
    lm_hip_error error = emu_enter(CALL_hipGraphInstantiate, emu_current);
    (void)error_node, (void)log, (void)log_size;
    const struct ihipGraph *g = graph_of(graph);
    if (!error && !g) error = LM_HIP_ERROR_INVALID_VALUE;
    if (error) return emu_leave(error);
    struct hipGraphExec *x = calloc(1, sizeof *x);
    if (!x) return emu_leave(LM_HIP_ERROR_OUT_OF_MEMORY);
    for (const emu_op *op = g->head; op && !error; op = op->next) error = append(&x->head, &x->tail, op);
    x->next = execs;
    execs = x;
    *exec = x;
    return emu_leave(error);
}

lm_hip_error hipGraphLaunch(emu_graph_exec exec, lm_hip_stream stream) {
    int device = emu_stream_device(stream);
    lm_hip_error error = emu_enter(CALL_hipGraphLaunch, device);
    const struct hipGraphExec *x = exec_of(exec);
    if (!error && (device < 0 || !x)) error = LM_HIP_ERROR_INVALID_HANDLE;
    if (error) return emu_leave(error);
    struct ihipStream_t *s = emu_stream_of(stream);
    for (const emu_op *op = x->head; op && !error; op = op->next)
        if (op->kind != OP_RECORD && op->kind != OP_WAIT) error = emu_give(s, op);
    return emu_leave(error);
}

lm_hip_error hipGraphDestroy(emu_graph graph) {
    lm_hip_error error = emu_enter(CALL_hipGraphDestroy, -1);
    struct ihipGraph *g = graph_of(graph);
    if (!g || g->capturing) return emu_leave(LM_HIP_ERROR_INVALID_VALUE);
    unlink_graph(g);
    return emu_leave(error);
}

lm_hip_error hipGraphExecDestroy(emu_graph_exec exec) {
    lm_hip_error error = emu_enter(CALL_hipGraphExecDestroy, -1);
    struct hipGraphExec *x = exec_of(exec), **link = &execs;
    if (!x) return emu_leave(LM_HIP_ERROR_INVALID_VALUE);
    while (*link != x) link = &(*link)->next;
    *link = x->next;
    drop_exec(x);
    return emu_leave(error);
}
