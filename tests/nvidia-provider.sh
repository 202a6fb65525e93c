#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The NVIDIA provider against a stand-in for CUDA's driver (tests/nvidia/).
exec tests/nvidia/test-provider ./libhipnv.so tests/nvidia/libfakecuda.so
