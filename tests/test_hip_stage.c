/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between memory spaces on the emulated run time, whose streams are lazy: what is not ordered by
 * events is done too late or too early, and shows. */
#include <check.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "any.h"
#include "hip_field.h"
#include "lib/device_near.h"
#include "lib/device_stage_parts.h"
#include "oracle.h"

static const hipemu *emu;

static lm_stage *stage_of(const lm_field *f, const lm_stage_params *params) {
    static const lm_settings settings = {.threads = 1};
    lm_stage *stage = NULL;
    if (lm_stage_make(&stage, &f->problem, NULL, &settings, params) != LMAD_OK)
        ck_abort_msg("%s", lmad_error_detail());
    return stage;
}

static void run(lm_stage *stage, const lm_field *f, lm_hip_stream stream) {
    if (lm_stage_run(stage, f->d, f->s, stream) != LMAD_OK) ck_abort_msg("%s", lmad_error_detail());
}

/* Run it twice, on two streams, and destroy it in flight. The memory may be other than what it is planned as. */
static void try_stage_as(const lm_trial *t, const lm_field_ends *memory, const lm_field_ends *e,
                         const lm_stage_params *params) {
    lm_field f;
    lm_field_open(&f, t, memory);
    f.problem.dst_space = e->dst;
    f.problem.src_space = e->src;
    const int device = e->dst == LM_HOST ? e->src : e->dst;
    if (lm_stage_allows(&f.problem, params)) {
        lm_hip_stream stream = lm_field_stream(device);
        lm_stage *stage = stage_of(&f, params);
        lm_field_reset(&f);
        run(stage, &f, NULL);
        lm_field_good(lm_field_hip->hipStreamSynchronize(NULL));
        const bool first = lm_field_is_right(&f);
        lm_field_reset(&f);
        run(stage, &f, stream);
        lm_stage_destroy(stage);
        lm_field_good(lm_field_hip->hipSetDevice(device));
        lm_field_good(lm_field_hip->hipStreamSynchronize(stream));
        const bool second = lm_field_is_right(&f);
        lm_field_good(lm_field_hip->hipStreamDestroy(stream));
        char text[1024], way[64];
        lm_trial_format(text, sizeof text, t);
        lm_stage_format(way, sizeof way, params);
        if (!first || !second)
            ck_abort_msg("%s from %d to %d (memory %d): wrong%s: %s", way, e->src, e->dst, (int)memory->host,
                         first ? " when destroyed in flight" : "", text);
    }
    lm_field_close(&f);
}

static void try_stage(const lm_trial *t, const lm_field_ends *e, const lm_stage_params *params) {
    try_stage_as(t, e, e, params);
}

/* ---- problems ---------------------------------------------------------------------------------------- */

static const lm_trial trials[] = {
    {.elem_size = 4, .dst = {2, 0, {{40, 30}, {30, 1}}}, .src = {2, 0, {{40, 1}, {30, 40}}}},
    {.elem_size = 4, .dst = {2, 0, {{200, 4}, {4, 1}}}, .src = {2, 1, {{200, 5}, {4, 1}}}},
    {.elem_size = 4, .dst = {2, 0, {{200, 5}, {4, 1}}}, .src = {2, 0, {{200, 4}, {4, 1}}}},
    {.elem_size = 8, .dst = {2, 3, {{30, 20}, {17, 1}}}, .src = {2, 16, {{30, 17}, {17, -1}}}},
    {.elem_size = 2, .dst = {2, 0, {{50, 64}, {64, 1}}}, .src = {2, 0, {{50, 0}, {64, 1}}}},
    {.elem_size = 4, .dst = {2, 0, {{64, 9}, {9, 1}}}, .src = {2, 0, {{64, 1}, {9, 1}}}},
    {.elem_size = 1, .dst = {1, 0, {{9001, 1}}}, .src = {1, 0, {{9001, 1}}}},
    {.elem_size = 3, .dst = {3, 0, {{5, 1}, {6, 5}, {7, 30}}}, .src = {3, 0, {{5, 42}, {6, 7}, {7, 1}}}},
    {.elem_size = 4,
     .dst = {3, 0, {{5, 800}, {6, 100}, {16, 1}}},
     .src = {3, 0, {{5, 480}, {6, 32}, {16, 1}}}},
    {.elem_size = 12, .dst = {0, 2, {{0, 0}}}, .src = {0, 0, {{0, 0}}}},
};
enum { TRIALS = sizeof trials / sizeof *trials };

