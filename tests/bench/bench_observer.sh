#!/bin/sh
# tests/bench/bench_observer.sh BUILD: instructions of the machine that three programs take where an observer may begin
# (a debugger, sys.settrace) and where none can, counted by callgrind.
build=$1
folder=$(dirname "$0")
[ -x "$build/no-observer/minivm" ] || { echo "usage: $0 BUILD" >&2; exit 2; }
command -v valgrind > /dev/null || { echo "valgrind is not installed: nothing is counted"; exit 0; }

# collected COMMAND...: how many instructions it takes
collected() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 > /dev/null | awk '/Collected/ { print $4 }'
}

printf '%-20s %14s %14s %8s\n' program "with observers" without ratio
for name in 01_fib 03_words 05_methods; do
    with=$(collected "$build/minivm" "$folder/$name.mpy")
    without=$(collected "$build/no-observer/minivm" "$folder/$name.mpy")
    echo "$with $without" | awk -v name="$name" '{ printf "%-20s %14.0f %14.0f %8.4f\n", name, $1, $2, $1 / $2 }'
done
