/* SPDX-License-Identifier: BSD-3-Clause */
/* What device plans keep: compiled code on disk, measurements in wisdom. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hip_field.h"
#include "hip_rig.h"
#include "lib/device.h"
#include "lib/device_cache.h"
#include "lib/record.h"
#include "lmad-hip.h"
#include "wise.h"

static lm_trial transpose(int64_t rows, int64_t columns) {
    return (lm_trial){.op = LM_OP_COPY,
                      .dst = {2, 0, {{columns, rows}, {rows, 1}}},
                      .src = {2, 0, {{columns, 1}, {rows, columns}}},
                      .elem_size = 4};
}

/* ---- entries ----------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/lmad-cache-XXXXXX";

static void open_folder(void) {
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("LMAD_CACHE", folder, 1);
}

/* Visit the files of the folder; how many there are. */
static int each_file(void (*visit)(const char *path)) {
    char path[512];
    int count = 0;
    DIR *dir = opendir(folder);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        if (d->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
        visit(path);
        count++;
    }
    closedir(dir);
    return count;
}

static void drop(const char *path) { unlink(path); }

static void close_folder(void) {
    each_file(drop);
    rmdir(folder);
}

static void flip_a_byte(const char *path) {
    FILE *f = fopen(path, "r+");
    fseek(f, -20, SEEK_END);
    const int c = fgetc(f);
    fseek(f, -20, SEEK_END);
    fputc(c ^ 1, f);
    fclose(f);
}

static void cut(const char *path) { ck_assert_int_eq(truncate(path, 100), 0); }
static void empty(const char *path) { ck_assert_int_eq(truncate(path, 0), 0); }
static void open_to_all(const char *path) { chmod(path, 0666); }
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
static void replace_by_text(const char *path) {
    FILE *f = fopen(path, "w");
    fputs("lmad-code 1 0123456789abcdef 0000000004\nkey\n", f);
    fclose(f);
}

START_TEST(entries_are_what_was_written) {
    lm_cached got = {0};
    open_folder();
    const lm_cached entry = {(char *)"some\0bytes", 10};
    ck_assert(!lm_device_cache_read("key one", &got));
    lm_device_cache_write("key one", &entry);
    ck_assert(lm_device_cache_read("key one", &got));
    ck_assert_uint_eq(got.size, 10);
    ck_assert_mem_eq(got.bytes, entry.bytes, 10);
    free(got.bytes);
    ck_assert(!lm_device_cache_read("key two", &got));
    close_folder();
}
END_TEST

static void (*const damages[])(const char *) = {
    flip_a_byte, cut, empty, open_to_all, replace_by_link, replace_by_folder, replace_by_text};
enum { DAMAGES = sizeof damages / sizeof *damages };

START_TEST(damaged_entries_are_not_there) {
    char path[600];
    lm_cached got;
    open_folder();
    const lm_cached entry = {folder, sizeof folder};
    lm_device_cache_write("key", &entry);
    ck_assert(lm_device_cache_read("key", &got));
    free(got.bytes);
    ck_assert_int_eq(each_file(damages[_i]), 1);
    ck_assert(!lm_device_cache_read("key", &got));
    (void)path;
    each_file(drop);
    DIR *dir = opendir(folder);
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
        if (d->d_name[0] != '.') rmdir(path);
    }
    closedir(dir);
    rmdir(folder);
}
END_TEST

START_TEST(nowhere_is_no_failure) {
    lm_cached got;
    const lm_cached entry = {folder, sizeof folder};
    static const char *const places[] = {"", "/proc/none/at/all", "/dev/null/x"};
    for (int k = 0; k < 3; k++) {
        setenv("LMAD_CACHE", places[k], 1);
        lm_device_cache_write("key", &entry);
        ck_assert(!lm_device_cache_read("key", &got));
    }
}
END_TEST

/* ---- compilations ------------------------------------------------------------------------------------ */

