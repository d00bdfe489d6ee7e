"""Walks that ask `who`: at random stops of random programs, for every name of every frame, whoever has set it last.

The answers are compared with a record of the whole run, which who_record.mpy makes: the instruction that stored the
name last, by the bytecode. The record knows nothing of snapshots, of values that are compared or of the way back; and
every value that a program stores is another one, so that the two must agree. CPYTHON in the environment names a
CPython 3.9 that makes the record instead of minivm.

Most of the programs end in an exception: in a function, a method, a generator, a class body, a callback, below
`finally` and `with`, or by sys.exit(). A session goes through such a program with any commands: each is answered, a
moment has one state, and what the program prints and its exit status are those of a plain run.
"""
import ast
import os
import random
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDER = os.path.join(HERE, "who_record.mpy")
FAR = 10**12
STOPS = 4
QUESTIONS = 60  # of a walk, at most
SECONDS = 300
TICK = re.compile(r"^tick (\d+);", re.M)
FOUND = re.compile(r"^(\w+): .* -> .*$", re.M)
NOT_FOUND = re.compile(r"^(It has not changed since|\w+ is not defined. It was not set since) "
                       r"(the function was called|the run began)\.$", re.M)


# ---- programs

class Writer:
    """A random program: functions that call those before them, so that it comes to an end."""

    def __init__(self, dice):
        self.dice, self.lines, self.functions, self.value = dice, [], [], 100
        self.shared = []  # names of the functions around, that may be set here

    def new(self):
        """A value that no other instruction stores."""
        self.value += self.dice.randrange(1, 50)
        return self.value * 1000

    def add(self, depth, text):
        self.lines.append("    " * depth + text)

    def program(self):
        self.add(0, "import sys")
        for number in range(3):
            self.add(0, "g%d = %d" % (number, self.new()))
        for line in FIXED.strip("\n").split("\n"):
            self.add(0, line.replace("VALUE", str(self.new())) if "VALUE" in line else line)
        for number in range(self.dice.randrange(2, 6)):
            self.function(0, "f%d" % number, self.dice.random() < .25)
        name = "f%d" % self.dice.randrange(len(self.functions))
        self.add(0, "result = use(%s, %d)" % (name, self.new()))
        self.burn(0)
        self.add(0, "g1 = %d" % self.new())
        self.add(0, self.dice.choice(ENDINGS).replace("VALUE", str(self.new())))
        self.add(0, "g2 = %d" % self.new())
        return "\n".join(self.lines) + "\n"

    def burn(self, depth):
        """A long way to go back."""
        if self.dice.random() < .1:
            self.add(depth, "for n in range(%d): t = n + %d" % (self.dice.choice([700, 4000, 9000]), self.new()))

    def function(self, depth, name, generator):
        self.add(depth, "def %s(a, b=%d):" % (name, self.new()))
        variables = ["v%d" % number for number in range(3)]
        before, self.shared = self.shared, self.shared + ["%s_%s" % (name, "x"), "%s_%s" % (name, "y")]
        own = self.shared[-2:]
        outer = [name for name in before if self.dice.random() < .7]
        if outer:
            self.add(depth + 1, "nonlocal " + ", ".join(outer))
        if self.dice.random() < .4:
            self.add(depth + 1, "global g0")
            variables.append("g0")
        for one in own + variables[:2]:
            self.add(depth + 1, "%s = a + %d" % (one, self.new()))
        if depth < 2 and self.dice.random() < .7:
            self.function(depth + 1, "%s_in" % name, False)
            variables += own
            self.add(depth + 1, "%s_in(%d)" % (name, self.new()))
            if self.dice.random() < .5:
                self.add(depth + 1, "keep.append(%s_in)" % name)
            self.functions.pop()
        self.block(depth + 1, variables + outer, generator, 4)
        if generator:
            self.add(depth + 1, "yield %d" % self.new())
        else:
            self.add(depth + 1, "return v0 + %d" % self.new())
        self.shared = before
        self.functions.append((name, generator))

    def block(self, depth, variables, generator, size):
        for _ in range(self.dice.randrange(1, size + 1)):
            self.statement(depth, variables, generator, size - 1)

    def statement(self, depth, variables, generator, size):
        name, kind = self.dice.choice(variables), self.dice.randrange(16)
        if kind < 4 or size == 0:
            self.add(depth, "%s = %s" % (name, self.expression()))
        elif kind == 4:
            self.add(depth, "%s += %d" % (name, self.new()))
        elif kind == 5:
            self.add(depth, "for v1 in range(%d, %d):" % ((start := self.new()), start + 3))
            self.block(depth + 1, variables, generator, size)
        elif kind == 6:
            self.add(depth, "try:")
            self.block(depth + 1, variables, generator, size)
            self.add(depth + 1, "fail(%d)" % self.new())
            self.add(depth, "except ValueError as error:")
            self.block(depth + 1, variables, generator, size)
        elif kind == 7:
            self.add(depth, "try:")
            self.block(depth + 1, variables, generator, size)
            self.add(depth, "finally:")
            self.block(depth + 1, variables, generator, size)
        elif kind == 8:
            self.add(depth, "with Manager(%d) as v2:" % self.new())
            self.block(depth + 1, variables, generator, size)
        elif kind == 9 and generator:
            self.add(depth, "%s = yield %d" % (name, self.new()))
            self.add(depth, "%s = %d" % (name, self.new()))
        elif kind == 10:
            self.add(depth, "%s = %d" % (name, self.new()))
            self.add(depth, "del %s" % name)
            self.add(depth, "%s = %d" % (name, self.new()))
        elif kind == 11:
            self.add(depth, "s = str(%d)" % self.new())
            self.add(depth, "for v1 in range(%d, %d):" % ((start := self.new()), start + 3))
            self.add(depth + 1, "s += str(v1)")
        elif kind == 12:
            self.add(depth, "class C:")
            self.add(depth + 1, "k = %d" % self.new())
            self.add(depth + 1, "k = use(fine, k)")
            self.add(depth, "%s = C.k" % name)
        elif kind < 15:
            self.add(depth, self.dice.choice(CHANGES).replace("VALUE", str(self.new())))
        else:
            self.add(depth, "if a %% 2 == %d:" % self.dice.randrange(2))
            self.block(depth + 1, variables, generator, size)

    def expression(self):
        kind, value = self.dice.randrange(6), self.new()
        if kind == 0:
            return "sum([i + %d for i in range(3)])" % value
        if kind == 1 and self.functions:
            return "use(%s, %d)" % (self.dice.choice(self.functions)[0], value)
        if kind == 2:
            return "sorted([%d, %d], key=lambda q: fine(q))[0] + %d" % (value + 1, value + 2, value)
        return str(value)


