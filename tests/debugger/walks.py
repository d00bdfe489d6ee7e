"""walks.py MINIVM WALKS: random walks, forwards and backwards, through the scripts of tests/scripts.

After every command `info state` gives the moment (tick and event) and a number made of all frames and objects
(vm/debugger/state_hash.h). A moment must have the same number in every walk of a script, however it was reached; where the
program is told how long something took, or what the system calls its files, that holds within a walk, which has one
recorded run. At the end a walk goes to the program's end, and what the program has printed and its exit status must be those of a plain run, everything
printed once. walked.mpy gives the program's output a descriptor of its own, so that the debugger's text does not mix
with it.

A fifth as many walks ask who has set what, and as many sessions go through programs that end in exceptions:
who_walks.py.

A walk is known by its script and number: `walks.py MINIVM ROOM/NAME.mpy NUMBER` does that one alone and shows its commands; `walks.py
MINIVM who NUMBER` one that asks who.
"""
import concurrent.futures
import glob
import os
import random
import re
import subprocess
import sys
import who_walks

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = os.path.join(os.path.dirname(HERE), "scripts")
LAUNCHER = os.path.join(HERE, "walked.mpy")
TIMED = ["253_gc_debug.mpy"]  # prints how long a collection took
ASKS_OUTSIDE = re.compile(r"^import (os|tempfile)$", re.M)  # times of files, names of temporary ones
FAR = 10**12
MOTIONS = 20
SECONDS = 600
FORWARDS = "s n si ni so r until c".split()
BACKWARDS = "rs rn rr rc rsi rni".split()
STATE = re.compile(r"^(?:\(Pdb\) )*tick (\d+), event (\d+): state ([0-9a-f]{16})$", re.M)
ADDRESSES = re.compile(r"0x7f[0-9a-f]{10}")  # objects lie elsewhere where no debugger runs
REFUSALS = re.compile(r"^==\d+==WARNING: AddressSanitizer failed to allocate .*\n", re.M)
LIMIT = re.compile(r"the run is known up to tick (\d+)")


class Script:
    def __init__(self, minivm, path):
        self.minivm = minivm
        self.path = path
        self.name = os.path.basename(path)
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        self.lines = text.count("\n") + 1
        self.is_told_other_things = self.name in TIMED or ASKS_OUTSIDE.search(text)
        self.names = sorted(set(re.findall(r"^(\w+) = ", text, re.M))) or ["x"]
        self.plain = self.run([], "")
        length = LIMIT.search(self.run(["--debug"], "goto %d\ninfo ticks\nq\n" % FAR).stdout)
        self.ticks = int(length.group(1)) if length else 0
        self.states = {}  # moment -> (number, the walk that saw it first)
        self.visits = 0

    def run(self, options, commands):
        return subprocess.run([self.minivm, *options, LAUNCHER, self.name], input=commands, capture_output=True,
                              encoding="utf-8", errors="replace", cwd=os.path.dirname(self.path), timeout=SECONDS)


def command(script, dice):
    kind = dice.random()
    if kind < .35:
        return dice.choice(FORWARDS)
    if kind < .70:
        return dice.choice(BACKWARDS)
    if kind < .85:
        return "goto %d" % dice.randrange(script.ticks + 1)
    if kind < .90:
        return "undo"
    if kind < .95:
        return dice.choice(["b %s:%d" % (script.path, dice.randrange(script.lines) + 1), "cl 1"])
    return dice.choice(["watch " + dice.choice(script.names), "unwatch 1"])


def commands_of(script, number):
    dice = random.Random("%s %d" % (script.name, number))
    commands = ["goto %d" % dice.randrange(script.ticks + 1), "info state"]
    for _ in range(MOTIONS):
        commands += [command(script, dice), "info state"]
    return commands + ["goto %d" % FAR, "info state", "q"]


def said(done):
    """What went to standard error, but for what no two processes have in common."""
    return REFUSALS.sub("", ADDRESSES.sub("0x", done.stderr))


def walk(script, number):
    """Does one walk; the list of what is wrong with it."""
    commands = commands_of(script, number)
    try:
        done = script.run(["--debug"], "\n".join(commands) + "\n")
    except subprocess.TimeoutExpired:
        return ["is not done after %d s" % SECONDS]
    wrong = []
    if script.is_told_other_things:
        script.states.clear()
    for tick, event, state in STATE.findall(done.stdout):
        first, seen_by = script.states.setdefault((int(tick), int(event)), (state, number))
        if first != state:
            wrong.append("the state at tick %s, event %s is not that of walk %d" % (tick, event, seen_by))
    visits = len(STATE.findall(done.stdout))
    if visits < MOTIONS + 2:
        wrong.append("only %d moments were visited" % visits)
    if said(done) != said(script.plain):
        wrong.append("the program's output is not that of a plain run")
    if done.returncode != script.plain.returncode:
        wrong.append("the exit status is %d, of a plain run %d" % (done.returncode, script.plain.returncode))
    script.visits += visits
    return wrong


def walk_all(script, numbers):
    return [(number, text) for number in numbers for text in walk(script, number)]


def show(minivm, name, number):
    script = Script(minivm, os.path.join(SCRIPTS, name))
    print(*commands_of(script, number), sep="\n")
    faults = walk(script, number)
    print(*faults, sep="\n")
    return len(faults) > 0


def main(minivm, walks, number=None):
    minivm = os.path.abspath(minivm)
    if number is not None:
        return who_walks.show(minivm, int(number)) if walks == "who" else show(minivm, walks, int(number))
    paths = sorted(glob.glob(os.path.join(SCRIPTS, "*", "*.mpy")))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        scripts = list(pool.map(lambda path: Script(minivm, path), paths))
        numbers = [range(i, int(walks), len(scripts)) for i in range(len(scripts))]
        results = list(pool.map(walk_all, scripts, numbers))
    faults = [(script.name, *fault) for script, result in zip(scripts, results) for fault in result]
    for fault in faults:
        print("%s, walk %d: %s" % fault)
    visits = sum(script.visits for script in scripts)
    moments = sum(len(script.states) for script in scripts)
    print("%s walks through %d scripts: %d moments visited, %d of them different, %d faults" % (
        walks, len(scripts), visits, moments, len(faults)))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        numbers = range((int(walks) + 4) // 5)
        asking = who_walks.main(minivm, numbers, pool.map)
        in_sessions = who_walks.sessions(minivm, numbers, pool.map)
    return len(faults) + asking + in_sessions > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
