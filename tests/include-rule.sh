#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The include rule: kernels/ sees only kernels/, plans/ sees lib/ and kernels/, lib/ reaches plans/ only
# through plans/list.h in lib/planner.c, and nobody reaches into the tools or the tests.
set -eu
cd "$top_srcdir"

# forbid FOLDER PATTERN: no file below FOLDER includes a path that matches.
forbid() {
    found=$(grep -rnE --include='*.[ch]' "^[[:space:]]*#[[:space:]]*include[[:space:]]*[\"<]($2)" "$1" || true)
    if [ "$1" = lib ]; then
        found=$(echo "$found" | grep -v '^lib/planner\.c:[0-9]*:#include "plans/list\.h"$' || true)
    fi
    [ -z "$found" ] || { echo "against the include rule:"; echo "$found"; status=1; }
}

status=0
forbid kernels '\.\./|lib/|plans/|tests/|tune/|lmad'
forbid lib '\.\./|plans/|tests/|tune/'
forbid plans '\.\./|tests/|tune/'
forbid include '\.\./|lib/|kernels/|plans/|tests/|tune/'
exit $status
