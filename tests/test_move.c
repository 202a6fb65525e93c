/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves: every pair of small views of one buffer, and every way of moving, with limits so low that small
 * problems meet blocks, waves, tiles, chunks and threads. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "contexts.h"
#include "lib/plan.h"
#include "oracle.h"
#include "rng.h"
#include "trial.h"

/* ---- every way ------------------------------------------------------------------------------------ */

/* clang-format off */
static const lm_move_limits low[] = {
    {.least = 0, .row = 1, .wave = 2, .block = 8, .cycle = 16, .run = 2, .chunk = 4, .slice = 3, .thread = 1, .work = 1 << 20},
    {.least = 0, .row = 3, .wave = 9, .block = 40, .cycle = 150, .run = 64, .chunk = 1, .slice = 64, .thread = 24, .work = 1 << 20},
    {.least = 0, .row = 8, .wave = 1, .block = 4, .cycle = 2, .run = 8, .chunk = 1000, .slice = 8, .thread = 7, .work = 4096},
};
/* clang-format on */
enum { LOWS = sizeof low / sizeof *low, MOVERS = 8 };

/* How often each way was taken, so that the tests can tell that they try them all. */
static long taken[MOVERS];

/* Scratch of all tries of a test, opened once: mapping it takes longer than a try. */
static lm_guard guard;
enum { MOST_WORK = 1 << 20 };

static void try_mover(lm_rig *rig, lmad_plan *plan, int k) {
    if (!guard.map) lm_guard_open(&guard, MOST_WORK);
    ck_assert_uint_le(plan->work_bytes, MOST_WORK);
    char *work = lm_guard_place(&guard, plan->work_bytes, true, 0);
    lm_rig_reset(rig);
    plan->move.mover->run(plan, rig->d, work);
    const char *why = lm_rig_verdict(rig);
    long where = 0;
    if (!why && plan->move.small) {
        work = lm_guard_place(&guard, LM_WORK_ON_STACK, true, 0);
        lm_rig_reset(rig);
        plan->move.mover->run_small(plan, rig->d, work);
        why = lm_rig_verdict(rig);
    }
    if (why) ck_abort_msg("%s: %s", plan->move.mover->name, why);
    if (!lm_guard_intact(&guard, &where))
        ck_abort_msg("%s: scratch overrun at %ld", plan->move.mover->name, where);
    taken[k]++;
}

/* All ways for one move, in one of the contexts. */
static void try_movers(lm_rig *rig, const lm_trial *t, lmad_ctx *ctx, const lm_move_limits *limits) {
    lmad_plan plan;
    ck_assert_int_eq(lm_plan_init(&plan, ctx, LM_OP_MOVE, &t->dst, &t->src, t->elem_size, 0, 0), LMAD_OK);
    if (plan.recipe == LM_RECIPE_MOVE || plan.recipe == LM_RECIPE_BUFFERED) {
        bool can = false;
        lm_rig_set(rig, t);
        for (int k = 0; lm_planner_mover(&plan, k, limits, &can); k++)
            if (can) try_mover(rig, &plan, k);
    }
    lm_plan_release(&plan);
}

/* ---- all small pairs ------------------------------------------------------------------------------ */

enum { CELLS = 12 };

/* All views of rank <= 2 of the cells that differ in a way that means something: n = 1 has stride 1. */
static int list_views(lmad_desc *out, bool injective) {
    int count = 0;
    for (int64_t n = 1; n <= CELLS; n++)
        for (int64_t m = 1; m * n <= (injective ? CELLS : 16); m++)
            for (int64_t s = n > 1 ? -CELLS : 1; s <= (n > 1 ? CELLS : 1); s++)
                for (int64_t t = m > 1 ? -CELLS : 1; t <= (m > 1 ? CELLS : 1); t++)
                    for (int64_t at = 0; at < CELLS; at++) {
                        const lmad_desc d = {2, at, {{n, s}, {m, t}}};
                        int64_t lo, hi;
                        lm_oracle_bounds(&d, &lo, &hi);
                        if (lo < 0 || hi >= CELLS || (injective && lm_oracle_aliases(&d))) continue;
                        if (out) out[count] = d;
                        count++;
                    }
    return count;
}

static bool same_shape(const lmad_desc *a, const lmad_desc *b) {
    for (int k = 0; k < a->rank; k++)
        if (a->dim[k].n != b->dim[k].n) return false;
    return a->rank == b->rank;
}

