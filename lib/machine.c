/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of this machine: usual values, then what the C library says, then what hwloc says. */
#define _GNU_SOURCE 1 /* sched_getaffinity */
#include "machine.h"

#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu.h"

static int at_least_1(int n) { return n > 1 ? n : 1; }

/* A value of sysconf(), or the usual one where the system does not know. */
static int64_t system_value(int name, int64_t usual) {
    long value = sysconf(name);
    return value > 0 ? value : usual;
}

/* Caches as the C library knows them. A machine without a third level is one where the first two are known.
 */
static void guess_caches(lm_machine *m) {
    m->line_bytes = 64;
    m->cache_bytes[0] = 32 << 10;
    m->cache_bytes[1] = 1 << 20;
    m->cache_bytes[2] = 8 << 20;
#ifdef _SC_LEVEL1_DCACHE_SIZE
    int64_t l1 = system_value(_SC_LEVEL1_DCACHE_SIZE, 0), l2 = system_value(_SC_LEVEL2_CACHE_SIZE, 0);
    if (l1 == 0 || l2 == 0) return;
    m->cache_bytes[0] = l1;
    m->cache_bytes[1] = l2;
    m->cache_bytes[2] = system_value(_SC_LEVEL3_CACHE_SIZE, 0);
    m->line_bytes = system_value(_SC_LEVEL1_DCACHE_LINESIZE, m->line_bytes);
#endif
}

/* Everything that can be told without hwloc. */
static void guess(lm_machine *m) {
    memset(m, 0, sizeof *m);
    cpu_set_t mask;
    m->threads = m->cores = at_least_1((int)system_value(_SC_NPROCESSORS_CONF, 1));
    m->cores_usable = m->cores;
    if (sched_getaffinity(0, sizeof mask, &mask) == 0) m->cores_usable = at_least_1(CPU_COUNT(&mask));
    m->numa_nodes = 1;
    guess_caches(m);
    m->page_bytes = system_value(_SC_PAGESIZE, 4096);
    m->memory_bytes = system_value(_SC_PHYS_PAGES, 0) * m->page_bytes;
    snprintf(m->cpu, sizeof m->cpu, "unknown 0/0");
}

/* The first of two facts that hwloc knows about the CPU (x86 and Arm name them differently). */
static const char *cpu_fact(hwloc_obj_t package, const char *name, const char *other) {
    const char *value = hwloc_obj_get_info_by_name(package, name);
    if (!value) value = hwloc_obj_get_info_by_name(package, other);
    return value ? value : "";
}

static const char *or_else(const char *text, const char *other) { return *text ? text : other; }

static void read_cpu(hwloc_topology_t topology, lm_machine *m) {
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    if (!package) package = hwloc_get_root_obj(topology);
    const char *name = cpu_fact(package, "CPUModel", "CPUType");
    snprintf(m->cpu, sizeof m->cpu, "%s %s/%s%s%s",
             or_else(cpu_fact(package, "CPUVendor", "CPUImplementer"), "unknown"),
             or_else(cpu_fact(package, "CPUFamilyNumber", "CPUArchitecture"), "0"),
             or_else(cpu_fact(package, "CPUModelNumber", "CPUPart"), "0"), *name ? " " : "", name);
}

/* Some virtual machines hide their caches from the operating system: then the guesses stay. */
static void read_caches(hwloc_topology_t topology, lm_machine *m) {
    static const hwloc_obj_type_t level[3] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE};
    hwloc_obj_t first = hwloc_get_obj_by_type(topology, HWLOC_OBJ_L1CACHE, 0);
    if (!first || first->attr->cache.size == 0) return;
    if (first->attr->cache.linesize > 0) m->line_bytes = first->attr->cache.linesize;
    for (int i = 0; i < 3; i++) {
        hwloc_obj_t cache = hwloc_get_obj_by_type(topology, level[i], 0);
        m->cache_bytes[i] = cache ? (int64_t)cache->attr->cache.size : 0;
    }
}