static const lm_stage_params ways[] = {
    {LM_STAGE_FLAT, 1024},   {LM_STAGE_RAW, 1000}, {LM_STAGE_FLAT, 1 << 20},
    {LM_STAGE_RAW, 1 << 20}, {LM_STAGE_BOX, 4096}, {LM_STAGE_REACH, 64},
};
enum { WAYS = sizeof ways / sizeof *ways };

static const lm_field_ends host_ends[] = {
    {0, LM_HOST, PAGEABLE}, {0, LM_HOST, PINNED}, {0, LM_HOST, MANAGED}, {0, LM_HOST, DEVICE},
    {LM_HOST, 0, PAGEABLE}, {LM_HOST, 0, PINNED}, {LM_HOST, 0, MANAGED}, {LM_HOST, 0, DEVICE}};
enum { HOST_ENDS = sizeof host_ends / sizeof *host_ends };

START_TEST(host_and_device) {
    emu = lm_field_begin(1, _i ? 32 : 64, !_i);
    for (int t = 0; t < TRIALS; t++)
        for (int e = 0; e < HOST_ENDS; e++)
            for (int w = 0; w < WAYS; w++) try_stage(&trials[t], &host_ends[e], &ways[w]);
    emulator_is_clean();
}
END_TEST

START_TEST(two_devices) {
    static const lm_field_ends both[] = {{0, 1, DEVICE}, {1, 0, DEVICE}};
    const bool peers = _i / 2;
    emu = lm_field_begin(2, _i % 2 ? 32 : 64, _i % 2 == 0);
    emu->set_peers(peers);
    for (int t = 0; t < TRIALS; t++)
        for (int w = 0; w < WAYS; w++) try_stage(&trials[t], &both[t % 2], &ways[w]);
    /* Through pinned memory of the host just where there is no other way. */
    hipemu_counts n;
    emu->counts(&n);
    ck_assert_int_eq(emu->calls("hipMemcpyPeerAsync") > 0, peers);
    ck_assert_int_eq(n.host_allocations > 0, !peers);
    emulator_is_clean();
}
END_TEST

/* In place of a device's memory there may be any that the device reaches. */
START_TEST(other_memory_for_a_devices) {
    static const lm_field_ends as[] = {{0, LM_HOST, 0}, {LM_HOST, 0, 0}, {0, 1, 0}, {1, 0, 0}};
    const lm_field_ends memory = {LM_HOST, LM_HOST, _i % 2 ? PINNED : MANAGED};
    emu = lm_field_begin(2, 64, true);
    emu->set_peers(_i / 2);
    for (int t = 0; t < TRIALS; t++)
        for (int e = 0; e < 4; e++)
            for (int w = 0; w < WAYS; w++) try_stage_as(&trials[t], &memory, &as[e], &ways[w]);
    emulator_is_clean();
}
END_TEST

/* Anything, in chunks so small that there are many. */
START_TEST(anything) {
    enum { PROBLEMS = 100, CAPACITY = 1 << 20 };
    static const lm_op copy[] = {LM_OP_COPY};
    lm_rig rig;
    emu = lm_field_begin(2, 64, true);
    lm_rig_open(&rig, CAPACITY);
    for (uint64_t i = 0; i < PROBLEMS; i += (uint64_t)lm_test_scale()) {
        lm_rng rng = {lm_mix(lm_test_seed() + i)};
        lm_trial t;
        do lm_any_trial(&rng, &t, &rig, copy, 1, 1 << 14);
        while (lm_oracle_empty(&t.dst));
        lm_field_ends e = host_ends[lm_rng_range(&rng, 0, HOST_ENDS - 1)];
        if (lm_rng_chance(&rng, 3)) e = (lm_field_ends){0, 1, DEVICE};
        const lm_stage_params params = {(lm_stage_way)lm_rng_range(&rng, 0, 3),
                                        INT64_C(1) << lm_rng_range(&rng, 8, 14)};
        try_stage(&t, &e, &params);
    }
    lm_rig_close(&rig);
    emulator_is_clean();
}
END_TEST

