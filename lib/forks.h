/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks over fork(). The child has one thread: a lock that another one held would never be released. */
#ifndef LM_FORKS_H
#define LM_FORKS_H

#include <pthread.h>

/* Take the lock before a fork and release it in parent and child, so that what it guards is whole in both.
 * For short locks, which nobody holds while taking another one. To be called from a constructor. */
void lm_forks_hold(pthread_mutex_t *lock);

/* Do not wait for the lock: make it anew in the child. For locks that are held long, by a thread that the
 * child does not have. To be called from a constructor. */
void lm_forks_renew(pthread_mutex_t *lock);

#endif
