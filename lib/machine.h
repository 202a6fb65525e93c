/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of this machine, through hwloc, loaded once at first use. */
#ifndef LM_MACHINE_H
#define LM_MACHINE_H

#include <stddef.h>
#include <stdint.h>

typedef struct lm_machine {
    int cores_usable;       /* by this process: affinity mask and cgroup quota, one thread a core; >= 1 */
    int quota;              /* CPUs that the cgroup quota allows; 0 = no quota */
    int cores, threads;     /* of the whole machine */
    int numa_nodes;         /* of the whole machine; >= 1 */
    int64_t cache_bytes[3]; /* L1d, L2, L3 (one instance of each); 0 = none */
    int64_t line_bytes;     /* cache line */
    int64_t page_bytes;     /* smallest page */
    int64_t memory_bytes;   /* of the whole machine */
    char cpu[96];           /* vendor, family/model, name: "AuthenticAMD 25/17 AMD EPYC" */
} lm_machine;

/* Never NULL and never fails: what cannot be found out gets a usual value. */
const lm_machine *lm_machine_get(void);

/* The part of lm_machine_get() that reads a topology (all but the quota); @p synthetic is hwloc's description
 * of a machine for tests ("node:2 core:4 pu:1"), NULL for this one. 0 on success; -1 when hwloc cannot load
 * it, and then *m is unchanged. */
int lm_machine_load(lm_machine *m, const char *synthetic);

/* CPUs that the cgroup quota along the path of this process allows (v1 and v2), rounded up; 0 = no quota.
 * @p root is where the file system's root is taken to be ("" or a folder that a test made). */
int lm_machine_quota(const char *root);

/* One line that says which machine measurements belong to: CPU vendor, family and model, the instruction set
 * it supports, caches, cores, NUMA nodes. It is about the whole machine: the same whatever the affinity,
 * cgroup and LMAD_ISA of this process. As snprintf. */
int lm_machine_fingerprint(const lm_machine *m, char *buf, size_t size);

#endif