/* What threads share out among them: cores, or PUs where the system does not tell about cores. */
static hwloc_obj_type_t core_type(hwloc_topology_t topology) {
    return hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

/* Leave the PUs that some thread of this process may use, because the caller may be one of a pool whose
 * threads are bound to a core each; or those of the caller where threads cannot be listed. */
static void restrict_to_binding(hwloc_topology_t topology, hwloc_cpuset_t usable) {
    hwloc_cpuset_t bound = hwloc_bitmap_alloc();
    if (!bound) return;
    if (hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS) == 0 ||
        hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_THREAD) == 0) {
        hwloc_bitmap_and(usable, usable, bound);
    }
    hwloc_bitmap_free(bound);
}

static int count_usable(hwloc_topology_t topology) {
    hwloc_cpuset_t usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology));
    if (!usable) return 1;
    if (hwloc_topology_is_thissystem(topology)) restrict_to_binding(topology, usable);
    int count = 0;
    hwloc_obj_t core = NULL;
    while ((core = hwloc_get_next_obj_by_type(topology, core_type(topology), core)) != NULL) {
        count += hwloc_bitmap_intersects(core->cpuset, usable);
    }
    hwloc_bitmap_free(usable);
    return at_least_1(count);
}

static void read_topology(hwloc_topology_t topology, lm_machine *m) {
    m->cores = at_least_1(hwloc_get_nbobjs_by_type(topology, core_type(topology)));
    m->threads = at_least_1(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU));
    m->cores_usable = count_usable(topology);
    m->numa_nodes = at_least_1(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE));
    /* Of this machine the C library has the sum; hwloc adds up nodes, and misses memory plugged in later. */
    if (!hwloc_topology_is_thissystem(topology)) {
        m->memory_bytes = (int64_t)hwloc_get_root_obj(topology)->total_memory;
    }
    read_caches(topology, m);
    read_cpu(topology, m);
}

/* The whole machine, not the part that a cgroup leaves; and without the step that asks each CPU in turn, for
 * which hwloc would bind the calling thread to it. */
enum {
    LOAD_FLAGS = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED
#if HWLOC_API_VERSION >= 0x00020500
                 | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING
#endif
};

static int load(hwloc_topology_t topology, const char *synthetic) {
    if (hwloc_topology_set_flags(topology, LOAD_FLAGS) != 0) return -1;
    if (synthetic && hwloc_topology_set_synthetic(topology, synthetic) != 0) return -1;
    return hwloc_topology_load(topology);
}

int lm_machine_load(lm_machine *m, const char *synthetic) {
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0) return -1;
    int status = load(topology, synthetic);
    if (status == 0) {
        guess(m);
        read_topology(topology, m);
    }
    hwloc_topology_destroy(topology);
    return status == 0 ? 0 : -1;
}

static lm_machine machine;

/* hwloc does not survive running out of memory while it loads, so see that there is plenty. Not by malloc():
 * freeing so much would change what glibc does with the program's later requests. */
static bool has_memory(void) {
    enum { PLENTY = 16 << 20 };
    void *probe = mmap(NULL, PLENTY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return probe != MAP_FAILED && munmap(probe, PLENTY) == 0;
}

/* hwloc takes plug-ins and whole machines from the environment, which a program that runs with more rights
 * than its caller must not trust: such a program does with the guesses. */
static void find_out(void) {
    guess(&machine);
    if (!getauxval(AT_SECURE) && has_memory()) lm_machine_load(&machine, NULL);
    machine.quota = lm_machine_quota("");
    if (machine.quota > 0 && machine.quota < machine.cores_usable) machine.cores_usable = machine.quota;
}

const lm_machine *lm_machine_get(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_out);
    return &machine;
}

int lm_machine_fingerprint(const lm_machine *m, char *buf, size_t size) {
    size_t vendor = strcspn(m->cpu, " ");
    vendor += m->cpu[vendor] ? 1 : 0;
    int model = (int)(vendor + strcspn(m->cpu + vendor, " "));
    return snprintf(buf, size, "%.*s isa=%s l1=%lld l2=%lld l3=%lld cores=%d numa=%d", model, m->cpu,
                    lm_isa_name(lm_isa_widest(LM_ISA_COUNT - 1)), (long long)m->cache_bytes[0],
                    (long long)m->cache_bytes[1], (long long)m->cache_bytes[2], m->cores, m->numa_nodes);
}
