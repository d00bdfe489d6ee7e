#!/bin/sh
# Suites of tests, each in a process of its own: suites.sh BUILD [SUITE...], by default all. Two run at a time, or JOBS. A row
# for each that has ended: how long it took by the clock and of the processor, its checks, and what has failed; what it
# printed stays in BUILD/suites/NAME.txt. The last line is Check's, of all of them together. The exit status is 1 where a
# check has failed, or none has run; a suite may have none in a build (crash has none under sanitizers). Elsewhere than in
# BUILD: UNIT, with what starts it, and MINIVM.
build=$1
shift
mkdir -p "$build/suites"
export build MINIVM="${MINIVM:-$build/minivm}" UNIT="${UNIT:-$build/unit}" SEEDS
# From the top down: what takes long stands at the end of the list, and is begun first.
[ $# -gt 0 ] || set -- $(sed -n 's/^[A-Z_]*SUITE(\([a-z]*\))$/\1/p' tests/unit/suites.def | sed '1!G;h;$!d')

printf '%s\n' "$@" | xargs -P "${JOBS:-2}" -I NAME sh -c '
    printed=$build/suites/NAME.txt began=$(date +%s)
    CK_RUN_SUITE=NAME $UNIT > "$printed" 2>&1 < /dev/null
    status=$?
    times > "$build/suites/NAME.times"
    printf "%-12s %5d s, %s of the processor  %s\n" NAME $(($(date +%s) - began)) "$(sed -n "2s/\.[^ ]* .*/s/p" "$build/suites/NAME.times")" \
        "$(grep -o "Checks: .*\|^[0-9]* tests, .*" "$printed" || echo "THE PROGRAM OF THE TESTS HAS ENDED" | tee -a "$printed")"
    [ $status -eq 0 ] || grep -q "Checks: 0,\|^0 tests," "$printed" || { grep -v "^Running suite\|Checks: " "$printed"; exit 1; }'
result=$?

# The library's "100%: Checks: 3, Failures: 0, Errors: 0", or tests/portable/check.c's "3 tests, 0 failed".
for name; do cat "$build/suites/$name.txt"; done | awk '
    /: Checks: /              { split($0, part, /[:,] ?/); run += part[3]; failed += part[5]; ended += part[7] }
    /^[0-9]* tests, .*failed/ { run += $1; failed += $3 }
    /^THE PROGRAM OF/         { run++; ended++ }
    END {
        printf "%d%%: Checks: %d, Failures: %d, Errors: %d\n", run ? (run - failed - ended) * 100 / run : 0, run, failed, ended
        exit !run
    }' || result=1
exit $result
