/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine facts: canned topologies, fake cgroup trees, this machine under restrictions, instruction sets. */
#define _GNU_SOURCE 1 /* sched_setaffinity */
#include <check.h>
#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "folder.h"
#include "lib/cpu.h"
#include "lib/files.h"
#include "lib/machine.h"

Suite *lm_suite_machine(void);

/* ---- Canned topologies ---- */

START_TEST(test_synthetic) {
    lm_machine m;
    ck_assert_int_eq(
        lm_machine_load(&m,
                        "pack:2 numa:1 l3:1(size=16777216) l2:4(size=2097152) l1d:1(size=49152) core:1 pu:2"),
        0);
    ck_assert_int_eq(m.cores, 8);
    ck_assert_int_eq(m.threads, 16);
    ck_assert_int_eq(m.cores_usable, 8);
    ck_assert_int_eq(m.numa_nodes, 2);
    ck_assert_int_eq(m.cache_bytes[0], 48 << 10);
    ck_assert_int_eq(m.cache_bytes[1], 2 << 20);
    ck_assert_int_eq(m.cache_bytes[2], 16 << 20);
    ck_assert_int_eq(m.page_bytes, sysconf(_SC_PAGESIZE));
}
END_TEST

START_TEST(test_synthetic_without_third_level) {
    lm_machine m;
    ck_assert_int_eq(lm_machine_load(&m, "numa:1 l2:2(size=1MB) l1d:1(size=32kB) core:2 pu:1"), 0);
    ck_assert_int_eq(m.cores, 4);
    ck_assert_int_eq(m.cache_bytes[2], 0);
}
END_TEST

START_TEST(test_synthetic_without_cores_or_caches) {
    lm_machine m;
    ck_assert_int_eq(lm_machine_load(&m, "numa:4 pu:8"), 0);
    ck_assert_int_eq(m.cores, 32);
    ck_assert_int_eq(m.cores_usable, 32);
    ck_assert_int_eq(m.numa_nodes, 4);
    ck_assert_int_gt(m.cache_bytes[0], 0);
    ck_assert_int_gt(m.line_bytes, 0);
}
END_TEST

START_TEST(test_synthetic_garbage) {
    lm_machine m, before;
    memset(&m, 0x5a, sizeof m);
    before = m;
    ck_assert_int_eq(lm_machine_load(&m, "no such machine"), -1);
    ck_assert_mem_eq(&m, &before, sizeof m);
}
END_TEST

/* ---- This machine ---- */

static void check_sane(const lm_machine *m) {
    ck_assert_int_ge(m->cores_usable, 1);
    ck_assert_int_le(m->cores_usable, m->cores);
    ck_assert_int_le(m->cores, m->threads);
    ck_assert_int_ge(m->numa_nodes, 1);
    ck_assert_int_gt(m->cache_bytes[0], 0);
    ck_assert_int_ge(m->line_bytes, 16);
    ck_assert_int_eq(m->page_bytes, sysconf(_SC_PAGESIZE));
    ck_assert_int_gt(m->memory_bytes, 0);
    ck_assert_int_gt(strlen(m->cpu), 0);
}

START_TEST(test_this_machine) {
    const lm_machine *m = lm_machine_get();
    check_sane(m);
    ck_assert_ptr_eq(lm_machine_get(), m);
}
END_TEST

static void require(int ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "in the child: %s\n", what);
    _exit(1);
}

/* Bind all threads of this process (sanitizers have one of their own) to the first CPU that it may use; 0, or
 * -1 where that cannot be done. */
static int bind_to_one(cpu_set_t *one) {
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all) != 0) return -1;
    int cpu = 0, status = 0;
    while (!CPU_ISSET(cpu, &all)) cpu++;
    CPU_ZERO(one);
    CPU_SET(cpu, one);
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return -1;
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
        pid_t tid = atoi(entry->d_name);
        if (tid > 0 && sched_setaffinity(tid, sizeof *one, one) != 0) status = -1;
    }
    closedir(tasks);
    return status;
}

