/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanging tiles in place, for movers whose work is that or ends in it. */
#ifndef LM_MOVE_ORBIT_H
#define LM_MOVE_ORBIT_H

#include "lib/move.h"
#include "lib/plan.h"

/* Is move->form a permutation of its axes, some turned, that maps the box onto itself? Then fill in orbit,
 * boxes and part_bytes. */
bool lm_orbit_make(lm_move *move, const lm_move_limits *limits);

/* Exchange every `parts`th of the tiles, from number `part` on; work: part_bytes. */
void lm_orbit_run(const lm_move *move, char *buffer, char *work, int part, int parts);

#endif
