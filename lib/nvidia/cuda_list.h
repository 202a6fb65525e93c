/* SPDX-License-Identifier: BSD-3-Clause */
/* The one list of entry points of the driver. No include guard: the includer defines LM_CU(name, symbol, parameters),
 * where symbol is what the library exports. */
/* clang-format would take the parameters for products. */
/* clang-format off */
LM_CU(cuInit, "cuInit", (unsigned flags))
LM_CU(cuDriverGetVersion, "cuDriverGetVersion", (int *version))
LM_CU(cuDeviceGetCount, "cuDeviceGetCount", (int *count))
LM_CU(cuDeviceGet, "cuDeviceGet", (lm_cu_device *device, int ordinal))
LM_CU(cuDeviceGetName, "cuDeviceGetName", (char *name, int length, lm_cu_device device))
LM_CU(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, lm_cu_device device))
LM_CU(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t *bytes, lm_cu_device device))
LM_CU(cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer", (int *can, lm_cu_device device, lm_cu_device peer))
LM_CU(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (lm_cu_context *context, lm_cu_device device))
LM_CU(cuCtxGetCurrent, "cuCtxGetCurrent", (lm_cu_context *context))
LM_CU(cuCtxSetCurrent, "cuCtxSetCurrent", (lm_cu_context context))
LM_CU(cuCtxGetDevice, "cuCtxGetDevice", (lm_cu_device *device))
LM_CU(cuMemGetInfo, "cuMemGetInfo_v2", (size_t *free_bytes, size_t *total_bytes))
LM_CU(cuMemAlloc, "cuMemAlloc_v2", (lm_cu_address *address, size_t bytes))
LM_CU(cuMemFree, "cuMemFree_v2", (lm_cu_address address))
LM_CU(cuMemHostAlloc, "cuMemHostAlloc", (void **p, size_t bytes, unsigned flags))
LM_CU(cuMemFreeHost, "cuMemFreeHost", (void *p))
LM_CU(cuPointerGetAttribute, "cuPointerGetAttribute", (void *value, int attribute, lm_cu_address address))
LM_CU(cuMemcpyAsync, "cuMemcpyAsync", (lm_cu_address dst, lm_cu_address src, size_t bytes, lm_cu_stream stream))
LM_CU(cuMemcpyPeerAsync, "cuMemcpyPeerAsync",
      (lm_cu_address dst, lm_cu_context dst_context, lm_cu_address src, lm_cu_context src_context, size_t bytes,
       lm_cu_stream stream))
LM_CU(cuMemcpy2DAsync, "cuMemcpy2DAsync_v2", (const lm_cu_copy_2d *copy, lm_cu_stream stream))
LM_CU(cuMemcpy3DAsync, "cuMemcpy3DAsync_v2", (const lm_cu_copy_3d *copy, lm_cu_stream stream))
LM_CU(cuMemsetD8Async, "cuMemsetD8Async",
      (lm_cu_address address, unsigned char value, size_t bytes, lm_cu_stream stream))
LM_CU(cuStreamCreate, "cuStreamCreate", (lm_cu_stream *stream, unsigned flags))
LM_CU(cuStreamDestroy, "cuStreamDestroy_v2", (lm_cu_stream stream))
LM_CU(cuStreamSynchronize, "cuStreamSynchronize", (lm_cu_stream stream))
LM_CU(cuStreamWaitEvent, "cuStreamWaitEvent", (lm_cu_stream stream, lm_cu_event event, unsigned flags))
LM_CU(cuStreamIsCapturing, "cuStreamIsCapturing", (lm_cu_stream stream, int *status))
LM_CU(cuStreamBeginCapture, "cuStreamBeginCapture_v2", (lm_cu_stream stream, int mode))
LM_CU(cuStreamEndCapture, "cuStreamEndCapture", (lm_cu_stream stream, lm_cu_graph *graph))
LM_CU(cuLaunchHostFunc, "cuLaunchHostFunc", (lm_cu_stream stream, void (*function)(void *data), void *data))
LM_CU(cuEventCreate, "cuEventCreate", (lm_cu_event *event, unsigned flags))
LM_CU(cuEventDestroy, "cuEventDestroy_v2", (lm_cu_event event))
LM_CU(cuEventRecord, "cuEventRecord", (lm_cu_event event, lm_cu_stream stream))
LM_CU(cuEventSynchronize, "cuEventSynchronize", (lm_cu_event event))
LM_CU(cuEventElapsedTime, "cuEventElapsedTime", (float *milliseconds, lm_cu_event start, lm_cu_event end))
LM_CU(cuModuleLoadData, "cuModuleLoadData", (lm_cu_module *module, const void *image))
LM_CU(cuModuleUnload, "cuModuleUnload", (lm_cu_module module))
LM_CU(cuModuleGetFunction, "cuModuleGetFunction", (lm_cu_function *function, lm_cu_module module, const char *name))
LM_CU(cuLaunchKernel, "cuLaunchKernel",
      (lm_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
       unsigned block_z, unsigned shared, lm_cu_stream stream, void **parameters, void **extra))
LM_CU(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags",
      (lm_cu_graph_exec *exec, lm_cu_graph graph, unsigned long long flags))
LM_CU(cuGraphLaunch, "cuGraphLaunch", (lm_cu_graph_exec exec, lm_cu_stream stream))
LM_CU(cuGraphDestroy, "cuGraphDestroy", (lm_cu_graph graph))
LM_CU(cuGraphExecDestroy, "cuGraphExecDestroy", (lm_cu_graph_exec exec))
