"""Many cases of fuzz_torch.mpy, and what PyTorch says of some of them: run.py MINIVM CASES [TORCH_PYTHON].

The cases, of each kind so many, run in chunks, each in a process of its own, which gets little memory and time. A process that ends in another
way than by exit() runs again with --trace, so that the case can be named; the next chunk begins after it. Then the first
COMPARED cases meet PyTorch (compare.py), if TORCH_PYTHON has one: what differs is counted, and is no failure.
"""
import os
import pathlib
import shutil
import subprocess
import sys

CHUNK, SECONDS, COMPARED = 10000, 600, 20000
KINDS = "", "hostile", "fake"
HERE = pathlib.Path(__file__).parent
PROGRAM = str(HERE / "fuzz_torch.mpy")
# A tensor of a petabyte is MemoryError, not the sanitizer's business; nor is one that takes a second to fill.
LIMITED = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1:max_allocation_size_mb=16:detect_leaks=0"}


def run(minivm, first, count, *options):
    return subprocess.run([minivm, PROGRAM, str(first), str(count), *options], env=LIMITED, capture_output=True, text=True,
                          errors="replace", timeout=SECONDS)


def last_traced(minivm, first, count, kind):
    """The case that does not come to an end: its number and its text."""
    try:
        text = run(minivm, first, count, "--trace", kind).stderr
    except subprocess.TimeoutExpired as expired:
        text = (expired.stderr or b"").decode(errors="replace")
    lines = [line for line in text.splitlines() if line.partition(" ")[0].isdigit()]
    return lines[-1] if lines else f"{first + count - 1} (not found)"


def run_chunk(minivm, first, end, kind):
    """(the case to go on with, whether all was well)"""
    try:
        done = run(minivm, first, end - first, "", kind)
        if done.returncode in (0, 1) and "fuzz_torch:" in done.stdout:
            print("".join(line + "\n" for line in done.stdout.splitlines() if "case" in line), end="")
            return end, done.returncode == 0
    except subprocess.TimeoutExpired:
        pass
    case = last_traced(minivm, first, end - first, kind)
    print(f"run.py: minivm ends in {kind} case {case}", flush=True)
    return int(case.partition(" ")[0]) + 1, False


def run_all(minivm, cases, kind):
    failures, first = 0, 0
    while first < cases:
        first, well = run_chunk(minivm, first, min(first + CHUNK, cases), kind)
        failures += not well
    print(f"run.py: {cases} {kind} cases, {failures} chunks with a failure")
    return failures


def compare(minivm, torch_python, cases):
    if not shutil.which(torch_python) or subprocess.run([torch_python, "-c", "import torch"], capture_output=True).returncode:
        print(f"run.py: {torch_python} has no PyTorch: nothing is compared")
        return
    printed = run(minivm, 0, min(cases, COMPARED), "--print").stdout
    done = subprocess.run([torch_python, str(HERE / "compare.py")], input=printed, capture_output=True, text=True)
    print(done.stdout, end="")


def main(minivm, cases, torch_python="python3"):
    failures = sum(run_all(minivm, int(cases), kind) for kind in KINDS)
    compare(minivm, torch_python, int(cases))
    sys.exit(failures > 0)


main(*sys.argv[1:])
