/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact tests on sets of addresses, both reduced to one question: given terms (bound, stride > 0) and a
 * target interval [lo, hi], are there integers 0 <= x_k <= bound_k with sum x_k*stride_k in the interval?
 *
 * Terms that form one gapless progression are merged first. Then branch and bound over the terms by
 * falling stride. Two facts narrow the choice of x_k: what the later terms can reach, and the residue of
 * what they leave modulo the gcd of the next few of them; the next x_k that suits both is computed, not
 * searched for, so that two terms are solved at once whatever their sizes. */
#include "lattice.h"

#include <stdbool.h>

#include "desc.h"

enum { MAX_TERMS = 2 * LMAD_MAX_RANK, WORK_LIMIT = 200000 };

typedef struct term {
    int id; /* of its x in the solution */
    lm_wide bound;
    uint64_t stride;
} term;

/* A term that went into another: x[into] stands for x[into] + times * x[from]. */
typedef struct merge {
    int into, from;
    lm_wide times, bound; /* the bound of x[from] */
} merge;

/* For one term: the later terms sum up to a multiple of modulus plus something in [0, slack]. A modulus of
 * 0 says nothing. */
typedef struct sieve {
    uint64_t modulus;
    lm_wide slack;
} sieve;

typedef struct search {
    int terms, merges;
    long work; /* steps left */
    term term[MAX_TERMS];
    merge merge[MAX_TERMS];
    sieve sieve[MAX_TERMS];
    lm_wide rest[MAX_TERMS + 1]; /* the reach of the terms from here on */
    lm_wide x[MAX_TERMS];        /* the solution, by id */
} search;

static uint64_t magnitude(int64_t v) { return v < 0 ? 0 - (uint64_t)v : (uint64_t)v; }

static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static lm_wide floor_div(lm_wide a, lm_wide b) { return a / b - (a % b < 0); }
static lm_wide ceil_div(lm_wide a, lm_wide b) { return a / b + (a % b > 0); }

/* Keep the terms by rising stride. */
static void insert_term(term *terms, int count, term t) {
    int i = count;
    for (; i > 0 && terms[i - 1].stride > t.stride; i--) terms[i] = terms[i - 1];
    terms[i] = t;
}

/* ---- The search ------------------------------------------------------------------------------------- */

/* Let term i swallow the terms that continue it without a gap: those whose stride is a multiple of its own
 * that it can step over. By rising stride one pass finds them all. */
static void merge_into(search *s, int i) {
    term *base = &s->term[i];
    int kept = i + 1;
    for (int j = i + 1; j < s->terms; j++) {
        term t = s->term[j];
        lm_wide times = (lm_wide)(t.stride / base->stride);
        if (t.stride % base->stride == 0 && times <= base->bound + 1) {
            s->merge[s->merges++] = (merge){base->id, t.id, times, t.bound};
            base->bound += times * t.bound;
        } else {
            s->term[kept++] = t;
        }
    }
    s->terms = kept;
}

/* The most telling pair of modulus and slack behind term j, for an interval of this width. */
static sieve choose_sieve(const search *s, int j, lm_wide width) {
    sieve best = {0, 0};
    double best_ratio = 1;
    uint64_t modulus = 0;
    for (int k = j + 1; k < s->terms; k++) {
        modulus = gcd(modulus, s->term[k].stride);
        if ((lm_wide)modulus <= width) break;
        double ratio = (double)modulus / (double)(width + s->rest[k + 1] + 1); /* all residues to good ones */
        if (ratio > best_ratio) {
            best = (sieve){modulus, s->rest[k + 1]};
            best_ratio = ratio;
        }
    }
    return best;
}

/* Merge, turn to falling strides and work out what the search asks for all the time. */
static void prepare(search *s, lm_wide width) {
    for (int i = 0; i < s->terms; i++) merge_into(s, i);
    for (int i = 0, j = s->terms - 1; i < j; i++, j--) {
        term t = s->term[i];
        s->term[i] = s->term[j];
        s->term[j] = t;
    }
    s->rest[s->terms] = 0;
    for (int j = s->terms - 1; j >= 0; j--)
        s->rest[j] = s->rest[j + 1] + s->term[j].bound * s->term[j].stride;
    for (int j = 0; j < s->terms; j++) s->sieve[j] = choose_sieve(s, j, width);
}