/* The plain way first, through the API; one pair in a few also by every mover. */
static void try_pair(lm_rig *rig, const lmad_desc *dst, const lmad_desc *src, uint64_t luck,
                     const lm_contexts *c) {
    const lm_trial t = {
        .op = LM_OP_MOVE, .elem_size = 1 + luck % 3, .dst = *dst, .src = *src, .dst_end = luck & 8};
    lm_rig_set(rig, &t);
    ck_assert_int_eq(lmad_move(rig->d, &t.dst, rig->d, &t.src, t.elem_size), LMAD_OK);
    const char *why = lm_rig_verdict(rig);
    if (why) ck_abort_msg("%s", why);
    if ((luck >> 8) % 24 == 0) try_movers(rig, &t, c->ctx[luck >> 16 & 3], &low[(luck >> 20) % LOWS]);
}

START_TEST(every_small_pair) {
    lm_rig rig;
    lm_contexts contexts;
    const int dsts = list_views(NULL, true), srcs = list_views(NULL, false);
    lmad_desc *dst = malloc((size_t)dsts * sizeof *dst), *src = malloc((size_t)srcs * sizeof *src);
    list_views(dst, true);
    list_views(src, false);
    const unsigned scale = (unsigned)lm_test_scale();
    lm_rig_open(&rig, 1 << 12);
    lm_contexts_open(&contexts);
    for (int i = 0; i < dsts; i++)
        for (int j = 0; j < srcs; j++) {
            const uint64_t luck = lm_mix((uint64_t)i * (uint64_t)srcs + (uint64_t)j);
            if (same_shape(&dst[i], &src[j]) && luck % scale == 0)
                try_pair(&rig, &dst[i], &src[j], lm_mix(luck), &contexts);
        }
    for (int k = 0; k < 6 && scale <= 20; k++) /* a few draws need not meet every mover */
        ck_assert_int_gt(taken[k], 0);
    lm_contexts_close(&contexts);
    lm_rig_close(&rig);
    free(dst);
    free(src);
}
END_TEST

/* ---- random pairs --------------------------------------------------------------------------------- */

/* A view of `cells` elements: random extents, strides that may or may not alias. */
static lmad_desc random_view(lm_rng *rng, const int64_t *n, int rank, int64_t cells) {
    for (;;) {
        lmad_desc d = {.rank = rank, .offset = lm_rng_range(rng, 0, cells - 1)};
        int64_t lo, hi, dense = 1;
        for (int k = 0; k < rank; k++)
            d.dim[k] = (lmad_dim){n[k], lm_rng_range(rng, -cells / n[k], cells / n[k])};
        if (lm_rng_chance(rng, 2)) /* a permutation of something dense */
            for (int k = 0, at = (int)lm_rng_range(rng, 0, rank); k < rank; k++) {
                lmad_dim *x = &d.dim[(k + at) % rank];
                x->stride = lm_rng_chance(rng, 4) ? -dense : dense;
                dense *= x->n;
            }
        lm_oracle_bounds(&d, &lo, &hi);
        d.offset -= lo < 0 ? lo : 0;
        hi -= lo < 0 ? lo : 0;
        if (hi < cells) return d;
    }
}

/* False when the draw is none: a destination that reaches an element twice. */
static bool random_pair(lm_rig *rig, lm_rng *rng, int64_t cells, const lm_contexts *c) {
    const int rank = (int)lm_rng_range(rng, 1, 4);
    int64_t n[4], left = cells;
    for (int k = 0; k < rank; k++, left /= n[k - 1]) n[k] = lm_rng_range(rng, 1, left < 6 ? left : 6);
    const lmad_desc dst = random_view(rng, n, rank, cells), src = random_view(rng, n, rank, cells);
    if (lm_oracle_aliases(&dst)) return false;
    try_pair(rig, &dst, &src, lm_rng_next(rng), c);
    return true;
}

static const struct {
    int64_t cells;
    long pairs;
} random_sets[] = {{24, 100000}, {210, 30000}};

START_TEST(random_pairs) {
    lm_rng rng = {lm_test_seed()};
    lm_rig rig;
    lm_contexts contexts;
    lm_rig_open(&rig, 1 << 12);
    lm_contexts_open(&contexts);
    const long wanted = random_sets[_i].pairs / lm_test_scale();
    long tried = 0, drawn = 0;
    for (; tried < wanted && drawn < 100 * wanted; drawn++)
        tried += random_pair(&rig, &rng, random_sets[_i].cells, &contexts);
    ck_assert_int_eq(tried, wanted);
    lm_contexts_close(&contexts);
    lm_rig_close(&rig);
}
END_TEST

