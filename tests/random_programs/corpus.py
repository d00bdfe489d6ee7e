"""A corpus of random programs with the answers of PyTorch and CPython, judged where neither is installed.

    corpus.py write FILE PYTHON GRAMMAR FIRST COUNT [PYTHON GRAMMAR FIRST COUNT]...
    corpus.py check FILE MINIVM

FILE holds no program: the grammar makes it again from its seed, and a sum of the text tells whether the grammar is
still the one that was answered. `differs.txt` names the seeds that have another answer here, each with its reason.
`check` fails where an answer differs that is not listed, or differs in another way or at another line than listed, and
where a listed one does not differ."""
import collections
import importlib
import lzma
import os
import random
import sys
import tempfile
import zlib

from judge import HERE, NoAnswer, Oracle, first_difference, lines_here


def program(grammar, seed):
    head, statements = importlib.import_module(grammar).program(random.Random(int(seed)))
    return head + "".join(statements)


def write(path, *ranges):
    with tempfile.TemporaryDirectory() as folder, lzma.open(path, "wt") as out:
        for python, grammar, first, count in zip(*[iter(ranges)] * 4):
            oracle = Oracle(python, importlib.import_module(grammar).imports, folder)
            for seed in range(int(first), int(first) + int(count)):
                text = program(grammar, seed)
                try:
                    answer = oracle.lines(text)
                except NoAnswer as error:
                    print(f"{grammar} {seed}: no answer, status {error}")
                    continue
                out.write(f"= {grammar} {seed} {zlib.crc32(text.encode())}\n")
                out.writelines(f" {line}\n" for line in answer)
            oracle.end()


def answers(path):
    """{(grammar, seed, sum of the text): the lines of the answer}"""
    found = {}
    with lzma.open(path, "rt") as file:
        for line in file:
            if line.startswith("= "):
                lines = found[tuple(line.split()[1:])] = []
            else:
                lines.append(line[1:-1])
    return found


def listed():
    """{(grammar, seed): reason}"""
    with open(os.path.join(HERE, "differs.txt")) as file:
        rows = [line.split(None, 2) for line in file if line.strip() and not line.startswith("#")]
    return {(grammar, seed): reason.strip() for grammar, seed, reason in rows}


def mark(differs):
    """What the list has of a difference: its kind, and the first word of the line where it is."""
    return f"{differs[0]} at {(differs[1].split() or ['the end'])[0]}"


def check(path, minivm):
    reasons, failed, kinds = listed(), 0, collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for (grammar, seed, total), want in answers(path).items():
            text = program(grammar, seed)
            reason = reasons.get((grammar, seed))
            if str(zlib.crc32(text.encode())) != total:
                complaint = "the grammar makes another program than the one that was answered: write the file again"
            else:
                differs = first_difference(importlib.import_module(grammar), want, lines_here(minivm, text, folder))
                kinds[differs and differs[0]] += 1
                complaint = None
                if differs and not (reason or "").startswith(mark(differs) + ":"):
                    complaint = "\n    ".join([mark(differs), *differs[1:]])
                elif reason and not differs:
                    complaint = "no longer differs: " + reason
            if complaint:
                failed += 1
                print(f"{grammar} {seed}: {complaint}")
    total, same = sum(kinds.values()), kinds[None]
    print(f"{total} programs: {same} the same, {total - same} differ; {failed} to be looked at")
    return bool(failed)


if __name__ == "__main__":
    sys.exit({"write": write, "check": check}[sys.argv[1]](*sys.argv[2:]))
