/* SPDX-License-Identifier: BSD-3-Clause */
/* All peers. Those whose library run.sh did not find are not compiled. */
#ifndef PEERS_H
#define PEERS_H

#include "peer.h"

extern const peer peer_lmad, peer_memcpy, peer_loop, peer_numpy, peer_torch;
extern const peer peer_fftw, peer_openblas, peer_onednn, peer_mpi;
PEER_C const peer peer_eigen;

#endif
