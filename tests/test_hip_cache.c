/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled device code on disk: what comes back is what was written, whatever becomes of the folder and its
 * files. */
#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "folder.h"
#include "lib/device_cache.h"

/* ---- entries ----------------------------------------------------------------------------------------- */

static const lm_cached some = {(char *)"some\0bytes", 10};

static bool is_there(const char *key) {
    lm_cached got = {0};
    const bool found = lm_device_cache_read(key, &got);
    if (found) {
        ck_assert_uint_eq(got.size, some.size);
        ck_assert_mem_eq(got.bytes, some.bytes, some.size);
        free(got.bytes);
    }
    return found;
}

START_TEST(entries_are_what_was_written) {
    ck_assert(!is_there("key one"));
    lm_device_cache_write("key one", &some);
    ck_assert(is_there("key one"));
    ck_assert(!is_there("key two"));
}
END_TEST

static void append(const char *path) {
    FILE *f = fopen(path, "a");
    fputc('x', f);
    fclose(f);
}

static void cut(const char *path) { ck_assert_int_eq(truncate(path, 50), 0); }
static void cut_one(const char *path) {
    struct stat st;
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(truncate(path, st.st_size - 1), 0);
}
static void empty(const char *path) { ck_assert_int_eq(truncate(path, 0), 0); }
static void make_huge(const char *path) { ck_assert_int_eq(truncate(path, (off_t)1 << 40), 0); }
static void open_to_all(const char *path) { chmod(path, 0666); }
static void open_to_group(const char *path) { chmod(path, 0620); }

static void replace_by_link(const char *path) {
    char other[600];
    snprintf(other, sizeof other, "%s.real", path);
    rename(path, other);
    ck_assert_int_eq(symlink(other, path), 0);
}
static void replace_by_folder(const char *path) {
    unlink(path);
    mkdir(path, 0700);
}
static void replace_by_pipe(const char *path) {
    unlink(path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
}
static void replace_by_text(const char *path) {
    lm_file_put(path, "lmad-code 1 0123456789abcdef 0000000004\nkey\n");
}

/* Only root can. */
static void give_away(const char *path) {
    if (chown(path, 65534, 65534) != 0) unlink(path);
}

/* The file of another key, which has a name that is not its own. */
static void take_for_another(const char *path) {
    char old[600];
    snprintf(old, sizeof old, "%s", path);
    lm_device_cache_write("another key", &some);
    DIR *dir = opendir(lm_folder);
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        char other[600];
        snprintf(other, sizeof other, "%s/%s", lm_folder, d->d_name);
        if (d->d_name[0] != '.' && strcmp(other, old) != 0) rename(other, old);
    }
    closedir(dir);
}

static void (*const damages[])(const char *) = {lm_file_flip_a_byte,
                                                append,
                                                cut,
                                                cut_one,
                                                empty,
                                                make_huge,
                                                open_to_all,
                                                open_to_group,
                                                give_away,
                                                replace_by_link,
                                                replace_by_folder,
                                                replace_by_pipe,
                                                replace_by_text,
                                                take_for_another};
enum { DAMAGES = sizeof damages / sizeof *damages };

START_TEST(damaged_entries_are_not_there) {
    lm_device_cache_write("key", &some);
    ck_assert(is_there("key"));
    lm_folder_each(damages[_i]);
    ck_assert(!is_there("key"));
    lm_device_cache_write("key", &some); /* and again, but in place of a folder */
    ck_assert(is_there("key") || damages[_i] == replace_by_folder);
}
END_TEST

/* ---- where ------------------------------------------------------------------------------------------- */

static void expect_folder(const char *own, const char *xdg, const char *home, const char *wanted) {
    static const char *const name[] = {"LMAD_CACHE", "XDG_CACHE_HOME", "HOME"};
    const char *const value[] = {own, xdg, home};
    char got[256] = "";
    for (int k = 0; k < 3; k++)
        if (value[k])
            setenv(name[k], value[k], 1);
        else
            unsetenv(name[k]);
    ck_assert_int_eq(lm_device_cache_folder(got, sizeof got), (int)strlen(wanted));
    ck_assert_str_eq(got, wanted);
}

START_TEST(folders_come_from_the_environment) {
    expect_folder("/own", "/xdg", "/home", "/own");
    expect_folder("own", NULL, NULL, "own");
    expect_folder("", "/xdg", "/home", "");
    expect_folder(NULL, "/xdg", "/home", "/xdg/lmad");
    expect_folder(NULL, "relative", "/home", "/home/.cache/lmad");
    expect_folder(NULL, "", "/home", "/home/.cache/lmad");
    expect_folder(NULL, NULL, "relative", "");
    expect_folder(NULL, NULL, "", "");
    expect_folder(NULL, NULL, NULL, "");
    lm_device_cache_write("key", &some);
    ck_assert(!is_there("key"));
}
END_TEST

