#!/bin/sh
# The n-th allocation fails, alone and with all that follow: a script must end by MemoryError, or get along without.
#     fail_alloc.sh MINIVM         a build with DEBUG_FAIL_ALLOC and DEBUG_MEMORY, which asserts that nothing is left
# Prints what ended in another way (a signal, an unknown status), and how many runs there were.
minivm=${1:?usage: fail_alloc.sh MINIVM}
runs=0 wrong=0

fail_at() # which allocations, script
{
    MINIVM_FAIL_ALLOC=$1 timeout 60 "$minivm" "$2" >/dev/null 2>&1 </dev/null
    status=$?
    runs=$((runs + 1))
    case $status in
    0 | 1 | 120) ;; # fine; MemoryError; output that could not be flushed
    *)
        wrong=$((wrong + 1))
        echo "$2: allocation $1 fails: exit status $status"
        ;;
    esac
}

sweep() # script, first, step, last
{
    n=$2
    while [ "$n" -le "$4" ]; do
        fail_at "$n" "$1"
        fail_at "$n+" "$1"
        n=$((n + $3))
    done
}

sweep tests/scripts/vm/001_hello.mpy 1 7 5000
for name in objects/005_dicts_and_sets frames/012_with frames/031_exception_chaining frames/033_generator_methods objects/039_weakref_and_gc programs/053_json_formatter programs/056_matrix; do
    sweep tests/scripts/$name.mpy 4000 97 14000
done
sweep tests/stress/training.mpy 40000 97 75000  # tensors, gradients, an optimizer
sweep tests/stress/training.mpy 75000 397 180000 # torch.fx and torch.compile
echo "fail_alloc: $runs runs, $wrong wrong"
[ "$wrong" -eq 0 ]
