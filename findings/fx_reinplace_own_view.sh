#!/bin/sh
# FX's pass reinplace divides a matrix by its own first column while it is being overwritten.
#
# make_fx's graph of `y = x + 1; y / y[:, :1]` is right. The pass sees that nothing reads y after
# the division, and lets the division write into y: but its divisor is a view of y. The first
# element of each row is overwritten by 1 before the others are divided by it. The pass does look
# at views that later nodes read, and at y itself as second argument, but not at a view of it in
# the same node. For a row in the column's place, y / y[:1], the in-place operator notices the
# overlap and refuses.
#
# Seen with PyTorch 2.5.1 and CPython 3.9.18 (the installation takes 5 GB):
#
# | traced, y / y[:, :1]: [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]
# | with reinplace: [[1.0, 4.0, 6.0], [1.0, 8.0, 12.0]]
# | traced, y / y[:1]: [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
# | with reinplace: RuntimeError
python=${PYTHON39:-python3.9}
packages='torch==2.5.1 numpy==1.26.4'

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT HUP INT TERM

cat > "$folder/program.py" << 'END'
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.passes.reinplace import reinplace

def by_first_column(x):
    y = x + 1
    return y / y[:, :1]

def by_first_row(x):
    y = x + 1
    return y / y[:1]

def result(graph):
    try:
        return graph(x).tolist()
    except RuntimeError as error:
        return type(error).__name__

x = torch.tensor([[1.0, 3.0, 5.0], [3.0, 7.0, 11.0]])
for text, function in ("y / y[:, :1]", by_first_column), ("y / y[:1]", by_first_row):
    graph = make_fx(function)(x)
    print(f"traced, {text}:", result(graph))
    print("with reinplace:", result(reinplace(graph, x)))
END

# The same in every finding: a new environment, and whether the output is the one stated above.
"$python" -m venv "$folder/env" > "$folder/log" 2>&1 || {
    echo "$0: cannot run: $python makes no virtual environment"
    exit 2
}
"$folder/env/bin/pip" install -q $packages > "$folder/log" 2>&1 || {
    echo "$0: cannot run: pip cannot install $packages"
    exit 2
}
(cd "$folder" && env/bin/python program.py) | tee "$folder/seen"
sed -n 's/^# | //p' "$0" | cmp -s - "$folder/seen" || {
    echo "$0: has changed: its first lines state another output"
    exit 1
}
