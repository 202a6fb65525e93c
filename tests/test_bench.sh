#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lmad-bench on small problems: what it prints, that its JSON is JSON, its exit statuses, and that bad input is
# refused with a reason. LMAD_BENCH names the program (default ./lmad-bench).
set -eu
export LMAD_HIP_LIBRARY= # no device, whatever the machine has
bench=${LMAD_BENCH:-./lmad-bench}
top_srcdir=${top_srcdir:-.}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
program="$bench --min-time 0"
. "$top_srcdir/tests/program.sh"

# Every line of the output is one JSON object with the members that programs rely on.
json_lines() {
    if command -v python3 >/dev/null; then
        python3 - "$dir/out" <<'EOF' || fail "not the JSON that is promised"
import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    for key in """name elem_size payload_bytes plan source threads device plan_ns median_ns min_ns memcpy_ns
                  ceiling_ns naive_ns ideal_ns verified""".split():
        row[key]
    assert isinstance(row["name"], str) and row["verified"] in (True, False, None)
    if "error" in row or "skipped" in row: continue
    assert row["source"] in ("wisdom", "measured", "estimated", "timed-out") and row["device"] == "cpu"
    assert row["threads"] >= 1 and 0 < row["min_ns"] <= row["median_ns"] and row["plan_ns"] > 0
    assert row["payload_bytes"] == 0 or 0 < row["ceiling_ns"] <= row["memcpy_ns"]
    assert row["ideal_ns"] is None or row["ideal_ns"] >= row["ceiling_ns"]
EOF
    else
        ! grep -v '^{"name":".*"verified":.*}$' "$dir/out" || fail "lines that are no objects"
    fi
}

count() { grep -c "$@" || true; }

# Whole suites: a row a line, each verified.
for suite in small halo; do
    expect 0 --suite $suite --json --verify --baseline naive
    json_lines
    rows=$(count '^[^#]' <"$top_srcdir/tune/suites/$suite.tsv")
    [ "$(count '"verified":true' <"$dir/out")" -eq "$rows" ] || fail "not $rows verified rows of $suite"
done

# Every operation, and shapes at the edge.
transpose='4 [(40,50),(50,1)] [(40,1),(50,40)]'
expect 0 --json --verify --baseline naive --problem "$transpose" --problem '3 [(7,2),(5,14)]-3 [(7,-5),(5,1)]+40' \
    --problem '8 [(6,1),(6,6)] [(6,6),(6,1)] move' --problem '2 [(9,-3)]+30 fill' --problem '4 []+3 []-2' \
    --problem '1 [(0,5),(4,1)] [(0,1),(4,7)]' --problem '1 [ (5, 2) ] + 1 [(5,0)]' --problem '24 [(3,1)] [(3,1)]'
json_lines
[ "$(count '"verified":true' <"$dir/out")" -eq 8 ] || fail "not 8 verified rows"
said '"operation":"move"' '"operation":"fill"'

expect 0 --json --verify --baseline naive --op many --problem '4 [(3,20),(4,5),(5,1)] [(3,20),(4,1),(5,4)]' \
    --op affine --problem '4 [(7,9),(8,1)]+2' --problem '8 [(9,-2)]+20' --problem '8 []'
json_lines
[ "$(count '"verified":true' <"$dir/out")" -eq 4 ] || fail "not 4 verified rows of --op"
said '"operation":"many"' '"operation":"affine"'

# A file, with everything that may stand in it.
printf '# comment\n\none\t4\t[(8,1)]\t[(8,2)]\r\ntwo\t1\t[(8,1)]\t\tfill\nthree\t1\t[(4,1)]+2\t[(4,1)]\tmove' >"$dir/good.tsv"
expect 0 --suite "$dir/good.tsv" --verify --threads 2
said '^one ' '^two ' '^three ' 'geometric mean' '3 done and verified, 0 skipped, 0 failed, 0 wrong'

# A list without problems is a short one, not the default one.
printf '# nothing yet\n' >"$dir/empty.tsv"
expect 0 --suite "$dir/empty.tsv"
said '^0 done, 0 skipped, 0 failed, 0 wrong'
expect 0 --suite /dev/null --json
[ ! -s "$dir/out" ] || fail "output of an empty suite"

# The parts of the table that were asked for, and only they.
expect 0 --problem "$transpose" --baseline naive --effort estimate --device cpu
said '/memcpy' '/ceiling' '/ideal' '/naive' 'GB/s'
expect 0 --problem "$transpose"
! grep -q -e '/naive' -e 'verified' "$dir/out" || fail "columns that nobody asked for"
[ ! -s "$dir/err" ] || fail "complaints, or progress without a terminal"
expect 0 --problem "$transpose" --explain
[ "$(wc -l <"$dir/out")" -gt 6 ] || fail "no explanation"
expect 0 --problem "$transpose" --explain --json
json_lines
said '"explain":"'
expect 0 --version
said '^lmad-bench [0-9]'
expect 0 --help
said '--min-time'