/* ---- permutations in place ------------------------------------------------------------------------ */

/* Dense matrices, cubes and batches, transposed and turned, of odd and even extents. */
static void permuted(lm_rig *rig, const int64_t *n, const int *perm, int turned, size_t es,
                     const lm_contexts *c) {
    lm_trial t = {.op = LM_OP_MOVE, .elem_size = es};
    ck_assert_int_eq(lmad_row_major(&t.src, 3, n), LMAD_OK);
    ck_assert_int_eq(lmad_permute(&t.src, perm), LMAD_OK);
    const int64_t shape[] = {t.src.dim[0].n, t.src.dim[1].n, t.src.dim[2].n};
    ck_assert_int_eq(lmad_row_major(&t.dst, 3, shape), LMAD_OK);
    for (int k = 0; k < 3; k++)
        if (turned >> k & 1) ck_assert_int_eq(lmad_reverse(&t.src, k), LMAD_OK);
    for (int i = 0; i < LOWS; i++) try_movers(rig, &t, c->ctx[(turned + i) & 1], &low[i]);
}

START_TEST(permutations_in_place) {
    static const int perms[][3] = {{0, 2, 1}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}, {0, 1, 2}};
    static const int64_t extents[][3] = {{1, 6, 4},   {2, 9, 12},  {3, 7, 5}, {5, 5, 5},   {4, 4, 4},
                                         {3, 16, 16}, {17, 3, 17}, {8, 8, 3}, {1, 33, 34}, {1, 40, 60}};
    static const size_t sizes[] = {1, 2, 3, 4, 8, 16, 20};
    lm_rig rig;
    lm_contexts contexts;
    lm_rig_open(&rig, 1 << 17);
    lm_contexts_open(&contexts);
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++)
        for (int k = 0; k < 6 * 8; k++) permuted(&rig, extents[i], perms[k / 8], k % 8, sizes[_i], &contexts);
    lm_contexts_close(&contexts);
    lm_rig_close(&rig);
}
END_TEST

/* ---- large ---------------------------------------------------------------------------------------- */

static const struct {
    size_t es;
    lmad_desc dst, src;
    const char *kind;
    int64_t most; /* scratch */
} large[] = {
    {8, {1, 0, {{1 << 20, 1}}}, {1, 512, {{1 << 20, 1}}}, "move-rows", 0},
    {8, {1, 512, {{1 << 20, 1}}}, {1, 0, {{1 << 20, 1}}}, "move-rows", 0},
    {4, {2, 1025, {{1000, 1024}, {1000, 1}}}, {2, 0, {{1000, 1024}, {1000, 1}}}, "move-rows", 0},
    {4, {2, 1025, {{1000, 1024}, {999, 1}}}, {2, 0, {{1000, 1024}, {999, 1}}}, "move-rows", 0},
    {8, {1, 0, {{1 << 20, 1}}}, {1, 300000, {{1 << 20, 1}}}, "move-waves", 0},
    {4, {2, 0, {{500000, 4}, {4, 1}}}, {2, 0, {{500000, 5}, {4, 1}}}, "move-blocks", 1 << 20},
    {4, {2, 0, {{500000, 5}, {4, 1}}}, {2, 0, {{500000, 4}, {4, 1}}}, "move-blocks", 1 << 20},
    {4, {2, 0, {{1024, 1024}, {1024, 1}}}, {2, 0, {{1024, 1}, {1024, 1024}}}, "move-squares", 0},
    {1, {2, 0, {{1001, 1001}, {1001, 1}}}, {2, 0, {{1001, 1}, {1001, 1001}}}, "move-squares", 0},
    {8, {2, 0, {{513, 513}, {513, 1}}}, {2, 512, {{513, -1}, {513, 513}}}, "move-tiles", 4 << 20},
    {4, {1, 0, {{1000003, 1}}}, {1, 1000002, {{1000003, -1}}}, "move-tiles", 4 << 20},
    {4, {2, 0, {{1024, 2048}, {2048, 1}}}, {2, 0, {{1024, 1}, {2048, 1024}}}, "move-rectangle", 4 << 20},
    {4, {2, 0, {{1021, 2003}, {2003, 1}}}, {2, 0, {{1021, 1}, {2003, 1021}}}, "move-rectangle", 4 << 20},
    {1, {2, 0, {{1021, 2003}, {2003, 1}}}, {2, 0, {{1021, 1}, {2003, 1021}}}, "move-rectangle", 1 << 18},
    {8,
     {3, 0, {{64, 3072}, {48, 64}, {64, 1}}},
     {3, 0, {{64, 3072}, {48, 1}, {64, 48}}},
     "move-blocks",
     4 << 20},
    {4,
     {3, 0, {{9, 1 << 18}, {256, 1024}, {1024, 1}}},
     {3, 0, {{9, 1 << 18}, {256, 1}, {1024, 256}}},
     "move-rectangle",
     4 << 20},
};

