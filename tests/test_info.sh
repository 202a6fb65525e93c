#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lmad-info on what is in the environment: it shows what counts, says what does not, and its numbers agree.
# LMAD_INFO names the program (default ./lmad-info).
set -eu
program=${LMAD_INFO:-./lmad-info}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "${top_srcdir:-.}/tests/program.sh"
unset LMAD_ISA LMAD_NUM_THREADS OMP_PROC_BIND OMP_PLACES OMP_NUM_THREADS OMP_THREAD_LIMIT || true

shows '^LMAD_NUM_THREADS  *1$' LMAD_NUM_THREADS=1
shows '^automatic threads  *1$' LMAD_NUM_THREADS=1
for value in 0 -1 1.5 x ''; do
    shows "^LMAD_NUM_THREADS  *\"$value\", ignored: " LMAD_NUM_THREADS="$value"
done
shows '^LMAD_ISA  *base$' LMAD_ISA=base
shows '^isa in use  *base$' LMAD_ISA=base
shows '^LMAD_ISA  *"foo", ignored: ' LMAD_ISA=foo
expect 0
! grep -q '^LMAD_' "$dir/out" || fail "variables that are not set"

# Automatic is no more than the cores, however OpenMP binds its threads.
for binding in OMP_PROC_BIND=false OMP_PROC_BIND=true OMP_PROC_BIND=close OMP_PLACES='{0}'; do
    env $binding "$program" | awk -v binding="$binding" '
        /^cores /             { cores = $2 }
        /^automatic threads / { threads = $3 }
        END {
            if (threads >= 1 && threads <= cores) exit 0
            print "FAILED: " threads " threads on " cores " cores with " binding
            exit 1
        }' || failures=$((failures + 1))
done

conclude
