#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The examples run, and find what they compute to be right.
set -eu
for example in transpose slice halo rotate assign; do
    echo "$example:"
    ./examples/$example
done