# What does not fit is skipped; what cannot be planned fails, and the rest still runs.
expect 0 --json --problem '1 [(2,4611686018427387904)] [(2,1)]'
json_lines
said '"skipped":"needs .* GiB'
expect 1 --json --verify --problem '4 [(3,1)] [(4,1)]' --problem '4 [(3,0)] [(3,1)]' --problem "$transpose"
json_lines
[ "$(count '"error":"plan: ' <"$dir/out")" -eq 2 ] || fail "not 2 errors"
[ "$(count '"verified":true' <"$dir/out")" -eq 1 ] || fail "the good problem did not run"
expect 1 --problem '4 [(3,1)] [(4,1)]'
said 'FAILED: plan: ' '0 done, 0 skipped, 1 failed, 0 wrong'

# Bad arguments.
while IFS='|' read -r pattern option value; do
    expect 2 "$option" "$value"
    said "$pattern"
    [ ! -s "$dir/out" ] || fail "output in spite of bad arguments: $option $value"
done <<'EOF'
not an effort|--effort|fast
not a number of threads|--threads|-1
not a number of threads|--threads|2x
not a number of threads|--threads|99999999999999999999
hip:0: no device: LMAD_HIP_LIBRARY|--device|hip:0
not a device|--device|gpu
not a baseline|--baseline|memcpy
not an operation|--op|swap
many needs an axis|--problem|4 [] [] many
affine needs an element size|--problem|3 [(2,1)] affine
not a time|--min-time|-1
not a time|--min-time|nan
not a time|--min-time|1s
neither a built-in suite nor a file|--suite|no/such/file
Is a directory|--suite|/
is due|--problem|
is due|--problem|4
not an element size|--problem|0 [(2,1)] [(2,1)]
not an element size|--problem|-4 [(2,1)] [(2,1)]
not an element size|--problem|99999999999999999999 [(2,1)] [(2,1)]
destination "\[(2,1\]"|--problem|4 [(2,1] [(2,1)]
source "\[(2;1)\]"|--problem|4 [(2,1)] [(2;1)]
no source|--problem|4 [(2,1)]
not an operation|--problem|4 [(2,1)] [(2,1)] swap
unrecognized option|--nonsense|x
not an option|--json|seeds
EOF

expect 2 --kernels --problem "$transpose"
said '--kernels goes without'
expect 2 --suite seeds --kernels
said '--kernels goes without'

# Bad suite files: the line and the reason.
# refused PATTERN LINE
refused() {
    printf '# a comment\ngood\t4\t[(8,1)]\t[(8,2)]\n%b\n' "$2" >"$dir/bad.tsv"
    expect 2 --suite "$dir/bad.tsv"
    said "bad.tsv:3: .*$1"
}
refused 'columns' 'name'
refused 'columns' "name${tab}4${tab}[]${tab}[]${tab}copy${tab}more"
refused 'element size' "name${tab}four${tab}[]${tab}[]"
refused 'name' "${tab}4${tab}[]${tab}[]"
refused 'name' "na\\001me${tab}4${tab}[]${tab}[]"
refused 'NUL' "name${tab}4${tab}[]\\0000${tab}[]"
refused 'destination' "name${tab}4${tab}[(1,]${tab}[]"
refused 'source' "name${tab}4${tab}[]${tab}[(1,2)"
refused 'operation' "name${tab}4${tab}[]${tab}[]${tab}swap"
refused 'source' "name${tab}4${tab}[]"

# Regret: what the efforts lose.
expect 0 --regret --threads 1 --problem "$transpose" --problem '1 [(900,1000),(1000,1)] [(900,1),(1000,900)]' --scale 1
said 'estimate .*geometric mean' 'measure .*geometric mean'
expect 0 --regret --threads 1 --json --problem "$transpose"
said '"candidates":[1-9]' '"estimate_regret":' '"measure_regret":'
expect 2 --regret --scale 0 --problem "$transpose"

# Kernels alone.
expect 0 --kernels
said '^kernel '
! grep -q WRONG "$dir/out" || fail "a kernel is wrong"

# Contiguous copies alone.
expect 2 --suite seeds --roofline
said '--roofline goes without'
expect 0 --roofline --threads 2
said '^  *65536 KiB  *2  *[1-9]'

conclude
