/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of a narrow matrix, as long as its short side, transposed through scratch that fits a cache. Where
 * columns or rows are set aside, the chunks of a block have gaps between them on one side and not on the
 * other: blocks are taken in the order in which none is written over one that is yet to be read. */
#include <string.h>

#include "lib/plan.h"
#include "move_rectangle.h"
#include "plans.h"

static bool is_row(const lm_strips *s) { return s->r->down == 1; }

lm_slots lm_strips_slots(const lm_rectangle *r, int64_t run) {
    if (r->down == 1) return (lm_slots){r->across, r->columns * run, r->broad * run};
    return (lm_slots){r->down, r->rows * run, r->high * run};
}

/* From a slot on, chunks that lie side by side. */
static int64_t even(const lm_slots *slots, int64_t slot, int64_t most) {
    return least(slots->per - slot % slots->per, most);
}

/* The chunks are rows of the block. */
static void turn_in_row(const lm_strips *s, const lm_slots *slots, int64_t k) {
    const int64_t high = s->r->high, bytes = high * s->r->broad * s->run, result = high * s->run;
    for (int64_t i = 0, n; i < high; i += n) {
        const int64_t slot = k * high + i;
        n = even(slots, slot, high - i);
        lm_box_turn(s->work + i * s->run, result, s->at + lm_slot(slots, slot), slots->chunk, n, s->r->broad,
                    s->run);
    }
    memcpy(s->at + k * bytes, s->work, (size_t)bytes);
}

/* They are rows of its transpose. */
static void turn_in_column(const lm_strips *s, const lm_slots *slots, int64_t k) {
    const int64_t broad = s->r->broad, bytes = s->r->high * broad * s->run;
    lm_box_turn(s->work, slots->chunk, s->at + k * bytes, broad * s->run, s->r->high, broad, s->run);
    for (int64_t i = 0, n; i < broad; i += n) {
        const int64_t slot = k * broad + i;
        n = even(slots, slot, broad - i);
        memcpy(s->at + lm_slot(slots, slot), s->work + i * slots->chunk, (size_t)(n * slots->chunk));
    }
}

void lm_strips_turn(const lm_strips *s) {
    const lm_slots slots = lm_strips_slots(s->r, s->run);
    const int64_t count = s->r->down * s->r->across;
    const int parts = s->r->aside ? 1 : s->parts;
    for (int64_t k = s->part; k < count && s->part < parts; k += parts)
        if (is_row(s))
            turn_in_row(s, &slots, k);
        else
            turn_in_column(s, &slots, count - 1 - k);
}
