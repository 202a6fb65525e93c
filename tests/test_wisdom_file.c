/* SPDX-License-Identifier: BSD-3-Clause */
/* Wisdom files: merging, equal bytes, many writers of which some are killed, what is refused, the usual
 * places. */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "count_malloc.h"
#include "folder.h"
#include "lib/file_lock.h"
#include "lib/record.h"
#include "lib/wisdom.h"
#include "lib/wisdom_file.h"
#include "rng.h"
#include "wise.h"

Suite *lm_suite_wisdom_file(void);

static char path[96];

static void make_folder(void) {
    lm_folder_make();
    snprintf(path, sizeof path, "%s/wisdom", lm_folder);
}

/* ---- One writer ---- */

START_TEST(export_merges) {
    lmad_ctx *a = lm_wise_ctx(), *b = lm_wise_ctx(), *c = lm_wise_ctx();
    lm_wise_plan(a, 90, 70, LMAD_MEASURE | LMAD_SERIAL);
    lm_wise_plan(b, 50, 70, LMAD_MEASURE | LMAD_SERIAL);
    ck_assert_int_eq(lmad_wisdom_import_file(c, path, NULL), LMAD_OK); /* not there: empty */
    ck_assert_int_eq(lmad_wisdom_export_file(a, path), LMAD_OK);
    ck_assert_int_eq(lmad_wisdom_export_file(b, path), LMAD_OK);
    lmad_wisdom_report report = {.struct_size = sizeof report};
    ck_assert_int_eq(lmad_wisdom_import_file(c, path, &report), LMAD_OK);
    ck_assert_int_eq(report.taken, 2 + 1); /* and the calibration, which both have */
    ck_assert_int_eq(lm_folder_each(NULL), 1);
    char *before = lm_file_text(path), *text = lm_wise_text(c);
    ck_assert_str_eq(before, text);
    /* Nothing new: not a byte of it changes, whoever writes it. */
    ck_assert_int_eq(lmad_wisdom_export_file(c, path), LMAD_OK);
    char *after = lm_file_text(path);
    ck_assert_str_eq(before, after);
    free(before), free(after), free(text);
    lmad_ctx_destroy(a), lmad_ctx_destroy(b), lmad_ctx_destroy(c);
}
END_TEST

/* Merging in any order and any grouping gives the same bytes. */
START_TEST(order_does_not_matter) {
    enum { RECORDS = 12 };
    char line[RECORDS][LM_RECORD_LINE], *file = lm_wise_of(90, 70), *want = NULL;
    static const char *const machine[] = {"A 1/1 isa=avx2 l1=1 l2=1 l3=1 cores=1 numa=1",
                                          "B 1/1 isa=avx2 l1=1 l2=1 l3=1 cores=1 numa=1"};
    for (int k = 0; k < RECORDS; k++) {
        char chosen[128];
        snprintf(chosen, sizeof chosen, "transpose inner=1 outer=0 tile=%dx8 order=dst store=plain threads=1",
                 k % 7 + 1);
        lm_wise_forge(line[k], sizeof line[k], file, machine[k % 2], k % 5 == 4 ? "new thing" : chosen);
    }
    for (uint64_t round = 0; round < 40; round++) {
        lmad_ctx *ctx = lm_wise_ctx();
        lm_rng rng = {lm_mix(round)};
        for (int k = 0; k < RECORDS * 3; k++)
            lmad_wisdom_import_string(ctx, line[lm_rng_range(&rng, 0, RECORDS - 1)], NULL);
        for (int k = 0; k < RECORDS; k++) lmad_wisdom_import_string(ctx, line[k], NULL);
        char *text = lm_wise_text(ctx);
        if (!want) want = strdup(text);
        ck_assert_str_eq(text, want);
        free(text);
        lmad_ctx_destroy(ctx);
    }
    ck_assert_int_eq(lm_wise_lines(want), 1 + 4);
    free(want), free(file);
}
END_TEST

