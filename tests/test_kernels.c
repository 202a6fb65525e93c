/* SPDX-License-Identifier: BSD-3-Clause */
/* Each kernel that this CPU runs, against the loop that defines kernels; and the list of kernels. */
#include <check.h>
#include <string.h>

#include "guard.h"
#include "kernels/host/kernel.h"
#include "kernels/host/reorder.h"
#include "lib/cpu.h"
#include "rng.h"
#include "tiles.h"
#include "trial.h"

typedef const char *tiles_fn(lm_tile_rig *rig, const lm_kernel *k, uint64_t seed, int every,
                             lm_tile_text *text);

static void try_kernel(int which, tiles_fn *tiles) {
    int count;
    const lm_kernel *k = &lm_kernel_list(&count)[which];
    if (!lm_isa_supported(k->isa)) return;
    lm_tile_rig *rig = lm_tile_rig_open();
    lm_tile_text text = {{0}};
    lm_blame(text.is);
    const char *why = tiles(rig, k, lm_test_seed(), lm_test_scale(), &text);
    if (why) ck_abort_msg("LMAD_TEST_SEED=%llu %s: %s", (unsigned long long)lm_test_seed(), why, text.is);
    lm_blame(NULL);
    lm_tile_rig_close(rig);
}

START_TEST(agrees_with_the_plain_loop) { try_kernel(_i, lm_tiles_random); }
END_TEST

START_TEST(stays_inside_at_either_end) { try_kernel(_i, lm_tiles_at_edges); }
END_TEST

/* Any bytes from anywhere, some of them written; the rest of what the last blocks reach is unmapped. */
static lm_reorder any_order(lm_rng *rng, int to, int from) {
    lm_reorder r = {.to = (to - 1) / LM_REORDER_BLOCK + 1, .from = (from - 1) / LM_REORDER_BLOCK + 1};
    r.last = UINT64_MAX >> (r.from * LM_REORDER_BLOCK - from);
    for (int k = 0; k < to; k++) {
        r.order[k] = (uint8_t)lm_rng_range(rng, 0, from - 1);
        if (k == 0 || k == to - 1 || lm_rng_range(rng, 0, 3))
            r.written[k / LM_REORDER_BLOCK] |= UINT64_C(1) << k % LM_REORDER_BLOCK;
    }
    return r;
}

static void try_order(lm_rng *rng, lm_reorder_fn *fn, lm_guard *dst, lm_guard *src) {
    const int to = (int)lm_rng_range(rng, 1, LM_REORDER_BYTES),
              from = (int)lm_rng_range(rng, 1, LM_REORDER_BYTES);
    const lm_reorder r = any_order(rng, to, from);
    char *d = lm_guard_place(dst, (size_t)to, true, 0), *s = lm_guard_place(src, (size_t)from, true, 0);
    char want[LM_REORDER_BYTES];
    long where;
    for (int k = 0; k < from; k++) s[k] = (char)(k + 1);
    for (int k = 0; k < to; k++) {
        d[k] = 0;
        want[k] = r.written[k / LM_REORDER_BLOCK] >> k % LM_REORDER_BLOCK & 1 ? s[r.order[k]] : 0;
    }
    fn(d, s, &r);
    ck_assert_msg(memcmp(d, want, (size_t)to) == 0, "%d bytes out of %d", to, from);
    ck_assert(lm_guard_intact(dst, &where) && lm_guard_intact(src, &where));
}

START_TEST(reorders_what_is_mapped) {
    lm_reorder_fn *fn = lm_reorder_find((lm_isa)_i);
    if (!fn || !lm_isa_supported((lm_isa)_i)) return;
    lm_rng rng = {lm_test_seed()};
    lm_guard dst, src;
    lm_guard_open(&dst, LM_REORDER_BYTES);
    lm_guard_open(&src, LM_REORDER_BYTES);
    for (int k = 0; k < 10000; k += lm_test_scale()) try_order(&rng, fn, &dst, &src);
    lm_guard_close(&dst);
    lm_guard_close(&src);
}
END_TEST

/* What is asked for is what is found. */
START_TEST(find_gives_what_was_asked_for) {
    static const int64_t runs[] = {1, 2, 3, 4, 7, 8, 12, 16, 32, 100};
    for (int i = 0; i < LM_PATTERN_COUNT * 10 * 2 * LM_ISA_COUNT; i++) {
        lm_pattern pattern = (lm_pattern)(i % LM_PATTERN_COUNT);
        lm_isa isa = (lm_isa)(i / LM_PATTERN_COUNT / 20);
        bool stream = i / LM_PATTERN_COUNT % 2;
        int64_t run = pattern == LM_ROWS ? 1 : runs[i / LM_PATTERN_COUNT / 2 % 10];
        const lm_kernel *k = lm_kernel_find(pattern, run, stream, isa);
        ck_assert_ptr_nonnull(k);
        ck_assert_int_eq(k->pattern, pattern);
        ck_assert(k->run == 0 || k->run == run);
        ck_assert_int_le(k->isa, isa);
        ck_assert(!k->stream || stream);
    }
}
END_TEST

/* Names are how people and wisdom tell kernels apart. */
START_TEST(names_are_unique_in_an_isa) {
    int count;
    const lm_kernel *list = lm_kernel_list(&count);
    ck_assert_int_gt(count, 0);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            ck_assert(list[i].isa != list[k].isa || strcmp(list[i].name, list[k].name) != 0);
}
END_TEST

Suite *lm_suite_kernels(void) {
    int count;
    lm_kernel_list(&count);
    Suite *suite = suite_create("kernels");
    TCase *tiles = tcase_create("tiles"), *list = tcase_create("list");
    tcase_set_timeout(tiles, 120);
    tcase_add_loop_test(tiles, agrees_with_the_plain_loop, 0, count);
    tcase_add_loop_test(tiles, stays_inside_at_either_end, 0, count);
    tcase_add_test(list, find_gives_what_was_asked_for);
    tcase_add_test(list, names_are_unique_in_an_isa);
    tcase_add_loop_test(list, reorders_what_is_mapped, 0, LM_ISA_COUNT);
    suite_add_tcase(suite, list);
    suite_add_tcase(suite, tiles);
    return suite;
}
