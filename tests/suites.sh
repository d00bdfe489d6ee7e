#!/bin/sh
# Suites of tests, each in a process of its own: suites.sh BUILD [SUITE...], by default all. A row for each: its checks, and
# how long it took by the clock and of the processor. What it printed stays in BUILD/suites/NAME.txt. JOBS=2: two at a time.
# The exit status is 1 where a check has failed; a suite may have none in a build (crash has none under sanitizers).
build=$1
shift
mkdir -p "$build/suites"
export build MINIVM="$build/minivm" SEEDS CK_TIMEOUT_MULTIPLIER="${CK_TIMEOUT_MULTIPLIER:-4}"
[ $# -gt 0 ] || set -- $(sed -n 's/^[A-Z_]*SUITE(\([a-z]*\))$/\1/p' tests/unit/suites.def)

printf '%s\n' "$@" | xargs -P "${JOBS:-1}" -I NAME sh -c '
    began=$(date +%s)
    CK_RUN_SUITE=NAME "$build/unit" > "$build/suites/NAME.txt" 2>&1 < /dev/null
    status=$?
    times > "$build/suites/NAME.times"
    printf "%-12s %5d s, %s of the processor  %s\n" NAME $(($(date +%s) - began)) "$(sed -n "2s/\.[^ ]* .*/s/p" "$build/suites/NAME.times")" \
        "$(grep -o "Checks: .*" "$build/suites/NAME.txt" || echo "THE PROGRAM OF THE TESTS HAS ENDED")"
    [ $status -eq 0 ] || grep -q "Checks: 0," "$build/suites/NAME.txt" || { grep -v "^Running suite\|Checks: " "$build/suites/NAME.txt"; exit 1; }'
