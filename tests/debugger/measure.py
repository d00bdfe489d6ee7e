"""measure.py MINIVM [back] [slowdown] [memory]: what the debugger costs, with the goals beside it.

    back      milliseconds of wall time that a command backwards takes until the next prompt, in runs of about ten
              million instructions; half of the moments are anywhere, half near the end
    slowdown  user and system time of the programs of tests/bench, recorded against not, as they measure themselves
    memory    the largest sum of Pss of all processes, recorded against not, and while one walks back

Wall time means something only on a machine that is idle, or with `chrt -f 10` in front.
"""
import glob
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

BENCH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bench")
FAR = 10**12
ROUNDS = 40
WALKS = 12
SECONDS = 1.0  # that a program of tests/bench is made to last, about

PROGRAMS = {
    "loop": """
total = 0
for i in range(900000):
    total = (total * 3 + i) % 1000003
    if total & 1:
        total += 1
print(total)
""",
    "calls": """
def add(x, y):
    return x + y
def twice(x):
    return add(x, x)
total = 0
for i in range(500000):
    total = twice(total) % 1000003
print(total)
""",
    "recursion": """
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
print(fib(27))
""",
    "generators": """
def numbers(n):
    for i in range(n):
        yield i
def squares(it):
    for x in it:
        yield x * x
total = 0
for x in squares(numbers(500000)):
    total += x & 15
print(total)
""",
    "objects": """
class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y
live = [Point(i, [i, i + 1]) for i in range(50000)]
for i in range(400000):
    live[i * 7919 % 50000] = Point(i, [i, i + 1])
print(len(live))
""",
    "deep": """
def work(n):
    total = 0
    for i in range(n):
        total += len(str(i))
    return total
def down(n):
    if n:
        return down(n - 1) + 1
    return sum([work(1000) for i in range(1200)])
print(down(900))
""",
}

REWRITE = """
items = [float(i) for i in range(1000)]
blocks = [bytearray(4096) for i in range({mib} * 256)]
for round in range({rounds}):
    for block in blocks:
        block[round] = 1
        block[round + 2048] = 1
    grid = [[i, i + 1] for i in range({mib} * 4096)]
print(len(blocks))
"""

REPEAT = """
import sys, time
text = open(sys.argv[1]).read()
code = compile(text, sys.argv[1], "exec")
out, sys.stdout = sys.stdout, type(sys)("nowhere")
sys.stdout.write = sys.stdout.flush = lambda *text: None
before = time.process_time()
for i in range(int(sys.argv[2])):
    exec(code, {"__name__": "__main__"})
sys.stderr.write("%.4f\\n" % (time.process_time() - before))
"""


def percentile(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]