# What all programs have, and how they end.
# Of a container that is a variable of the module, by that name or another.
CHANGES = ("many.append(VALUE)", "many.insert(0, VALUE)", "many[-1:] = [VALUE]", "many.extend([VALUE])",
           "table['row'].append(VALUE)", "table['row'][0] = VALUE", "table[1][1].append(VALUE)", "table[VALUE] = VALUE",
           "kinds.add(VALUE)", "kinds.update({VALUE})", "keep.append(VALUE)",
           "table.setdefault('row', []).append(VALUE)")

FIXED = """
keep = []
many = []
table = {"row": [0], 1: (0, [VALUE])}
kinds = set()


class Manager:
    def __init__(self, n):
        self.n = n

    def __enter__(self):
        self.n += 1
        return self.n

    def __exit__(self, kind, value, trace):
        leaving = self.n + VALUE
        return False

    def fail(self, m):
        m = m + VALUE
        fail(m)


class Mortal:
    def __del__(self):
        dying = VALUE
        dying = VALUE


def fine(p):
    p = p + VALUE
    return p


def fail(p):
    q = p
    p = p + VALUE
    raise ValueError(p)


def use(f, v):
    w = f(v)
    if type(w) is int:
        return w
    total = VALUE
    for total in w:
        last = total
    return total


def failing(p):
    yield p + VALUE
    r = p + VALUE
    fail(r)


def below(f, v):
    d = v
    try:
        d = VALUE
        f(v)
    finally:
        d = VALUE
        e = fine(d)


def inside(f, v):
    m = VALUE
    with Manager(v) as h:
        m = h
        f(m)


def leaving(v):
    z = v + VALUE
    sys.exit(z % 7)


def called_back(v):
    return sorted([v, VALUE], key=fail)


def of_class(v):
    class Broken:
        k = VALUE
        k = VALUE
        fail(k)
    return Broken


def counted(n, v):
    if n == 0:
        fail(v)
    v = v + 1
    counted(n - 1, v)


def mortal(v):
    box = [Mortal()]
    box[0] = v
    box = [Mortal()]
    fail(v)


def shared(v):
    c = v

    def more(n):
        nonlocal c
        c += n
        if n > 3:
            fail(c)
        return more
    return more


def in_code(v):
    names = {}
    exec("x = %d" % v, names)
    exec("def f(", names)
"""
ENDINGS = ["", "fail(VALUE)", "below(fail, VALUE)", "inside(fail, VALUE)", "list(failing(VALUE))", "leaving(VALUE)",
           "called_back(VALUE)", "of_class(VALUE)", "counted(4, VALUE)", "mortal(VALUE)", "below(leaving, VALUE)",
           "inside(called_back, VALUE)", "shared(VALUE)(1)(2)(5)", "in_code(VALUE)", "raise SystemExit(3)",
           "below(lambda v: list(failing(v)), VALUE)", "inside(lambda v: below(of_class, v), VALUE)", "g0 = 1 / 0",
           "use(failing, VALUE)", "Manager(VALUE).fail(VALUE)", "[fail(i) for i in range(VALUE, VALUE + 9999)]",
           "class K:\n    k = VALUE\n    k = fail(k)"]


