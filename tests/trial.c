/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials: guarded blocks full of noise, an execution, a comparison. */
#include "trial.h"

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oracle.h"
#include "rng.h"

/* The problem, or the text, that a fault is to be blamed on, and who handled faults before. */
static const lm_trial *volatile suspect;
static const char *volatile suspect_text;
static struct sigaction old_segv, old_bus;

static void on_fault(int number) {
    char text[900];
    int n = snprintf(text, sizeof text, "signal %d during: ", number);
    if (suspect_text)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s", suspect_text);
    else if (suspect)
        n += lm_trial_format(text + n, sizeof text - (size_t)n, suspect);
    if (n > (int)sizeof text - 2) n = sizeof text - 2;
    text[n++] = '\n';
    if (write(STDERR_FILENO, text, (size_t)n) < 0) _exit(99);
    sigaction(SIGSEGV, &old_segv, NULL); /* the fault recurs and goes where it would have gone */
    sigaction(SIGBUS, &old_bus, NULL);
}

static void blame_faults(void) {
    struct sigaction action = {.sa_handler = on_fault}, now;
    if (!sigaction(SIGSEGV, NULL, &now) && now.sa_handler == on_fault) return;
    sigaction(SIGSEGV, &action, &old_segv);
    sigaction(SIGBUS, &action, &old_bus);
}

void lm_blame(const char *text) {
    suspect_text = text;
    blame_faults();
}

/* Noise whose bytes all have the top bit `top`, so that bytes of both sides never agree by chance. Every salt
 * has its own. */
static char *noise(size_t size, unsigned char top, uint64_t salt) {
    char *bytes = malloc(size + 8);
    if (!bytes) abort();
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word =
            (lm_mix((salt << 40) + i + top) & 0x7f7f7f7f7f7f7f7fu) | (top * UINT64_C(0x0101010101010101));
        memcpy(bytes + i, &word, 8);
    }
    return bytes;
}

/* Rigs opened so far. */
static atomic_uint rigs;

void lm_rig_open(lm_rig *rig, size_t capacity) {
    *rig = (lm_rig){.capacity = capacity};
    lm_guard_open(&rig->dst, capacity);
    lm_guard_open(&rig->src, capacity);
    rig->want = malloc(capacity + 1);
    if (!rig->want) abort();
    unsigned salt = atomic_fetch_add(&rigs, 1);
    rig->old_dst = noise(capacity, 0x80, salt);
    rig->old_src = noise(capacity, 0, salt);
    blame_faults();
}

void lm_rig_close(lm_rig *rig) {
    suspect = NULL;
    lm_guard_close(&rig->dst);
    lm_guard_close(&rig->src);
    free(rig->want);
    free(rig->old_dst);
    free(rig->old_src);
}

static lm_block block_of(const lmad_desc *d, size_t elem_size) {
    int64_t lo, hi;
    if (lm_oracle_empty(d)) return (lm_block){0, 0};
    lm_oracle_bounds(d, &lo, &hi);
    return (lm_block){lo * (int64_t)elem_size, (hi - lo + 1) * (int64_t)elem_size};
}

lm_block lm_trial_dst(const lm_trial *t) {
    lm_block d = block_of(&t->dst, t->elem_size);
    if (t->op != LM_OP_MOVE) return d;
    lm_block s = block_of(&t->src, t->elem_size);
    int64_t end = d.lo + d.size > s.lo + s.size ? d.lo + d.size : s.lo + s.size;
    int64_t lo = d.lo < s.lo ? d.lo : s.lo;
    return (lm_block){lo, end - lo};
}

lm_block lm_trial_src(const lm_trial *t) {
    if (t->op == LM_OP_FILL) return (lm_block){0, (int64_t)t->elem_size};
    if (t->op == LM_OP_MOVE) return (lm_block){0, 0};
    return block_of(&t->src, t->elem_size);
}

size_t lm_trial_room(const lm_trial *trial) {
    int64_t dst = lm_trial_dst(trial).size, src = lm_trial_src(trial).size;
    return (size_t)(dst > src ? dst : src);
}

bool lm_rig_fits(const lm_rig *rig, const lm_trial *trial) { return lm_trial_room(trial) <= rig->capacity; }

/* Pointers may lie far outside of their blocks, so this goes through integers. */
static char *moved(char *p, int64_t by) { return (char *)((uintptr_t)p + (uintptr_t)by); }

/* What the destination's block holds before the execution: a move starts from its source. */
static const char *before(const lm_rig *rig) {
    return rig->trial->op == LM_OP_MOVE ? rig->old_src : rig->old_dst;
}

