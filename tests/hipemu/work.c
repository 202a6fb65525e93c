/* SPDX-License-Identifier: BSD-3-Clause */
/* Doing a piece of work, and what the fake clock says of it. */
#include <string.h>

#include "memory.h"
#include "module.h"
#include "stream.h"

enum { COMPUTE = 0, INWARDS = 1, OUTWARDS = 2, BUS = 40 };

/* An engine does one thing at a time; crossing the bus costs forty times as much as memory does. */
static void pass_time(struct ihipStream_t *s, int engine, const hipemu_work *work) {
    double *busy = &emu.device[s->device].busy[engine];
    double start = s->time > *busy ? s->time : *busy;
    double bytes = (double)work->bytes * (work->crosses ? BUS : 1);
    double cost = emu.cost ? emu.cost(emu.cost_data, work) : emu.work_ns + bytes * emu.byte_ns;
    s->time = *busy = start + cost;
}

static void copy_rows(const emu_box *b) {
    for (size_t z = 0; z < b->depth; z++)
        for (size_t y = 0; y < b->height; y++)
            memcpy(b->dst + z * b->dst_slice + y * b->dst_pitch, b->src + z * b->src_slice + y * b->src_pitch,
                   b->width);
}

static int place_of(const emu_memory *m) { return m && m->kind == EMU_DEVICE_MEMORY ? m->device : -1; }

static void do_copy(struct ihipStream_t *s, const emu_box *b) {
    emu_memory *dst = emu_memory_of(b->dst, 1), *src = emu_memory_of(b->src, 1);
    if (dst) emu_memory_open(dst);
    if (src) emu_memory_open(src);
    copy_rows(b);
    if (src) emu_memory_close(src);
    if (dst) emu_memory_close(dst);
    int to = place_of(dst), from = place_of(src);
    hipemu_work work = {.bytes = 2 * (int64_t)(b->width * b->height * b->depth), .crosses = to != from};
    pass_time(s, to == from ? COMPUTE : to == s->device ? INWARDS : OUTWARDS, &work);
    emu.counts.copies++;
}

static void do_fill(struct ihipStream_t *s, const emu_op *op) {
    emu_memory *dst = emu_memory_of(op->box.dst, op->box.width);
    if (!dst) return;
    emu_memory_open(dst);
    memset(op->box.dst, op->value, op->box.width);
    emu_memory_close(dst);
    hipemu_work work = {.bytes = (int64_t)op->box.width};
    pass_time(s, COMPUTE, &work);
}

static void do_kernel(struct ihipStream_t *s, const emu_launch *launch) {
    hipemu_work work = {.kernel = emu_function_name(launch->function), .args = launch->args};
    memcpy(work.grid, launch->grid, sizeof work.grid);
    memcpy(work.block, launch->block, sizeof work.block);
    for (int i = 0; i < EMU_DEVICES; i++)
        if (i == s->device || emu.device[s->device].reaches[i]) emu_memory_open_device(i);
    lm_hip_error fault = emu_run_kernel(s->device, launch, &work.bytes, &work.segments);
    for (int i = 0; i < EMU_DEVICES; i++)
        if (i == s->device || emu.device[s->device].reaches[i]) emu_memory_close_device(i);
    if (fault) emu.device[s->device].fault = fault;
    pass_time(s, COMPUTE, &work);
}

/* It must not call HIP, but it may wait for who does. */
static void do_host(const emu_op *op) {
    pthread_mutex_unlock(&emu.lock);
    if (op->function)
        op->function(op->data);
    else
        op->callback(op->stream, LM_HIP_SUCCESS, op->data);
    pthread_mutex_lock(&emu.lock);
}

/* On a device that is lost nothing happens any more, and everything is over. */
void emu_do(struct ihipStream_t *s, emu_op *op) {
    bool works = emu.device[s->device].fault == LM_HIP_SUCCESS;
    switch (op->kind) {
    case OP_COPY:
        if (works) do_copy(s, &op->box);
        return;
    case OP_FILL:
        if (works) do_fill(s, op);
        return;
    case OP_KERNEL:
        if (works) do_kernel(s, &op->launch);
        return;
    case OP_HOST:
        if (works) do_host(op);
        return;
    case OP_RECORD:
        op->record->done = true;
        op->record->time = s->time;
        return;
    case OP_WAIT: return;
    }
}