/* Serial and parallel, with the plan's own scratch and with the caller's: the same, right, bytes; and each
 * kind is what it was meant to be. */
static void try_large(lm_rig *rig, const lm_trial *t, lmad_ctx *ctx, const char *kind, int64_t most) {
    lmad_plan *p;
    lmad_info info = {.struct_size = sizeof info};
    lm_rig_set(rig, t);
    ck_assert_int_eq(lmad_plan_move(&p, ctx, &t->dst, &t->src, t->elem_size, 0), LMAD_OK);
    ck_assert_int_eq(lmad_plan_info(p, &info), LMAD_OK);
    ck_assert_str_eq(info.kind, kind);
    ck_assert_uint_eq(info.work_size, lmad_work_size(p));
    ck_assert_int_le((int64_t)info.work_size, info.threads > 1 ? LM_WORK_LIMIT : most);
    ck_assert_int_eq(lmad_execute(p, rig->d, rig->d), LMAD_OK);
    const char *why = lm_rig_verdict(rig);
    if (why) ck_abort_msg("%s", why);
    char *work = malloc(info.work_size + 2);
    lm_rig_reset(rig);
    ck_assert_int_eq(lmad_execute_with(p, rig->d, rig->d, work + 1), LMAD_OK);
    why = lm_rig_verdict(rig);
    if (why) ck_abort_msg("work given: %s", why);
    if (info.work_size) ck_assert_int_eq(lmad_execute_with(p, rig->d, rig->d, NULL), LMAD_ERR_NULL);
    free(work);
    lmad_plan_destroy(p);
}

START_TEST(large_moves) {
    lm_rig rig;
    lm_contexts contexts;
    lm_trial t = {.op = LM_OP_MOVE, .elem_size = large[_i].es, .dst = large[_i].dst, .src = large[_i].src};
    lm_rig_open(&rig, lm_trial_room(&t));
    lm_contexts_open(&contexts);
    for (int k = 0; k < LM_CONTEXTS; k++)
        try_large(&rig, &t, contexts.ctx[k], large[_i].kind, large[_i].most);
    lm_contexts_close(&contexts);
    lm_rig_close(&rig);
}
END_TEST

/* ---- scratch -------------------------------------------------------------------------------------- */

/* Move, in scratch that the plan has; how much that is. */
static size_t scratch_of(lm_rig *rig, const lm_trial *t, lmad_ctx *ctx) {
    lmad_plan *p;
    lm_rig_set(rig, t);
    ck_assert_int_eq(lmad_plan_move(&p, ctx, &t->dst, &t->src, t->elem_size, 0), LMAD_OK);
    ck_assert_int_eq(lmad_execute(p, rig->d, rig->d), LMAD_OK);
    const char *why = lm_rig_verdict(rig);
    if (why) ck_abort_msg("%s", why);
    const size_t bytes = lmad_work_size(p);
    lmad_plan_destroy(p);
    return bytes;
}

/* Less scratch, more, and so little that nothing is known but a copy of the payload. */
START_TEST(work_limit) {
    const size_t payload = 4 * 1021 * 2003;
    const lm_trial t = {.op = LM_OP_MOVE,
                        .elem_size = 4,
                        .dst = {2, 0, {{1021, 2003}, {2003, 1}}},
                        .src = {2, 0, {{1021, 1}, {2003, 1021}}}};
    lm_rig rig;
    lmad_ctx *ctx;
    lm_rig_open(&rig, lm_trial_room(&t));
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 1), LMAD_OK);
    const size_t usual = scratch_of(&rig, &t, ctx);
    ck_assert_uint_le(usual, LM_WORK_LIMIT);
    ck_assert_int_eq(lmad_ctx_set_work_limit(ctx, usual - 1), LMAD_OK);
    const size_t less = scratch_of(&rig, &t, ctx);
    ck_assert_uint_lt(less, usual);
    ck_assert_int_eq(lmad_ctx_set_work_limit(ctx, payload), LMAD_OK);
    ck_assert_uint_eq(scratch_of(&rig, &t, ctx), payload);
    ck_assert_int_eq(lmad_ctx_set_work_limit(ctx, 1), LMAD_OK);
    ck_assert_uint_eq(scratch_of(&rig, &t, ctx), payload);
    ck_assert_int_eq(lmad_ctx_set_work_limit(ctx, 0), LMAD_OK);
    ck_assert_uint_eq(scratch_of(&rig, &t, ctx), usual);
    lmad_ctx_destroy(ctx);
    lm_rig_close(&rig);
}
END_TEST