/* Down to one CPU: fewer usable cores, the same machine. */
static void check_affinity(void) {
    lm_machine before, after;
    char print_before[256], print_after[256];
    cpu_set_t one, bound;
    require(lm_machine_load(&before, NULL) == 0, "load");
    if (bind_to_one(&one) != 0) return;
    require(lm_machine_load(&after, NULL) == 0, "load on one CPU");
    require(after.cores_usable == 1, "one CPU is one core");
    lm_machine_fingerprint(&before, print_before, sizeof print_before);
    lm_machine_fingerprint(&after, print_after, sizeof print_after);
    require(strcmp(print_before, print_after) == 0, "the fingerprint is the machine's");
    require(sched_getaffinity(0, sizeof bound, &bound) == 0 && CPU_EQUAL(&bound, &one),
            "the binding is left alone");
}

START_TEST(test_affinity) { lm_in_child(check_affinity); }
END_TEST

/* hwloc cannot load what it is told to: the guesses must do. */
static void check_without_hwloc(void) {
    setenv("HWLOC_SYNTHETIC", "no such machine", 1);
    setenv("HWLOC_XMLFILE", "/nonexistent", 1);
    setenv("HWLOC_COMPONENTS", "-linux,-x86,-pci,stop", 1);
    const lm_machine *m = lm_machine_get();
    require(m->cores_usable >= 1 && m->cores >= 1 && m->numa_nodes >= 1, "cores and nodes");
    require(m->cache_bytes[0] > 0 && m->line_bytes > 0 && m->page_bytes > 0, "caches");
    require(m->memory_bytes > 0, "memory");
}

START_TEST(test_without_hwloc) { lm_in_child(check_without_hwloc); }
END_TEST

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they cannot live with a limit */

