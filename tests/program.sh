# SPDX-License-Identifier: BSD-3-Clause
# Read by the scripts that test a program: run it, look at its exit status and at what it says. $program is the command,
# $dir a folder of the script's own; a script ends with "conclude".
tab=$(printf '\t')
failures=0

fail() {
    echo "FAILED: $*"
    sed 's/^/    /' "$dir/out" "$dir/err"
    failures=$((failures + 1))
}

# expect STATUS ARGUMENT...: run the program; its output stays in $dir/out and $dir/err.
expect() {
    wanted=$1
    shift
    status=0
    # shellcheck disable=SC2086 # the program may come with arguments
    $program "$@" >"$dir/out" 2>"$dir/err" </dev/null || status=$?
    [ "$status" -eq "$wanted" ] || fail "status $status, not $wanted: $*"
}

# shows PATTERN VARIABLE=VALUE...: in such an environment the program's output has a line like that.
shows() {
    pattern=$1
    shift
    env "$@" "$program" >"$dir/out" 2>"$dir/err" || fail "status $? with $*"
    grep -q -e "$pattern" "$dir/out" || fail "no \"$pattern\" with $* in:"
}

# said PATTERN...: each is in the output or among the complaints.
said() {
    for pattern; do
        grep -q -e "$pattern" "$dir/out" "$dir/err" || fail "no \"$pattern\" in:"
    done
}

conclude() {
    [ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
}
