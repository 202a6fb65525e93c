/* SPDX-License-Identifier: BSD-3-Clause */
/* What the peers share. */
#include "peer.h"

static void walk(const peer_problem *p, const bool *skip, int k, int64_t d, int64_t s, peer_body *body,
                 void *arg) {
    while (k < p->rank && skip && skip[k]) k++;
    if (k == p->rank) {
        body(arg, d, s);
        return;
    }
    const peer_dim *a = &p->dim[k];
    for (int64_t i = 0; i < a->n; i++)
        walk(p, skip, k + 1, d + i * a->ds * p->size, s + i * a->ss * p->size, body, arg);
}

void peer_each(const peer_problem *p, const bool *skip, peer_body *body, void *arg) {
    walk(p, skip, 0, 0, 0, body, arg);
}

int peer_dense(const peer_problem *p, bool in_dst) {
    for (int k = p->rank - 1; k >= 0; k--)
        if ((in_dst ? p->dim[k].ds : p->dim[k].ss) == 1) return k;
    return -1;
}

bool peer_packs(const peer_problem *p) {
    int64_t stride = 1;
    for (int k = p->rank - 1; k >= 0; k--) {
        if (p->dim[k].ds != stride) return false;
        stride *= p->dim[k].n;
    }
    return true;
}
