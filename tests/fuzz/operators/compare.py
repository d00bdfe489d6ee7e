"""What minivm and PyTorch say of the same calls: `fuzz_torch.mpy FIRST COUNT --print | TORCH_PYTHON compare.py [-v]`.

A line of the input is `call<TAB>outcome`. Each call is evaluated here too (values.mpy), and the outcomes are compared:
type, dtype, shape, strides and message as text, floats to a tolerance that depends on the dtype. Differences are counted
by class and operator; those that differs.txt explains are counted apart. Exit status 1: there are others.
"""
import math
import os
import pathlib
import pickle
import re
import resource
import signal
import sys
import warnings

CHUNK, SECONDS, MEMORY = 50, 20, 8 << 30
HERE = pathlib.Path(__file__).parent
TOLERANCE = {"float64": 1e-9, "float32": 1e-4, "bfloat16": 2e-2, "float16": 4e-3}
NUMBER = re.compile(r"(?<![\w.])-?(?:inf|nan|\d+\.\d+(?:e[+-]?\d+)?|\d+e[+-]?\d+)(?![\w.])")

warnings.simplefilter("ignore")
names = {}
exec(compile((HERE / "values.mpy").read_text(), "values.mpy", "exec"), names)


def explained():
    """(pattern of a call, pattern of PyTorch's outcome) of each line of differs.txt that is no comment."""
    lines = (HERE / "differs.txt").read_text().splitlines()
    pairs = (line.split("\t") for line in lines if line.strip() and not line.startswith("#"))
    return [(re.compile(pair[0]), re.compile(pair[1] if len(pair) > 1 else "")) for pair in pairs]


def close(mine, theirs):
    if NUMBER.sub("#", mine) != NUMBER.sub("#", theirs):
        return False
    dtype = re.search("float64|float32|bfloat16|float16", theirs)
    tolerance = TOLERANCE[dtype[0]] if dtype else 1e-6
    pairs = [(float(a), float(b)) for a, b in zip(NUMBER.findall(mine), NUMBER.findall(theirs))]
    finite = [abs(b) for _, b in pairs if math.isfinite(b)]
    scale = max(finite, default=0)
    return all(a == b or a != a and b != b or math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance * max(min(scale, 1), 1e-3))
               for a, b in pairs)


def kind_of(mine, theirs):
    """The class of a difference."""
    a, b = ("error" if re.match(r"\w+(Error|Exception): ", text) else "result" for text in (mine, theirs))
    if a != b:
        return f"{a}, PyTorch: {b}"
    if a == "error":
        return "message" if mine.split(":")[0] == theirs.split(":")[0] else "class of the exception"
    parts = [re.sub(r" \S*\[.*| -?[\d.na]+[\w.+-]*$", "", text) for text in (mine, theirs)]
    return "values" if parts[0] == parts[1] else "dtype, shape or strides"


def operator(call):
    return re.search(r"(?:torch\.(?:_C\._\w+\.|ops\.aten\.)?|\)\.)(\w+)\(", call)[1]


def examine(lines, skip):
    """[(kind, operator, call, minivm's outcome, PyTorch's)] of the lines that differ; kind None: explained."""
    differing = []
    for line in lines:
        call, mine = line.rstrip("\n").split("\t", 1)
        theirs = names["outcome"](call)
        if mine != theirs and not close(mine, theirs):
            known = any(first.search(call) and second.search(theirs) for first, second in skip)
            differing.append((None if known else kind_of(mine, theirs), operator(call), call, mine, theirs))
    return differing


def examined(lines, skip):
    """The same in a process of its own, since some calls end PyTorch: None = it did not come to an end."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        with os.fdopen(write, "wb") as out:
            pickle.dump(examine(lines, skip), out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    return pickle.loads(data) if os.waitpid(child, 0)[1] == 0 else None


def main():
    lines, skip = sys.stdin.readlines(), explained()
    found, known, lost = {}, 0, 0
    for start in range(0, len(lines), CHUNK):
        differing = examined(lines[start:start + CHUNK], skip)
        lost += CHUNK if differing is None else 0
        for kind, name, *case in differing or ():
            known += kind is None
            if kind:
                found.setdefault((kind, name), []).append(case)
    for (kind, name), cases in sorted(found.items(), key=lambda item: (item[0][0], -len(item[1]))):
        print(f"{len(cases):5} {kind}: {name}")
        for call, mine, theirs in cases[: 3 if "-v" in sys.argv else 0]:
            print(f"      {call}\n        minivm  {mine[:300]}\n        PyTorch {theirs[:300]}")
    count = sum(map(len, found.values()))
    print(f"compare: {len(lines)} calls, {count} differ, {known} differ as differs.txt says, "
          f"{lost} lie in chunks that ended PyTorch")
    sys.exit(count > 0)


main()
