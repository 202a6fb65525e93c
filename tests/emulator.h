/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated HIP run time for suites. Tests run in a process each, so each begins with emulator(), which
 * must come before the library is first asked for a device. */
#ifndef LM_TEST_EMULATOR_H
#define LM_TEST_EMULATOR_H

#include "hipemu/hipemu.h"
#include "lib/hip_types.h"

/* Entry points of HIP that the library does not use. */
typedef struct ihipGraph *emu_graph;
typedef struct hipGraphExec *emu_graph_exec;
typedef struct emulator_calls {
#define LM_HIP(returns, name, parameters) returns(*name) parameters;
#include "hipemu/test_list.h"
} emulator_calls;

/* Load it, point LMAD_HIP_LIBRARY at it, reset it. Settings that the library remembers (devices, warp width,
 * version) are to be made before the library asks. */
const hipemu *emulator(void);

/* Those entry points. */
const emulator_calls *emulator_more(void);

/* Where it lies; does not load it. */
const char *emulator_path(void);

/* Fail the test unless all that was made on devices is destroyed, and nothing was complained of. */
void emulator_is_clean(void);

#endif
