#!/bin/sh
# depyf decompiles `a, b = b, a` as `a = b` and then `b = a`, and three other functions wrongly.
#
# depyf shows what TorchDynamo made of a function. For each of these functions it returns text that
# compiles, and raises no error, as it does for much that it cannot decompile. But the text is
# another function: a swap loses a value, the `else` of a loop runs after `break`, `x = yield a`
# forgets what is sent, and the constant 1e999 becomes a string with the text of an expression.
#
# Seen with depyf 0.20.0 and CPython 3.9.18 (3.10.13: an error for the loop, the others the same;
# 3.11.7 and 3.12.1: the swap is `b = a` and then `a = b`):
#
# | def swap(a, b):
# |     a = b
# |     b = a
# |     return a, b
# | swap: (2, 1); decompiled: (2, 2)
# | find: 'found'; decompiled: 'not found'
# | echo: [1, 7]; decompiled: [1, 1]
# | limit: inf; decompiled: '__co_consts[1]'
python=${PYTHON39:-python3.9}
packages='depyf==0.20.0 astor==0.8.1 dill==0.4.1'

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT HUP INT TERM

cat > "$folder/program.py" << 'END'
from depyf import decompile

def swap(a, b):
    a, b = b, a
    return a, b

def find(number):
    result = "found"
    for i in range(number):
        if i == 2:
            break
    else:
        result = "not found"
    return result

def echo(a):
    x = yield a
    yield x

def limit():
    return 1e999

def received(echo):
    generator = echo(1)
    return [next(generator), generator.send(7)]

print(decompile(swap).strip())
for function, run in [
    (swap, lambda swap: swap(1, 2)),
    (find, lambda find: find(5)),
    (echo, received),
    (limit, lambda limit: limit()),
]:
    namespace = {}
    exec(decompile(function), namespace)
    decompiled = namespace[function.__name__]
    print(f"{function.__name__}: {run(function)!r}; decompiled: {run(decompiled)!r}")
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
