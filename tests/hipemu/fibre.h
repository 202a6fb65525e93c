/* SPDX-License-Identifier: BSD-3-Clause */
/* Fibres: work-items of a block, each with a stack of its own. */
#ifndef HIPEMU_FIBRE_H
#define HIPEMU_FIBRE_H

#include <stdbool.h>

typedef struct emu_fibre emu_fibre;

/* A fibre that will call body(data); NULL without memory. */
emu_fibre *emu_fibre_start(void (*body)(void *data), void *data);

/* Run it until it pauses or ends: true if it ended. An ended fibre is no more. */
bool emu_fibre_resume(emu_fibre *fibre);

/* From within a fibre: back to who resumed it. */
void emu_fibre_pause(void);

/* A paused fibre that will never go on. */
void emu_fibre_abandon(emu_fibre *fibre);

/* Give back stacks that are kept for the next ones. */
void emu_fibres_drop(void);

#endif
