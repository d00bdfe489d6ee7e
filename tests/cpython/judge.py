#!/usr/bin/env python3.9
"""CPython's own tests of its core, unmodified, as the judge: judge.py MINIVM [MODULE ...], run by CPython 3.9.

Each of the files below is read where this CPython is installed, and run by it and by minivm, which has nothing of CPython
but MINIVMPATH. A test counts if CPython passes it; then minivm passes it too, or is listed with its reason. Where
a process ends or takes too long, another one goes on behind the test that it was in. Doctests are counted apart.
Without a MODULE it runs them all and puts the figures into README.md. Exit status 1: minivm was ended by a signal, or
did not end.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import Counter

SECONDS = 120
HERE = pathlib.Path(__file__).parent
LIB = os.path.dirname(os.__file__)
MODULES = """
grammar syntax scope dis peepholer code frame funcattrs keywordonlyarg positional_only_arg extcall call class descr
metaclass super property decorators subclassinit isinstance generators genexps listcomps dictcomps setcomps yield_from
coroutines asyncgen exceptions exception_variations raise with contextlib unpack unpack_ex named_expressions fstring
string_literals format int long float complex bool int_literal numeric_tower unicode bytes list tuple dict dictviews set
slice range iter enumerate sort builtin compare richcmp opcodes binop augassign global compile ast symtable types typing
dataclasses enum functools itertools collections operator heapq bisect copy random math json re textwrap string
traceback weakref gc inspect sys_settrace marshal
""".split()
BEGIN, END = "<!-- written by judge.py -->", "<!-- end -->"
UNEXPLAINED = "not explained yet"
# Why a test fails: the first pattern that is found in "name | outcome reason".
CAUSES = [
    ("CPython's C interface (`_testcapi`, `ctypes`, `xxsubtype`)",
     r"_testcapi|_ctypes|calls no foreign functions|xxsubtype|ContainerNoGC|TestCallingConventions|CoExtra"),
    ("another process, a fork, a terminal", r"starts no processes|fork\(\)|PtyTests"),
    ("threads", r"start new thread|faulthandler"),
    ("text of CPython's own: docstrings, words of messages, examples in them",
     r"test_dis\.|^builtins\.|^json|_doc \||descrdoc|builtin_update|getcallargs|GetcallargsF|GetcallargsM|GetcallargsU"),
    ("the test takes the module `heapq` from sys.modules, where in CPython unittest (by asyncio) has put it", r"^merge"),
    ("an instance's dict has its own keys (`differences/a_dict_has_its_own_keys.mpy`)", r"splittable|SharedKeyTests"),
    ("the test skips itself, as the conversion is too fast to be timed", r"conversion took only"),
    ("modules in C are part of the program, not files", r"not an external binary module"),
    ("numbers have no identity", r"InstancingTestCase\.test(Float|Int)"),
    ("the library is in the binary, not in files", r"test_stdlib_validates|test_fstring\.TestCase\.test_global"),
    ("the engine of `re` is another one: so are its programs, and what re.DEBUG could print", r"test_re\."),
    ("codecs `utf_7` and `idna`", r"test_codecs"),
    ("`_decimal`", r"requires _decimal"),
    ("names of modules that are left out", r"pydoc|get_inheritable"),
    ("the parser takes NFKC from its own tables, not from the module `unicodedata`", r"test_issue31592"),
    ("a key of a class's dict that is no string is not asked while an attribute is looked up", r"test_type_lookup_mro_reference"),
]


class Outcomes:
    """What a program says of a module's tests."""

    def __init__(self):
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
                done = subprocess.run([program, str(HERE / "outcomes.mpy"), *words], cwd=folder, env=environment, text=True,
                                      stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, errors="replace")
            except subprocess.TimeoutExpired as expired:
                return (expired.stdout or b"").decode(errors="replace"), f"takes more than {SECONDS} s"
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


def judge(minivm, module):
    environment = {**os.environ, "PYTHONHASHSEED": "0", "MINIVMPATH": LIB}
    return (Outcomes().run(sys.executable, module, environment), Outcomes().run(minivm, module, environment))


def row(columns):
    return "| " + " | ".join(map(str, columns)) + " |"


def table(rows):
    total = ["all", *map(sum, zip(*(counts for _, *counts in rows)))]
    yield row(("file", "tests that CPython passes", "minivm passes", "doctests", "minivm's"))
    yield "|---|---|---|---|---|"
    yield from map(row, [*rows, total])


def group(missing):
    """The tests that fail, by cause; a cause of their own for those that no pattern names."""
    groups = {}
    for name, reason in missing:
        cause = next((cause for cause, pattern in CAUSES if re.search(pattern, f"{name} | {reason}")), UNEXPLAINED)
        groups.setdefault(cause, []).append((name, reason))
    return sorted(groups.items(), key=lambda pair: (pair[0] == UNEXPLAINED, -len(pair[1])))


def causes(groups):
    yield row(("cause", "tests", "which"))
    yield "|---|---|---|"
    for cause, tests in groups:
        names = Counter(name.split(".")[1] if name.startswith("test.") else name for name, _ in tests)
        yield row((cause, len(tests), ", ".join(f"{name} {count}" if count > 1 else name for name, count in names.items())))


def write_readme(rows, groups):
    """Puts the two tables where the README has its marks."""
    path = HERE / "README.md"
    head, rest = path.read_text().split(BEGIN)
    lines = [BEGIN, "", *table(rows), "", *causes(groups), "", END]
    path.write_text(head + "\n".join(lines) + rest.split(END)[1])


def counts_of(cpython, ours, missing):
    """Tests that CPython passes, those of them that pass here, doctests, right ones; what fails goes to `missing`."""
    wanted = [name for name, (outcome, _) in cpython.tests.items() if outcome == "passed"]
    failed = [name for name in wanted if ours.tests.get(name, ("",))[0] != "passed"]
    end = "not run", ours.ended[-1] if ours.ended else ""
    missing += [(name, " ".join(ours.tests.get(name, end))) for name in failed]
    right = min(ours.examples - ours.wrong_examples, cpython.examples)
    return len(wanted), len(wanted) - len(failed), cpython.examples, right


def main(minivm, *names):
    minivm = os.path.abspath(minivm)
    modules = names or ["test_" + name for name in MODULES]
    rows, missing, crashed = [], [], False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for module, (cpython, ours) in zip(modules, pool.map(lambda module: judge(minivm, module), modules)):
            rows.append((module, *counts_of(cpython, ours, missing)))
            crashed = crashed or any("signal" in end or "takes" in end for end in ours.ended)
    groups = group(missing)
    if not names:
        write_readme(rows, groups)
    print(*table(rows), sep="\n")
    for cause, tests in groups:
        print(f"\n{cause}: {len(tests)}")
        for name, reason in tests:
            print("-", name, "|", reason)
    sys.exit(crashed)


main(*sys.argv[1:])
