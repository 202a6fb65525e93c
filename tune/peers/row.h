/* SPDX-License-Identifier: BSD-3-Clause */
/* One row: its buffers, what must come out, and the race. */
#ifndef ROW_H
#define ROW_H

#include "peer.h"

/* Memory for the rows of a run, written before it is timed; starts as {0}. */
typedef struct row_memory {
    int file; /* of `shared`; what other processes map */
    char *shared, *want;
    size_t size, dst_at, dst_size, src_at, src_size;
} row_memory;

void row_memory_free(row_memory *m);

/* Take a line of a suite apart (it is written to). */
bool row_read(peer_problem *p, char *line);

/* Give the problem its buffers: page-aligned as lmad-bench has them. */
bool row_place(peer_problem *p, row_memory *m);

/* Verify each peer, then let them take turns; ns[k]: the median of peer k, 0 when it cannot, < 0 when it was
 * wrong. */
void row_race(const peer_problem *p, row_memory *m, const peer *const *peers, int count, double *ns);

#endif
