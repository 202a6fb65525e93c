/* SPDX-License-Identifier: BSD-3-Clause */
/* How much alike two machines are. */
#ifndef LM_SIBLING_H
#define LM_SIBLING_H

/* From two fingerprints: 0 = the same machine, more the less alike they are, negative when what was measured
 * on one says nothing of the other: another vendor or instruction set, or a fingerprint that is none. */
int lm_sibling_distance(const char *mine, const char *other);

/* The same for two devices: what was measured on one says something of the other if their architecture and wave size
 * are the same; then the nearer the features and the number of compute units. */
int lm_sibling_device(const char *mine, const char *other);

#endif
