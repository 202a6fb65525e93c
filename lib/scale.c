/* SPDX-License-Identifier: BSD-3-Clause */
/* Scaling problems down. Extents are halved, then each side is laid out anew with its gaps closed as far as
 * the residues of its strides allow: a stride of 32 KiB hits the same cache sets again and again, and must go
 * on doing so. */
#include "scale.h"

typedef enum side { DST, SRC } side;

static int64_t *stride(lm_problem *p, int k, side which) {
    return which == DST ? &p->dim[k].ds : &p->dim[k].ss;
}

static int64_t step(const lm_problem *p, int k, side which) {
    return lm_magnitude(which == DST ? p->dim[k].ds : p->dim[k].ss);
}

/* Bytes from the lowest to past the highest one of a side. */
static int64_t span(const lm_problem *p, side which) {
    int64_t bytes = p->run;
    for (int k = 0; k < p->rank; k++) bytes += (p->dim[k].n - 1) * step(p, k, which);
    return bytes;
}

/* Half of n, with the same tail behind whole vectors. */
static int64_t half(int64_t n, int64_t grain) {
    const int64_t rough = n / 2, made = rough - ((rough - n) % grain + grain) % grain;
    return made > grain / 2 ? made : made + grain;
}

/* Axes of at least `least` steps are halved in whole grains. */
typedef struct stage {
    int64_t least, grain;
    bool outer; /* only those that are dense on neither side: lines are made of these */
} stage;

enum { LONG_RUN = 16384, RUN_GRAIN = 4096 };

/* Halve the axis with the most steps; long runs count in lines. False when nothing is long. */
static bool shrink(lm_problem *p, stage s) {
    int longest = -1;
    const bool long_run = p->run >= LONG_RUN;
    int64_t most = long_run && p->run / 64 > s.least ? p->run / 64 : s.least - 1;
    for (int k = 0; k < p->rank; k++) {
        if (p->dim[k].n <= most || (s.outer && (step(p, k, DST) == p->run || step(p, k, SRC) == p->run)))
            continue;
        most = p->dim[k].n;
        longest = k;
    }
    if (longest >= 0)
        p->dim[longest].n = half(p->dim[longest].n, s.grain);
    else if (long_run)
        p->run = half(p->run, RUN_GRAIN);
    return longest >= 0 || long_run;
}

/* Axes of one side by rising stride; those that stand still are left out. */
static int by_stride(const lm_problem *p, side which, int *order) {
    int count = 0;
    for (int k = 0; k < p->rank; k++) {
        if (step(p, k, which) == 0) continue;
        int at = count++;
        for (; at > 0 && step(p, order[at - 1], which) > step(p, k, which); at--) order[at] = order[at - 1];
        order[at] = k;
    }
    return count;
}

/* The least stride that is not below `least`, not above `was`, and leaves the same residue as it: modulo a
 * page, but for short strides modulo less, down to a line, so that no more than a quarter is gap. */
static int64_t closed(int64_t was, int64_t least) {
    int64_t modulus = 4096;
    if (least >= was) return was;
    while (modulus > 64 && 4 * modulus > least) modulus /= 2;
    return was - (was - least) / modulus * modulus;
}

/* What an axis that steps into the span of those inside it needs: in the source the same share of the span as
 * before, in the destination all that it had, so that its elements are some of the full problem's and alias
 * no more than those do. */
static int64_t overlapping(int64_t old, int64_t was, int64_t now, side which) {
    const int64_t share = (int64_t)((double)old / (double)was * (double)now);
    return which == DST ? old : closed(old, share > 1 ? share : 1);
}

/* Close the gaps of a side. */
static void lay_out(const lm_problem *full, lm_problem *p, side which) {
    int order[LMAD_MAX_RANK];
    const int count = by_stride(full, which, order);
    int64_t was = full->run, now = p->run;
    for (int i = 0; i < count; i++) {
        const int k = order[i];
        const int64_t old = step(full, k, which);
        const int64_t made = old >= was ? closed(old, now) : overlapping(old, was, now, which);
        was += (full->dim[k].n - 1) * old;
        now += (p->dim[k].n - 1) * made;
        *stride(p, k, which) = *stride(p, k, which) < 0 ? -made : made;
    }
}

static int64_t residue(int64_t v, int64_t modulus) { return (v % modulus + modulus) % modulus; }

/* Both sides begin within the first page after their pointers. */
static void place(const lm_problem *full, lm_problem *p) {
    int64_t back = 0; /* how far the source goes down from index 0 */
    for (int k = 0; k < p->rank; k++)
        if (p->dim[k].ss < 0) back -= (p->dim[k].n - 1) * p->dim[k].ss;
    p->dlo = p->doff = residue(full->dlo, 4096);
    p->dhi = p->dlo + span(p, DST);
    p->slo = residue(full->slo, 4096);
    p->soff = p->slo + back;
    p->shi = p->slo + span(p, SRC);
}

void lm_scale_problem(const lm_problem *full, int64_t cap, lm_problem *out) {
    static const stage stages[] = {{64, 16, false}, {8, 1, true}, {8, 1, false}, {2, 1, false}};
    *out = *full;
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++) {
        while ((span(out, DST) > cap || span(out, SRC) > cap) && shrink(out, stages[k])) {
            lay_out(full, out, DST);
            lay_out(full, out, SRC);
        }
    }
    out->count = 1;
    for (int k = 0; k < out->rank; k++) out->count *= out->dim[k].n;
    out->payload = out->count * out->run;
    place(full, out);
}

lm_params lm_scale_params(const lm_problem *full, const lm_problem *scaled, const lm_params *params) {
    lm_params p = *params;
    const int axis[2] = {params->inner, params->outer};
    for (int k = 0; k < 2; k++) {
        const int64_t n = lm_axis_extent(scaled, axis[k]);
        if (p.tile[k] > n || params->tile[k] == lm_axis_extent(full, axis[k])) p.tile[k] = n;
    }
    return p;
}
