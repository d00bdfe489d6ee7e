#!/usr/bin/env python3.9
"""CPython's own tests of its core, unmodified, as the judge: judge.py MINIVM [MODULE ...], run by CPython 3.9.

Each of the files below is read where this CPython is installed, and run by it and by minivm, which has nothing of CPython
but MINIVMPATH. A test counts if CPython passes it; then minivm passes it too, or is listed with its reason. Where
a process ends or takes too long, another one goes on behind the test that it was in. Doctests are counted apart.
Exit status 1: minivm was ended by a signal, or did not end.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

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


def main(minivm, *names):
    minivm = os.path.abspath(minivm)
    modules = names or ["test_" + name for name in MODULES]
    wanted_all = passed_all = examples_all = right_all = 0
    missing, crashed = [], False
    print("%-28s %8s %8s   %s" % ("module", "CPython", "minivm", "doctests"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for module, (cpython, ours) in zip(modules, pool.map(lambda module: judge(minivm, module), modules)):
            wanted = [name for name, (outcome, _) in cpython.tests.items() if outcome == "passed"]
            failed = [name for name in wanted if ours.tests.get(name, ("",))[0] != "passed"]
            right = ours.examples - ours.wrong_examples
            wanted_all, passed_all = wanted_all + len(wanted), passed_all + len(wanted) - len(failed)
            examples_all, right_all = examples_all + cpython.examples, right_all + min(right, cpython.examples)
            print("%-28s %8d %8d   %d of %d" % (module, len(wanted), len(wanted) - len(failed), right, cpython.examples),
                  flush=True)
            missing += [(name, " ".join(ours.tests.get(name, ("not run", ours.ended[-1] if ours.ended else "")))) for name in failed]
            crashed = crashed or any("signal" in end or "takes" in end for end in ours.ended)
    print("%-28s %8d %8d   %d of %d" % ("all", wanted_all, passed_all, right_all, examples_all))
    for name, reason in missing:
        print("-", name, "|", reason)
    sys.exit(crashed)


main(*sys.argv[1:])
