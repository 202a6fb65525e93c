/* SPDX-License-Identifier: BSD-3-Clause */
/* Small problems, all of them: rank <= 3, extents 0..4, the axes of a side in any order, each plain, with a
 * gap, reversed or broadcast. A destination that aliases itself must be refused exactly when brute force
 * says so. */
#include <check.h>

#include "oracle.h"
#include "rng.h"
#include "trial.h"

enum { PLAIN, GAP, REVERSED, BROADCAST, MODES };

static const int orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* Sizes tried in full, and those of which a sample is enough. */
static const size_t full_sizes[] = {1, 3, 8};
static const size_t more_sizes[] = {2, 4, 5, 6, 7, 12, 16, 24, 32, 48};
enum { SAMPLE = 100 };

static int power(int base, int exponent) { return exponent ? base * power(base, exponent - 1) : 1; }

/* Layouts of a rank: the order of the axes in memory times the mode of each. */
static int layouts(int rank) {
    static const int factorial[] = {1, 1, 2, 6};
    return factorial[rank] * power(MODES, rank);
}

static lmad_desc layout(int rank, const int64_t *n, int number) {
    lmad_desc d = {.rank = rank, .offset = number % 7 - 3};
    int order = number / power(MODES, rank), modes = number % power(MODES, rank);
    int64_t dense = 1;
    for (int i = 0; i < rank; i++) {
        int k = orders[order][i], mode = modes / power(MODES, k) % MODES;
        int64_t stride = mode == GAP ? 2 * dense : dense;
        d.dim[k] = (lmad_dim){n[k], mode == BROADCAST ? 0 : stride};
        if (mode != BROADCAST) dense = stride * (n[k] > 0 ? n[k] : 1);
        if (mode != REVERSED || n[k] == 0) continue;
        d.dim[k].stride = -stride;
        d.offset += (n[k] - 1) * stride;
    }
    return d;
}

/* Extents number 0 .. 5^rank-1. */
static void shape(int rank, int number, int64_t *n) {
    for (int k = 0; k < rank; k++, number /= 5) n[k] = number % 5;
}

/* One problem, with blocks placed and the way it is called chosen by `luck`. */
static void try_one(lm_rig *rig, lm_trial *t, uint64_t luck) {
    t->dst_end = luck & 1;
    t->src_end = luck & 2;
    t->dst_slack = luck >> 8 & 63;
    t->src_slack = luck >> 16 & 63;
    if (!lm_oracle_aliases(&t->dst)) {
        const char *why = lm_rig_try(rig, t, NULL, luck & 4 ? LMAD_SERIAL : LMAD_ESTIMATE);
        if (why) ck_abort_msg("%s", why);
        return;
    }
    lmad_plan *plan = NULL;
    lmad_status status = lm_trial_plan(&plan, NULL, t, LMAD_ESTIMATE);
    char text[900];
    lm_trial_format(text, sizeof text, t);
    if (status != LMAD_ERR_DST_ALIAS || plan)
        ck_abort_msg("%s, not an alias: %s", lmad_strerror(status), text);
}

/* The same through lmad_copy(). */
static void try_immediate(lm_rig *rig, lm_trial *t) {
    lm_rig_set(rig, t);
    bool bad = lm_oracle_aliases(&t->dst);
    lmad_status status = lmad_copy(rig->d, &t->dst, rig->s, &t->src, t->elem_size);
    const char *why = bad ? lm_rig_untouched(rig) : lm_rig_verdict(rig);
    if (status != (bad ? LMAD_ERR_DST_ALIAS : LMAD_OK)) why = lmad_strerror(status);
    if (why) ck_abort_msg("immediate: %s", why);
}

static void try_pair(lm_rig *rig, int rank, const int64_t *n, int dst, int src, size_t elem_size,
                     uint64_t luck) {
    lm_trial t = {.op = LM_OP_COPY, .elem_size = elem_size};
    t.dst = layout(rank, n, dst);
    t.src = layout(rank, n, src);
    try_one(rig, &t, luck);
    if ((luck >> 32 & 15) == 0) try_immediate(rig, &t);
}

/* Any layout without a broadcast axis. */
static int any_injective(int rank, uint64_t luck) {
    int number = (int)((luck >> 20) % (unsigned)(layouts(rank) / power(MODES, rank)));
    for (int k = 0; k < rank; k++, luck >>= 4) number = number * MODES + (int)(luck & 15) % BROADCAST;
    return number;
}

/* Is problem number i of a list taken, when every so manyth is enough? */
static bool taken(uint64_t luck, int every) { return (luck >> 40) % (unsigned)every == 0; }