/* All slots in use: these do not wait. */
static const struct {
    size_t es;
    lmad_desc dst, src;
} hurried[] = {
    {8, {1, 4096, {{1 << 18, 1}}}, {1, 0, {{1 << 18, 1}}}},
    {4, {2, 0, {{100000, 4}, {4, 1}}}, {2, 0, {{100000, 5}, {4, 1}}}},
    {4, {1, 0, {{1000003, 1}}}, {1, 1000002, {{1000003, -1}}}},
    {4, {2, 0, {{1024, 6144}, {6144, 1}}}, {2, 0, {{1024, 1}, {6144, 1024}}}},
};

START_TEST(no_free_slot) {
    const lm_trial t = {
        .op = LM_OP_MOVE, .elem_size = hurried[_i].es, .dst = hurried[_i].dst, .src = hurried[_i].src};
    lm_rig rig;
    lmad_ctx *ctx;
    lmad_plan *p;
    lm_rig_open(&rig, lm_trial_room(&t));
    lm_rig_set(&rig, &t);
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    ck_assert_int_eq(lmad_ctx_set_threads(ctx, 8), LMAD_OK);
    ck_assert_int_eq(lmad_plan_move(&p, ctx, &t.dst, &t.src, t.elem_size, 0), LMAD_OK);
    ck_assert_uint_gt(lmad_work_size(p), LM_WORK_ON_STACK);
    while (lm_work_claim(&p->work, false)) {
    }
    ck_assert_int_eq(lmad_execute(p, rig.d, rig.d), LMAD_OK);
    const char *why = lm_rig_verdict(&rig);
    if (why) ck_abort_msg("%s", why);
    lmad_plan_destroy(p);
    lmad_ctx_destroy(ctx);
    lm_rig_close(&rig);
}
END_TEST

/* Little scratch: no more than that is used where something is known, the payload elsewhere. */
START_TEST(little_scratch) {
    static const size_t limits[] = {100000, 32 << 10, 1000, 1};
    const lm_trial t = {
        .op = LM_OP_MOVE, .elem_size = large[_i].es, .dst = large[_i].dst, .src = large[_i].src};
    int64_t payload = (int64_t)t.elem_size;
    for (int k = 0; k < t.dst.rank; k++) payload *= t.dst.dim[k].n;
    lm_rig rig;
    lmad_ctx *ctx;
    lm_rig_open(&rig, lm_trial_room(&t));
    ck_assert_int_eq(lmad_ctx_create(&ctx), LMAD_OK);
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(lmad_ctx_set_work_limit(ctx, limits[k]), LMAD_OK);
        const int64_t bytes = (int64_t)scratch_of(&rig, &t, ctx);
        ck_assert(bytes <= (int64_t)limits[k] || (bytes == payload && limits[k] <= 1000));
    }
    lmad_ctx_destroy(ctx);
    lm_rig_close(&rig);
}
END_TEST

Suite *lm_suite_move(void) {
    Suite *s = suite_create("move");
    TCase *tc = tcase_create("move");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, every_small_pair);
    tcase_add_loop_test(tc, random_pairs, 0, sizeof random_sets / sizeof *random_sets);
    tcase_add_loop_test(tc, permutations_in_place, 0, 7);
    tcase_add_loop_test(tc, large_moves, 0, sizeof large / sizeof *large);
    tcase_add_test(tc, work_limit);
    tcase_add_loop_test(tc, little_scratch, 0, sizeof large / sizeof *large);
    tcase_add_loop_test(tc, no_free_slot, 0, sizeof hurried / sizeof *hurried);
    suite_add_tcase(s, tc);
    return s;
}
