/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging, listing, checking, comparing and pruning wisdom files. */
#define _GNU_SOURCE
#include "wisdom_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/places.h"
#include "lib/wisdom.h"
#include "lib/wisdom_file.h"
#include "lib/wisdom_read.h"
#include "wisdom_tune.h"

/* ---- reading -------------------------------------------------------------------------------------- */

/* Complaints about lines of one file. */
typedef struct watch {
    const char *path;
    FILE *to;
} watch;

static void report_line(void *data, int64_t number, lmad_wisdom_verdict verdict, const char *reason) {
    const watch *w = data;
    if (verdict == LMAD_WISDOM_BAD) fprintf(w->to, "%s:%lld: %s\n", w->path, (long long)number, reason);
}

/* Read one file ("-" is standard input) into a store; bad lines are reported. A file that was named must be
 * there. */
static lmad_status read_into(lm_store *store, const char *path, FILE *complaints,
                             lmad_wisdom_report *report) {
    watch w = {path, complaints};
    const lm_sink sink = lm_sink_store(store);
    *report = (lmad_wisdom_report){.struct_size = sizeof *report, .line = report_line, .data = &w};
    if (strcmp(path, "-") == 0) return lm_wisdom_read_fd(&sink, STDIN_FILENO, "standard input", report);
    if (access(path, F_OK) != 0) {
        fprintf(stderr, "lmad-wisdom: %s: no such file\n", path);
        return LMAD_ERR_IO;
    }
    const lmad_status status = lm_wisdom_read_file(&sink, path, false, report);
    if (status != LMAD_OK) lm_wisdom_complain(path, status);
    return status;
}

static int read_all(lm_store *store, const lm_wisdom_options *o) {
    int result = LM_WISDOM_OK;
    lmad_wisdom_report report;
    for (int k = 0; k < o->files; k++) {
        if (read_into(store, o->file[k], stderr, &report) != LMAD_OK) return LM_WISDOM_USAGE;
        if (report.bad) result = LM_WISDOM_WRONG;
    }
    return result;
}

/* ---- merge ---------------------------------------------------------------------------------------- */

static int put(const char *text, const char *output) {
    if (!output || strcmp(output, "-") == 0) return fputs(text, stdout) < 0 ? LM_WISDOM_USAGE : LM_WISDOM_OK;
    const lmad_status status = lm_wisdom_change_file(output, text, NULL, NULL);
    if (status == LMAD_OK) return LM_WISDOM_OK;
    lm_wisdom_complain(output, status);
    return LM_WISDOM_USAGE;
}

int lm_wisdom_merge(const lm_wisdom_options *o) {
    lm_store all = {0};
    size_t length;
    int result = read_all(&all, o);
    char *text = result == LM_WISDOM_USAGE ? NULL : lm_store_text(&all, &length);
    const int written = text ? put(text, o->output) : LM_WISDOM_USAGE;
    if (written != LM_WISDOM_OK) result = written;
    free(text);
    lm_store_clear(&all);
    return result;
}

/* ---- list ----------------------------------------------------------------------------------------- */

static bool matches(const lm_filter *f, const lm_record *r) {
    return (!f->machine || strstr(r->machine, f->machine)) &&
           (!f->problem || strstr(r->problem, f->problem)) && r->effort >= f->effort &&
           (!f->here || r->distance == 0) && (!f->foreign || (r->distance != 0 && !r->on_device));
}

static const char *whose(const lm_record *r) {
    if (!lm_record_is_known(r)) return "kept";
    if (r->on_device) return "device";
    return r->distance == 0 ? "here" : r->distance > 0 ? "sibling" : "foreign";
}

/* A calibration has no time of its own. */
static void print_record(const lm_record *r) {
    char time[32] = "-   ";
    if (!r->calibration) snprintf(time, sizeof time, "%.3f us", (double)r->chosen_ps * 1e-6);
    printf("%-7s %-10s %15s  %s  %s  [%s]  %.10s\n", whose(r), lm_effort_name(r->effort), time, r->problem,
           r->chosen, r->machine, r->date);
}

static void add_place(void *arg, const char *path) {
    lmad_wisdom_report report;
    if (access(path, R_OK) == 0) read_into(arg, path, stderr, &report);
}

int lm_wisdom_list(const lm_wisdom_options *o) {
    lm_store all = {0};
    int result = LM_WISDOM_OK;
    if (o->files)
        result = read_all(&all, o);
    else
        lm_places_each(add_place, &all);
    const lm_record **sorted = lm_store_sorted(&all);
    for (size_t k = 0; sorted && k < all.count; k++)
        if (matches(&o->filter, sorted[k])) print_record(sorted[k]);
    free(sorted);
    lm_store_clear(&all);
    return result;
}

