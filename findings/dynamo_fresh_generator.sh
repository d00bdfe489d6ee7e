#!/bin/sh
# A compiled function reads a fresh generator without using it up: each call sees the first item.
#
# TorchDynamo gets a generator from outside (an argument, a closure) that has not been started. It
# takes the generator's code and arguments, traces what it would yield, and leaves the generator
# itself where it was: not even an item is missing afterwards. fullgraph=True does not object. A
# generator that was started by one next() gives the right items (it breaks the graph), and so does
# PyTorch 2.5.1, where each generator breaks the graph.
#
# Seen with PyTorch 2.15.0 and CPython 3.12.1, on a CPU (the installation takes 5.4 GB):
#
# | eager:    fresh [1.0, 2.0, 3.0], left []; started [2.0, 3.0], left []
# | compiled: fresh [1.0, 1.0, 1.0], left [1.0, 2.0, 3.0]; started [2.0, 3.0], left []
python=${PYTHON312:-python3.12}
packages='torch==2.15.0 numpy==2.5.5'

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT HUP INT TERM

cat > "$folder/program.py" << 'END'
import torch

def batches():
    for i in range(1, 4):
        yield float(i)

def step(x, batches):
    return x + next(batches)

def run(step, items, times):
    results = [step(torch.zeros(1), items).item() for i in range(times)]
    return f"{results}, left {list(items)}"

def show(name, step):
    fresh = run(step, batches(), 3)
    torch.compiler.reset()
    items = batches()
    next(items)
    print(f"{name:9} fresh {fresh}; started {run(step, items, 2)}")

show("eager:", step)
show("compiled:", torch.compile(step, backend="eager"))
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