# ---- the record

class Record:
    def __init__(self, minivm, path):
        self.maker = os.environ.get("CPYTHON", minivm)
        self.path = path
        self.read(self.run([]))

    def run(self, ticks):
        done = subprocess.run([self.maker, RECORDER, self.path, *map(str, ticks)], capture_output=True,
                              encoding="utf-8", timeout=SECONDS, env=dict(os.environ, PYTHONHASHSEED="0"))
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout

    def read(self, text):
        found = ast.literal_eval(text)
        self.ticks, self.stores, self.stops = found["ticks"], found["stores"], found["stops"]

    def setters(self, tick, frame, name, kind, value):
        """The ticks at which it may have been set last; none: not since the call, or the beginning."""
        stores = [store for store in self.stores if store[0] < tick and store[2] == name]
        if kind == "shared":  # whose it is shows in the value
            return {store[0] for store in stores if store[3] == value}
        owner = 0 if kind == "global" else frame
        stores = [store for store in stores if store[1] == owner]
        while len(stores) > 1 and stores[-1][3] == stores[-2][3]:  # the same value once more
            stores.pop()
        return {store[0] for store in stores[-1:]}


# ---- the questions

def questions(record, ticks, dice):
    """(tick, how far up, name, where it may have been set, may nothing be found)"""
    asked = []
    for tick in ticks:
        for level, (frame, names) in enumerate(record.stops.get(tick, ())):  # an EXTENDED_ARG has none
            for name, (kind, value) in names.items():
                if name.startswith("."):
                    continue
                setters = record.setters(tick, frame, name, kind, value)
                asked.append((tick, level, name, setters, not setters or (kind == "shared" and value is None)))
    return dice.sample(asked, min(len(asked), QUESTIONS))


def commands_of(record, asked):
    commands = []
    for tick, level, name, _, _ in asked:
        commands += ["goto %d" % (tick if tick < record.ticks else FAR)]
        commands += ["u %d" % level] if level else ["w"]
        commands += ["who " + name, "info ticks"]
    return commands + ["q"]


def judge(question, end, who, ticks):
    """What is wrong with an answer, or ""."""
    tick, level, name, setters, may_be_none = question
    found, arrived = FOUND.search(who), TICK.search(ticks)
    asked = "at tick %d, %d up, who %s: " % (tick, level, name)
    if arrived is None:
        return asked + "no tick in %r" % ticks
    arrived = int(arrived.group(1))
    if found and found.group(1) == name:
        return "" if arrived in setters else asked + "tick %d, not %s" % (arrived, sorted(setters))
    # At the end the debugger may be some instructions further: a __del__ that runs while the trace function is called,
    # since f_locals kept the object, is not traced. So mortal(), which only ends programs, keeps its objects in a list.
    if NOT_FOUND.search(who) and may_be_none and (arrived == tick if tick < end else arrived >= end):
        return ""
    return asked + "%r at tick %d, not %s" % (who, arrived, sorted(setters))


