#!/bin/sh
# All targets of the fuzzer in turn, or those that are named: [STOP=1] run.sh BUILD LIMIT SEED [TARGET...]
# LIMIT: minutes=M, or runs=N, and with runs=1 only the inputs that are known. STOP: the first that falls is the last.
# Inputs that were found stay in build/fuzz/corpus/TARGET for the next time, whatever the build. The exit status is 1
# where one has fallen.
build=$1 limit=$2 seed=$3
shift 3
failed=
[ $# -gt 0 ] || set -- $("$build/fuzz" | sed 's/ .*//')
for target; do
    corpus=build/fuzz/corpus/$target
    mkdir -p "$corpus"
    "$build/fuzz" "$target" "$limit" seed="$seed" corpus="$corpus" map="$build/fuzz.map" || failed="$failed $target"
    [ -z "$STOP" ] || [ -z "$failed" ] || break
done
[ -z "$failed" ] || { echo "fuzz: failed:$failed"; exit 1; }
