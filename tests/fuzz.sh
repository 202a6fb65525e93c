#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every fuzz target on its corpus and on random changes to it, LMAD_FUZZ_SECONDS (default 1) each.
set -eu
status=0
for target in lmad wisdom; do
    echo "$target:"
    ./tests/fuzz-$target "$top_srcdir/tests/corpus/$target" fuzz-last-$target || {
        echo "the input is in $PWD/fuzz-last-$target"
        status=1
    }
done
exit $status
