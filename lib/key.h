/* SPDX-License-Identifier: BSD-3-Clause */
/* What wisdom is filed under: a canonical problem and the instruction set in use, as text and as numbers. */
#ifndef LM_KEY_H
#define LM_KEY_H

#include <stddef.h>

#include "kernels/host/isa.h"
#include "problem.h"

/* Memory spaces as far as plans depend on them: the host; a device; the other one of two. */
enum { LM_KEY_DEVICE = 0, LM_KEY_PEER = 1 };

/* The problem as far as plans depend on it: all of it but where in memory it lies beyond a cache line, and which one of
 * several devices that are alike it is on. */
typedef struct lm_key {
    uint64_t hash;
    lm_op op;
    int dst_space, src_space; /* LM_HOST, LM_KEY_DEVICE, LM_KEY_PEER */
    int threads, rank;
    lm_isa isa;              /* LM_ISA_BASE where a device has a part in it */
    int64_t run, doff, soff; /* offsets modulo 64 */
    lm_pdim dim[];           /* rank of them */
} lm_key;

enum { LM_KEY_TEXT = 4096 }; /* bytes that always hold a key's text */

/* "copy host host run=4 dst=[(7001,36004),(9001,4)]+0 src=[(7001,4),(9001,28004)]+0 threads=2 isa=avx512",
 * all in bytes; "device" and "peer" are the other spaces, with which no instruction set is named. As snprintf. Equal keys
 * have equal texts. */
int lm_key_format(char *buf, size_t size, const lm_problem *problem, lm_isa isa);

/* The key of such a text, on the heap; NULL when the text is anything else. False: no memory. */
bool lm_key_parse(lm_key **key, const char *text);

/* Has a device a part in it? */
static inline bool lm_key_on_device(const lm_key *key) {
    return key->dst_space != LM_HOST || key->src_space != LM_HOST;
}

/* The hash of a problem's key, without making the key; equal to lm_key.hash of the parsed text. */
uint64_t lm_key_hash(const lm_problem *problem, lm_isa isa);

/* Is it the key of this problem? */
bool lm_key_matches(const lm_key *key, const lm_problem *problem, lm_isa isa);

#endif