/* ---- order ------------------------------------------------------------------------------------------- */

/* What the caller's stream did before is seen, what it does afterwards sees the copy, and nothing of it is
 * done by the time that the call returns: the source is filled in later in the order of the stream. */
START_TEST(runs_in_the_order_of_the_stream) {
    const lm_field_ends e = {0, LM_HOST, PINNED};
    const lm_stage_params params = {LM_STAGE_FLAT, 512};
    lm_field f;
    emu = lm_field_begin(1, 64, true);
    lm_field_open(&f, &trials[1], &e);
    lm_stage *stage = stage_of(&f, &params);
    lm_hip_stream stream = lm_field_stream(0);
    lm_field_reset(&f);
    memset(f.src, 0, f.src_size);
    lm_field_good(lm_field_hip->hipMemcpyAsync(f.src, f.from, f.src_size, LM_HIP_COPY_DEFAULT, stream));
    run(stage, &f, stream);
    ck_assert_int_gt(emu->pending(), 10);
    lm_field_good(lm_field_hip->hipMemcpyAsync(f.got, f.dst, f.dst_size, LM_HIP_COPY_DEFAULT, stream));
    lm_field_good(lm_field_hip->hipStreamSynchronize(stream));
    ck_assert(memcmp(f.got, f.want, f.dst_size) == 0);
    lm_stage_destroy(stage);
    lm_field_good(lm_field_hip->hipStreamDestroy(stream));
    lm_field_close(&f);
    emulator_is_clean();
}
END_TEST

/* Executions on two streams share the staging memory, one after the other. */
START_TEST(executions_take_turns) {
    enum { STREAMS = 3, ROUNDS = 30 };
    const lm_field_ends e = {LM_HOST, 0, PAGEABLE};
    const lm_stage_params params = {LM_STAGE_FLAT, _i ? 1 << 20 : 512};
    lm_field f[STREAMS];
    lm_hip_stream stream[STREAMS];
    emu = lm_field_begin(1, 64, true);
    for (int i = 0; i < STREAMS; i++) {
        lm_field_open(&f[i], &trials[0], &e);
        stream[i] = lm_field_stream(0);
        lm_field_reset(&f[i]);
    }
    lm_stage *stage = stage_of(&f[0], &params);
    for (int i = 0; i < ROUNDS; i++) run(stage, &f[i % STREAMS], stream[i % STREAMS]);
    for (int i = STREAMS - 1; i >= 0; i--) { /* the last one first */
        lm_field_good(lm_field_hip->hipStreamSynchronize(stream[i]));
        ck_assert(lm_field_is_right(&f[i]));
    }
    lm_stage_destroy(stage);
    for (int i = 0; i < STREAMS; i++) {
        lm_field_good(lm_field_hip->hipStreamDestroy(stream[i]));
        lm_field_close(&f[i]);
    }
    emulator_is_clean();
}
END_TEST

/* What crosses is what must. */
START_TEST(a_broadcast_crosses_once) {
    const lm_field_ends e = {0, LM_HOST, PINNED};
    const lm_stage_params params = {LM_STAGE_FLAT, 1 << 20};
    lm_field f;
    lm_stage_facts facts;
    emu = lm_field_begin(1, 64, false);
    lm_field_open(&f, &trials[4], &e);
    lm_stage *stage = stage_of(&f, &params);
    lm_stage_facts_of(stage, &facts);
    ck_assert_int_eq(facts.crossing, 128);
    ck_assert_int_eq(facts.chunks, 1);
    lm_stage_destroy(stage);
    lm_field_close(&f);
}
END_TEST

/* ---- memory that is not what the plan says ----------------------------------------------------------- */

static void refused(const lm_field_ends *planned, const lm_field_ends *given, lmad_status status) {
    const lm_stage_params params = {LM_STAGE_FLAT, 512};
    lm_field f, other;
    lm_field_open(&f, &trials[0], planned);
    lm_field_open(&other, &trials[0], given);
    lm_stage *stage = stage_of(&f, &params);
    ck_assert_int_eq(lm_stage_run(stage, other.d, other.s, NULL), status);
    lm_stage_destroy(stage);
    lm_field_close(&f);
    lm_field_close(&other);
}

