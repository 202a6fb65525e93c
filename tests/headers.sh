#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each public header compiles alone, as C and as C++.
set -eu
warnings='-Wall -Wextra -Wpedantic -Werror -fsyntax-only'
status=0
for header in "$top_srcdir"/include/*.h; do
    $CC -std=c99 $warnings -x c "$header" || { echo "not C99 alone: $header"; status=1; }
    if [ -n "$CXX" ]; then
        $CXX -std=c++11 $warnings -x c++ "$header" || { echo "not C++11 alone: $header"; status=1; }
    fi
done
[ -n "$CXX" ] || echo "no C++ compiler: checked as C only"
exit $status
