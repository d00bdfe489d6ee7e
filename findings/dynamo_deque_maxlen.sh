#!/bin/sh
# torch.compile gives another moving average: a deque(maxlen=3) holds four items in compiled code.
#
# TorchDynamo does not read maxlen of a deque that comes from outside the compiled function (an
# argument, an attribute of a module). While the function runs, what is appended pushes nothing out:
# len, sum and iteration see one item more, and maxlen is None. When the function returns, the items
# are written back to the real deque, which drops the oldest: afterwards nothing looks wrong, and
# each call is off by one item again. There is no graph break (fullgraph=True), and the backend has
# no part in it. A deque made inside the compiled function is right.
#
# Seen with PyTorch 2.15.0 and CPython 3.12.1, on a CPU (the installation takes 5.4 GB):
#
# | eager:    0.0 0.5 1.0 2.0 3.0 4.0, then 3.0 4.0 5.0 in the deque
# | compiled: 0.0 0.5 1.0 1.5 2.5 3.5, then 3.0 4.0 5.0 in the deque
# | inside the compiled function: 4 items, maxlen None
python=${PYTHON312:-python3.12}
packages='torch==2.15.0 numpy==2.5.5'

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT HUP INT TERM

cat > "$folder/program.py" << 'END'
from collections import deque

import torch

class MovingAverage(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.window = deque(maxlen=3)

    def forward(self, x):
        self.window.append(x)
        return sum(self.window) / len(self.window)

def show(name, make):
    average = MovingAverage()
    call = make(average)
    results = " ".join(str(call(torch.tensor(float(i))).item()) for i in range(6))
    kept = " ".join(str(x.item()) for x in average.window)
    print(f"{name:9} {results}, then {kept} in the deque")

def append(x, window):
    window.append(4)
    return x, len(window), window.maxlen

show("eager:", lambda average: average)
show("compiled:", lambda average: torch.compile(average, backend="eager", fullgraph=True))
compiled = torch.compile(append, backend="eager", fullgraph=True)
_, items, maxlen = compiled(torch.zeros(1), deque([1, 2, 3], maxlen=3))
print(f"inside the compiled function: {items} items, maxlen {maxlen}")
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