/* Rank 3 has too many pairs: every layout of one side against any one of the other. */
static void each_layout(lm_rig *rig, int rank, int shape_number, size_t elem_size, int every) {
    int64_t n[3];
    int count = layouts(rank);
    shape(rank, shape_number, n);
    for (int i = 0; i < 2 * count; i++) {
        uint64_t luck = lm_mix((uint64_t)((shape_number * 2 * count + i) * 64) + elem_size);
        if (!taken(luck, every)) continue;
        if (i < count)
            try_pair(rig, rank, n, i, (int)(lm_mix(luck) % (unsigned)count), elem_size, luck);
        else
            try_pair(rig, rank, n, any_injective(rank, lm_mix(luck)), i - count, elem_size, luck);
    }
}

/* Every pair of layouts; one order of the destination's axes stands for all. */
static void each_pair(lm_rig *rig, int rank, int shape_number, size_t elem_size, int every) {
    int64_t n[3];
    int dsts = power(MODES, rank), srcs = layouts(rank);
    shape(rank, shape_number, n);
    for (int i = 0; i < dsts * srcs; i++) {
        uint64_t luck = lm_mix((uint64_t)((shape_number * dsts * srcs + i) * 64) + elem_size);
        if (taken(luck, every)) try_pair(rig, rank, n, i % dsts, i / dsts, elem_size, luck);
    }
}

static void each_shape(size_t elem_size, int every) {
    lm_rig rig;
    lm_rig_open(&rig, 1 << 16);
    for (int rank = 0; rank <= 2; rank++)
        for (int i = 0; i < power(5, rank); i++) each_pair(&rig, rank, i, elem_size, every);
    for (int i = 0; i < power(5, 3); i++) each_layout(&rig, 3, i, elem_size, every);
    lm_rig_close(&rig);
}

START_TEST(copies) { each_shape(full_sizes[_i], lm_test_scale()); }
END_TEST

START_TEST(copies_sampled) { each_shape(more_sizes[_i], SAMPLE * lm_test_scale()); }
END_TEST

/* Two views of one buffer, a few elements apart. */
START_TEST(moves) {
    lm_rig rig;
    lm_rig_open(&rig, 1 << 16);
    for (int number = 0; number < 25 * 16 * 32 * 6; number++) {
        uint64_t luck = lm_mix((uint64_t)number);
        if (!taken(luck, lm_test_scale())) continue;
        int64_t n[3];
        int i = number / 6;
        lm_trial t = {.op = LM_OP_MOVE, .elem_size = full_sizes[_i]};
        shape(2, i / 512, n);
        t.dst = layout(2, n, i % 16);
        t.src = layout(2, n, i / 16 % 32);
        t.src.offset += number % 6 - 3;
        try_one(&rig, &t, luck);
    }
    lm_rig_close(&rig);
}
END_TEST

START_TEST(fills) {
    static const int64_t none[3] = {0};
    lm_rig rig;
    lm_rig_open(&rig, 1 << 16);
    for (int number = 0; number < 125 * 384; number++) {
        uint64_t luck = lm_mix((uint64_t)number);
        if (!taken(luck, lm_test_scale())) continue;
        int64_t n[3];
        lm_trial t = {.op = LM_OP_FILL,
                      .elem_size = number % 3 ? full_sizes[number % 3] : more_sizes[number % 10]};
        shape(3, number / 384, n);
        t.dst = layout(3, n, number % 384);
        t.src = layout(0, none, 0);
        try_one(&rig, &t, luck);
    }
    lm_rig_close(&rig);
}
END_TEST

/* Strides that have nothing to do with the extents: most destinations alias themselves, some in ways that
 * sorted strides do not show, and some that look like it do not. */
START_TEST(aliases) {
    lm_rig rig;
    lm_rig_open(&rig, 1 << 16);
    for (int number = 0; number < 64 * 9 * 9 * 9; number++) {
        uint64_t luck = lm_mix((uint64_t)number);
        if (!taken(luck, lm_test_scale())) continue;
        lm_trial t = {.op = LM_OP_COPY, .elem_size = 1 + luck % 3, .dst.rank = 3};
        int64_t n[3], dense[3] = {0};
        int extents = number / 729, strides = number % 729;
        for (int k = 0; k < 3; k++, extents /= 4, strides /= 9) {
            dense[k] = n[k] = 1 + extents % 4;
            t.dst.dim[k] = (lmad_dim){n[k], strides % 9 - 4};
        }
        t.src = layout(3, dense, 0);
        try_one(&rig, &t, luck >> 2);
    }
    lm_rig_close(&rig);
}
END_TEST

Suite *lm_suite_small(void) {
    Suite *suite = suite_create("small");
    TCase *tc = tcase_create("exhaustive");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, copies, 0, sizeof full_sizes / sizeof *full_sizes);
    tcase_add_loop_test(tc, copies_sampled, 0, sizeof more_sizes / sizeof *more_sizes);
    tcase_add_loop_test(tc, moves, 0, sizeof full_sizes / sizeof *full_sizes);
    tcase_add_test(tc, fills);
    tcase_add_test(tc, aliases);
    suite_add_tcase(suite, tc);
    return suite;
}
