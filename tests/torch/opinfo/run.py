"""The operators against PyTorch's own samples, as tables: run.py MINIVM TORCH_PYTHON FILE [OPERATOR].

TORCH_PYTHON writes the samples and its answers into FILE, unless they are there (samples.py); minivm runs them
(judge.mpy). A sample that ends its process is counted as such, and another process goes on behind it. The first table
counts the samples by cause and dtype; the second one names, by cause and operator, how many there are, the first sample's line in
FILE and what it says; with an OPERATOR only those of that operator. No exit status depends on the tables: they are read.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
SECONDS = 300
CAUSES = {
    "same": "the same values, dtypes, shapes, strides and gradient",
    "eigenvectors": "other eigenvectors, which fulfil their equations",
    "cancelled": "another gradient, as near the exact one as PyTorch's",
    "values": "other values",
    "gradient": "another gradient, or none",
    "dtype": "another dtype",
    "shape": "another shape",
    "kind": "a result of another kind",
    "strides": "the same values with other strides",
    "refused": "the call is refused",
    "absent": "the name is absent",
    "ended": "the process was ended",
}


def judged_from(minivm, path, first):
    """The verdicts from that sample on, and the sample that ended the process (None = it came to its end)."""
    done = subprocess.run([minivm, str(HERE / "judge.mpy"), path, str(first)], capture_output=True, text=True,
                          timeout=SECONDS)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode and not lines:
        sys.exit(done.stderr)
    return [line for line in lines if "cause" in line], lines[-1] if done.returncode else None


def judged(minivm, path):
    verdicts, first, ended = [], 0, None
    while first is not None:
        some, ended = judged_from(minivm, path, first)
        verdicts += some
        if ended:
            verdicts.append({**ended, "cause": "ended", "detail": ""})
        first = ended["sample"] + 1 if ended else None
    return verdicts


def print_counts(verdicts):
    """How many samples of each dtype have which verdict."""
    count = collections.Counter((verdict["cause"], verdict["dtype"]) for verdict in verdicts)
    dtypes = sorted({verdict["dtype"] for verdict in verdicts})
    print("| " + " | ".join(("samples", *dtypes, "")) + " |\n" + "|---" * (len(dtypes) + 2) + "|")
    for cause, meaning in CAUSES.items():
        row = [count[cause, dtype] for dtype in dtypes]
        if sum(row):
            print("| " + " | ".join((f"{sum(row):,}", *(f"{number:,}" for number in row), meaning)) + " |")
    row = [sum(count[cause, dtype] for cause in CAUSES) for dtype in dtypes]
    print("| " + " | ".join((f"{sum(row):,}", *(f"{number:,}" for number in row), "in all")) + " |\n")


def print_tables(verdicts):
    print_counts(verdicts)
    groups = collections.defaultdict(list)
    for verdict in verdicts:
        if verdict["cause"] != "same":
            groups[list(CAUSES).index(verdict["cause"]), verdict["operator"]].append(verdict)
    print("| cause | operator | samples | first | what it says |\n|---|---|---|---|---|")
    for (cause, operator), group in sorted(groups.items()):
        detail = group[0]["detail"].replace("\n", " ")[:90]
        print(f"| {list(CAUSES)[cause]} | {operator} | {len(group)} | {group[0]['sample'] + 1} | {detail} |")


def main(minivm, torch_python, path, operator=None):
    if not os.path.exists(path):
        has_torch = subprocess.run([torch_python, "-c", "import torch"], capture_output=True).returncode == 0
        if not has_torch:
            sys.exit(f"opinfo: {torch_python} has no PyTorch (TORCH_PYTHON names a Python that has)")
        subprocess.run([torch_python, str(HERE / "samples.py"), path], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    verdicts = judged(minivm, path)
    if operator:
        verdicts = [verdict for verdict in verdicts if verdict["operator"] == operator]
    print_tables(verdicts)


main(*sys.argv[1:])