START_TEST(what_is_no_wisdom_is_left_alone) {
    lmad_ctx *ctx = lm_wise_ctx();
    char later[64] = "lmad-wisdom 2\t", name[128];
    lm_wise_plan(ctx, 30, 20, LMAD_MEASURE | LMAD_SERIAL);
    lm_record_checksum(later + 14, later, 14);
    const char *const texts[] = {"int main(void) {}\n", "# remarks\n", later};
    for (int k = 0; k < 3; k++) {
        lm_file_put(path, texts[k]);
        ck_assert_int_eq(lmad_wisdom_export_file(ctx, path), LMAD_ERR_FORMAT);
        char *text = lm_file_text(path);
        ck_assert_str_eq(text, texts[k]);
        free(text);
    }
    ck_assert_int_eq(lm_folder_each(NULL), 1);
    ck_assert_int_eq(lmad_wisdom_export_file(ctx, lm_folder), LMAD_ERR_IO);
    ck_assert_int_eq(lmad_wisdom_import_file(ctx, lm_folder, NULL), LMAD_ERR_IO);
    ck_assert_int_eq(lmad_wisdom_import_file(ctx, "/dev/zero", NULL), LMAD_ERR_IO);
    snprintf(name, sizeof name, "%s/none/wisdom", lm_folder);
    ck_assert_int_eq(lmad_wisdom_export_file(ctx, name), LMAD_ERR_IO);
    snprintf(name, sizeof name, "%s/link", lm_folder);
    ck_assert_int_eq(symlink("nowhere", name), 0);
    ck_assert_int_eq(lmad_wisdom_export_file(ctx, name), LMAD_ERR_IO);
    lm_file_put(path, "");
    ck_assert_int_eq(lmad_wisdom_export_file(ctx, path), LMAD_OK);
    lmad_ctx_destroy(ctx);
}
END_TEST

/* A link stays a link, permissions stay what they were. */
START_TEST(links_and_permissions_stay) {
    char link_name[128];
    struct stat st;
    lmad_ctx *ctx = lm_wise_ctx();
    lm_wise_plan(ctx, 30, 20, LMAD_MEASURE | LMAD_SERIAL);
    lm_file_put(path, "");
    ck_assert_int_eq(chmod(path, 0640), 0);
    snprintf(link_name, sizeof link_name, "%s/link", lm_folder);
    ck_assert_int_eq(symlink("wisdom", link_name), 0);
    ck_assert_int_eq(lmad_wisdom_export_file(ctx, link_name), LMAD_OK);
    ck_assert_int_eq(lstat(link_name, &st), 0);
    ck_assert(S_ISLNK(st.st_mode));
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0640);
    ck_assert_int_gt(st.st_size, 100);
    lmad_ctx_destroy(ctx);
}
END_TEST

/* Damaged lines cost nothing but themselves, in the file, too. */
START_TEST(good_records_survive_damage) {
    lmad_ctx *a = lm_wise_ctx(), *b = lm_wise_ctx();
    lm_wise_plan(a, 90, 70, LMAD_MEASURE | LMAD_SERIAL);
    lm_wise_plan(a, 50, 70, LMAD_MEASURE | LMAD_SERIAL);
    lm_wise_plan(b, 20, 70, LMAD_MEASURE | LMAD_SERIAL);
    char *text = lm_wise_text(a);
    text[3] ^= 1;                /* the first line */
    text[strlen(text) - 5] ^= 1; /* the last checksum */
    lm_file_put(path, text);
    ck_assert_int_eq(lmad_wisdom_export_file(b, path), LMAD_OK);
    lmad_wisdom_report report = {.struct_size = sizeof report};
    lmad_ctx *c = lm_wise_ctx();
    ck_assert_int_eq(lmad_wisdom_import_file(c, path, &report), LMAD_OK);
    ck_assert_int_eq(report.taken, 2 + 1); /* and the calibration */
    ck_assert_int_eq(report.bad, 0);
    free(text);
    lmad_ctx_destroy(a), lmad_ctx_destroy(b), lmad_ctx_destroy(c);
}
END_TEST

