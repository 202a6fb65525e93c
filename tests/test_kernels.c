/* SPDX-License-Identifier: BSD-3-Clause */
/* Each kernel that this CPU runs, against the loop that defines kernels; and the list of kernels. */
#include <check.h>
#include <string.h>

#include "kernels/host/kernel.h"
#include "lib/cpu.h"
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
    suite_add_tcase(suite, list);
    suite_add_tcase(suite, tiles);
    return suite;
}