def walk(minivm, number, shows=False):
    """Does one walk; the list of what is wrong with it, and how many questions there were."""
    dice = random.Random("who %d" % number)
    text = Writer(dice).program()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.mpy")
        with open(path, "w") as file:
            file.write(text)
        record = Record(minivm, path)
        ticks = sorted(dice.randrange(record.ticks) for _ in range(STOPS)) + [record.ticks] * (dice.random() < .8)
        record.read(record.run(ticks))
        asked = questions(record, ticks, dice)
        commands = commands_of(record, asked)
        if shows:
            print(text, *commands, sep="\n")
        done = subprocess.run([minivm, "--debug", path], input="\n".join(commands) + "\n", capture_output=True,
                              encoding="utf-8", timeout=SECONDS)
    answers = done.stdout.split("(Pdb) ")[1:]
    if len(answers) < len(commands):
        return ["only %d answers of %d: %s" % (len(answers), len(commands), done.stdout[-500:] + done.stderr)], 0
    faults = [judge(question, record.ticks, answers[4 * i + 2], answers[4 * i + 3])
              for i, question in enumerate(asked)]
    return [fault for fault in faults if fault], len(asked)


# ---- sessions

MOVES = "s n r si ni so c rs rn rr rc rsi rni until undo".split()
STATE = re.compile(r"^tick (\d+, event \d+): state ([0-9a-f]{16})$", re.M)


def command(dice, lines, names):
    kind = dice.random()
    if kind < .5:
        return dice.choice(MOVES)
    if kind < .6:
        return "goto %d" % (FAR if dice.random() < .4 else dice.randrange(2000))
    if kind < .7:
        return "who " + dice.choice(names)
    if kind < .8:
        return dice.choice(["watch " + dice.choice(names), "unwatch"])
    if kind < .9:
        return dice.choice(["u", "d", "w", "locals", "stack", "p " + dice.choice(names)])
    return dice.choice(["b %d" % dice.randrange(1, lines), "tbreak %d" % dice.randrange(1, lines), "cl 1"])


def session(minivm, number):
    dice = random.Random("session %d" % number)
    text = Writer(dice).program()
    names = sorted(set(re.findall(r"\b[a-z]\w*", text)) - {"self"}) + ["nosuchname"]
    commands = [command(dice, text.count("\n"), names) for _ in range(QUESTIONS)]
    for i in range(len(commands), 0, -3):
        commands.insert(i, "info state")
    commands += ["goto %d" % FAR, "q"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.mpy")
        with open(path, "w") as file:
            file.write(text)
        plain, done = [subprocess.run([minivm, *options, path], input=given, capture_output=True, encoding="utf-8",
                                      timeout=SECONDS) for options, given in (
                                          ([], ""), (["--debug"], "\n".join(commands) + "\n"))]
    wrong, states = [], {}
    for moment, state in STATE.findall(done.stdout.replace("(Pdb) ", "\n")):
        if states.setdefault(moment, state) != state:
            wrong.append("two states at tick " + moment)
    if done.stdout.count("(Pdb) ") != len(commands):
        wrong.append("%d commands, %d prompts" % (len(commands), done.stdout.count("(Pdb) ")))
    if done.stderr != plain.stderr:
        wrong.append("it has printed %r, in a plain run %r" % (done.stderr, plain.stderr))
    if done.returncode != plain.returncode:
        wrong.append("the exit status is %d, of a plain run %d" % (done.returncode, plain.returncode))
    return ["session %d: %s" % (number, text) for text in wrong]


def sessions(minivm, numbers, map):
    """Does the sessions with these numbers; how many faults there were."""
    faults = [fault for wrong in map(lambda number: session(minivm, number), numbers) for fault in wrong]
    print(*faults, "%d sessions with programs that end in exceptions, %d faults" % (len(numbers), len(faults)), sep="\n")
    return len(faults)


def show(minivm, number):
    faults, _ = walk(minivm, number, True)
    print(*faults, sep="\n")
    return len(faults) > 0


def main(minivm, numbers, map):
    """Does the walks with these numbers; how many faults there were."""
    faults = questions = 0
    for number, (wrong, count) in zip(numbers, map(lambda number: walk(minivm, number), numbers)):
        for text in wrong:
            print("who-walk %d: %s" % (number, text))
        faults += len(wrong)
        questions += count
    print("%d walks that ask who: %d questions, %d faults" % (len(numbers), questions, faults))
    return faults
