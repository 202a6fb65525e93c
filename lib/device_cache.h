/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled device code on disk: one file an entry, found by what it was made from. Nothing of it is needed:
 * whatever is wrong with the folder or a file, the entry is not there. */
#ifndef LM_DEVICE_CACHE_H
#define LM_DEVICE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* An entry: bytes on the heap. */
typedef struct lm_cached {
    char *bytes;
    size_t size;
} lm_cached;

/* Look up the entry of a key: one line of text that names all that the bytes depend on. The file must be
 * ours, writable by nobody else, whole, and have this very key. */
bool lm_device_cache_read(const char *key, lm_cached *out);

/* Keep an entry: in a file that appears at once as a whole, or not at all. */
void lm_device_cache_write(const char *key, const lm_cached *entry);

/* The folder: that of LMAD_CACHE, or ${XDG_CACHE_HOME:-~/.cache}/lmad; 0 where nothing is kept. As snprintf.
 */
int lm_device_cache_folder(char *buf, size_t size);

#endif