/* Address space that this process has now, in bytes; 0 where it cannot be told. */
static rlim_t address_space(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%lu", &pages) != 1) pages = 0;
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* With next to no memory left, too. */
static void check_without_memory(void) {
    const rlim_t now = address_space();
    if (now == 0) return;
    const struct rlimit limit = {now + (64 << 10), now + (64 << 10)};
    require(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit");
    const lm_machine *m = lm_machine_get();
    require(m->cores >= 1 && m->line_bytes > 0 && m->page_bytes > 0, "usual values");
}

START_TEST(test_without_memory) { lm_in_child(check_without_memory); }
END_TEST

#endif

START_TEST(test_fingerprint) {
    lm_machine m = {
        .cores = 4, .numa_nodes = 2, .cache_bytes = {1, 2, 3}, .cpu = "Vendor 6/7 Some CPU @ 2 GHz"};
    char line[256], cut[8];
    int length = lm_machine_fingerprint(&m, line, sizeof line);
    ck_assert_int_eq(length, (int)strlen(line));
    ck_assert_int_eq(strncmp(line, "Vendor 6/7 isa=", 15), 0);
    ck_assert_ptr_nonnull(strstr(line, " l1=1 l2=2 l3=3 cores=4 numa=2"));
    ck_assert_int_eq(lm_machine_fingerprint(&m, cut, sizeof cut), length);
    ck_assert_str_eq(cut, "Vendor ");
    strcpy(m.cpu, "unknown 0/0");
    lm_machine_fingerprint(&m, line, sizeof line);
    ck_assert_int_eq(strncmp(line, "unknown 0/0 isa=", 16), 0);
}
END_TEST

/* ---- Quotas: a fake file system ---- */

/* Write a file of it, making its folders. */
static void put(const char *path, const char *text) {
    char full[PATH_MAX];
    snprintf(full, sizeof full, "%s/%s", lm_folder, path);
    lm_make_folders(full, 0700);
    lm_file_put(full, text);
}

static const char v2_mount[] =
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

START_TEST(test_quota_none) {
    ck_assert_int_eq(lm_machine_quota(lm_folder), 0);
    put("proc/self/cgroup", "0::/a/b\n");
    ck_assert_int_eq(lm_machine_quota(lm_folder), 0);
    put("proc/self/mountinfo", v2_mount);
    ck_assert_int_eq(lm_machine_quota(lm_folder), 0);
    put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    ck_assert_int_eq(lm_machine_quota(lm_folder), 0);
    put("sys/fs/cgroup/a/cpu.max", "garbage\n");
    ck_assert_int_eq(lm_machine_quota(lm_folder), 0);
}
END_TEST

START_TEST(test_quota_v2) {
    put("proc/self/cgroup", "0::/a/b\n");
    put("proc/self/mountinfo", v2_mount);
    put("sys/fs/cgroup/a/b/cpu.max", "350000 100000\n");
    ck_assert_int_eq(lm_machine_quota(lm_folder), 4);
    put("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    ck_assert_int_eq(lm_machine_quota(lm_folder), 2);
    put("sys/fs/cgroup/cpu.max", "10000 100000\n");
    ck_assert_int_eq(lm_machine_quota(lm_folder), 1);
    put("proc/self/cgroup", "0::/other\n");
    put("sys/fs/cgroup/cpu.max", "max 100000\n");
    ck_assert_int_eq(lm_machine_quota(lm_folder), 0);
}
END_TEST

START_TEST(test_quota_v1) {
    put("proc/self/cgroup", "5:cpuset:/pinned\n4:cpuacct,cpu:/job/step\n1:name=systemd:/x\n0::/\n");
    put("proc/self/mountinfo",
        "33 32 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
        "34 32 0:31 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 master:2 - cgroup "
        "cgroup rw,cpu,cpuacct\n"
        "35 32 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    put("sys/fs/cgroup/cpu,cpuacct/job/step/cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu,cpuacct/job/step/cpu.cfs_period_us", "100000\n");
    ck_assert_int_eq(lm_machine_quota(lm_folder), 0);
    put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
    put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "50000\n");
    ck_assert_int_eq(lm_machine_quota(lm_folder), 5);
    put("sys/fs/cgroup/cpuset/pinned/cpu.cfs_quota_us", "100000\n");
    put("sys/fs/cgroup/cpuset/pinned/cpu.cfs_period_us", "100000\n");
    ck_assert_int_eq(lm_machine_quota(lm_folder), 5);
}
END_TEST

/* A container that is told the host's paths but sees its own part of the hierarchy only. */
START_TEST(test_quota_container) {
    put("proc/self/mountinfo", "40 30 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
    put("sys/fs/cgroup/cpu.max", "300000 100000\n");
    put("sys/fs/cgroup/inner/cpu.max", "200000 100000\n");
    put("proc/self/cgroup", "0::/docker/abc\n");
    ck_assert_int_eq(lm_machine_quota(lm_folder), 3);
    put("proc/self/cgroup", "0::/docker/abc/inner\n");
    ck_assert_int_eq(lm_machine_quota(lm_folder), 2);
    put("proc/self/cgroup", "0::/docker/abcdef\n");
    ck_assert_int_eq(lm_machine_quota(lm_folder), 3);
    put("proc/self/cgroup", "0::/../elsewhere\n");
    ck_assert_int_eq(lm_machine_quota(lm_folder), 3);
}
END_TEST

START_TEST(test_quota_malformed) {
    put("proc/self/mountinfo", "\nnonsense\n1 2 3 - cgroup2\n - cgroup\n1 2 3 / /x rw - cgroup cgroup\n");
    put("proc/self/cgroup", "\n::\n0:\n0::\n7:cpu:\nno colons\n0::/a");
    ck_assert_int_eq(lm_machine_quota(lm_folder), 0);
}
END_TEST

/* ---- Instruction sets ---- */

START_TEST(test_isa_names) {
    ck_assert_str_eq(lm_isa_name(LM_ISA_BASE), "base");
    ck_assert_str_eq(lm_isa_name(LM_ISA_AVX2), "avx2");
    ck_assert_str_eq(lm_isa_name(LM_ISA_AVX512), "avx512");
    ck_assert_str_eq(lm_isa_name(LM_ISA_NEON), "neon");
    ck_assert_str_eq(lm_isa_name(LM_ISA_COUNT), "unknown");
    for (int isa = 0; isa < LM_ISA_COUNT; isa++)
        ck_assert_int_eq(lm_isa_named(lm_isa_name((lm_isa)isa)), isa);
    ck_assert_int_eq(lm_isa_named("sse9"), LM_ISA_COUNT);
}
END_TEST

START_TEST(test_isa_supported) {
    ck_assert_int_eq(lm_isa_supported(LM_ISA_BASE), 1);
    ck_assert(!lm_isa_supported(LM_ISA_AVX512) || lm_isa_supported(LM_ISA_AVX2));
    ck_assert(lm_isa_supported(lm_cpu_isa()));
    ck_assert_int_eq(lm_isa_supported(LM_ISA_COUNT), 0);
}
END_TEST

/* LMAD_ISA is read once, so these need a child of a process that has not asked yet. */
static void check_isa_base(void) {
    setenv("LMAD_ISA", "base", 1);
    require(lm_cpu_isa() == LM_ISA_BASE, "LMAD_ISA=base");
    setenv("LMAD_ISA", "avx2", 1);
    require(lm_cpu_isa() == LM_ISA_BASE, "LMAD_ISA is read once");
}

/* A name that means nothing here is as no name. */
static void require_widest(const char *name) {
    int isa = LM_ISA_COUNT - 1;
    while (!lm_isa_supported((lm_isa)isa)) isa--;
    setenv("LMAD_ISA", name, 1);
    require((int)lm_cpu_isa() == isa, name);
}
static void check_isa_unknown(void) { require_widest("sse9"); }
static void check_isa_foreign(void) { require_widest(lm_isa_supported(LM_ISA_NEON) ? "avx2" : "neon"); }

START_TEST(test_isa_base) { lm_in_child(check_isa_base); }
END_TEST

START_TEST(test_isa_unknown) { lm_in_child(check_isa_unknown); }
END_TEST

START_TEST(test_isa_foreign) { lm_in_child(check_isa_foreign); }
END_TEST

static TCase *quota_case(void) {
    TCase *tc = tcase_create("quota");
    tcase_add_checked_fixture(tc, lm_folder_make, lm_folder_remove);
    tcase_add_test(tc, test_quota_none);
    tcase_add_test(tc, test_quota_v2);
    tcase_add_test(tc, test_quota_v1);
    tcase_add_test(tc, test_quota_container);
    tcase_add_test(tc, test_quota_malformed);
    return tc;
}

static TCase *once_case(void) {
    TCase *tc = tcase_create("read once");
    tcase_add_test(tc, test_isa_base);
    tcase_add_test(tc, test_isa_unknown);
    tcase_add_test(tc, test_isa_foreign);
    tcase_add_test(tc, test_without_hwloc);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    tcase_add_test(tc, test_without_memory);
#endif
    return tc;
}

Suite *lm_suite_machine(void) {
    Suite *s = suite_create("machine");
    /* All tests in one process: another one may have asked already. */
    const char *fork_mode = getenv("CK_FORK");
    if (!fork_mode || strcmp(fork_mode, "no") != 0) suite_add_tcase(s, once_case());
    TCase *facts = tcase_create("facts");
    tcase_add_test(facts, test_synthetic);
    tcase_add_test(facts, test_synthetic_without_third_level);
    tcase_add_test(facts, test_synthetic_without_cores_or_caches);
    tcase_add_test(facts, test_synthetic_garbage);
    tcase_add_test(facts, test_this_machine);
    tcase_add_test(facts, test_affinity);
    tcase_add_test(facts, test_fingerprint);
    tcase_add_test(facts, test_isa_names);
    tcase_add_test(facts, test_isa_supported);
    suite_add_tcase(s, facts);
    suite_add_tcase(s, quota_case());
    return s;
}