/* The least x with l <= a*x mod m <= r, or -1, for 0 < l <= r < m and a < m. As in Euclid's algorithm, each
 * step at least halves m. */
static lm_wide first_in_range(uint64_t a, uint64_t m, uint64_t l, uint64_t r) {
    if (a == 0) return -1;
    if (a > m / 2) {
        uint64_t mirrored = m - r;
        a = m - a;
        r = m - l;
        l = mirrored;
    }
    uint64_t steps = (l - 1) / a + 1;
    if (steps * a <= r) return (lm_wide)steps;
    /* No multiple of a in [l, r]: how often must m be added until there is one in [l + m*y, r + m*y]? */
    lm_wide y = first_in_range(m % a, a, a - r % a, a - l % a);
    return y < 0 ? -1 : ceil_div(y * m + l, a);
}

/* The first choice from x on for term j that passes its sieve; beyond the bound when there is none. */
static lm_wide next_choice(const search *s, int j, lm_wide x, lm_wide lo, lm_wide hi) {
    const term *t = &s->term[j];
    const sieve *v = &s->sieve[j];
    if (v->modulus == 0) return x;
    lm_wide m = v->modulus, window = hi - lo + v->slack;
    lm_wide residue = (x * t->stride - lo + v->slack) % m;
    if (residue < 0) residue += m;
    if (residue <= window) return x;
    uint64_t need = (uint64_t)(m - residue);
    lm_wide more = first_in_range(t->stride % v->modulus, v->modulus, need, need + (uint64_t)window);
    return more < 0 ? t->bound + 1 : x + more;
}

static lm_answer descend(search *s, int j, lm_wide lo, lm_wide hi) {
    if (j == s->terms) return lo <= 0 && hi >= 0 ? LM_YES : LM_NO;
    const term *t = &s->term[j];
    lm_wide x = ceil_div(lo - s->rest[j + 1], t->stride), last = floor_div(hi, t->stride);
    if (x < 0) x = 0;
    if (last > t->bound) last = t->bound;
    for (; x <= last; x++) {
        if (s->work-- <= 0) return LM_UNDECIDED;
        x = next_choice(s, j, x, lo, hi);
        if (x > last) break;
        s->x[t->id] = x;
        lm_answer answer = descend(s, j + 1, lo - x * t->stride, hi - x * t->stride);
        if (answer != LM_NO) return answer;
    }
    return LM_NO;
}

/* Split what was found for merged terms, the last merge first. */
static void unmerge(search *s) {
    for (int i = s->merges - 1; i >= 0; i--) {
        const merge *m = &s->merge[i];
        lm_wide x = s->x[m->into] / m->times;
        if (x > m->bound) x = m->bound;
        s->x[m->from] = x;
        s->x[m->into] -= x * m->times;
    }
}

static void start_search(search *s, long work) {
    s->terms = s->merges = 0;
    s->work = work;
}

static void add_term(search *s, int id, lm_wide bound, uint64_t stride) {
    s->x[id] = 0;
    if (bound > 0) insert_term(s->term, s->terms++, (term){id, bound, stride});
}

/* Terms were added; answer the question, and give the solution in s->x. */
static lm_answer run_search(search *s, lm_wide lo, lm_wide hi) {
    prepare(s, hi - lo);
    lm_answer answer = descend(s, 0, lo, hi);
    if (answer == LM_YES) unmerge(s);
    return answer;
}

/* ---- Does a set hit itself? -------------------------------------------------------------------------- */

/* Two index tuples collide when their differences y_k, |y_k| <= n_k - 1, not all 0, sum up to 0. The signs
 * of the strides do not matter for that. Here: is there such a y whose axis of largest stride is the axis
 * `top` of the axes by rising stride? We may take y_top >= 1, so x_top = y_top - 1 and x_k = y_k + n_k - 1.
 * @p reach is that of the axes below top. Not inlined: the caller rarely needs it and its large frame. */
