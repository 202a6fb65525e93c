/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder for compiled device code. */
#include "cache_folder.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char lm_cache_folder[] = "/tmp/lmad-cache-XXXXXX";

void lm_cache_folder_open(void) {
    strcpy(lm_cache_folder + strlen(lm_cache_folder) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(lm_cache_folder));
    setenv("LMAD_CACHE", lm_cache_folder, 1);
}

int lm_cache_folder_each(void (*visit)(const char *path)) {
    char path[512];
    int count = 0;
    DIR *dir = opendir(lm_cache_folder);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        if (d->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", lm_cache_folder, d->d_name);
        if (visit) visit(path);
        count++;
    }
    closedir(dir);
    return count;
}

static void drop(const char *path) { remove(path); }

void lm_cache_folder_close(void) {
    lm_cache_folder_each(drop);
    rmdir(lm_cache_folder);
}

void lm_cache_flip_a_byte(const char *path) {
    FILE *f = fopen(path, "r+");
    fseek(f, -5, SEEK_END);
    const int c = fgetc(f);
    fseek(f, -5, SEEK_END);
    fputc(c ^ 1, f);
    fclose(f);
}
