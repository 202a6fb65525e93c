/* SPDX-License-Identifier: BSD-3-Clause */
/* Guarded buffers on mmap. */
#include "guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MARK = 0xa5, /* the guard byte */
    ZONE = 320,  /* guard bytes a side, as far as the room goes */
    SLACK = 64   /* the most that a block stands off the unmapped page */
};

void lm_guard_open(lm_guard *g, size_t capacity) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    g->room_size = (capacity + SLACK + ZONE + page - 1) / page * page;
    g->map_size = g->room_size + 2 * page;
    g->map = mmap(NULL, g->map_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (g->map == MAP_FAILED || mprotect(g->map + page, g->room_size, PROT_READ | PROT_WRITE)) {
        perror("guarded buffer");
        exit(EXIT_FAILURE);
    }
    g->room = g->block = g->map + page;
    g->size = 0;
}

void lm_guard_close(lm_guard *g) {
    munmap(g->map, g->map_size);
    *g = (lm_guard){0};
}

/* The guard bytes before and behind the block. */
static void zones(const lm_guard *g, char **before, size_t *n_before, char **behind, size_t *n_behind) {
    char *end = g->block + g->size, *room_end = g->room + g->room_size;
    *n_before = g->block - g->room < ZONE ? (size_t)(g->block - g->room) : ZONE;
    *n_behind = room_end - end < ZONE ? (size_t)(room_end - end) : ZONE;
    *before = g->block - *n_before;
    *behind = end;
}

char *lm_guard_place(lm_guard *g, size_t size, bool at_end, size_t slack) {
    if (slack > SLACK || size + SLACK + ZONE > g->room_size) {
        fprintf(stderr, "guarded buffer: a block of %zu bytes does not fit\n", size);
        exit(EXIT_FAILURE);
    }
    g->size = size;
    g->block = at_end ? g->room + g->room_size - slack - size : g->room + slack;
    char *before, *behind;
    size_t n_before, n_behind;
    zones(g, &before, &n_before, &behind, &n_behind);
    memset(before, MARK, n_before);
    memset(behind, MARK, n_behind);
    return g->block;
}

/* The first changed guard byte, or n. Nearly always n, so that is found out fast: all are like their
 * neighbour. */
static size_t first_changed(const char *zone, size_t n) {
    if (n == 0 || ((unsigned char)zone[0] == MARK && !memcmp(zone, zone + 1, n - 1))) return n;
    size_t i = 0;
    while (i < n && (unsigned char)zone[i] == MARK) i++;
    return i;
}

bool lm_guard_intact(const lm_guard *g, long *where) {
    char *before, *behind;
    size_t n_before, n_behind;
    zones(g, &before, &n_before, &behind, &n_behind);
    size_t i = first_changed(before, n_before);
    if (i < n_before) return *where = before + i - g->block, false;
    i = first_changed(behind, n_behind);
    if (i < n_behind) return *where = behind + i - g->block, false;
    return true;
}
