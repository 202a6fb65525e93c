/* SPDX-License-Identifier: BSD-3-Clause */
/* How problems are cut into boxes that cross the bus: no box is too large, none is missing, and packing and
 * unpacking them one by one, all on the host, makes the copy. */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>

#include "any.h"
#include "lib/device_crossing.h"
#include "lib/plan.h"
#include "lib/planner.h"

enum { CAPACITY = 4 << 20, PROBLEMS = 3000 };

/* Ways to cut. */
enum { FLAT_DST, FLAT_SRC, RAW, WAYS };

static lm_problem problem_of(const lm_trial *t) {
    lm_problem p;
    if (lm_problem_make(&p, LM_OP_COPY, &t->dst, &t->src, t->elem_size, 1) != LMAD_OK)
        ck_abort_msg("%s", lmad_error_detail());
    return p;
}

static void cut(lm_crossing *c, const lm_problem *p, int way, int64_t chunk) {
    if (way == RAW)
        lm_crossing_raw(c, p, chunk);
    else
        lm_crossing_flat(c, p, way == FLAT_DST ? LM_CROSSING_DST : LM_CROSSING_SRC, chunk);
}

static void run_half(const lm_problem *half, char *dst, const char *src) {
    static const lm_settings settings = {.threads = 1};
    lm_step step;
    lm_planner_choose(half, &step);
    lm_step_run(&step, &settings, dst, src);
}

/* All boxes through one piece of memory that is just large enough. */
static void cross(const lm_crossing *c, int64_t chunk, lm_rig *rig) {
    int64_t total = 0;
    for (int64_t i = 0; i < c->chunks; i++) {
        int64_t d, s;
        const lm_piece *piece = lm_crossing_box(c, i, &d, &s);
        ck_assert_int_gt(piece->bytes, 0);
        ck_assert_int_le(piece->bytes, chunk);
        ck_assert_int_le(piece->bytes, c->piece[0].bytes);
        ck_assert_int_eq(piece->in.dlo, 0);
        ck_assert_int_eq(piece->in.dhi, piece->bytes);
        ck_assert(piece->out.slo == 0 && piece->out.shi <= piece->bytes);
        char *packed = malloc((size_t)piece->bytes); /* sanitizers see to its ends */
        run_half(&piece->in, packed, rig->s + s);
        run_half(&piece->out, rig->d + d, packed);
        free(packed);
        total += piece->bytes;
    }
    ck_assert_int_eq(total, c->crossing);
}

static const char *try_cut(lm_rig *rig, const lm_trial *t, int way, int64_t chunk) {
    const lm_problem p = problem_of(t);
    lm_crossing c;
    lm_rig_set(rig, t);
    if (p.count > 0) {
        cut(&c, &p, way, chunk);
        cross(&c, chunk, rig);
    }
    return lm_rig_verdict(rig);
}

/* The page is so long that every gap may be read: the rig's blocks have no holes. */
START_TEST(anything) {
    static const lm_op copy[] = {LM_OP_COPY};
    lm_rig rig;
    lm_rig_open(&rig, CAPACITY);
    for (uint64_t i = 0; i < PROBLEMS; i += (uint64_t)lm_test_scale()) {
        const uint64_t seed = lm_test_seed() + i;
        lm_rng rng = {lm_mix(seed)};
        lm_trial t;
        lm_any_trial(&rng, &t, &rig, copy, 1, 1 << 16);
        const int way = (int)lm_rng_range(&rng, 0, WAYS - 1);
        const int64_t chunk = INT64_C(1) << lm_rng_range(&rng, lm_rng_chance(&rng, 20) ? 0 : 8, 16);
        const char *why = try_cut(&rig, &t, way, chunk);
        if (why) ck_abort_msg("LMAD_TEST_SEED=%" PRIu64 ": %s", seed, why);
    }
    lm_rig_close(&rig);
}
END_TEST

