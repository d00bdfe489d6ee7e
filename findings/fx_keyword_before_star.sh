#!/bin/sh
# A module traced by FX takes its second argument for a keyword: `*skips, scale=1.0` change places.
#
# FX asks the code object for the names of the arguments. co_varnames lists keyword-only arguments
# before *arguments, though they stand after them in the source, and the traced module gets its
# signature in that order. The second positional argument is then `scale`: where enough arguments
# are passed, the result is another number; scale=1.0 by keyword is an error.
#
# Seen with PyTorch 2.5.1 and CPython 3.9.18 (and with PyTorch 2.15.0 and CPython 3.12.1; the
# installation takes 5 GB):
#
# | module: forward(x, *skips, scale=1.0): 2 * 1.0 + 3 + 5 = 10.0
# | traced: forward(x, scale=1.0, *skips): 16.0
python=${PYTHON39:-python3.9}
packages='torch==2.5.1 numpy==1.26.4'

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT HUP INT TERM

cat > "$folder/program.py" << 'END'
import inspect

import torch

class Join(torch.nn.Module):
    def forward(self, x, *skips, scale=1.0):
        return x * scale + skips[0] + skips[-1]

def show(name, module, explained=""):
    inputs = [torch.tensor(number) for number in (2.0, 3.0, 5.0)]
    signature = inspect.signature(module.forward)
    print(f"{name} forward{signature}: {explained}{module(*inputs).item()}")

show("module:", Join(), "2 * 1.0 + 3 + 5 = ")
show("traced:", torch.fx.symbolic_trace(Join()))
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
