#!/bin/sh
# torch.compile of minivm against PyTorch's: each row once, one thread.
#     bench_compile.sh MINIVM PYTHON [ROW ...]
# The last column is the most that is wanted; where no figure is named, it is PyTorch's own.
# PYTHON is a CPython with PyTorch 2.5; where it has none, the whole is skipped. Rows that begin with "ratio" are the time
# of the compiled program divided by the eager one's. Both begin with an empty cache, in a folder of their own.
MINIVM=${1:?usage: bench_compile.sh MINIVM PYTHON [ROW ...]} PYTHON=${2:-python3}
shift 2
cd "$(dirname "$0")" || exit 2
case $MINIVM in /*) ;; *) MINIVM=../../$MINIVM ;; esac
if ! "$PYTHON" -c 'import torch' 2> /dev/null; then
    echo "bench-compile: skipped, $PYTHON has no PyTorch (TORCH_PYTHON= names one that has)"
    exit 0
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export MINIVM_CACHE="$work/minivm" TORCHINDUCTOR_CACHE_DIR="$work/pytorch" OMP_NUM_THREADS=1
for which in minivm pytorch; do
    [ $which = minivm ] && program=$MINIVM || program=$PYTHON
    "$program" torch/compile_rows.mpy "$@" | sed "s/^/$which /"
    [ $# -gt 0 ] || "$program" torch/compile_rows.mpy next | sed "s/^/$which /"
done > "$work/times"

grep -m1 'model name' /proc/cpuinfo 2> /dev/null
awk '
    BEGIN {
        split("first_chain 60000 next_process 8000 compile_break_first 4000 compile_break_later 4000 " \
              "warm_eager_above 0.6 warm_sequential 6 warm_inductor 0.9", pairs)
        for (i = 1; i in pairs; i += 2) wanted[pairs[i]] = pairs[i + 1]
        printf "%-20s %14s %14s %14s\n", "", "PyTorch", "minivm", "at most"
    }
    !($2 in seen) { seen[$2] = 1; order[++rows] = $2 }
    { time[$1, $2] = $3 }
    function shown(name, value) {
        if (value == "" || value == "-") return "-"
        return name ~ /^ratio/ ? sprintf("%.2f", value) : sprintf("%.2f us", value * 1e6)
    }
    END {
        for (i = 1; i <= rows; i++) {
            name = order[i]; a = time["pytorch", name]; b = time["minivm", name]
            most = name in wanted ? wanted[name] / 1e6 : a
            above = b != "" && b != "-" && most != "" && most != "-" && b + 0 > most + 0 ? "  above" : ""
            printf "%-20s %14s %14s %14s%s\n", name, shown(name, a), shown(name, b), shown(name, most), above
        }
    }' "$work/times"
