"""Random programs: another Python, or PyTorch in it, against minivm.

    judge.py PYTHON MINIVM GRAMMAR FIRST COUNT

GRAMMAR is a module of this folder with `imports`, the modules that its programs need, and `program(random)`, which
gives the beginning of a program and a list of statements. Each statement prints what it did, or the error that it
raised. The programs of the seeds FIRST, FIRST + 1 ... are run on both sides. The first line that differs decides the
kind of a difference: by its first word, where the grammar has `kinds` with a name for it. For each kind the shortest
program is shown, from which every statement is left out that the difference does not need. The exit status is 0 where
all programs have the same answers on both sides.
"""
import collections
import importlib
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


class NoAnswer(Exception):
    """A signal or the clock has ended the oracle: its grammar has to be mended so that it writes no such program."""


class Oracle:
    """Another Python: what the programs print there."""

    def __init__(self, python, imports, folder):
        self.path = os.path.join(folder, "program.py")
        self.process = subprocess.Popen([python, os.path.join(HERE, "oracle.py"), *imports], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**os.environ, "PYTHONHASHSEED": "0"})

    def lines(self, text):
        with open(self.path, "w") as out:
            out.write(text)
        self.process.stdin.write(self.path + "\n")
        self.process.stdin.flush()
        status = self.process.stdout.readline().strip()
        if status != "0":
            raise NoAnswer(status)
        with open(self.path[:-3] + ".want") as file:
            return file.read().splitlines()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def lines_here(minivm, text, folder):
    path = os.path.join(folder, "here", "program.py")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)
    try:
        done = subprocess.run([minivm, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=100)
    except subprocess.TimeoutExpired:
        return ["END no end"]
    lines = done.stdout.splitlines()
    if done.returncode < 0:
        lines.append(f"END signal {-done.returncode}")
    elif done.returncode:
        last = done.stderr.splitlines()[-1:]
        lines += ["END " + line.replace(": ", " ", 1) for line in last]
    return lines


def first_difference(grammar, want, have):
    """(its kind, the line there, the line here), or None."""
    want, have = ([re.sub("0x[0-9a-f]+", "0x", line) for line in lines] for lines in (want, have))
    for there, here in zip(want + ["END"], have + ["END"]):
        if there != here:
            return kind_of(getattr(grammar, "kinds", {}), there, here), there, here
    return None


def error_in(line):
    found = re.match(r"\w+ (\w*(?:Error|Exception|Warning|StopIteration))\b", line)
    return found and found.group(1)


def kind_of(kinds, there, here):
    for line in (there, here):  # of a step that one side does not have, the other one tells the kind
        if line.split(" ", 1)[0] in kinds:
            return kinds[line.split(" ", 1)[0]]
    if here.startswith("END"):
        return "ends early here"
    first, second = error_in(there), error_in(here)
    if first and second:
        return "text of an error" if first == second else "type of an error"
    return "refused there only" if first else "refused here only" if second else "result"


def shortest(difference, head, statements, kind):
    """Leaves out statements, from the last one, while a difference of this kind stays."""
    kept = list(statements)
    for i in reversed(range(len(statements))):
        fewer = kept[:i] + kept[i + 1:]
        try:
            found = difference(head + "".join(fewer))
        except NoAnswer:
            continue
        if found and found[0] == kind:
            kept = fewer
    return kept


def main(python, minivm, grammar, first, count):
    module = importlib.import_module(grammar)
    found, unanswered = collections.defaultdict(list), 0
    with tempfile.TemporaryDirectory() as folder:
        oracle = Oracle(python, module.imports, folder)

        def difference(text):
            return first_difference(module, oracle.lines(text), lines_here(minivm, text, folder))

        for seed in range(int(first), int(first) + int(count)):
            head, statements = module.program(random.Random(seed))
            try:
                differs = difference(head + "".join(statements))
            except NoAnswer as error:
                print(f"seed {seed}: no answer, status {error}")
                unanswered += 1
                continue
            if differs:
                found[differs[0]].append((len(statements), seed))
        for kind, cases in sorted(found.items(), key=lambda item: -len(item[1])):
            print(f"{len(cases):5} {kind}: seeds", *(seed for _, seed in cases[:12]))
        same = int(count) - unanswered - sum(map(len, found.values()))
        print(f"{grammar}: {count} programs, {same} the same, {unanswered} without an answer")
        for kind, cases in found.items():
            head, statements = module.program(random.Random(min(cases)[1]))
            kept = shortest(difference, head, statements, kind)
            print(f"\n# {kind}, seed {min(cases)[1]}\n{''.join(kept)}", end="")
            print("#", *difference(head + "".join(kept))[1:], sep="\n#   ")
        oracle.end()
    return bool(found or unanswered)


if __name__ == "__main__":
    sys.path.insert(0, HERE)
    sys.exit(main(*sys.argv[1:]))
