/* SPDX-License-Identifier: BSD-3-Clause */
/* One watch over fork() for all locks. */
#define _GNU_SOURCE 1
#include "forks.h"

/* A few locks of the library's own, all there before main() begins. */
typedef struct locks {
    pthread_mutex_t *at[8];
    int count;
} locks;

static locks held, renewed;

static void before_fork(void) {
    for (int k = 0; k < held.count; k++) pthread_mutex_lock(held.at[k]);
}

static void in_parent(void) {
    for (int k = held.count - 1; k >= 0; k--) pthread_mutex_unlock(held.at[k]);
}

static void in_child(void) {
    in_parent();
    for (int k = 0; k < renewed.count; k++) *renewed.at[k] = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void add(locks *l, pthread_mutex_t *lock) {
    if (held.count + renewed.count == 0) pthread_atfork(before_fork, in_parent, in_child);
    if (l->count < (int)(sizeof l->at / sizeof *l->at)) l->at[l->count++] = lock;
}

void lm_forks_hold(pthread_mutex_t *lock) { add(&held, lock); }
void lm_forks_renew(pthread_mutex_t *lock) { add(&renewed, lock); }
