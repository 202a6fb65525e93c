/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines that are alike: the same vendor and instruction set; then the nearer the family, the model, the
 * caches, the cores. Fingerprints look like "VENDOR FAMILY/MODEL isa=WORD l1=N l2=N l3=N cores=N numa=N". */
#include "sibling.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The value after " name=", up to a blank or the end; NULL when there is none. */
static const char *value_of(const char *print, const char *name, size_t *length) {
    const size_t n = strlen(name);
    for (const char *at = print; (at = strchr(at, ' ')) != NULL;) {
        at++;
        if (strncmp(at, name, n) != 0 || at[n] != '=') continue;
        *length = strcspn(at + n + 1, " ");
        return at + n + 1;
    }
    return NULL;
}

static bool same_value(const char *a, const char *b, const char *name) {
    size_t n, m;
    const char *x = value_of(a, name, &n), *y = value_of(b, name, &m);
    return x && y && n == m && memcmp(x, y, n) == 0;
}

/* Doublings between two numbers. */
static int doublings(const char *a, const char *b, const char *name) {
    size_t n;
    const char *x = value_of(a, name, &n), *y = value_of(b, name, &n);
    unsigned long long p = x ? strtoull(x, NULL, 10) : 0, q = y ? strtoull(y, NULL, 10) : 0;
    int count = p != q;
    for (; p > q && p / 2 >= q && p > 1; p /= 2) count++;
    for (; q > p && q / 2 >= p && q > 1; q /= 2) count++;
    return count;
}

/* Compare up to and with the character `end`. */
static bool same_start(const char *a, const char *b, char end) {
    const char *stop = strchr(a, end);
    return stop && strncmp(a, b, (size_t)(stop - a) + 1) == 0;
}

int lm_sibling_distance(const char *mine, const char *other) {
    if (strcmp(mine, other) == 0) return 0;
    if (!same_start(mine, other, ' ') || !same_value(mine, other, "isa")) return -1;
    int distance = 1;
    if (!same_start(mine, other, '/')) distance += 1000;
    const char *model = strchr(mine, '/'), *theirs = strchr(other, '/');
    if (!model || !theirs || !same_start(model, theirs, ' ')) distance += 100;
    static const char *const numbers[] = {"l1", "l2", "l3", "cores", "numa"};
    for (int k = 0; k < 5; k++) distance += doublings(mine, other, numbers[k]);
    return distance;
}

/* ---- devices: "ARCH:FEATURES cus=N wave=N" ---------------------------------------------------------- */

static int units(const char *print) {
    size_t n;
    const char *at = value_of(print, "cus", &n);
    return at ? (int)strtol(at, NULL, 10) : 0;
}

int lm_sibling_device(const char *mine, const char *other) {
    const size_t arch = strcspn(mine, ": "), features = strcspn(mine, " ");
    if (strcmp(mine, other) == 0) return 0;
    if (strncmp(mine, other, arch) != 0 || strcspn(other, ": ") != arch || !same_value(mine, other, "wave"))
        return -1;
    const bool alike = strcspn(other, " ") == features && strncmp(mine, other, features) == 0;
    return 1 + (alike ? 0 : 100000) + abs(units(mine) - units(other)) % 100000;
}
