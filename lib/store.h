/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of wisdom records, no two of them rivals: a hash table by problem. Not locked: the owner does that.
 */
#ifndef LM_STORE_H
#define LM_STORE_H

#include "record.h"

/* Starts as {0}. */
typedef struct lm_store {
    lm_record **bucket;
    size_t buckets, count;
} lm_store;

/* What became of a record. */
typedef enum lm_added { LM_ADDED, LM_ADDED_INSTEAD, LM_ADDED_NOT, LM_ADDED_NO_MEMORY } lm_added;

/* Take a record over: it, or a rival that is better, stays, the other one is freed. */
lm_added lm_store_add(lm_store *store, lm_record *record);

/* The records whose hash is that of the problem's key: a chain (next) that holds others, too. */
lm_record *lm_store_chain(const lm_store *store, uint64_t hash);

/* All records, ordered by their lines, as an array on the heap (NULL: no memory; or count is 0). They stay
 * the store's. */
const lm_record **lm_store_sorted(const lm_store *store);

void lm_store_clear(lm_store *store);

#endif
