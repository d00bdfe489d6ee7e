#!/bin/sh
# tests/bench/bench.sh MINIVM PYTHON [PROGRAM.mpy...]: how long the programs beside it take, in user time.
#
# Each program runs with both, in turn, three times; the best run counts. Their outputs must be equal. A row gives both
# times in seconds and their ratio; under the rows stand the geometric mean of the ratios (below 1: minivm is faster),
# and the time and the peak memory of an empty script. Ends with 1 where an answer differs or a program fails.
minivm=$1
python=$2
rounds=${ROUNDS:-3}
folder=$(dirname "$0")
if ! [ -x "$minivm" ] || ! command -v "$python" > /dev/null; then
    echo "usage: $0 MINIVM PYTHON [PROGRAM.mpy...]" >&2
    exit 2
fi
shift 2
[ $# -gt 0 ] || set -- "$folder"/*.mpy
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 2' HUP INT TERM
PYTHONHASHSEED=0
PYTHONDONTWRITEBYTECODE=1
export PYTHONHASHSEED PYTHONDONTWRITEBYTECODE

# run OUTPUT COMMAND...: prints the user time in seconds
run() {
    output=$1
    shift
    (
        LC_ALL=C
        export LC_ALL
        "$@" > "$output" 2>&1 < /dev/null || echo "[exit status $?]" >> "$output"
        times > "$output.times"
    )
    # The second line of `times` is about children: "0m0.123s 0m0.004s".
    awk 'NR == 2 { split($1, part, /[ms]/); print part[1] * 60 + part[2] }' "$output.times"
}

# runs COUNT OUTPUT COMMAND...: the user time of COUNT runs together
runs() {
    count=$1
    shift
    output=$1
    shift
    run "$output" sh -c 'count=$1; shift; while [ "$count" -gt 0 ]; do "$@" || exit 1; count=$((count - 1)); done' \
        runs "$count" "$@"
}

# peak COMMAND...: the largest resident set in KiB, or "?"
peak() {
    if command time -f %M true > /dev/null 2>&1; then
        command time -f %M "$@" 2>&1 > /dev/null < /dev/null | tail -n 1
    else
        echo "?"
    fi
}

differ=0
printf '%-22s %8s %8s %7s\n' program minivm CPython ratio
for program in "$@"; do
    name=$(basename "$program" .mpy)
    round=0
    : > "$scratch/seconds"
    while [ "$round" -lt "$rounds" ]; do
        echo "$(run "$scratch/mine" "$minivm" "$program") $(run "$scratch/theirs" "$python" "$program")" >> "$scratch/seconds"
        round=$((round + 1))
    done
    note=
    if ! cmp -s "$scratch/mine" "$scratch/theirs"; then
        note="DIFFERENT OUTPUT"
        differ=1
        diff "$scratch/theirs" "$scratch/mine" | head -n 4 > "$scratch/difference"
    fi
    awk -v name="$name" -v note="$note" '
        NR == 1 || $1 < mine { mine = $1 }
        NR == 1 || $2 < theirs { theirs = $2 }
        END {
            ratio = theirs > 0 ? (mine > 0 ? mine : 0.001) / theirs : 1
            printf "%-22s %8.3f %8.3f %7.3f %s\n", name, mine, theirs, ratio, note
        }' "$scratch/seconds" | tee -a "$scratch/rows"
    [ -z "$note" ] || sed 's/^/    /' "$scratch/difference"
done
awk '$4 > 0 && NF == 4 { sum += log($4); count++ }
     END { if (count) printf "%-22s %8s %8s %7.3f (%d programs)\n", "geometric mean", "", "", exp(sum / count), count }' "$scratch/rows"

: > "$scratch/empty.mpy"
"$minivm" "$scratch/empty.mpy" && "$python" "$scratch/empty.mpy"
mine=$(runs 50 "$scratch/mine" "$minivm" "$scratch/empty.mpy")
theirs=$(runs 5 "$scratch/theirs" "$python" "$scratch/empty.mpy")
awk -v mine="$mine" -v theirs="$theirs" 'BEGIN {
    printf "%-22s %5.1f ms %5.1f ms (user time of an empty script)\n", "start-up", mine * 20, theirs * 200 }'
printf '%-22s %4s KiB %4s KiB (an empty script)\n' "peak memory" \
    "$(peak "$minivm" "$scratch/empty.mpy")" "$(peak "$python" "$scratch/empty.mpy")"
exit $differ
