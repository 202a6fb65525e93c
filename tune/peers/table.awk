# SPDX-License-Identifier: BSD-3-Clause
# The lines of run.sh as tables of Markdown: what each peer reaches of memcpy, and a summary.
BEGIN { FS = "\t"; FIRST = 4; OURS = 5; LOOP = 6 }

function ratio(ns) { return ns + 0 > 0 ? sprintf("%.2f", $FIRST / ns) : ns }

function time_text(ns) {
    return ns < 1e3 ? sprintf("%.1f ns", ns) : ns < 1e6 ? sprintf("%.2f us", ns / 1e3) : sprintf("%.2f ms", ns / 1e6)
}

function begin_suite() {
    suite = $1
    suites[++suite_count] = suite
    printf "\n#### Peers: `%s`\n\n| problem | memcpy |", suite
    for (k = OURS; k <= columns; k++) printf " %s |", name[k]
    printf "\n|---|---|"
    for (k = OURS; k <= columns; k++) printf "---|"
    printf "\n"
}

$1 == "suite" { columns = NF; for (k = 1; k <= NF; k++) name[k] = $k; next }
$1 != suite { begin_suite() }

{
    best = 0
    printf "| `%s` | %s |", $2, time_text($FIRST)
    for (k = OURS; k <= columns; k++) {
        printf " %s |", ratio($k)
        if ($k == "WRONG") wrong[++wrongs] = "`" suite " " $2 "` by " name[k]
        if ($k + 0 <= 0) continue
        sum[suite, k] += log($FIRST / $k)
        ours[suite, k] += log($FIRST / $OURS)
        rows[suite, k]++
        if (k > LOOP && (!best || $k + 0 < $best + 0)) best = k
    }
    printf "\n"
    if (best && $best + 0 < $OURS + 0)
        behind[++behinds] = sprintf("`%s %s` (%s: %.1f ns against %.1f, %.2f)", suite, $2, name[best], $best, $OURS,
                                    $OURS / $best)
    if ($LOOP + 0 > 0 && suite == "halo") {
        loops++
        if ($OURS > $LOOP + 10) late[++lates] = sprintf("`%s` (%+.1f ns, %d bytes)", $2, $OURS - $LOOP, $3)
        if ($3 >= 4096 && $OURS + 0 > $LOOP + 0) slow[++slows] = sprintf("`%s` (%.2f)", $2, $OURS / $LOOP)
    }
}

function list(what, items, n) {
    printf "\n%s: %s", what, n ? "" : "none."
    for (k = 1; k <= n; k++) printf "%s%s", items[k], k < n ? ", " : "."
    printf "\n"
}

END {
    printf "\n#### Peers: geometric means\n\nOf the rows that a peer can do: what lmad reaches of memcpy, what the peer reaches, how many times as fast lmad is, and the\nnumber of rows.\n\n| suite |"
    for (k = LOOP; k <= columns; k++) printf " %s |", name[k]
    printf "\n|---|"
    for (k = LOOP; k <= columns; k++) printf "---|"
    printf "\n"
    for (i = 1; i <= suite_count; i++) {
        printf "| `%s` |", suites[i]
        for (k = LOOP; k <= columns; k++) {
            n = rows[suites[i], k]
            peer = exp(sum[suites[i], k] / (n ? n : 1))
            mine = exp(ours[suites[i], k] / (n ? n : 1))
            if (n) printf " %.2f / %.2f = %.2f (%d) |", mine, peer, mine / peer, n
            else printf " - |"
        }
        printf "\n"
    }
    list("Rows where a peer was faster than lmad", behind, behinds)
    if (wrongs) list("Wrong results", wrong, wrongs)
    list("Message layouts (`halo`) on which lmad took over 10 ns more than a loop of known inner length (" loops " compared)", late, lates)
    list("Those of 4 KiB and more on which it was slower than that loop", slow, slows)
}
