/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder for a test's files, and small files. */
#ifndef LM_TEST_FOLDER_H
#define LM_TEST_FOLDER_H

extern char lm_folder[];

/* Make one; remove it with all that is in it. */
void lm_folder_make(void);
void lm_folder_remove(void);

/* Make one that LMAD_CACHE names, for compiled device code. */
void lm_folder_make_cache(void);

/* Visit its files, but for hidden ones (visit may be NULL); how many there are. */
int lm_folder_each(void (*visit)(const char *path));

/* A file's text, the caller's to free; NULL when it cannot be opened. */
char *lm_file_text(const char *name);

void lm_file_put(const char *name, const char *text);

/* Damage a file near its end. */
void lm_file_flip_a_byte(const char *name);

#endif