START_TEST(memory_of_the_wrong_kind_is_refused) {
    const lm_field_ends to = {0, LM_HOST, PAGEABLE}, from = {LM_HOST, 0, PAGEABLE},
                        host = {LM_HOST, LM_HOST, PAGEABLE}, other = {0, 1, PAGEABLE};
    emu = lm_field_begin(2, 64, true);
    refused(&to, &host, LMAD_ERR_ARGUMENT);
    refused(&from, &host, LMAD_ERR_ARGUMENT);
    refused(&to, &other, LMAD_ERR_ARGUMENT);
    emulator_is_clean();
}
END_TEST

/* ---- params ------------------------------------------------------------------------------------------ */

START_TEST(params_have_names) {
    lm_stage_params params = {LM_STAGE_BOX, 7}, back;
    char text[64];
    for (int way = LM_STAGE_FLAT; way <= LM_STAGE_REACH; way++) {
        params = (lm_stage_params){(lm_stage_way)way, 4194304 + way};
        lm_stage_format(text, sizeof text, &params);
        ck_assert(lm_stage_parse(&back, text));
        ck_assert(back.way == params.way && back.chunk == params.chunk);
    }
    ck_assert_str_eq(text, "stage reach chunk=4194307");
    ck_assert(!lm_stage_parse(&back, "stage reach chunk=0"));
    ck_assert(!lm_stage_parse(&back, "stage reach chunk=04"));
    ck_assert(!lm_stage_parse(&back, "stage reach chunk=4 "));
    ck_assert(!lm_stage_parse(&back, "stage fly chunk=4"));
    ck_assert(!lm_stage_parse(&back, "stage flat chunk=-4"));
}
END_TEST

START_TEST(params_have_limits) {
    const lm_trial *t = &trials[1];
    lm_problem p;
    ck_assert_int_eq(lm_problem_make(&p, LM_OP_COPY, &t->dst, &t->src, 4, 1), LMAD_OK);
    lm_stage_params params = {LM_STAGE_FLAT, LM_STAGE_MOST};
    ck_assert(!lm_stage_allows(&p, &params)); /* within the host */
    p.dst_space = 0;
    ck_assert(lm_stage_allows(&p, &params));
    params.chunk++;
    ck_assert(!lm_stage_allows(&p, &params));
    params.chunk = 0;
    ck_assert(!lm_stage_allows(&p, &params));
    params = (lm_stage_params){LM_STAGE_REACH, 1};
    ck_assert(lm_stage_allows(&p, &params));
    p.src_space = 1;
    ck_assert(!lm_stage_allows(&p, &params));
}
END_TEST

static lm_stage_way best(const char *dst, const char *src, int dst_space, int src_space) {
    lm_trial t = {.elem_size = 4};
    lm_problem p;
    lm_stage_params params;
    ck_assert_int_eq(lmad_parse(&t.dst, dst), LMAD_OK);
    ck_assert_int_eq(lmad_parse(&t.src, src), LMAD_OK);
    ck_assert_int_eq(lm_problem_make(&p, LM_OP_COPY, &t.dst, &t.src, 4, 1), LMAD_OK);
    p.dst_space = dst_space;
    p.src_space = src_space;
    ck_assert_int_eq(lm_stage_propose(&p, LMAD_ESTIMATE, &params, 1), 1);
    ck_assert(lm_stage_allows(&p, &params));
    return params.way;
}

/* A fifth more bytes across the bus is less than the host's packing; wide rows of good pitch are for the run
 * time; odd pitches are not. */
START_TEST(the_estimate_chooses_sensibly) {
    ck_assert_int_eq(best("[(1000000,4),(4,1)]", "[(1000000,5),(4,1)]", 0, LM_HOST), LM_STAGE_RAW);
    ck_assert_int_eq(best("[(1000,16000),(16000,1)]", "[(1000,32000),(16000,1)]", 0, LM_HOST), LM_STAGE_BOX);
    ck_assert_int_ne(best("[(100000,4),(3,1)]", "[(100000,5),(3,1)]", LM_HOST, 0), LM_STAGE_BOX);
    ck_assert_int_eq(best("[(100000,9),(9,1)]", "[(100000,1),(9,1)]", 0, LM_HOST), LM_STAGE_RAW);
}
END_TEST

