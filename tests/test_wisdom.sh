#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lmad-wisdom: tuning, resuming, an interrupt, files that are merged, listed, checked, compared and pruned, and a program
# that uses what comes out.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset LMAD_RECORD
program=./lmad-wisdom
. "${top_srcdir:-.}/tests/program.sh"

a='4 [(40,50),(50,1)] [(40,1),(50,40)]'
b='8 [(6,1),(6,6)]+3 [(6,6),(6,1)] move'
c='2 [(9,-3)]+30 fill'

# Tuning, and a second run that finds it all done.
expect 0 -o "$dir/one" --effort measure --problem "$a" --problem "$b" --problem "$c"
said '1/3 ' '3/3 ' '3 measured, 0 known, 0 failed'
expect 0 -o "$dir/one" --effort measure --problem "$a" --problem "$b" --problem "$c"
said '0 measured, 3 known'
expect 0 tune -o "$dir/one" --effort patient --problem "$a" --threads 1,2
said '2/2 '
printf 'name\t4\t[(40,50),(50,1)]\t[(40,1),(50,40)]\n' | ./lmad-wisdom -o "$dir/two" --suite - --threads 1 --effort measure >"$dir/out"
said '1 measured'
expect 0 -o - --effort measure --problem "$a"
said '^lmad-wisdom 1'
expect 0 -o "$dir/late" --problem "$a" --time-limit 0
said 'left for the next run'
expect 1 -o "$dir/three" --effort measure --problem '4 [(3,0)] [(3,1)]' --problem "$a"
said '1 measured, 0 known, 1 failed'

# The user's own place is made.
XDG_CONFIG_HOME=$dir/config ./lmad-wisdom --effort measure --problem "$a" >"$dir/out"
[ -s "$dir/config/lmad/wisdom" ] || fail "nothing in the user's place"

# A program plans from it.
if [ -x ./lmad-bench ]; then
    LMAD_WISDOM="$dir/one" ./lmad-bench --min-time 0 --json --problem "$a" >"$dir/out"
    said '"source":"wisdom"'
    LMAD_WISDOM='' ./lmad-bench --min-time 0 --json --problem "$a" >"$dir/out"
    said '"source":"estimated"'
    case $(./lmad-wisdom list "$dir/one") in
    *isa=avx*) # of these instructions is the wisdom, and of no others
        LMAD_ISA=base LMAD_WISDOM="$dir/one" ./lmad-bench --min-time 0 --json --problem "$a" >"$dir/out"
        said '"source":"estimated"'
        ;;
    esac
fi

# Files.
expect 0 merge "$dir/one" "$dir/two"
cp "$dir/out" "$dir/ab"
expect 0 merge "$dir/two" "$dir/one"
cmp "$dir/out" "$dir/ab" || fail "the order of files matters"
expect 0 merge -o "$dir/all" "$dir/one" "$dir/two" "$dir/two"
expect 0 merge -o "$dir/all" "$dir/two"
cmp "$dir/all" "$dir/ab" || fail "merging into a file is something else"
expect 0 check "$dir/all"
said 'all: [0-9]* records' ' 0 bad lines'
expect 0 list "$dir/all"
said '^here .*copy host host'
expect 0 list --here --effort patient --problem copy "$dir/all"
! grep -q ' measure ' "$dir/out" || fail "lists too much"
expect 0 diff "$dir/all" "$dir/ab"
[ ! -s "$dir/out" ] || fail "differences of equal files"
expect 1 diff "$dir/all" "$dir/two"
said '^- '
{ cat "$dir/all"; echo "hello${tab}there"; } >"$dir/bad"
expect 1 check "$dir/bad"
said "bad:$(wc -l <"$dir/bad"): not nine fields" ' 1 bad lines'
expect 0 prune "$dir/bad"
cmp "$dir/bad" "$dir/all" || fail "pruning leaves damage"
expect 0 prune --here "$dir/bad"
[ "$(wc -l <"$dir/bad")" -eq 1 ] || fail "pruning leaves records"

# A calibration is a record like any other.
expect 0 calibrate -o "$dir/cal"
said '^l2=[0-9]* l3='
expect 0 check "$dir/cal"
said ': 1 records (0 for other machines), 0 that'
expect 0 list --here "$dir/cal"
said '^here  *patient  *- *calibration 3  l2='
expect 0 merge "$dir/cal" "$dir/two"
said 'calibration 3' 'copy host host'
expect 0 diff "$dir/cal" "$dir/cal"
expect 0 calibrate -o "$dir/cal2" --effort measure
expect 0 merge -o "$dir/cal2" "$dir/cal"
cmp -s "$dir/cal" "$dir/cal2" || fail "the calibration of more effort does not stay"
expect 0 prune "$dir/cal"
said ' 0 records dropped'
expect 0 prune --problem calibration "$dir/cal"
said ' 1 records dropped'
expect 1 calibrate -o "$dir/cal3" --time-limit 0
said 'no time'
expect 2 calibrate "$dir/cal"
LMAD_WISDOM="$dir/cal2" ./lmad-info >"$dir/out"
said "^calibration  *this machine's: l2="
LMAD_WISDOM='' ./lmad-info >"$dir/out"
said '^calibration  *none, usual values: l2='

# What is no wisdom is left alone.
echo 'int main;' >"$dir/c"
expect 1 check "$dir/c"
expect 2 merge -o "$dir/c" "$dir/all"
expect 2 -o "$dir/c" --problem "$a"
grep -q '^int main;$' "$dir/c" || fail "a foreign file was changed"

# An interrupt keeps what is done.
./lmad-wisdom -o "$dir/stopped" --suite small >"$dir/out" 2>"$dir/err" &
pid=$!
while [ "$(wc -l <"$dir/out")" -lt 2 ] && kill -0 $pid 2>/dev/null; do sleep 0.1; done
kill -INT $pid
wait $pid || fail "an interrupted run has status $?"
expect 0 check "$dir/stopped"
[ "$(wc -l <"$dir/stopped")" -ge 3 ] || fail "an interrupt costs what was done"

while IFS='|' read -r pattern arguments; do
    # shellcheck disable=SC2086
    expect 2 $arguments
    said "$pattern"
done <<'END'
nothing to tune|--effort measure
not an effort|--effort fast
not a time|--time-limit x
not a list|--threads 1,x
not a device|--device gpu
which files|merge
which files|check
two files|diff one
no such file|list /no/such/file
no such file|prune /no/such/file
exclude each other|list --here --foreign
calibrate takes no --device|calibrate --device cpu
calibrate takes no --suite|calibrate --suite small
merge takes no --machine|merge --machine x a b
prune takes no --device|prune --device cpu a
check takes no --output|check -o a b
diff takes no --effort|diff --effort measure a b
list takes no --threads|list --threads 1
tune takes no --here|--here --suite small
neither a built-in|--suite /no/such/file
END

conclude
