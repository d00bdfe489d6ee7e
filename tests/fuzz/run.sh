#!/bin/sh
# All targets of the fuzzer in turn, or those that are named: [STOP=1] run.sh BUILD MINUTES SEED [TARGET...]
# STOP: the first that falls is the last. Inputs that were found stay in BUILD/corpus/TARGET for the next time. The exit
# status is 1 where one has fallen.
build=$1 minutes=$2 seed=$3
shift 3
failed=
[ $# -gt 0 ] || set -- $("$build/fuzz" | sed 's/ .*//')
for target; do
    mkdir -p "$build/corpus/$target"
    "$build/fuzz" "$target" minutes="$minutes" seed="$seed" corpus="$build/corpus/$target" map="$build/fuzz.map" ||
        failed="$failed $target"
    [ -z "$STOP" ] || [ -z "$failed" ] || break
done
[ -z "$failed" ] || { echo "fuzz: failed:$failed"; exit 1; }