/* A machine with a node a package, and a device under each. */
START_TEST(staging_memory_is_near_the_device) {
    static const int first[] = {0, 3, 0}, second[] = {0, 0x43, 0}, none[] = {0, 5, 0};
    const char *xml = lm_field_two_nodes();
    ck_assert_int_eq(lm_near_node(first, xml), 0);
    ck_assert_int_eq(lm_near_node(second, xml), 1);
    ck_assert_int_eq(lm_near_node(none, xml), -1);
    ck_assert_int_eq(lm_near_node(first, "no-such-file.xml"), -1);
}
END_TEST

static unsigned flags_of(const void *p) {
    lm_hip_pointer_attributes a;
    lm_field_good(lm_field_hip->hipPointerGetAttributes(&a, p));
    return a.flags;
}

/* Staging memory of copies to and from a device. */
static void check_staging(int device, unsigned flags) {
    const lm_field_ends ends[] = {{device, LM_HOST, PAGEABLE}, {LM_HOST, device, PAGEABLE}};
    const lm_stage_params params = {LM_STAGE_FLAT, 512};
    for (int k = 0; k < 2; k++) {
        lm_field f;
        lm_field_open(&f, &trials[0], &ends[k]);
        lm_stage *stage = stage_of(&f, &params);
        const lm_stage_buffer *buffer = &stage->buffer[k ? LM_STAGE_COPY_ON : LM_STAGE_IN];
        ck_assert_int_eq(buffer->space, LM_HOST);
        for (int slot = 0; slot < LM_STAGE_SLOTS; slot++)
            ck_assert_uint_eq(flags_of(buffer->slot[slot]), flags);
        lm_stage_destroy(stage);
        lm_field_close(&f);
    }
}

/* This machine is taken for one with two nodes: device 2 hangs on the first, where memory is then asked for;
 * of device 0 nothing is known. What the thread asked for before is as it was. */
START_TEST(memory_is_asked_for_near_the_device) {
    const unsigned near = LM_HIP_HOST_PORTABLE | LM_HIP_HOST_NUMA_USER;
    int before = -1, after = -1;
    lm_field_two_nodes();
    emu = lm_field_begin(3, 64, false);
    const bool known = syscall(SYS_get_mempolicy, &before, NULL, 0, NULL, 0) == 0;
    check_staging(0, LM_HIP_HOST_PORTABLE);
    if (known) check_staging(2, near);
    ck_assert(!known || syscall(SYS_get_mempolicy, &after, NULL, 0, NULL, 0) == 0);
    ck_assert_int_eq(before, after);
    emulator_is_clean();
}
END_TEST

Suite *lm_suite_hip_stage(void) {
    Suite *suite = suite_create("hip_stage");
    TCase *tc = tcase_create("copies");
    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, host_and_device, 0, 2);
    tcase_add_loop_test(tc, two_devices, 0, 4);
    tcase_add_loop_test(tc, other_memory_for_a_devices, 0, 4);
    tcase_add_test(tc, anything);
    suite_add_tcase(suite, tc);
    tc = tcase_create("order");
    tcase_add_test(tc, runs_in_the_order_of_the_stream);
    tcase_add_loop_test(tc, executions_take_turns, 0, 2);
    tcase_add_test(tc, a_broadcast_crosses_once);
    tcase_add_test(tc, memory_of_the_wrong_kind_is_refused);
    suite_add_tcase(suite, tc);
    tc = tcase_create("params");
    tcase_add_test(tc, params_have_names);
    tcase_add_test(tc, the_estimate_chooses_sensibly);
    tcase_add_test(tc, params_have_limits);
    tcase_add_test(tc, staging_memory_is_near_the_device);
    tcase_add_test(tc, memory_is_asked_for_near_the_device);
    suite_add_tcase(suite, tc);
    return suite;
}
