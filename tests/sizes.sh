#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No source file has more than 400 lines: a longer one has a second topic inside.
set -eu
cd "$top_srcdir"
find include lib kernels plans tests tune examples -name '*.[ch]' -o -name '*.sh' | {
    status=0
    while read -r file; do
        lines=$(wc -l <"$file")
        [ "$lines" -le 400 ] || { echo "$file has $lines lines"; status=1; }
    done
    exit $status
}