START_TEST(nowhere_is_no_failure) {
    char longest[5000];
    memset(longest, 'x', sizeof longest);
    longest[0] = '/';
    longest[sizeof longest - 1] = '\0';
    const char *const places[] = {"", "/proc/none/at/all", "/dev/null/x", longest, longest + 4900 - 3995};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        setenv("LMAD_CACHE", places[k], 1);
        lm_device_cache_write("key", &some);
        ck_assert(!is_there("key"));
    }
}
END_TEST

/* Through a link, into folders that are made for it, for nobody else. */
START_TEST(folders_are_made) {
    char link[80], deep[100], made[80], away[80];
    struct stat st;
    snprintf(link, sizeof link, "%s/link", lm_folder);
    snprintf(deep, sizeof deep, "%s/one/two", link);
    snprintf(made, sizeof made, "%s/there", lm_folder);
    snprintf(away, sizeof away, "%s/away", lm_folder);
    ck_assert_int_eq(mkdir(made, 0700), 0);
    ck_assert_int_eq(symlink(made, link), 0);
    setenv("LMAD_CACHE", deep, 1);
    lm_device_cache_write("key", &some);
    ck_assert(is_there("key"));
    ck_assert_int_eq(stat(deep, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0700);
    /* The link leads nowhere now. */
    ck_assert_int_eq(rename(made, away), 0);
    ck_assert(!is_there("key"));
    lm_device_cache_write("key", &some);
    ck_assert(!is_there("key"));
}
END_TEST

/* ---- a disk that is full, a folder that is not ours -------------------------------------------------- */

static void write_on_full_disk(void) {
    char large[1 << 16] = {0};
    const lm_cached entry = {large, sizeof large};
    const struct rlimit limit = {4096, 4096};
    lm_cached got;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    lm_device_cache_write("key", &entry);
    ck_assert(!lm_device_cache_read("key", &got));
}

START_TEST(a_full_disk_keeps_nothing) {
    lm_in_child(write_on_full_disk);
    ck_assert_int_eq(lm_folder_each(NULL), 0); /* no part of it either */
}
END_TEST

static void write_to_others(void) {
    if (geteuid() == 0) ck_assert_int_eq(setuid(65534), 0);
    lm_device_cache_write("other key", &some);
    ck_assert(!is_there("other key"));
    ck_assert(!is_there("key")); /* another's */
}

/* To be seen by root alone. */
START_TEST(folders_of_others_are_left_alone) {
    if (geteuid() == 0) {
        chmod(lm_folder, 0755);
        lm_device_cache_write("key", &some);
        lm_in_child(write_to_others);
        ck_assert_int_eq(lm_folder_each(NULL), 1);
        ck_assert(is_there("key"));
    }
}
END_TEST

/* ---- many at once ------------------------------------------------------------------------------------ */

enum { WRITERS = 4, ROUNDS = 60, BYTES = 100000 };

/* Each writes bytes of its own; whoever reads finds those of one. */
static void write_and_read(int me) {
    char *bytes = malloc(BYTES);
    lm_cached got;
    memset(bytes, 'a' + me, BYTES);
    for (int round = 0; round < ROUNDS; round++) {
        lm_device_cache_write("key", &(lm_cached){bytes, BYTES});
        if (!lm_device_cache_read("key", &got) || got.size != BYTES) _exit(1);
        for (int i = 1; i < BYTES; i++)
            if (got.bytes[i] != got.bytes[0]) _exit(2);
        free(got.bytes);
    }
    free(bytes);
    _exit(0);
}

START_TEST(many_write_at_once) {
    pid_t child[WRITERS];
    for (int k = 0; k < WRITERS; k++)
        if ((child[k] = fork()) == 0) write_and_read(k);
    for (int k = 0; k < WRITERS; k++) {
        int status;
        ck_assert_int_eq(waitpid(child[k], &status, 0), child[k]);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_int_eq(lm_folder_each(NULL), 1);
}
END_TEST

Suite *lm_suite_hip_cache(void) {
    Suite *suite = suite_create("hip_cache");
    TCase *tc = tcase_create("files");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, lm_folder_make_cache, lm_folder_remove);
    tcase_add_test(tc, entries_are_what_was_written);
    tcase_add_loop_test(tc, damaged_entries_are_not_there, 0, DAMAGES);
    tcase_add_test(tc, folders_come_from_the_environment);
    tcase_add_test(tc, nowhere_is_no_failure);
    tcase_add_test(tc, folders_are_made);
    tcase_add_test(tc, a_full_disk_keeps_nothing);
    tcase_add_test(tc, folders_of_others_are_left_alone);
    tcase_add_test(tc, many_write_at_once);
    suite_add_tcase(suite, tc);
    return suite;
}