__attribute__((noinline)) static lm_answer collides_at(const term *axes, int top, lm_wide reach, long work,
                                                       int *partner) {
    search s;
    start_search(&s, work);
    for (int k = 0; k < top; k++) add_term(&s, k, 2 * axes[k].bound, axes[k].stride);
    add_term(&s, top, axes[top].bound - 1, axes[top].stride);
    lm_wide target = reach - axes[top].stride;
    lm_answer answer = run_search(&s, target, target);
    for (int k = 0; k < top && answer == LM_YES; k++)
        if (s.x[k] != axes[k].bound) *partner = axes[k].id;
    return answer;
}

lm_answer lm_lattice_aliases(const lm_axis *axes, int rank, int *axis_a, int *axis_b) {
    term sorted[LMAD_MAX_RANK];
    int count = 0, zero = -1;
    for (int k = 0; k < rank; k++) {
        if (axes[k].n < 1) return LM_NO;
        if (axes[k].n == 1) continue;
        if (axes[k].stride == 0) zero = k;
        insert_term(sorted, count++, (term){k, axes[k].n - 1, magnitude(axes[k].stride)});
    }
    if (zero >= 0) {
        *axis_a = *axis_b = zero;
        return LM_YES;
    }
    lm_answer result = LM_NO;
    lm_wide reach = 0;
    for (int k = 0; k < count; k++) {
        /* A stride that outreaches all smaller ones collides with none of them: the usual case. */
        if ((lm_wide)sorted[k].stride <= reach) {
            int partner = -1;
            lm_answer answer = collides_at(sorted, k, reach, WORK_LIMIT / count, &partner);
            if (answer == LM_YES) {
                *axis_a = partner;
                *axis_b = sorted[k].id;
                return LM_YES;
            }
            if (answer == LM_UNDECIDED) result = LM_UNDECIDED;
        }
        reach += sorted[k].bound * sorted[k].stride;
    }
    return result;
}

/* ---- Do two sets meet? -------------------------------------------------------------------------------- */

/* The starts of the lowest and the highest run. */
static void find_range(const lm_byte_set *set, lm_wide *lowest, lm_wide *highest) {
    *lowest = *highest = set->start;
    for (int k = 0; k < set->rank; k++) {
        lm_wide reach = (lm_wide)(set->axes[k].n - 1) * set->axes[k].stride;
        if (reach < 0)
            *lowest += reach;
        else
            *highest += reach;
    }
}

static bool is_empty(const lm_byte_set *set) {
    for (int k = 0; k < set->rank; k++)
        if (set->axes[k].n < 1) return true;
    return set->run < 1;
}

static void add_axes(search *s, int first_id, const lm_byte_set *set) {
    for (int k = 0; k < set->rank; k++)
        if (set->axes[k].stride != 0)
            add_term(s, first_id + k, set->axes[k].n - 1, magnitude(set->axes[k].stride));
}

/* Steps up from the lowest run of a and down from the highest run of b add up. The sets share a byte when
 * they close the gap between the two so far that the runs overlap. Not inlined: as above. */
__attribute__((noinline)) static lm_answer search_meeting(const lm_byte_set *a, const lm_byte_set *b,
                                                          lm_wide gap) {
    search s;
    start_search(&s, WORK_LIMIT);
    add_axes(&s, 0, a);
    add_axes(&s, LMAD_MAX_RANK, b);
    return run_search(&s, gap - (a->run - 1), gap + (b->run - 1));
}

lm_answer lm_lattice_meets(const lm_byte_set *a, const lm_byte_set *b) {
    lm_wide a_lowest, a_highest, b_lowest, b_highest;
    find_range(a, &a_lowest, &a_highest);
    find_range(b, &b_lowest, &b_highest);
    if (a_highest + a->run <= b_lowest || b_highest + b->run <= a_lowest) return LM_NO;
    if (is_empty(a) || is_empty(b)) return LM_NO;
    return search_meeting(a, b, b_highest - a_lowest);
}
