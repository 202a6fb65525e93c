/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibrations as text and back, and what values they may have. */
#include "calibration.h"

#include <stddef.h>

#include "text.h"

const lm_calibration lm_usual_calibration = {
    .l2 = 0.166,
    .l3 = 0.514,
    .read = 0.238,
    .write = 5.44,
    .write_stream = 0.319,
    .tlb = 0.611,
    .walk = 12,
    .latency = 98.3,
    .call = 6,
    .thread = 8000,
};

/* Every field, in the order of the text. */
static const struct {
    const char *name;
    size_t at;
} field[] = {
    {"l2=", offsetof(lm_calibration, l2)},
    {" l3=", offsetof(lm_calibration, l3)},
    {" read=", offsetof(lm_calibration, read)},
    {" write=", offsetof(lm_calibration, write)},
    {" stream=", offsetof(lm_calibration, write_stream)},
    {" tlb=", offsetof(lm_calibration, tlb)},
    {" walk=", offsetof(lm_calibration, walk)},
    {" latency=", offsetof(lm_calibration, latency)},
    {" call=", offsetof(lm_calibration, call)},
    {" thread=", offsetof(lm_calibration, thread)},
};
enum { FIELDS = sizeof field / sizeof *field };

static double *value(lm_calibration *c, int k) { return (double *)((char *)c + field[k].at); }
static double get(const lm_calibration *c, int k) { return *(const double *)((const char *)c + field[k].at); }

/* No machine is this many times faster or slower than the usual one; beyond it the model would see nothing
 * else. */
enum { RANGE = 8 };

/* What rounding to picoseconds may take off. */
static const double grain_ns = 0.0006;

static double least(int k) { return get(&lm_usual_calibration, k) / RANGE; }
static double most(int k) { return get(&lm_usual_calibration, k) * RANGE; }

/* Picoseconds, so that no locale has a say in how they are written. */
int lm_calibration_format(char *buf, size_t size, const lm_calibration *c) {
    lm_text text = {buf, size, 0};
    for (int k = 0; k < FIELDS; k++)
        lm_text_add(&text, "%s%lld", field[k].name, (long long)(get(c, k) * 1e3 + 0.5));
    return (int)text.length;
}

const char *lm_calibration_parse(lm_calibration *out, const char *text) {
    lm_calibration c;
    for (int k = 0; k < FIELDS; k++) {
        int64_t ps;
        if (!lm_text_skip(&text, field[k].name) || !lm_text_digits(&text, 9, &ps))
            return "not the values of a calibration";
        *value(&c, k) = (double)ps / 1e3;
        if (*value(&c, k) < least(k) - grain_ns || *value(&c, k) > most(k) + grain_ns)
            return "a calibration with a value that no machine has";
    }
    if (*text) return "not the values of a calibration";
    *out = c;
    return NULL;
}

void lm_calibration_clamp(lm_calibration *c) {
    for (int k = 0; k < FIELDS; k++) {
        double *v = value(c, k);
        if (*v != *v) *v = get(&lm_usual_calibration, k);
        if (*v < least(k)) *v = least(k);
        if (*v > most(k)) *v = most(k);
    }
}
