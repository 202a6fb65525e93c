/* SPDX-License-Identifier: BSD-3-Clause */
/* oneDNN: a reorder between two strided memories. Elements of 1, 2 and 4 bytes, steps that are not negative.
 */
#include <dnnl.h>
#include <stdlib.h>

#include "peers.h"

typedef struct reorder {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    dnnl_memory_t src, dst;
} reorder;

static void close_onednn(void *state) {
    reorder *r = state;
    if (r->primitive) dnnl_primitive_destroy(r->primitive);
    if (r->description) dnnl_primitive_desc_destroy(r->description);
    if (r->src) dnnl_memory_destroy(r->src);
    if (r->dst) dnnl_memory_destroy(r->dst);
    if (r->stream) dnnl_stream_destroy(r->stream);
    if (r->engine) dnnl_engine_destroy(r->engine);
    free(r);
}

static dnnl_data_type_t type_of(int64_t size) {
    return size == 1 ? dnnl_u8 : size == 2 ? dnnl_bf16 : size == 4 ? dnnl_f32 : dnnl_data_type_undef;
}

static bool describe(const peer_problem *p, bool dst, dnnl_memory_desc_t *out) {
    dnnl_dims_t n, stride;
    for (int k = 0; k < p->rank; k++) {
        n[k] = p->dim[k].n;
        stride[k] = dst ? p->dim[k].ds : p->dim[k].ss;
        if (stride[k] <= 0) return false;
    }
    return dnnl_memory_desc_init_by_strides(out, p->rank, n, type_of(p->size), stride) == dnnl_success;
}

static bool make(reorder *r, const peer_problem *p) {
    dnnl_memory_desc_t dst, src;
    if (!describe(p, true, &dst) || !describe(p, false, &src)) return false;
    if (dnnl_engine_create(&r->engine, dnnl_cpu, 0) || dnnl_stream_create(&r->stream, r->engine, 0))
        return false;
    if (dnnl_memory_create(&r->src, &src, r->engine, (void *)p->s)) return false;
    if (dnnl_memory_create(&r->dst, &dst, r->engine, p->d)) return false;
    return !dnnl_reorder_primitive_desc_create(&r->description, &src, r->engine, &dst, r->engine, NULL) &&
           !dnnl_primitive_create(&r->primitive, r->description);
}

static void *open_onednn(const peer_problem *p) {
    if (p->rank < 1 || p->rank > DNNL_MAX_NDIMS || type_of(p->size) == dnnl_data_type_undef) return NULL;
    reorder *r = calloc(1, sizeof *r);
    if (!r || make(r, p)) return r;
    close_onednn(r);
    return NULL;
}

static double run_onednn(void *state, int64_t repeats) {
    reorder *r = state;
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, r->src}, {DNNL_ARG_DST, r->dst}};
    for (; repeats > 0; repeats--) dnnl_primitive_execute(r->primitive, r->stream, 2, args);
    dnnl_stream_wait(r->stream);
    return 0;
}

const peer peer_onednn = {"oneDNN", false, open_onednn, run_onednn, close_onednn};