class Debugger:
    def __init__(self, minivm, *program):
        self.process = subprocess.Popen([minivm, "--debug", *program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, bufsize=0, start_new_session=True)
        self.answer()

    def answer(self):
        text = b""
        while not text.endswith(b"(Pdb) "):
            more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                raise SystemExit("the debugger has ended: %r" % text)
            text += more
        return text.decode("utf-8", "replace")

    def do(self, command):
        """The answer and the milliseconds."""
        start = time.perf_counter()
        self.process.stdin.write(command.encode() + b"\n")
        text = self.answer()
        return text, (time.perf_counter() - start) * 1000

    def end(self):
        self.process.stdin.write(b"q\n")
        self.process.wait()


def pss(session):
    """KiB of all processes of a session."""
    total = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getsid(int(pid)) != session:
                continue
            with open("/proc/%s/smaps_rollup" % pid) as file:
                total += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        except OSError:
            pass
    return total


def largest_pss(command, commands=None):
    """The same while a program runs, the largest."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True)
    threading.Thread(target=process.communicate, args=(commands,)).start()
    largest = 0
    while process.poll() is None:
        largest = max(largest, pss(process.pid))
        time.sleep(.05)
    return largest


def largest_pss_walking(minivm, path):
    """The same of a session at random moments of the run, and steps back from there."""
    debugger = Debugger(minivm, path)
    debugger.do("goto %d" % FAR)
    ticks = int(re.search(r"tick (\d+);", debugger.do("info ticks")[0]).group(1))
    largest, over = 0, threading.Event()

    def look():
        nonlocal largest
        while not over.wait(.02):
            largest = max(largest, pss(debugger.process.pid))
    looking = threading.Thread(target=look)
    looking.start()
    dice = random.Random(1)
    for round in range(WALKS):
        debugger.do("goto %d" % (dice.randrange(ticks) if round % 2 else ticks - dice.randrange(100000)))
        for command in "rsi rs rn rni rr undo".split():
            debugger.do(command)
    over.set()
    looking.join()
    debugger.end()
    return largest


def measure_back(minivm, folder):
    print("milliseconds         %s" % "".join("%-20s" % c for c in ("p50", "p95", "max")))
    everything = []
    for name, text in PROGRAMS.items():
        path = os.path.join(folder, name + ".mpy")
        with open(path, "w") as file:
            file.write(text)
        debugger = Debugger(minivm, path)
        debugger.do("goto %d" % FAR)
        ticks = int(re.search(r"tick (\d+);", debugger.do("info ticks")[0]).group(1))
        print("%s: %d instructions, %s" % (name, ticks, debugger.do("info snapshots")[0].split(",")[0]))
        dice, times = random.Random(1), {}
        for round in range(ROUNDS):
            tick = dice.randrange(ticks) if round % 2 else ticks - dice.randrange(100000)
            times.setdefault("goto", []).append(debugger.do("goto %d" % tick)[1])
            for command in "rsi rs rn rni rr undo".split():
                times.setdefault(command, []).append(debugger.do(command)[1])
            line = re.search(r"\((\d+)\)", debugger.do("w")[0].split("\n> ")[-1]).group(1)
            debugger.do("b %s" % line)
            times.setdefault("rc", []).append(debugger.do("rc")[1])
            debugger.do("cl %d" % (round + 1))
        debugger.end()
        for command, taken in times.items():
            if command != "goto":
                everything += taken
            print("    %-16s %s" % (command, "".join("%-20.1f" % percentile(taken, part) for part in (.5, .95, 1))))
    print("all backwards        %s(goal: p95 <= 30)" % "".join(
        "%-20.1f" % percentile(everything, part) for part in (.5, .95, 1)))


def own_time(command, commands=""):
    done = subprocess.run(command, input=commands, capture_output=True, text=True)
    return float(done.stderr.split()[-1])


def measure_slowdown(minivm, folder):
    path = os.path.join(folder, "repeat.mpy")
    with open(path, "w") as file:
        file.write(REPEAT)
    ratios = []
    for bench in sorted(glob.glob(os.path.join(BENCH, "*.mpy"))):
        times = str(max(1, round(SECONDS / max(.001, own_time([minivm, path, bench, "1"])))))
        plain, recorded = [], []
        for _ in range(3):
            plain.append(own_time([minivm, path, bench, times]))
            recorded.append(own_time([minivm, "--debug", path, bench, times], "c\nq\n"))
        ratios.append(min(recorded) / min(plain))
        print("%-24s %6.2f s, recorded %6.2f s: %+5.1f%%" % (
            os.path.basename(bench), min(plain), min(recorded), (ratios[-1] - 1) * 100), flush=True)
    mean = 1
    for ratio in ratios:
        mean *= ratio ** (1 / len(ratios))
    print("mean %+.1f%%, largest %+.1f%% (goal: <= 25%%)" % ((mean - 1) * 100, (max(ratios) - 1) * 100))


def measure_memory(minivm, folder):
    programs = dict(PROGRAMS)
    programs["rewrite 10 MiB"] = REWRITE.format(mib=10, rounds=60)
    programs["rewrite 100 MiB"] = REWRITE.format(mib=100, rounds=12)
    for name, text in programs.items():
        path = os.path.join(folder, "memory.mpy")
        with open(path, "w") as file:
            file.write(text)
        plain = largest_pss([minivm, path])
        recorded = largest_pss([minivm, "--debug", path], b"c\ninfo snapshots\nq\n")
        walking = largest_pss_walking(minivm, path)
        print("%-24s %6.1f MiB, recorded %+6.1f MiB, walking back %+6.1f MiB (goal: <= 64)" % (
            name, plain / 1024, (recorded - plain) / 1024, (walking - plain) / 1024), flush=True)


def main(minivm, *what):
    minivm = os.path.abspath(minivm)
    with tempfile.TemporaryDirectory() as folder:
        for name in what or ("back", "slowdown", "memory"):
            {"back": measure_back, "slowdown": measure_slowdown, "memory": measure_memory}[name](minivm, folder)


main(*sys.argv[1:])
