/* SPDX-License-Identifier: BSD-3-Clause */
/* Pinned memory of the host near a device. */
#ifndef LM_DEVICE_NEAR_H
#define LM_DEVICE_NEAR_H

#include "device.h"

/* Pinned memory on the NUMA node that is nearest to a device; give it back with hipHostFree(). The device is
 * the current one. hwloc is asked about the machine's buses at the first call, once (some 100 ms), and only
 * where there is more than one node. */
lm_hip_error lm_near_alloc(const lm_device *device, size_t bytes, void **out);

/* The node (its number for the operating system) nearest to the device at this place of the PCI bus (domain,
 * bus, device); -1 where hwloc does not know. @p xml is a file that describes the machine, for tests; NULL =
 * this one. */
int lm_near_node(const int pci[3], const char *xml);

#endif
