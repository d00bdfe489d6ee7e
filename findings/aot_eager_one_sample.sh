#!/bin/sh
# Under aot_eager two calls of gumbel_softmax with the same logits give the same sample.
#
# Before AOTAutograd divides the graph of forward and backward in two, nodes that compute the same
# are merged. Operators that draw random numbers are left out by a list of their names, in which
# rand, bernoulli, dropout and others stand, but not the exponential distribution, from which
# gumbel_softmax and Exponential.rsample() draw. Without gradients nothing is divided, and nothing
# merged. inductor is right: it has written the draw as one of rand before. aot_eager is the
# backend that one takes to learn whether inductor is to blame.
#
# Seen with PyTorch 2.5.1 and CPython 3.9.18 (the installation takes 5 GB): are two draws equal?
#
# | gumbel_softmax: eager False, aot_eager without gradients False, aot_eager True
# | rsample: eager False, aot_eager without gradients False, aot_eager True
# | dropout: eager False, aot_eager without gradients False, aot_eager False
python=${PYTHON39:-python3.9}
packages='torch==2.5.1 numpy==1.26.4'

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT HUP INT TERM

cat > "$folder/program.py" << 'END'
import torch
from torch.distributions import Exponential
from torch.nn import functional

draws = {
    "gumbel_softmax": functional.gumbel_softmax,
    "rsample": lambda logits: Exponential(logits.exp()).rsample(),
    "dropout": functional.dropout,
}

def are_equal(draw, backend, requires_grad):
    @torch.compile(backend=backend)
    def twice(x):
        logits = x * 2
        return draw(logits), draw(logits)

    first, second = twice(torch.ones(1000, requires_grad=requires_grad))
    return torch.equal(first, second)

for name, draw in draws.items():
    torch._dynamo.reset()
    print(f"{name}: eager {are_equal(draw, 'eager', True)},"
          f" aot_eager without gradients {are_equal(draw, 'aot_eager', False)},"
          f" aot_eager {are_equal(draw, 'aot_eager', True)}")
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
