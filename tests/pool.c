/* SPDX-License-Identifier: BSD-3-Clause */
/* A small thread pool: workers wait for a round, take indices of it until none is left, and report back. */
#include "pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct pool {
    pthread_mutex_t turn; /* one caller at a time */
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t start, done;
    bool quit;
    int runs;
    int next, count; /* indices not yet taken: [next, count) */
    int running;     /* indices taken and not yet done */
    void (*body)(void *arg, int i);
    void *arg;
    int workers;
    pthread_t worker[];
};

/* Work off indices until none is left to take. Called and left with the lock held. */
static void take_indices(pool *p) {
    while (p->next < p->count) {
        int i = p->next++;
        p->running++;
        pthread_mutex_unlock(&p->lock);
        p->body(p->arg, i);
        pthread_mutex_lock(&p->lock);
        p->running--;
    }
    if (p->running == 0) pthread_cond_signal(&p->done);
}

static void *work(void *data) {
    pool *p = data;
    pthread_mutex_lock(&p->lock);
    while (!p->quit) {
        if (p->next < p->count)
            take_indices(p);
        else
            pthread_cond_wait(&p->start, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

pool *pool_create(int workers) {
    pool *p = calloc(1, sizeof *p + (size_t)workers * sizeof p->worker[0]);
    if (!p) return NULL;
    pthread_mutex_init(&p->turn, NULL);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->start, NULL);
    pthread_cond_init(&p->done, NULL);
    while (p->workers < workers) {
        if (pthread_create(&p->worker[p->workers], NULL, work, p) != 0) goto destroy_pool;
        p->workers++;
    }
    return p;

destroy_pool:
    pool_destroy(p);
    return NULL;
}

void pool_destroy(pool *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->workers; i++) pthread_join(p->worker[i], NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->start);
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->turn);
    free(p);
}

void pool_run(void *data, int count, void (*body)(void *arg, int i), void *arg) {
    pool *p = data;
    pthread_mutex_lock(&p->turn);
    pthread_mutex_lock(&p->lock);
    p->runs++;
    p->body = body;
    p->arg = arg;
    p->next = 0;
    p->count = count;
    pthread_cond_broadcast(&p->start);
    take_indices(p);
    while (p->running > 0) pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
    pthread_mutex_unlock(&p->turn);
}

int pool_runs(pool *p) {
    pthread_mutex_lock(&p->lock);
    int runs = p->runs;
    pthread_mutex_unlock(&p->lock);
    return runs;
}
