/* SPDX-License-Identifier: BSD-3-Clause */
/* How many threads to use, and running on them: OpenMP where the library is built with it, the caller's
 * parallel-for where a context has one, else a plain loop. */
#include "threads.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "machine.h"

static int lesser(int a, int b) { return a < b ? a : b; }

#ifdef _OPENMP

#include <omp.h>
#include <stdatomic.h>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
static bool has_threads(void) { return !__libc_single_threaded; }
#else
static bool has_threads(void) { return true; }
#endif

/* GNU OpenMP's pool does not survive a fork: the child inherits its book-keeping but not its threads, and
 * would wait for them forever. The pool may be the program's own doing, so what counts is whether there was
 * any thread besides the one that forked; a child of a single-threaded parent may use OpenMP. */
static atomic_bool threads_at_fork, pool_lost;

static void before_fork(void) { atomic_store(&threads_at_fork, has_threads()); }

static void in_child(void) {
    if (atomic_load(&threads_at_fork)) atomic_store(&pool_lost, true);
}

/* When the library is loaded, because a program may use OpenMP and fork before it first calls us. */
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(before_fork, NULL, in_child); }

const char *lm_threads_built_in(void) { return "OpenMP"; }

static bool pool_exists(void) { return !atomic_load(&pool_lost); }
static bool in_parallel(void) { return omp_in_parallel(); }
static int pool_threads(void) { return lesser(omp_get_max_threads(), omp_get_thread_limit()); }

/* Processors in the places that OpenMP binds threads to. Places may overlap, so never more than there are. */
static int bound_procs(void) {
    int procs = 0;
    for (int i = 0; i < omp_get_num_places(); i++) procs += omp_get_place_num_procs(i);
    return procs > 0 ? lesser(procs, omp_get_num_procs()) : omp_get_num_procs();
}

/* Cores that the built-in pool may use. With OMP_PROC_BIND the thread that we run on is bound to one place
 * from the start and its mask says nothing of the process: then OpenMP knows better. */
static int pool_cores(const lm_machine *machine) {
    if (omp_get_proc_bind() == omp_proc_bind_false) return machine->cores_usable;
    int cores = lesser(bound_procs(), machine->cores);
    return machine->quota > 0 ? lesser(cores, machine->quota) : cores;
}

/* A loop, not one index a thread: OpenMP may give fewer threads than asked for. */
static void run_on_pool(int count, void (*body)(void *arg, int i), void *arg) {
#pragma omp parallel for num_threads(count) schedule(static, 1)
    for (int i = 0; i < count; i++) body(arg, i);
}

#else

const char *lm_threads_built_in(void) { return "none"; }

static bool pool_exists(void) { return false; }
static bool in_parallel(void) { return false; }
static int pool_threads(void) { return INT_MAX; }
static int pool_cores(const lm_machine *machine) { return machine->cores_usable; }

static void run_on_pool(int count, void (*body)(void *arg, int i), void *arg) {
    for (int i = 0; i < count; i++) body(arg, i);
}

#endif

int lm_threads_cores(void) { return pool_cores(lm_machine_get()); }

static int environment_limit = INT_MAX;

static void read_environment(void) {
    const char *text = getenv("LMAD_NUM_THREADS");
    if (!text) return;
    char *end;
    long n = strtol(text, &end, 10);
    if (end != text && *end == '\0' && n >= 1 && n < INT_MAX) environment_limit = (int)n;
}

int lm_threads_environment(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_environment);
    return environment_limit;
}

static int automatic(bool built_in) {
    if (in_parallel()) return 1;
    int limit = built_in ? lm_threads_cores() : lm_machine_get()->cores_usable;
    return lesser(lesser(limit, pool_threads()), lm_threads_environment());
}

/* GNU OpenMP ends the process when it cannot create a thread, so no number that was meant as "many" may ask
 * for as many as a large payload could occupy. */
static int most_threads(void) {
    enum { FEWEST = 16, MOST = 1024, A_HARDWARE_THREAD = 4 };
    const int hardware = lesser(lm_machine_get()->threads, MOST);
    return lesser(hardware * A_HARDWARE_THREAD > FEWEST ? hardware * A_HARDWARE_THREAD : FEWEST, MOST);
}

int lm_threads_limit(const lm_settings *settings) {
    bool built_in = settings->run == NULL;
    if (built_in && !pool_exists()) return 1;
    int limit = settings->threads > 0 ? settings->threads : automatic(built_in);
    return limit > 1 ? lesser(limit, most_threads()) : 1;
}

/* A caller's pool is at work, for us: it may be unable to take more from one of its own threads. If it is not, it is
 * from now on. */
static bool is_busy(const lm_settings *settings) {
    return settings->busy && atomic_exchange_explicit(settings->busy, true, memory_order_acquire);
}

void lm_parallel(const lm_settings *settings, int count, void (*body)(void *arg, int i), void *arg) {
    if (count > 1 && settings->run && !is_busy(settings)) {
        settings->run(settings->run_data, count, body, arg);
        if (settings->busy) atomic_store_explicit(settings->busy, false, memory_order_release);
    } else if (count > 1 && !settings->run && pool_exists() && !in_parallel()) {
        run_on_pool(count, body, arg);
    } else {
        for (int i = 0; i < count; i++) body(arg, i);
    }
}
