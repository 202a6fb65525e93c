/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder for compiled device code, for the test alone. */
#ifndef LM_TEST_CACHE_FOLDER_H
#define LM_TEST_CACHE_FOLDER_H

extern char lm_cache_folder[];

/* Make one that LMAD_CACHE names; remove it with its files. */
void lm_cache_folder_open(void);
void lm_cache_folder_close(void);

/* Visit its files (visit may be NULL); how many there are. */
int lm_cache_folder_each(void (*visit)(const char *path));

/* Of a file: near its end. */
void lm_cache_flip_a_byte(const char *path);

#endif
