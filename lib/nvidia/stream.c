/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams, events and graphs. Flags and states have the same numbers in both worlds. */
#include "provider.h"

lm_hip_error hipStreamCreateWithFlags(lm_hip_stream *stream, unsigned flags) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuStreamCreate((lm_cu_stream *)stream, flags)) : lm_nv_fail(error);
}

lm_hip_error hipStreamDestroy(lm_hip_stream stream) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuStreamDestroy((lm_cu_stream)stream)) : lm_nv_fail(error);
}

lm_hip_error hipStreamSynchronize(lm_hip_stream stream) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuStreamSynchronize((lm_cu_stream)stream)) : lm_nv_fail(error);
}

lm_hip_error hipStreamWaitEvent(lm_hip_stream stream, lm_hip_event event, unsigned flags) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    if (!cuda) return lm_nv_fail(error);
    return lm_nv_result(cuda->cuStreamWaitEvent((lm_cu_stream)stream, (lm_cu_event)event, flags));
}

lm_hip_error hipStreamIsCapturing(lm_hip_stream stream, lm_hip_capture_status *status) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuStreamIsCapturing((lm_cu_stream)stream, status)) : lm_nv_fail(error);
}

lm_hip_error hipLaunchHostFunc(lm_hip_stream stream, lm_hip_host_function function, void *data) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuLaunchHostFunc((lm_cu_stream)stream, function, data))
                : lm_nv_fail(error);
}

lm_hip_error hipEventCreateWithFlags(lm_hip_event *event, unsigned flags) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuEventCreate((lm_cu_event *)event, flags)) : lm_nv_fail(error);
}

lm_hip_error hipEventDestroy(lm_hip_event event) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuEventDestroy((lm_cu_event)event)) : lm_nv_fail(error);
}

lm_hip_error hipEventRecord(lm_hip_event event, lm_hip_stream stream) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuEventRecord((lm_cu_event)event, (lm_cu_stream)stream))
                : lm_nv_fail(error);
}

lm_hip_error hipEventSynchronize(lm_hip_event event) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuEventSynchronize((lm_cu_event)event)) : lm_nv_fail(error);
}

lm_hip_error hipEventElapsedTime(float *ms, lm_hip_event start, lm_hip_event stop) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    if (!cuda) return lm_nv_fail(error);
    return lm_nv_result(cuda->cuEventElapsedTime(ms, (lm_cu_event)start, (lm_cu_event)stop));
}

lm_hip_error hipStreamBeginCapture(lm_hip_stream stream, int mode) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuStreamBeginCapture((lm_cu_stream)stream, mode)) : lm_nv_fail(error);
}

lm_hip_error hipStreamEndCapture(lm_hip_stream stream, lm_hip_graph *graph) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuStreamEndCapture((lm_cu_stream)stream, graph)) : lm_nv_fail(error);
}

lm_hip_error hipGraphInstantiate(lm_hip_graph_exec *exec, lm_hip_graph graph, void *node, char *log,
                                 size_t log_size) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    (void)node;
    if (log_size) *log = 0;
    return cuda ? lm_nv_result(cuda->cuGraphInstantiateWithFlags(exec, graph, 0)) : lm_nv_fail(error);
}

lm_hip_error hipGraphLaunch(lm_hip_graph_exec exec, lm_hip_stream stream) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuGraphLaunch(exec, (lm_cu_stream)stream)) : lm_nv_fail(error);
}

lm_hip_error hipGraphDestroy(lm_hip_graph graph) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuGraphDestroy(graph)) : lm_nv_fail(error);
}

lm_hip_error hipGraphExecDestroy(lm_hip_graph_exec exec) {
    lm_hip_error error;
    const lm_cuda *cuda = lm_nv_ready(&error);
    return cuda ? lm_nv_result(cuda->cuGraphExecDestroy(exec)) : lm_nv_fail(error);
}
