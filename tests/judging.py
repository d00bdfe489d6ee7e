"""Test suites of others as judges: what cpython/judge.py and torch/judge/dynamo_tests.py share.

A test counts if the oracle passes it; then minivm passes it too, or is listed with its cause. `Outcomes.run` has
outcomes.mpy run the tests of one module, in a process that goes on in another one behind a test that ended it. `group`
sorts what fails by cause; `judge` does it all for several modules, and puts the tables between the marks of a README.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile
from collections import Counter

SECONDS = 120
OUTCOMES = pathlib.Path(__file__).parent / "outcomes.mpy"
BEGIN, END = "<!-- written by judge.py -->", "<!-- end -->"
UNEXPLAINED = "not explained yet"


class Outcomes:
    """What a program says of a module's tests."""

    def __init__(self, seconds=SECONDS):
        self.seconds = seconds      # for a process
        self.tests = {}  # name -> (outcome, reason)
        self.examples = self.wrong_examples = 0
        self.ended = []  # what a process ended by that did not come to its end

    def run(self, program, module, environment):
        last = None
        while True:
            text, end = self._run_process(program, [module, last] if last else [module], environment)
            running = self._read(text)
            if end is None or running in (None, last):
                if end is not None:
                    self.ended.append(end)
                return self
            self.tests[running] = "failed", end
            self.ended.append(end)
            last = running

    def _run_process(self, program, words, environment):
        with tempfile.TemporaryDirectory() as folder:
            try:
                done = subprocess.run([program, str(OUTCOMES), *words], cwd=folder, env=environment, text=True,
                                      stdin=subprocess.DEVNULL, capture_output=True, timeout=self.seconds, errors="replace")
            except subprocess.TimeoutExpired as expired:
                return (expired.stdout or b"").decode(errors="replace"), f"takes more than {self.seconds} s"
        if done.returncode < 0:
            return done.stdout, f"ended by signal {-done.returncode}"
        if done.returncode and "\n@ " not in done.stdout:
            return done.stdout, (done.stderr.strip().splitlines() or ["ended"])[-1]
        return done.stdout, None

    def _read(self, text):
        """The test that was begun last and has not ended."""
        running = None
        for line in text.splitlines():
            if line.startswith("# "):
                running = line[2:]
            elif line.startswith("= ") and line.count("\t") >= 2:
                name, outcome, reason = line[2:].split("\t", 2)
                self.tests[name] = outcome, reason
                running = None
            elif line.startswith("@ "):
                self.examples, self.wrong_examples = map(int, line.split()[1:])
        return running


def row(columns):
    return "| " + " | ".join(map(str, columns)) + " |"


def table(columns, rows):
    yield row(columns)
    yield "|---" * len(columns) + "|"
    yield from map(row, [*rows, ["all", *map(sum, zip(*(counts for _, *counts in rows)))]])


def group(missing, causes):
    """The tests that fail, by cause, the first whose pattern is in "name | outcome reason"; else a cause of their own."""
    groups = {}
    for name, reason in missing:
        cause = next((cause for cause, pattern in causes if re.search(pattern, f"{name} | {reason}")), UNEXPLAINED)
        groups.setdefault(cause, []).append((name, reason))
    return sorted(groups.items(), key=lambda pair: (pair[0] == UNEXPLAINED, -len(pair[1])))


def causes_table(groups):
    yield row(("cause", "tests", "which"))
    yield "|---|---|---|"
    for cause, tests in groups:
        names = Counter(name.split(".")[1] if name.startswith("test.") else name for name, _ in tests)
        yield row((cause, len(tests), ", ".join(f"{name} {count}" if count > 1 else name for name, count in names.items())))


def write_tables(path, lines):
    head, rest = path.read_text().split(BEGIN)
    path.write_text(head + "\n".join([BEGIN, "", *lines, "", END]) + rest.split(END)[1])


def counts_of(oracle, ours, missing):
    """Tests that the oracle passes, those of them that pass here, doctests, right ones; what fails goes to `missing`."""
    wanted = [name for name, (outcome, _) in oracle.tests.items() if outcome == "passed"]
    failed = [name for name in wanted if ours.tests.get(name, ("",))[0] != "passed"]
    end = "not run", ours.ended[-1] if ours.ended else ""
    missing += [(name, " ".join(ours.tests.get(name, end))) for name in failed]
    right = min(ours.examples - ours.wrong_examples, oracle.examples)
    return len(wanted), len(wanted) - len(failed), oracle.examples, right


def judge(modules, outcomes_of, columns, causes, readme=None):
    """Runs the modules, `outcomes_of(module)` by oracle and minivm, prints the tables, writes them if there is a README."""
    rows, missing, crashed = [], [], False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for module, (oracle, ours) in zip(modules, pool.map(outcomes_of, modules)):
            rows.append((module, *counts_of(oracle, ours, missing)[:len(columns) - 1]))
            crashed = crashed or any("signal" in end or "takes" in end for end in ours.ended)
    groups = group(missing, causes)
    if readme:
        write_tables(readme, [*table(columns, rows), "", *causes_table(groups)])
    print(*table(columns, rows), sep="\n")
    for cause, tests in groups:
        print(f"\n{cause}: {len(tests)}")
        for name, reason in tests:
            print("-", name, "|", reason)
    return crashed