/* An export that lacks memory leaves the file alone: it neither drops records nor writes them twice. */
START_TEST(nothing_is_lost_for_lack_of_memory) {
    if (!lm_count_malloc_works()) return;
    lmad_ctx *ctx = lm_wise_ctx();
    lm_wise_plan(ctx, 90, 70, LMAD_MEASURE | LMAD_SERIAL);
    lm_wise_plan(ctx, 50, 70, LMAD_MEASURE | LMAD_SERIAL);
    ck_assert_int_eq(lmad_wisdom_export_file(ctx, path), LMAD_OK);
    lmad_ctx_destroy(ctx);
    char *before = lm_file_text(path);
    ctx = lm_wise_ctx();
    ck_assert_int_eq(lmad_wisdom_import_string(ctx, before, NULL), LMAD_OK);
    lm_wise_plan(ctx, 30, 20, LMAD_MEASURE | LMAD_SERIAL);
    long which = 0, calls;
    do {
        lm_file_put(path, before);
        lm_count_malloc_start_failing(++which);
        const lmad_status status = lmad_wisdom_export_file(ctx, path);
        calls = lm_count_malloc_stop();
        char *after = lm_file_text(path);
        if (status != LMAD_OK) ck_assert_str_eq(after, before);
        if (status == LMAD_OK) ck_assert_int_eq(lm_wise_lines(after), lm_wise_lines(before) + 1);
        free(after);
    } while (which <= calls); /* until none was left to fail */
    ck_assert_int_gt(which, 10);
    free(before);
    lmad_ctx_destroy(ctx);
}
END_TEST

/* ---- Many writers ---- */

enum { WRITERS = 8, EXPORTS = 50 };

/* Export one new record after another; says at `done` how many are through. */
static void write_on(const char *file, int id, int done) {
    char line[LM_RECORD_LINE], machine[80];
    lmad_ctx *ctx = lm_wise_ctx();
    for (int k = 0; k < EXPORTS; k++) {
        snprintf(machine, sizeof machine, "W %d/%d isa=base l1=1 l2=1 l3=1 cores=1 numa=1", id, k);
        lm_wise_forge(line, sizeof line, file, machine, NULL);
        lmad_wisdom_forget(ctx);
        if (lmad_wisdom_import_string(ctx, line, NULL) != LMAD_OK) _exit(2);
        if (lmad_wisdom_export_file(ctx, path) != LMAD_OK) _exit(3);
        if (pwrite(done, &(int){k + 1}, sizeof(int), (off_t)(id * (int)sizeof(int))) != sizeof(int)) _exit(4);
    }
    _exit(0);
}

/* Records of a writer that are in the file. */
static int count_records(const char *text, int id) {
    char start[32];
    int count = 0;
    snprintf(start, sizeof start, "\nW %d/", id);
    for (const char *at = text; (at = strstr(at, start)) != NULL; at++) count++;
    return count;
}

START_TEST(many_writers) {
    pid_t pid[WRITERS];
    char name[128], *file = lm_wise_of(90, 70);
    snprintf(name, sizeof name, "%s/done", lm_folder);
    const int done = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_ge(done, 0);
    ck_assert_int_eq(ftruncate(done, WRITERS * sizeof(int)), 0);
    for (int id = 0; id < WRITERS; id++)
        if ((pid[id] = fork()) == 0) write_on(file, id, done);
    usleep(30000 + 20000 * (unsigned)_i);
    const int victim = _i % WRITERS;
    kill(pid[victim], SIGKILL);
    for (int id = 0; id < WRITERS; id++) {
        int status;
        ck_assert_int_eq(waitpid(pid[id], &status, 0), pid[id]);
        if (id != victim) ck_assert_int_eq(status, 0);
    }
    lmad_ctx *ctx = lm_wise_ctx();
    lmad_wisdom_report report = {.struct_size = sizeof report};
    ck_assert_int_eq(lmad_wisdom_import_file(ctx, path, &report), LMAD_OK);
    ck_assert_int_eq(report.bad, 0);
    char *text = lm_file_text(path);
    for (int id = 0; id < WRITERS; id++) {
        int exported = 0;
        ck_assert_int_eq(pread(done, &exported, sizeof exported, (off_t)(id * (int)sizeof(int))),
                         sizeof exported);
        if (id != victim) ck_assert_int_eq(exported, EXPORTS);
        ck_assert_int_ge(count_records(text, id), exported);
    }
    close(done);
    free(text), free(file);
    lmad_ctx_destroy(ctx);
}
END_TEST