static lm_crossing crossing_of(const char *dst, const char *src, int way, int64_t chunk) {
    lm_trial t = {.op = LM_OP_COPY, .elem_size = 4};
    lm_crossing c;
    ck_assert_int_eq(lmad_parse(&t.dst, dst), LMAD_OK);
    ck_assert_int_eq(lmad_parse(&t.src, src), LMAD_OK);
    const lm_problem p = problem_of(&t);
    cut(&c, &p, way, chunk);
    return c;
}

START_TEST(a_broadcast_source_crosses_once) {
    const lm_crossing c = crossing_of("[(1000,64),(64,1)]", "[(1000,0),(64,1)]", FLAT_SRC, 1 << 20);
    ck_assert_int_eq(c.crossing, 64 * 4);
    ck_assert_int_eq(c.chunks, 1);
    ck_assert(lm_crossing_trivial(&c.piece[0].in));
}
END_TEST

/* Windows of 9 that overlap by 8. */
START_TEST(overlapping_windows_cross_once) {
    const lm_crossing c = crossing_of("[(1000,9),(9,1)]", "[(1000,1),(9,1)]", RAW, 1 << 20);
    ck_assert_int_eq(c.crossing, 1008 * 4);
}
END_TEST

/* The host's side of a transpose is copied as it lies; the other side does the work. */
START_TEST(what_is_dense_is_not_packed) {
    const lm_crossing c = crossing_of("[(512,256),(256,1)]", "[(512,1),(256,512)]", FLAT_SRC, 64 << 10);
    ck_assert_int_eq(c.chunks, 8);
    ck_assert(lm_crossing_trivial(&c.piece[0].in));
    ck_assert(!lm_crossing_trivial(&c.piece[0].out));
    const lm_crossing back = crossing_of("[(512,256),(256,1)]", "[(512,1),(256,512)]", FLAT_DST, 64 << 10);
    ck_assert(lm_crossing_trivial(&back.piece[0].out));
}
END_TEST

/* Reversed rows: the host reads forwards. */
START_TEST(the_source_is_read_forwards) {
    const lm_crossing c = crossing_of("[(64,256),(256,1)]", "[(64,256),(256,-1)]+255", FLAT_SRC, 1 << 20);
    ck_assert(lm_crossing_trivial(&c.piece[0].in));
}
END_TEST

static bool raw_allowed(const char *src, int64_t page) {
    lm_trial t = {.op = LM_OP_COPY, .elem_size = 4};
    ck_assert_int_eq(lmad_parse(&t.src, src), LMAD_OK);
    int64_t shape[LMAD_MAX_RANK];
    for (int k = 0; k < t.src.rank; k++) shape[k] = t.src.dim[k].n;
    ck_assert_int_eq(lmad_row_major(&t.dst, t.src.rank, shape), LMAD_OK);
    const lm_problem p = problem_of(&t);
    return lm_crossing_raw_allowed(&p, page);
}

/* A gap as long as a page may be a page that is not there. */
START_TEST(gaps_of_a_page_are_not_read) {
    ck_assert(raw_allowed("[(100,5),(4,1)]", 4096));
    ck_assert(raw_allowed("[(100,1),(9,1)]", 4096));
    ck_assert(raw_allowed("[(100,2023),(1000,1)]", 4096));
    ck_assert(!raw_allowed("[(100,2024),(1000,1)]", 4096));
    ck_assert(!raw_allowed("[(100,-2024),(1000,-1)]+300000", 4096));
}
END_TEST

Suite *lm_suite_hip_crossing(void) {
    Suite *suite = suite_create("hip_crossing");
    TCase *tc = tcase_create("cutting");
    tcase_add_test(tc, anything);
    tcase_add_test(tc, a_broadcast_source_crosses_once);
    tcase_add_test(tc, overlapping_windows_cross_once);
    tcase_add_test(tc, what_is_dense_is_not_packed);
    tcase_add_test(tc, the_source_is_read_forwards);
    tcase_add_test(tc, gaps_of_a_page_are_not_read);
    suite_add_tcase(suite, tc);
    return suite;
}
