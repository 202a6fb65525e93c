/* SPDX-License-Identifier: BSD-3-Clause */
/* Work on a thread of its own, so that what the calling one has stays: its last error, its memory policy. */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <signal.h>

#include "hip.h"

typedef struct errand {
    void (*work)(void *arg);
    void *arg;
} errand;

static void *run(void *arg) {
    const errand *e = arg;
    e->work(e->arg);
    return NULL;
}

/* Signals stay the business of the program's own threads; and nobody is cancelled while the other one works
 * with what is on this one's stack. */
bool lm_hip_apart(void (*work)(void *arg), void *arg) {
    errand e = {work, arg};
    pthread_t thread;
    sigset_t all, before;
    int cancel;
    sigfillset(&all);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool made = pthread_create(&thread, NULL, run, &e) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (made) pthread_join(thread, NULL);
    pthread_setcancelstate(cancel, NULL);
    return made;
}

bool lm_hip_aside(const lm_hip *hip, void (*work)(void *arg), void *arg) {
    if (hip->hipPeekAtLastError() != LM_HIP_SUCCESS) return lm_hip_apart(work, arg);
    work(arg);
    return true;
}