/* In a process of its own: compilations of a plan that works. */
static int compilations(void) {
    fflush(NULL);
    const pid_t child = fork();
    int status;
    if (child == 0) {
        hipemu_counts n;
        const hipemu *emu = lm_field_begin(1, 64, false);
        const lm_trial t = transpose(70, 50);
        const char *why = lm_hip_rig_try(&t, 0, NULL, LMAD_ESTIMATE);
        if (why) fprintf(stderr, "%s\n", why);
        emu->counts(&n);
        _exit(why ? 99 : (int)n.compiles);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) != 99);
    return WEXITSTATUS(status);
}

START_TEST(code_is_compiled_once) {
    open_folder();
    const int first = compilations();
    ck_assert_int_gt(first, 0);
    ck_assert_int_eq(compilations(), 0);
    each_file(flip_a_byte);
    ck_assert_int_eq(compilations(), first);
    ck_assert_int_eq(compilations(), 0);
    close_folder();
}
END_TEST

START_TEST(without_code_there_is_no_plan) {
    lm_field_begin(1, 64, false);
    setenv("LMAD_CACHE", "", 1);
    setenv("HIPEMU_CXX", "false", 1);
    const lm_trial t = transpose(70, 50);
    const lm_trial flat = {
        .op = LM_OP_COPY, .dst = {1, 0, {{999, 1}}}, .src = {1, 0, {{999, 1}}}, .elem_size = 4};
    lmad_plan *p = NULL;
    ck_assert_int_eq(lm_hip_rig_plan(&p, &t, 0, NULL, 0), LMAD_ERR_NO_CODE);
    ck_assert_ptr_null(p);
    ck_assert_ptr_null(lm_hip_rig_try(&flat, 0, NULL, LMAD_ESTIMATE)); /* needs none */
    emulator_is_clean();
}
END_TEST

/* ---- wisdom ------------------------------------------------------------------------------------------ */

static lmad_info plan_info(const lm_trial *t, lmad_ctx *ctx, unsigned flags) {
    lmad_info info = {.struct_size = sizeof info};
    lmad_plan *p;
    if (lm_hip_rig_plan(&p, t, 0, ctx, flags) != LMAD_OK) ck_abort_msg("%s", lmad_error_detail());
    lmad_plan_info(p, &info);
    lmad_plan_destroy(p);
    return info;
}

START_TEST(measurements_become_wisdom) {
    lm_field_begin(2, 64, true);
    lmad_ctx *ctx = lm_wise_ctx();
    const lm_trial t = transpose(300, 200);
    lmad_info info = plan_info(&t, ctx, LMAD_MEASURE);
    ck_assert_int_eq(info.source, LMAD_SOURCE_MEASURED);
    ck_assert_int_gt(info.candidates, 1);
    ck_assert(info.measured_seconds > 0);
    info = plan_info(&t, ctx, LMAD_ESTIMATE);
    ck_assert_int_eq(info.source, LMAD_SOURCE_WISDOM);
    ck_assert_int_eq(info.effort, LMAD_MEASURE);
    ck_assert_int_eq(info.sibling, 0);
    plan_info(&t, ctx, LMAD_MEASURE | LMAD_WISDOM_ONLY);
    const char *why =
        lm_hip_rig_try(&t, 1, ctx, LMAD_MEASURE | LMAD_WISDOM_ONLY); /* the other device is alike */
    ck_assert_msg(why == NULL, "%s", why);
    lmad_ctx_destroy(ctx);
    emulator_is_clean();
}
END_TEST

START_TEST(the_time_limit_holds) {
    lm_field_begin(1, 64, true);
    lmad_ctx *ctx = lm_wise_ctx();
    lmad_ctx_set_time_limit(ctx, 0);
    const lm_trial t = transpose(300, 200);
    ck_assert_int_eq(plan_info(&t, ctx, LMAD_PATIENT).source, LMAD_SOURCE_TIMED_OUT);
    char *text = lm_wise_text(ctx);
    ck_assert_int_eq(lm_wise_lines(text), 1); /* nothing is kept */
    free(text);
    lmad_ctx_destroy(ctx);
    emulator_is_clean();
}
END_TEST

/* Replace a word of the only record. */
static void forge(char *line, size_t size, const char *file, const char *old, const char *new) {
    char sum[17], text[LM_RECORD_LINE];
    const char *record = strchr(file, '\n') + 1, *at = strstr(record, old);
    ck_assert_ptr_nonnull(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - record), record, new, at + strlen(old));
    *(strrchr(text, '\t') + 1) = '\0';
    lm_record_checksum(sum, text, strlen(text));
    snprintf(line, size, "%s%s\n", text, sum);
}

