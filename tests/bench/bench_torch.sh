#!/bin/sh
# minivm's torch against PyTorch: one run, one thread, the shortest of several rounds.
#     bench_torch.sh MINIVM PYTHON [ROW ...]
# PYTHON is a CPython with PyTorch 2.5; where it has none, the whole is skipped. The last column is the ratio wanted
# (measured on a machine with AVX-512), marked where the ratio is above.
MINIVM=${1:?usage: bench_torch.sh MINIVM PYTHON [ROW ...]} PYTHON=${2:-python3}
shift 2
cd "$(dirname "$0")" || exit 2
case $MINIVM in /*) ;; *) MINIVM=../../$MINIVM ;; esac
if ! "$PYTHON" -c 'import torch' 2> /dev/null; then
    echo "bench-torch: skipped, $PYTHON has no PyTorch (TORCH_PYTHON= names one that has)"
    exit 0
fi
times=$(mktemp) || exit 2
trap 'rm -f "$times"' EXIT

# Seconds that a program takes from start to end, less those of an empty one.
imports() # which, the program
{
    "$@" -c 'import time; print(time.time())' > /dev/null
    for code in 'import torch' 'import torch, torch.nn, torch.optim'; do
        begin=$(date +%s.%N) && "$@" -c 'pass' && middle=$(date +%s.%N) && "$@" -c "$code" && end=$(date +%s.%N)
        name=import_torch
        [ "$code" = 'import torch' ] || name=import_nn_optim
        echo "$begin $middle $end" | awk -v name=$name '{ printf "%s %.9f\n", name, ($3 - $2) - ($2 - $1) }'
    done
}

for round in 1 2 3; do
    {
        [ $# -gt 0 ] || imports "$MINIVM" | sed 's/^/minivm /'
        "$MINIVM" torch/rows.mpy "$@" | sed 's/^/minivm /'
        [ $# -gt 0 ] || imports "$PYTHON" | sed 's/^/pytorch /'
        OMP_NUM_THREADS=1 "$PYTHON" torch/rows.mpy "$@" | sed 's/^/pytorch /'
    } >> "$times"
done

grep -m1 'model name' /proc/cpuinfo 2> /dev/null
awk '
    BEGIN {
        split("add_3x4 0.142 add_million 1.0 exp_million 0.6 sin_million 0.6 sum_million 1.0 softmax_rows 1.0 " \
              "layer_norm_rows 1.0 matmul_512 0.6 conv_56 1.2 training_step 0.5 resnet50 1.3 vit_b_16 1.3 " \
              "trace_mlp 0.3 trace_resnet50 0.3 import_torch 0.0021 import_nn_optim 0.0042", pairs)
        for (i = 1; i in pairs; i += 2) wanted[pairs[i]] = pairs[i + 1]
        printf "%-16s %12s %12s %7s %7s\n", "", "PyTorch", "minivm", "ratio", "wanted"
    }
    !($2 in seen) { seen[$2] = 1; order[++rows] = $2 }
    $3 != "-" && (!(($1, $2) in best) || $3 < best[$1, $2]) { best[$1, $2] = $3 }
    function shown(seconds) { return seconds == "" ? "-" : sprintf("%.3f us", seconds * 1e6) }
    END {
        for (i = 1; i <= rows; i++) {
            name = order[i]; a = best["pytorch", name]; b = best["minivm", name]
            ratio = a != "" && b != "" ? b / a : ""
            printf("%-16s %12s %12s %7s %7s%s\n", name, shown(a), shown(b), ratio == "" ? "-" : sprintf("%.3f", ratio),
                   wanted[name], ratio != "" && ratio > wanted[name] ? "  above" : "")
        }
    }' "$times"