/* ---- check ---------------------------------------------------------------------------------------- */

int lm_wisdom_check(const lm_wisdom_options *o) {
    int result = LM_WISDOM_OK;
    for (int k = 0; k < o->files; k++) {
        lm_store store = {0};
        lmad_wisdom_report r;
        const lmad_status status = read_into(&store, o->file[k], stdout, &r);
        if (status == LMAD_ERR_IO) result = LM_WISDOM_USAGE;
        if ((status != LMAD_OK || r.bad) && result == LM_WISDOM_OK) result = LM_WISDOM_WRONG;
        printf("%s: %lld records (%lld for other machines), %lld that this version only keeps, %lld twice, "
               "%lld bad lines\n",
               o->file[k], (long long)r.taken, (long long)r.foreign, (long long)r.kept,
               (long long)r.not_better, (long long)r.bad);
        lm_store_clear(&store);
    }
    return result;
}

/* ---- diff ----------------------------------------------------------------------------------------- */

static int compare_ids(const lm_record *a, const lm_record *b) {
    const int machine = strcmp(a->machine, b->machine);
    return machine ? machine : strcmp(a->problem, b->problem);
}

static void print_version_of(char mark, const lm_record *r) {
    printf("    %c %s %s", mark, lm_effort_name(r->effort), r->chosen);
    if (!r->calibration) printf(" %.3f us", (double)r->chosen_ps * 1e-6);
    putchar('\n');
}

static void print_change(const lm_record *a, const lm_record *b) {
    printf("~ [%s] %s\n", a->machine, a->problem);
    print_version_of('-', a);
    print_version_of('+', b);
}

/* Both sorted by line, that is by machine and problem first. */
static int compare(const lm_record **a, size_t n, const lm_record **b, size_t m) {
    int differences = 0;
    for (size_t i = 0, k = 0; i < n || k < m;) {
        const int order = i == n ? 1 : k == m ? -1 : compare_ids(a[i], b[k]);
        if (order < 0) printf("- [%s] %s  %s\n", a[i]->machine, a[i]->problem, a[i]->chosen);
        if (order > 0) printf("+ [%s] %s  %s\n", b[k]->machine, b[k]->problem, b[k]->chosen);
        if (order == 0 && strcmp(a[i]->line, b[k]->line) != 0) print_change(a[i], b[k]), differences++;
        differences += order != 0;
        i += order <= 0;
        k += order >= 0;
    }
    return differences;
}

int lm_wisdom_diff(const lm_wisdom_options *o) {
    lm_store a = {0}, b = {0};
    lmad_wisdom_report report;
    int result = LM_WISDOM_USAGE;
    if (read_into(&a, o->file[0], stderr, &report) == LMAD_OK &&
        read_into(&b, o->file[1], stderr, &report) == LMAD_OK) {
        const lm_record **x = lm_store_sorted(&a), **y = lm_store_sorted(&b);
        result = compare(x, a.count, y, b.count) ? LM_WISDOM_WRONG : LM_WISDOM_OK;
        free(x);
        free(y);
    }
    lm_store_clear(&a);
    lm_store_clear(&b);
    return result;
}

/* ---- prune ---------------------------------------------------------------------------------------- */

/* What is to go, and how many did. */
typedef struct pruning {
    const lm_filter *filter;
    bool unusable; /* nothing was named: what this version cannot use */
    int64_t gone;
} pruning;

static bool is_kept(void *arg, const lm_record *r) {
    pruning *p = arg;
    const bool go = p->unusable ? !lm_record_is_known(r) : matches(p->filter, r);
    p->gone += go;
    return !go;
}

int lm_wisdom_prune(const lm_wisdom_options *o) {
    const lm_filter *f = &o->filter;
    int result = LM_WISDOM_OK;
    for (int k = 0; k < o->files; k++) {
        pruning p = {f, !f->machine && !f->problem && f->effort < 0 && !f->here && !f->foreign, 0};
        if (access(o->file[k], F_OK) != 0) {
            fprintf(stderr, "lmad-wisdom: %s: no such file\n", o->file[k]);
            result = LM_WISDOM_USAGE;
            continue;
        }
        const lmad_status status = lm_wisdom_change_file(o->file[k], "", is_kept, &p);
        if (status == LMAD_OK) {
            printf("%s: %lld records dropped\n", o->file[k], (long long)p.gone);
        } else {
            lm_wisdom_complain(o->file[k], status);
            result = LM_WISDOM_USAGE;
        }
    }
    return result;
}
