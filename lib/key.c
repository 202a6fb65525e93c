/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys of wisdom. */
#include "key.h"

#include <stdlib.h>
#include <string.h>

#include "cpu.h"
#include "text.h"

static int64_t residue(int64_t v) { return (v % 64 + 64) % 64; }

static void add_side(lm_text *text, const char *name, const lm_problem *p, bool dst) {
    lm_text_add(text, " %s=[", name);
    for (int k = 0; k < p->rank; k++)
        lm_text_add(text, "%s(%lld,%lld)", k ? "," : "", (long long)p->dim[k].n,
                    (long long)(dst ? p->dim[k].ds : p->dim[k].ss));
    lm_text_add(text, "]+%lld", (long long)residue(dst ? p->doff : p->soff));
}

/* ---- spaces ----------------------------------------------------------------------------------------- */

static int dst_class(const lm_problem *p) { return p->dst_space == LM_HOST ? LM_HOST : LM_KEY_DEVICE; }

static int src_class(const lm_problem *p) {
    if (p->src_space == LM_HOST) return LM_HOST;
    return p->dst_space == LM_HOST || p->dst_space == p->src_space ? LM_KEY_DEVICE : LM_KEY_PEER;
}

static bool on_host(const lm_problem *p) { return p->dst_space == LM_HOST && p->src_space == LM_HOST; }

/* From LM_HOST on. */
static const char *const spaces[] = {"host", "device", "peer"};

static bool read_space(const char **at, int *space) {
    for (int k = 0; k < 3; k++)
        if (lm_text_skip(at, spaces[k])) return *space = LM_HOST + k, true;
    return false;
}

/* ---- text ----------------------------------------------------------------------------------------- */

int lm_key_format(char *buf, size_t size, const lm_problem *p, lm_isa isa) {
    lm_text text = {buf, size, 0};
    lm_text_add(&text, "%s %s %s run=%lld", lm_op_text(p->op), spaces[dst_class(p) - LM_HOST],
                spaces[src_class(p) - LM_HOST], (long long)p->run);
    add_side(&text, "dst", p, true);
    add_side(&text, "src", p, false);
    lm_text_add(&text, " threads=%d", p->threads);
    if (on_host(p)) lm_text_add(&text, " isa=%s", lm_isa_name(isa));
    return (int)text.length;
}

/* ---- reading -------------------------------------------------------------------------------------- */

static bool signed_number(const char **at, int64_t *out) {
    const bool negative = lm_text_skip(at, "-");
    if (!lm_text_number(at, out)) return false;
    if (negative) *out = -*out;
    return true;
}

/* A side's axes; extents go to dim[].n, so that both sides must have the same. */
static bool read_side(const char **at, lm_problem *p, bool dst) {
    int rank = 0;
    if (!lm_text_skip(at, "[")) return false;
    while (**at == '(' || (rank && **at == ',')) {
        if (rank && !lm_text_skip(at, ",")) return false;
        if (rank == LMAD_MAX_RANK) return false;
        lm_pdim *d = &p->dim[rank++];
        if (!lm_text_skip(at, "(") || !signed_number(at, &d->n) || !lm_text_skip(at, ",")) return false;
        if (!signed_number(at, dst ? &d->ds : &d->ss) || !lm_text_skip(at, ")")) return false;
        if (d->n < 1) return false;
    }
    p->rank = rank;
    return lm_text_skip(at, "]+") && signed_number(at, dst ? &p->doff : &p->soff);
}

static bool read_op(const char **at, lm_op *op) {
    for (lm_op named = LM_OP_COPY; named <= LM_OP_FILL; named++)
        if (lm_text_skip(at, lm_op_text(named))) return *op = named, true;
    return false;
}

static bool read_isa(const char *name, lm_isa *isa) { return (*isa = lm_isa_named(name)) != LM_ISA_COUNT; }

static bool read_problem(const char *at, lm_problem *p, lm_isa *isa) {
    int64_t threads;
    memset(p, 0, sizeof *p);
    if (!read_op(&at, &p->op) || !lm_text_skip(&at, " ") || !read_space(&at, &p->dst_space)) return false;
    if (!lm_text_skip(&at, " ") || !read_space(&at, &p->src_space)) return false;
    if (!lm_text_skip(&at, " run=") || !signed_number(&at, &p->run) || p->run < 1) return false;
    if (!lm_text_skip(&at, " dst=") || !read_side(&at, p, true)) return false;
    if (!lm_text_skip(&at, " src=") || !read_side(&at, p, false)) return false;
    if (!lm_text_skip(&at, " threads=") || !signed_number(&at, &threads) || threads < 1 || threads > 1 << 20)
        return false;
    p->threads = (int)threads;
    *isa = LM_ISA_BASE;
    return on_host(p) ? lm_text_skip(&at, " isa=") && read_isa(at, isa) : *at == '\0';
}

static lm_key *key_of(const lm_problem *p, lm_isa isa) {
    lm_key *key = malloc(sizeof *key + (size_t)p->rank * sizeof key->dim[0]);
    if (!key) return NULL;
    *key = (lm_key){.hash = lm_key_hash(p, isa),
                    .op = p->op,
                    .dst_space = dst_class(p),
                    .src_space = src_class(p),
                    .threads = p->threads,
                    .rank = p->rank,
                    .isa = isa,
                    .run = p->run,
                    .doff = residue(p->doff),
                    .soff = residue(p->soff)};
    memcpy(key->dim, p->dim, (size_t)p->rank * sizeof key->dim[0]);
    return key;
}

/* One spelling: what is read must be written the same way again. */
bool lm_key_parse(lm_key **key, const char *text) {
    char again[LM_KEY_TEXT];
    lm_problem p;
    lm_isa isa;
    *key = NULL;
    if (!read_problem(text, &p, &isa)) return true;
    lm_key_format(again, sizeof again, &p, isa);
    if (strcmp(again, text) != 0) return true;
    *key = key_of(&p, isa);
    return *key;
}

/* ---- numbers -------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, int64_t value) {
    hash = (hash ^ (uint64_t)value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

uint64_t lm_key_hash(const lm_problem *p, lm_isa isa) {
    uint64_t hash = mix((uint64_t)p->op * 64 + (uint64_t)isa, (int64_t)p->threads * 64 + p->rank);
    hash = mix(hash, (int64_t)dst_class(p) * 4096 + src_class(p));
    hash = mix(hash, p->run);
    hash = mix(hash, residue(p->doff) * 64 + residue(p->soff));
    for (int k = 0; k < p->rank; k++) hash = mix(mix(mix(hash, p->dim[k].n), p->dim[k].ds), p->dim[k].ss);
    return hash;
}

bool lm_key_matches(const lm_key *key, const lm_problem *p, lm_isa isa) {
    return key->op == p->op && key->dst_space == dst_class(p) && key->src_space == src_class(p) &&
           key->threads == p->threads && key->rank == p->rank && key->isa == isa && key->run == p->run &&
           key->doff == residue(p->doff) && key->soff == residue(p->soff) &&
           memcmp(key->dim, p->dim, (size_t)p->rank * sizeof key->dim[0]) == 0;
}
