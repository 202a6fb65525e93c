/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder for a test's files, and small files. */
#include "folder.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char lm_folder[64];

void lm_folder_make(void) {
    strcpy(lm_folder, "/tmp/lmad-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(lm_folder));
}

void lm_folder_remove(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", lm_folder);
    ck_assert_int_eq(system(command), 0);
}

void lm_folder_make_cache(void) {
    lm_folder_make();
    setenv("LMAD_CACHE", lm_folder, 1);
}

int lm_folder_each(void (*visit)(const char *path)) {
    char path[512];
    int count = 0;
    DIR *dir = opendir(lm_folder);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        if (d->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", lm_folder, d->d_name);
        if (visit) visit(path);
        count++;
    }
    closedir(dir);
    return count;
}

char *lm_file_text(const char *name) {
    FILE *file = fopen(name, "r");
    if (!file) return NULL;
    char *text = calloc(1, 1 << 22);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_lt(fread(text, 1, 1 << 22, file), 1 << 22);
    fclose(file);
    return text;
}

void lm_file_put(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

void lm_file_flip_a_byte(const char *name) {
    FILE *file = fopen(name, "r+");
    ck_assert_ptr_nonnull(file);
    fseek(file, -5, SEEK_END);
    const int c = fgetc(file);
    fseek(file, -5, SEEK_END);
    fputc(c ^ 1, file);
    fclose(file);
}
