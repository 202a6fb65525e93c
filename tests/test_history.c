/* SPDX-License-Identifier: BSD-3-Clause */
/* LMAD_RECORD: what is recorded and when, files that are broken, shared, or none. The environment is read
 * once, so each in a child. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "folder.h"
#include "lmad.h"
#include "wise.h"

Suite *lm_suite_history(void);

static char path[96];

static void make_folder(void) {
    lm_folder_make();
    snprintf(path, sizeof path, "%s/problems", lm_folder);
}

static void record(void) {
    lmad_desc d = {2, 0, {{90, 70}, {70, 1}}}, s = {2, 0, {{90, 1}, {70, 90}}};
    lmad_plan *p;
    setenv("LMAD_RECORD", path, 1);
    for (int k = 0; k < 3; k++) {
        if (lmad_plan_copy(&p, NULL, &d, &s, 4, 0) != LMAD_OK) _exit(1);
        lmad_plan_destroy(p);
        if (lmad_plan_fill(&p, NULL, &d, 4, LMAD_SERIAL) != LMAD_OK) _exit(2);
        lmad_plan_destroy(p);
    }
}

/* Whatever is in the file already: a line that lost its end, which goes, or somebody else's, which stays. */
START_TEST(problems_are_recorded_once) {
    static const char *const before[] = {"", "p/00ff\t4\t[(3,1", "# a list\n# of mine"},
                             *const after[] = {"", "", "# a list\n# of mine\n"};
    lm_file_put(path, before[_i]);
    lm_in_child(record);
    lm_in_child(record);
    char *text = lm_file_text(path);
    ck_assert_ptr_nonnull(text);
    ck_assert_int_eq(strncmp(text, after[_i], strlen(after[_i])), 0);
    ck_assert_int_eq(lm_wise_lines(text), 2 + lm_wise_lines(after[_i]));
    ck_assert_ptr_nonnull(strstr(text, "\t4\t[(90,70),(70,1)]\t[(90,1),(70,90)]\tcopy\n"));
    ck_assert_ptr_nonnull(strstr(text, "\t4\t[(90,70),(70,1)]\t\tfill\n"));
    free(text);
}
END_TEST

static void record_several(void) {
    lmad_plan *p;
    setenv("LMAD_RECORD", path, 1);
    for (int n = 2; n < 40; n++) {
        const lmad_desc d = {2, 0, {{n, 50}, {40, 1}}};
        if (lmad_plan_fill(&p, NULL, &d, 4, LMAD_SERIAL) != LMAD_OK) _exit(1);
        lmad_plan_destroy(p);
    }
}

/* Programs that run at once do not repeat each other's. */
START_TEST(programs_record_together) {
    pid_t child[4];
    for (int k = 0; k < 4; k++) {
        child[k] = fork();
        if (child[k] == 0) record_several(), _exit(0);
    }
    for (int k = 0; k < 4; k++) {
        int status;
        ck_assert_int_eq(waitpid(child[k], &status, 0), child[k]);
        ck_assert_int_eq(status, 0);
    }
    char *text = lm_file_text(path);
    ck_assert_int_eq(lm_wise_lines(text), 38);
    free(text);
}
END_TEST

static void record_nowhere(void) {
    lmad_plan *p;
    const lmad_desc d = {1, 0, {{77, 2}}};
    setenv("LMAD_RECORD", "/dev/zero", 1);
    if (lmad_plan_fill(&p, NULL, &d, 4, LMAD_SERIAL) != LMAD_OK) _exit(1);
    lmad_plan_destroy(p);
}

/* Pipes and devices are neither waited for nor read. */
START_TEST(only_regular_files_are_read) {
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    lm_in_child(record);
    lm_in_child(record_nowhere);
}
END_TEST

/* Two pointers are a distance; lines have it in elements. */
static void record_moves(void) {
    char a[60] = {0};
    const lmad_desc d = {1, 0, {{4, 1}}}, s = {1, 3, {{4, -1}}};
    setenv("LMAD_RECORD", path, 1);
    if (lmad_move(a + 8, &d, a, &s, 4) != LMAD_OK || lmad_move(a + 3, &d, a, &s, 4) != LMAD_OK) _exit(1);
}

START_TEST(moves_are_recorded_with_their_distance) {
    lm_in_child(record_moves);
    char *text = lm_file_text(path);
    ck_assert_int_eq(lm_wise_lines(text), 1);
    ck_assert_ptr_nonnull(strstr(text, "\t4\t[(4,1)]\t[(4,-1)]+1\tmove\n"));
    free(text);
}
END_TEST

Suite *lm_suite_history(void) {
    Suite *s = suite_create("history");
    TCase *tc = tcase_create("history");
    tcase_add_checked_fixture(tc, make_folder, lm_folder_remove);
    const char *fork_mode = getenv("CK_FORK");
    if (!fork_mode || strcmp(fork_mode, "no") != 0) {
        tcase_add_loop_test(tc, problems_are_recorded_once, 0, 3);
        tcase_add_test(tc, programs_record_together);
        tcase_add_test(tc, only_regular_files_are_read);
        tcase_add_test(tc, moves_are_recorded_with_their_distance);
    }
    suite_add_tcase(s, tc);
    return s;
}