/* The lock that is made with link(2): one holder at a time, and none that is dead. */
START_TEST(lock_by_link) {
    lm_file_lock lock;
    char name[128];
    lm_file_put(path, "0");
    for (int id = 0; id < 4; id++) {
        if (fork() != 0) continue;
        for (int k = 0; k < 25; k++) {
            int value = -1;
            lm_file_lock_take_link(&lock, path);
            FILE *file = fopen(path, "r+");
            if (!lock.held || !file || fscanf(file, "%d", &value) != 1) _exit(1);
            rewind(file);
            fprintf(file, "%d", value + 1);
            fclose(file);
            lm_file_lock_leave(&lock);
        }
        _exit(0);
    }
    int status;
    for (int id = 0; id < 4; id++) ck_assert(wait(&status) > 0 && status == 0);
    char *text = lm_file_text(path);
    ck_assert_int_eq(atoi(text), 100);
    free(text);
    const pid_t pid = fork();
    if (pid == 0) {
        lm_file_lock_take_link(&lock, path);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    snprintf(name, sizeof name, "%s.lock", path);
    ck_assert_int_eq(access(name, F_OK), 0);
    lm_file_lock_take_link(&lock, path);
    ck_assert(lock.held);
    lm_file_lock_leave(&lock);
    ck_assert_int_eq(lm_folder_each(NULL), 1);
}
END_TEST

/* ---- Places: the environment is read once, so each in a child ---- */

static void use_list(void) {
    char list[256];
    snprintf(list, sizeof list, "/none/at/all::%s", path);
    setenv("LMAD_WISDOM", list, 1);
    if (lm_wise_status(NULL, 90, 70, LMAD_WISDOM_ONLY | LMAD_SERIAL) != LMAD_OK) _exit(1);
    lmad_wisdom_forget(NULL);
    if (lm_wise_status(NULL, 90, 70, LMAD_WISDOM_ONLY | LMAD_SERIAL) != LMAD_ERR_NO_WISDOM) _exit(2);
}

static void use_home(void) {
    char home[512];
    unsetenv("LMAD_WISDOM");
    snprintf(home, sizeof home, "mkdir -p %s/lmad && cp %s %s/lmad/wisdom", lm_folder, path, lm_folder);
    if (system(home) != 0) _exit(1);
    setenv("XDG_CONFIG_HOME", lm_folder, 1);
    if (lm_wise_status(NULL, 90, 70, LMAD_WISDOM_ONLY | LMAD_SERIAL) != LMAD_OK) _exit(2);
}

START_TEST(places_are_loaded_at_the_first_plan) {
    lmad_ctx *ctx = lm_wise_ctx();
    lm_wise_plan(ctx, 90, 70, LMAD_MEASURE | LMAD_SERIAL);
    ck_assert_int_eq(lmad_wisdom_export_file(ctx, path), LMAD_OK);
    lm_in_child(use_list);
    lm_in_child(use_home);
    lmad_ctx_destroy(ctx);
}
END_TEST

Suite *lm_suite_wisdom_file(void) {
    Suite *s = suite_create("wisdom_file");
    TCase *tc = tcase_create("wisdom_file");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, make_folder, lm_folder_remove);
    tcase_add_test(tc, export_merges);
    tcase_add_test(tc, order_does_not_matter);
    tcase_add_test(tc, what_is_no_wisdom_is_left_alone);
    tcase_add_test(tc, links_and_permissions_stay);
    tcase_add_test(tc, good_records_survive_damage);
    tcase_add_test(tc, nothing_is_lost_for_lack_of_memory);
    tcase_add_loop_test(tc, many_writers, 0, 4);
    tcase_add_test(tc, lock_by_link);
    const char *fork_mode = getenv("CK_FORK");
    if (!fork_mode || strcmp(fork_mode, "no") != 0) tcase_add_test(tc, places_are_loaded_at_the_first_plan);
    suite_add_tcase(s, tc);
    return s;
}
