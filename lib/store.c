/* SPDX-License-Identifier: BSD-3-Clause */
/* Records by problem. */
#include "store.h"

#include <stdlib.h>
#include <string.h>

/* Records that can be used are looked up by their key; the others only ever by their text. */
static uint64_t hash_of(const lm_record *r) {
    if (r->key) return r->key->hash;
    uint64_t hash = 5381;
    for (const char *c = r->problem; *c; c++) hash = hash * 33 + (unsigned char)*c;
    return hash;
}

static lm_record **bucket_of(const lm_store *store, uint64_t hash) {
    return &store->bucket[(hash ^ hash >> 29) & (store->buckets - 1)];
}

static bool grow(lm_store *store) {
    lm_store larger = {.buckets = store->buckets ? 2 * store->buckets : 64};
    larger.bucket = calloc(larger.buckets, sizeof *larger.bucket);
    if (!larger.bucket) return false;
    for (size_t k = 0; k < store->buckets; k++) {
        for (lm_record *r = store->bucket[k], *next; r; r = next) {
            lm_record **at = bucket_of(&larger, hash_of(r));
            next = r->next;
            r->next = *at;
            *at = r;
        }
    }
    free(store->bucket);
    store->bucket = larger.bucket;
    store->buckets = larger.buckets;
    return true;
}

lm_added lm_store_add(lm_store *store, lm_record *record) {
    if (store->count >= store->buckets && !grow(store) && store->buckets == 0) {
        lm_record_free(record);
        return LM_ADDED_NO_MEMORY;
    }
    lm_record **at = bucket_of(store, hash_of(record));
    while (*at && !lm_record_rivals(*at, record)) at = &(*at)->next;
    lm_record *rival = *at;
    if (rival && !lm_record_better(record, rival)) {
        lm_record_free(record);
        return LM_ADDED_NOT;
    }
    record->next = rival ? rival->next : NULL;
    *at = record;
    lm_record_free(rival);
    store->count += !rival;
    return rival ? LM_ADDED_INSTEAD : LM_ADDED;
}

lm_record *lm_store_chain(const lm_store *store, uint64_t hash) {
    return store->buckets ? *bucket_of(store, hash) : NULL;
}

static int by_line(const void *a, const void *b) {
    return strcmp((*(const lm_record *const *)a)->line, (*(const lm_record *const *)b)->line);
}

const lm_record **lm_store_sorted(const lm_store *store) {
    if (store->count == 0) return NULL;
    const lm_record **all = malloc(store->count * sizeof *all);
    if (!all) return NULL;
    size_t n = 0;
    for (size_t k = 0; k < store->buckets; k++)
        for (const lm_record *r = store->bucket[k]; r; r = r->next) all[n++] = r;
    qsort(all, n, sizeof *all, by_line);
    return all;
}

void lm_store_clear(lm_store *store) {
    for (size_t k = 0; k < store->buckets; k++) {
        for (lm_record *r = store->bucket[k], *next; r; r = next) {
            next = r->next;
            lm_record_free(r);
        }
    }
    free(store->bucket);
    *store = (lm_store){0};
}
