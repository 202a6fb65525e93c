/* SPDX-License-Identifier: BSD-3-Clause */
/* Code for devices is compiled once, by whoever needs it first. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "folder.h"
#include "hip_field.h"
#include "hip_rig.h"
#include "lib/device.h"
#include "lib/device_cache.h"

/* ---- compilations ------------------------------------------------------------------------------------ */

static const lm_trial transpose = {
    .op = LM_OP_COPY, .dst = {2, 0, {{50, 70}, {70, 1}}}, .src = {2, 0, {{50, 1}, {70, 50}}}, .elem_size = 4};

/* A process that plans and executes, and returns how much it compiled; 99 = wrong. */
static pid_t start(void) {
    fflush(NULL);
    const pid_t child = fork();
    if (child != 0) return child;
    hipemu_counts n;
    const hipemu *emu = lm_field_begin(1, 64, false);
    const char *why = lm_hip_rig_try(&transpose, 0, NULL, LMAD_ESTIMATE);
    if (why) fprintf(stderr, "%s\n", why);
    emu->counts(&n);
    _exit(why ? 99 : (int)n.compiles);
}

static int end(pid_t child) {
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) != 99);
    return WEXITSTATUS(status);
}

static int compilations(void) { return end(start()); }

/* The key of a file, its second line. */
static const char *key_of(const char *path) {
    static char key[1024];
    FILE *f = fopen(path, "r");
    ck_assert(f && fgets(key, sizeof key, f) && fgets(key, sizeof key, f));
    fclose(f);
    key[strcspn(key, "\n")] = '\0';
    return key;
}

/* No code at all, though the file is whole and has the key. */
static void forge(const char *path) {
    static char nonsense[4096] = "#!/bin/sh";
    lm_device_cache_write(key_of(path), &(lm_cached){nonsense, sizeof nonsense});
}

START_TEST(code_is_compiled_once) {
    const int first = compilations();
    ck_assert_int_gt(first, 0);
    ck_assert_int_eq(compilations(), 0);
    lm_folder_each(lm_file_flip_a_byte);
    ck_assert_int_eq(compilations(), first);
    ck_assert_int_eq(compilations(), 0);
    lm_folder_each(forge);
    ck_assert_int_eq(compilations(), first);
    ck_assert_int_eq(compilations(), 0);
}
END_TEST

START_TEST(two_compile_at_once) {
    const pid_t one = start(), two = start();
    const int first = end(one), second = end(two);
    ck_assert_int_gt(first + second, 0);
    ck_assert_int_eq(compilations(), 0);
}
END_TEST

/* Where the folder is no good, code is compiled each time, and works. */
START_TEST(without_a_folder_code_is_compiled) {
    setenv("LMAD_CACHE", "/proc/none", 1);
    const int first = compilations();
    ck_assert_int_gt(first, 0);
    ck_assert_int_eq(compilations(), first);
}
END_TEST

/* Emulated devices of other builds have other names. */
static void look_for_name(const char *path) {
    const char *key = key_of(path);
    ck_assert_msg(strncmp(key, "emulated gfx90a", 15) == 0, "%s", key);
    ck_assert_int_eq(strstr(key, "sanitizer") != NULL, strstr(getenv("WITH_NAME"), "sanitizer") != NULL);
}

static void find_name(void) {
    const lm_device *device;
    lm_field_begin(1, 64, false);
    ck_assert_int_eq(lm_device_get(0, &device), LMAD_OK);
    setenv("WITH_NAME", device->name, 1);
    ck_assert_ptr_null(lm_hip_rig_try(&transpose, 0, NULL, LMAD_ESTIMATE));
    ck_assert_int_gt(lm_folder_each(look_for_name), 0);
}

START_TEST(keys_tell_builds_apart) { lm_in_child(find_name); }
END_TEST

START_TEST(without_code_there_is_no_plan) {
    lm_field_begin(1, 64, false);
    setenv("HIPEMU_CXX", "false", 1);
    const lm_trial flat = {
        .op = LM_OP_COPY, .dst = {1, 0, {{999, 1}}}, .src = {1, 0, {{999, 1}}}, .elem_size = 4};
    lmad_plan *p = NULL;
    ck_assert_int_eq(lm_hip_rig_plan(&p, &transpose, 0, NULL, 0), LMAD_ERR_NO_CODE);
    ck_assert_ptr_nonnull(strstr(lmad_error_detail(), "no reason given"));
    ck_assert_ptr_null(p);
    ck_assert_ptr_null(lm_hip_rig_try(&flat, 0, NULL, LMAD_ESTIMATE)); /* needs none */
    emulator_is_clean();
}
END_TEST

/* The compiler's own words, its first line with an error. */
START_TEST(the_compiler_is_quoted) {
    lm_field_begin(1, 64, false);
    setenv("HIPEMU_CXX", "g++ -include /no/such/header.h", 1);
    setenv("LC_ALL", "C", 1);
    lmad_plan *p = NULL;
    ck_assert_int_eq(lm_hip_rig_plan(&p, &transpose, 0, NULL, 0), LMAD_ERR_NO_CODE);
    ck_assert_ptr_nonnull(strstr(lmad_error_detail(), "error: /no/such/header.h: No such file"));
    emulator_is_clean();
}
END_TEST

Suite *lm_suite_hip_code(void) {
    Suite *suite = suite_create("hip_code");
    TCase *tc = tcase_create("code");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, lm_folder_make_cache, lm_folder_remove);
    tcase_add_test(tc, code_is_compiled_once);
    tcase_add_test(tc, two_compile_at_once);
    tcase_add_test(tc, without_a_folder_code_is_compiled);
    tcase_add_test(tc, keys_tell_builds_apart);
    tcase_add_test(tc, without_code_there_is_no_plan);
    tcase_add_test(tc, the_compiler_is_quoted);
    suite_add_tcase(suite, tc);
    return suite;
}