START_TEST(siblings_help_out) {
    static const struct {
        const char *old, *new;
        bool helps;
    } changes[] = {{"cus=", "cus=1", true},
                   {"gfx90a:", "gfx90a:other+:", true},
                   {"gfx90a", "gfx942", false},
                   {"wave=64", "wave=32", false},
                   {"emulated-", "", false}};
    lm_field_begin(1, 64, false);
    lmad_ctx *ctx = lm_wise_ctx();
    const lm_trial t = transpose(300, 200);
    plan_info(&t, ctx, LMAD_MEASURE);
    char *file = lm_wise_text(ctx), line[LM_RECORD_LINE];
    lmad_ctx_destroy(ctx);
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        ctx = lm_wise_ctx();
        forge(line, sizeof line, file, changes[k].old, changes[k].new);
        ck_assert_int_eq(lmad_wisdom_import_string(ctx, line, NULL), LMAD_OK);
        const lmad_info info = plan_info(&t, ctx, LMAD_ESTIMATE);
        ck_assert_int_eq(info.source, changes[k].helps ? LMAD_SOURCE_WISDOM : LMAD_SOURCE_ESTIMATED);
        ck_assert_int_eq(info.sibling, changes[k].helps);
        ck_assert_int_eq(plan_info(&t, ctx, LMAD_MEASURE).source, LMAD_SOURCE_MEASURED);
        lmad_ctx_destroy(ctx);
    }
    free(file);
    emulator_is_clean();
}
END_TEST

/* What a record says is only done where it can be. */
START_TEST(forged_choices_do_no_harm) {
    lm_field_begin(1, 64, false);
    lmad_ctx *ctx = lm_wise_ctx();
    const lm_trial t = transpose(300, 200);
    plan_info(&t, ctx, LMAD_MEASURE);
    char *file = lm_wise_text(ctx), line[LM_RECORD_LINE], chosen[256];
    lmad_ctx_destroy(ctx);
    const char *at = strchr(strchr(strchr(file, '\n') + 1, '\t') + 1, '\t') + 1;
    snprintf(chosen, sizeof chosen, "%.*s", (int)strcspn(at, "\t"), at);
    static const char *const choices[] = {"hip-memcpy", "stage flat chunk=4096",
                                          "hip-tile word=16x16 tile=999999x3 order=dst items=4 store=plain",
                                          "hip-fill word=16x16 tile=0x0 order=dst items=4 store=plain",
                                          "hip-tile word=7x16 tile=64x64 order=dst items=4 store=plain"};
    for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
        ctx = lm_wise_ctx();
        forge(line, sizeof line, file, chosen, choices[k]);
        ck_assert_int_eq(lmad_wisdom_import_string(ctx, line, NULL), LMAD_OK);
        const char *why = lm_hip_rig_try(&t, 0, ctx, LMAD_ESTIMATE);
        ck_assert_msg(why == NULL, "%s: %s", choices[k], why);
        lmad_ctx_destroy(ctx);
    }
    free(file);
    emulator_is_clean();
}
END_TEST

Suite *lm_suite_hip_learn(void) {
    Suite *suite = suite_create("hip_learn");
    TCase *tc = tcase_create("code"), *wisdom = tcase_create("wisdom");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, entries_are_what_was_written);
    tcase_add_loop_test(tc, damaged_entries_are_not_there, 0, DAMAGES);
    tcase_add_test(tc, nowhere_is_no_failure);
    tcase_add_test(tc, code_is_compiled_once);
    tcase_add_test(tc, without_code_there_is_no_plan);
    suite_add_tcase(suite, tc);
    tcase_set_timeout(wisdom, 300);
    tcase_add_test(wisdom, measurements_become_wisdom);
    tcase_add_test(wisdom, the_time_limit_holds);
    tcase_add_test(wisdom, siblings_help_out);
    tcase_add_test(wisdom, forged_choices_do_no_harm);
    suite_add_tcase(suite, wisdom);
    return suite;
}
