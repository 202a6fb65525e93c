#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lmad-info on what is in the environment: it shows what counts, says what does not, and its numbers agree.
# LMAD_INFO names the program (default ./lmad-info).
set -eu
info=${LMAD_INFO:-./lmad-info}
failures=0
unset LMAD_ISA LMAD_NUM_THREADS OMP_PROC_BIND OMP_PLACES OMP_NUM_THREADS OMP_THREAD_LIMIT || true

# said PATTERN VARIABLE=VALUE...: in such an environment the output has a line like that.
said() {
    pattern=$1
    shift
    env "$@" "$info" | grep -q -e "$pattern" && return
    echo "FAILED: no \"$pattern\" with $*:"
    env "$@" "$info" | sed 's/^/    /'
    failures=$((failures + 1))
}

said '^LMAD_NUM_THREADS  *1$' LMAD_NUM_THREADS=1
said '^automatic threads  *1$' LMAD_NUM_THREADS=1
for value in 0 -1 1.5 x ''; do
    said "^LMAD_NUM_THREADS  *\"$value\", ignored: " LMAD_NUM_THREADS="$value"
done
said '^LMAD_ISA  *base$' LMAD_ISA=base
said '^isa in use  *base$' LMAD_ISA=base
said '^LMAD_ISA  *"foo", ignored: ' LMAD_ISA=foo
! "$info" | grep -q '^LMAD_' || { echo "FAILED: variables that are not set"; failures=$((failures + 1)); }

# Automatic is no more than the cores, however OpenMP binds its threads.
for binding in OMP_PROC_BIND=false OMP_PROC_BIND=true OMP_PROC_BIND=close OMP_PLACES='{0}'; do
    env $binding "$info" | awk -v binding="$binding" '
        /^cores /             { cores = $2 }
        /^automatic threads / { threads = $3 }
        END {
            if (threads >= 1 && threads <= cores) exit 0
            print "FAILED: " threads " threads on " cores " cores with " binding
            exit 1
        }' || failures=$((failures + 1))
done

[ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
