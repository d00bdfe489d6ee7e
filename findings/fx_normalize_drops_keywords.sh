#!/bin/sh
# FX's pass NormalizeOperators writes torch.div(x, y, rounding_mode="floor") as x / y.
#
# The pass replaces functions of torch by Python's operators. It looks at the positional arguments
# only: with two of them a call becomes an operator, and what the call says by keyword is gone,
# here alpha and rounding_mode. An argument that an operator has is safe for that reason: in
# torch.div(x, other=y) it stands by keyword, and the call stays a call.
#
# Seen with PyTorch 2.5.1 and CPython 3.9.18 (the installation takes 5 GB):
#
# | torch.add(x, y, alpha=10): 27.0, as x + y: 9.0
# | torch.sub(x, y, alpha=10): -13.0, as x - y: 5.0
# | torch.div(x, y, rounding_mode='floor'): 3.0, as x / y: 3.5
# | torch.div(x, other=y): 3.5, as torch.div(x, other = y): 3.5
python=${PYTHON39:-python3.9}
packages='torch==2.5.1 numpy==1.26.4'

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT HUP INT TERM

cat > "$folder/program.py" << 'END'
import torch
from torch.fx.experimental.normalize import NormalizeOperators

class Plus(torch.nn.Module):
    def forward(self, x, y):
        return torch.add(x, y, alpha=10)

class Minus(torch.nn.Module):
    def forward(self, x, y):
        return torch.sub(x, y, alpha=10)

class Whole(torch.nn.Module):
    def forward(self, x, y):
        return torch.div(x, y, rounding_mode="floor")

class ByKeyword(torch.nn.Module):
    def forward(self, x, y):
        return torch.div(x, other=y)

x, y = torch.tensor(7.0), torch.tensor(2.0)
calls = {
    "torch.add(x, y, alpha=10)": Plus(),
    "torch.sub(x, y, alpha=10)": Minus(),
    "torch.div(x, y, rounding_mode='floor')": Whole(),
    "torch.div(x, other=y)": ByKeyword(),
}
for text, module in calls.items():
    normalized = NormalizeOperators(torch.fx.symbolic_trace(module)).transform()
    line = next(line for line in normalized.code.splitlines() if " = " in line and ";" in line)
    written = line.split(";")[0].split(" = ", 1)[1]
    print(f"{text}: {module(x, y).item()}, as {written}: {normalized(x, y).item()}")
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