static void work_out(lm_rig *rig, int64_t dst_lo, int64_t src_lo) {
    const lm_trial *t = rig->trial;
    memcpy(rig->want, before(rig), rig->dst.size);
    if (t->op == LM_OP_FILL)
        lm_oracle_fill(moved(rig->want, -dst_lo), &t->dst, rig->old_src, t->elem_size);
    else
        lm_oracle_copy(moved(rig->want, -dst_lo), &t->dst, moved(rig->old_src, -src_lo), &t->src,
                       t->elem_size);
}

void lm_rig_set(lm_rig *rig, const lm_trial *trial) {
    lm_block d = lm_trial_dst(trial), s = lm_trial_src(trial);
    rig->trial = trial;
    suspect = trial;
    rig->d = moved(lm_guard_place(&rig->dst, (size_t)d.size, trial->dst_end, trial->dst_slack), -d.lo);
    rig->s = moved(lm_guard_place(&rig->src, (size_t)s.size, trial->src_end, trial->src_slack), -s.lo);
    if (trial->op == LM_OP_MOVE) rig->s = rig->d;
    work_out(rig, d.lo, trial->op == LM_OP_MOVE ? d.lo : s.lo);
    lm_rig_reset(rig);
}

void lm_rig_reset(lm_rig *rig) {
    memcpy(rig->dst.block, before(rig), rig->dst.size);
    memcpy(rig->src.block, rig->old_src, rig->src.size);
}

static const char *verdict(lm_rig *rig, const char *what, long where) {
    int n = snprintf(rig->text, sizeof rig->text, "%s at byte %ld: ", what, where);
    lm_trial_format(rig->text + n, sizeof rig->text - (size_t)n, rig->trial);
    return rig->text;
}

static const char *compare(lm_rig *rig, const char *want) {
    long where = 0;
    if (memcmp(rig->dst.block, want, rig->dst.size)) {
        while (rig->dst.block[where] == want[where]) where++;
        return verdict(rig, "wrong byte in the destination", where);
    }
    if (!lm_guard_intact(&rig->dst, &where)) return verdict(rig, "write outside of the destination", where);
    if (!lm_guard_intact(&rig->src, &where)) return verdict(rig, "write outside of the source", where);
    if (memcmp(rig->src.block, rig->old_src, rig->src.size)) return verdict(rig, "source changed", 0);
    return NULL;
}

const char *lm_rig_verdict(lm_rig *rig) { return compare(rig, rig->want); }

const char *lm_rig_untouched(lm_rig *rig) { return compare(rig, before(rig)); }

int lm_trial_format(char *buf, size_t size, const lm_trial *trial) {
    char dst[400], src[400];
    lmad_format(dst, sizeof dst, &trial->dst);
    lmad_format(src, sizeof src, &trial->src);
    return snprintf(buf, size, "%s '%zu %s %s' (blocks at %s-%zu, %s-%zu)", lm_op_text(trial->op),
                    trial->elem_size, dst, trial->op == LM_OP_FILL ? "" : src,
                    trial->dst_end ? "end" : "start", trial->dst_slack, trial->src_end ? "end" : "start",
                    trial->src_slack);
}

lmad_status lm_trial_plan(lmad_plan **p, lmad_ctx *ctx, const lm_trial *t, unsigned flags) {
    switch (t->op) {
    case LM_OP_MOVE: return lmad_plan_move(p, ctx, &t->dst, &t->src, t->elem_size, flags);
    case LM_OP_FILL: return lmad_plan_fill(p, ctx, &t->dst, t->elem_size, flags);
    default: return lmad_plan_copy(p, ctx, &t->dst, &t->src, t->elem_size, flags);
    }
}

const char *lm_rig_try(lm_rig *rig, const lm_trial *trial, lmad_ctx *ctx, unsigned flags) {
    lmad_plan *plan;
    lm_rig_set(rig, trial);
    lmad_status status = lm_trial_plan(&plan, ctx, trial, flags);
    if (status != LMAD_OK) return verdict(rig, lmad_strerror(status), -1);
    status = lmad_execute(plan, rig->d, rig->s);
    lmad_plan_destroy(plan);
    if (status != LMAD_OK) return verdict(rig, lmad_strerror(status), -2);
    return lm_rig_verdict(rig);
}

int lm_test_scale(void) {
    const char *text = getenv("LMAD_TEST_SCALE");
    int scale = text ? atoi(text) : 1;
    return scale > 1 ? scale : 1;
}

uint64_t lm_test_seed(void) {
    const char *text = getenv("LMAD_TEST_SEED");
    return text ? strtoull(text, NULL, 0) : 20240229;
}
