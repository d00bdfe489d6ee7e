#!/bin/sh
# tests/bench/bench_hook.sh BUILD: what a call costs with and without a hook (PEP 523).
#
# A row is a way to run one of the programs in tests/bench/hook, which do something as often as their argument says and
# print the nanoseconds that it took. Instructions are counted by callgrind, where valgrind is there: the difference of
# two runs, divided by that of the counts, so that what comes before the loop does not count. The time is the best of
# five runs. The loop around the call is subtracted from both, and a ratio is that to the first row.
build=$1
programs=$(dirname "$0")/hook
[ -x "$build/minivm" ] || { echo "usage: $0 BUILD" >&2; exit 2; }
command -v valgrind > /dev/null && counting=yes || counting=
[ "$counting" ] || echo "valgrind is not installed: no instructions are counted"
FEW=1000
MORE=11000
MANY=${MANY:-1000000}

# collected COMMAND...: how many instructions it takes
collected() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 | awk '/Collected/ { print $4 }'
}

# instructions COMMAND...: for one time what the program does
instructions() {
    [ "$counting" ] || { echo 0; return; }
    few=$(collected "$@" $FEW)
    more=$(collected "$@" $MORE)
    awk -v few="$few" -v more="$more" -v times=$((MORE - FEW)) 'BEGIN { printf "%.2f", (more - few) / times }'
}

# nanoseconds COMMAND...: likewise
nanoseconds() {
    for round in 1 2 3 4 5; do "$@" "$MANY"; done | sort -n | awk -v times="$MANY" 'NR == 1 { printf "%.2f", $1 / times }'
}

# row NAME COMMAND...
row() {
    name=$1
    shift
    "$@" 1 > /dev/null || { echo "bench_hook: failed: $*" >&2; exit 1; }
    counted=$(instructions "$@")
    taken=$(nanoseconds "$@")
    [ "$first" ] || first="$counted $taken"
    echo "$loop $first $counted $taken" | awk -v name="$name" '{
        counted = $5 - $1
        taken = $6 - $2
        printf "%-44s %9.2f %7.2f %9.2f %7.2f\n", name, counted, $3 - $1 ? counted / ($3 - $1) : 0, taken, taken / ($4 - $2)
    }'
}

loop="$(instructions "$build/minivm" "$programs/loop.mpy") $(nanoseconds "$build/minivm" "$programs/loop.mpy")"
printf '%-44s %9s %7s %9s %7s\n' "a call" instr. ratio ns ratio
row "no hook" "$build/minivm" "$programs/call.mpy"
row "no hook, and a loop that does not look" "$build/no-hook/minivm" "$programs/call.mpy"
row "a hook that chains to the default" "$build/minivm" --eval-frame "$build/plugins/chain.so" "$programs/call.mpy"

# The cache: what a hit costs, to the same call of a function that the cache passes by.
first=
guarded="$programs/guarded.mpy"
printf '\n%-44s %9s %7s %9s %7s\n' "a call under set_eval_frame(callback)" instr. ratio ns ratio
row "skipped" "$build/minivm" "$guarded" skipped
row "a hit: native guard of two types" "$build/minivm" "$guarded" native
row "the same, on a new code object" "$build/minivm" "$guarded" new-code
row "the same, on code with one variable more" "$build/minivm" "$guarded" more-variables
row "a hit: Python guard of two types" "$build/minivm" "$guarded" python
