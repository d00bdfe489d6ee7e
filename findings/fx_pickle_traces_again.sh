#!/bin/sh
# A GraphModule that was pickled computes something else: torch.rand and `x += y` are traced again.
#
# One would expect pickle to keep the nodes of an FX graph. It keeps the text that was printed from
# them, and loading runs that text with proxies. A call without a tensor argument is then simply
# made: torch.rand(2), recorded by TorchDynamo as a node, becomes a constant, and the loaded module
# adds the same "random" numbers for ever. A proxy has no in-place operators, so the node of
# `x += y` comes back as x + y: the argument is no longer changed. copy.deepcopy keeps both nodes.
#
# Seen with PyTorch 2.5.1 and CPython 3.9.18 (and with PyTorch 2.15.0 and CPython 3.12.1; the
# installation takes 5 GB):
#
# | original:  rand, add; two calls give equal numbers: False
# | deepcopy:  rand, add; two calls give equal numbers: False
# | pickle:    add; two calls give equal numbers: True
# | original:  iadd, mul; the argument 0.0 becomes 1.0
# | deepcopy:  iadd, mul; the argument 0.0 becomes 1.0
# | pickle:    add, mul; the argument 0.0 becomes 0.0
python=${PYTHON39:-python3.9}
packages='torch==2.5.1 numpy==1.26.4'

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT HUP INT TERM

cat > "$folder/program.py" << 'END'
import copy
import pickle

import torch

def noise(x):
    return x + torch.rand(2)

def accumulate(x, y):
    x += y
    return x * 2

def graph_of(function, *arguments):
    graphs = []
    def backend(graph_module, example_inputs):
        graphs.append(graph_module)
        return graph_module.forward
    torch.compile(function, backend=backend)(*arguments)
    return graphs[0]

def calls(module):
    return ", ".join(node.target.__name__ for node in module.graph.nodes
                     if node.op == "call_function")

def versions(module):
    yield "original: ", module
    yield "deepcopy: ", copy.deepcopy(module)
    yield "pickle:   ", pickle.loads(pickle.dumps(module))

for name, module in versions(graph_of(noise, torch.zeros(2))):
    first, second = module(torch.zeros(2))[0], module(torch.zeros(2))[0]
    print(f"{name} {calls(module)}; two calls give equal numbers: {torch.equal(first, second)}")
for name, module in versions(graph_of(accumulate, torch.zeros(1), torch.ones(1))):
    x = torch.zeros(1)
    module(x, torch.ones(1))
    print(f"{name} {calls(module)}; the argument 0.0 becomes {x.item()}")
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
