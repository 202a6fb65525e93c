/* SPDX-License-Identifier: BSD-3-Clause */
/* How many CPUs the cgroup quota leaves to this process. A quota holds for a group and all below it, so every
 * group from the one of this process up to the mount point counts, and the least quota decides. */
#define _GNU_SOURCE 1 /* getline, strsep */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/* The lesser of two quotas, where 0 is none. */
static int least(int a, int b) {
    if (a == 0 || b == 0) return a + b;
    return a < b ? a : b;
}

/* Open folder/name; NULL when it is not there or the path is too long to be. */
static FILE *open_in(const char *folder, const char *name) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && length < (int)sizeof path ? fopen(path, "re") : NULL;
}

/* One or two numbers of a file; how many there are (v2 writes the word "max" for no quota). */
static int read_numbers(const char *folder, const char *name, long long *first, long long *second) {
    FILE *file = open_in(folder, name);
    if (!file) return 0;
    int count = fscanf(file, "%lld %lld", first, second);
    fclose(file);
    return count > 0 ? count : 0;
}

/* The quota of one group in CPUs, rounded up. */
static int group_quota(const char *folder, bool unified) {
    long long quota, period, unused;
    bool known = unified ? read_numbers(folder, "cpu.max", &quota, &period) == 2
                         : read_numbers(folder, "cpu.cfs_quota_us", &quota, &unused) > 0 &&
                               read_numbers(folder, "cpu.cfs_period_us", &period, &unused) > 0;
    if (!known || quota <= 0 || period <= 0) return 0;
    long long cpus = quota / period + (quota % period != 0);
    return cpus < INT_MAX ? (int)cpus : 0;
}

/* Is word one of the comma-separated words of list? */
static bool has_word(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
    }
    return false;
}

/* One line of mountinfo, "id parent dev ROOT POINT options [tags] - TYPE source OPTIONS": is it the hierarchy
 * that has the CPU quotas? Cuts the line up. */
static bool is_cpu_mount(char *line, bool unified, char **top, char **point) {
    char *tail = strstr(line, " - ");
    if (!tail) return false;
    *tail = '\0';
    tail += 3;
    const char *type = strsep(&tail, " ");
    strsep(&tail, " ");
    if (strcmp(type, unified ? "cgroup2" : "cgroup") != 0) return false;
    if (!unified && (!tail || !has_word(tail, "cpu"))) return false;
    for (int field = 0; field < 3; field++) strsep(&line, " ");
    *top = strsep(&line, " ");
    *point = strsep(&line, " ");
    return *top && *point;
}

/* Where a group lies below the mount point. A container may see only a part of the hierarchy, with that
 * part's top mounted; a group outside of it is taken for the top. */
static const char *below(const char *group, const char *top) {
    size_t length = strcmp(top, "/") == 0 ? 0 : strlen(top);
    bool inside = strncmp(group, top, length) == 0 && (group[length] == '/' || group[length] == '\0');
    if (!inside || strncmp(group, "/..", 3) == 0 || strcmp(group + length, "/") == 0) return "";
    return group + length;
}

/* The least quota from a group up to the mount point. */
static int path_quota(const char *root, const char *point, const char *group, bool unified) {
    char folder[PATH_MAX];
    size_t stop = strlen(root) + strlen(point);
    int length = snprintf(folder, sizeof folder, "%s%s%s", root, point, group);
    if (length < 0 || length >= (int)sizeof folder) return 0;
    int quota = group_quota(folder, unified);
    for (char *slash; (slash = strrchr(folder + stop, '/')) != NULL;) {
        *slash = '\0';
        quota = least(quota, group_quota(folder, unified));
    }
    return quota;
}

/* Find the mounted hierarchy and follow the group in it. */
static int hierarchy_quota(const char *root, const char *group, bool unified) {
    FILE *file = open_in(root, "proc/self/mountinfo");
    if (!file) return 0;
    char *line = NULL, *top, *point;
    size_t size = 0;
    int quota = 0;
    while (getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (is_cpu_mount(line, unified, &top, &point)) {
            quota = least(quota, path_quota(root, point, below(group, top), unified));
        }
    }
    free(line);
    fclose(file);
    return quota;
}

/* One line of /proc/self/cgroup, "id:controllers:path"; v2 has no controllers there. */
static int membership_quota(const char *root, char *line) {
    line[strcspn(line, "\n")] = '\0';
    char *rest = line;
    const char *id = strsep(&rest, ":");
    const char *controllers = strsep(&rest, ":");
    if (!controllers || !rest) return 0;
    bool unified = strcmp(id, "0") == 0 && *controllers == '\0';
    return unified || has_word(controllers, "cpu") ? hierarchy_quota(root, rest, unified) : 0;
}

int lm_machine_quota(const char *root) {
    FILE *file = open_in(root, "proc/self/cgroup");
    if (!file) return 0;
    char *line = NULL;
    size_t size = 0;
    int quota = 0;
    while (getline(&line, &size, file) > 0) quota = least(quota, membership_quota(root, line));
    free(line);
    fclose(file);
    return quota;
}
