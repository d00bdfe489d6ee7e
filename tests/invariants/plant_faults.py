#!/usr/bin/env python3
"""Plants faults in a copy of minivm, one at a time, and reports what notices each of them first.

    plant_faults.py [--seed N] [--scratch FOLDER] [--compiler "gcc"] [--kind NAME ...]

Two faults of each of ten kinds are planted. A fault is one statement changed: a `retain()` left out, an `sp += 2` that
adds 1, a link that is not set. KINDS below says by patterns where a fault of a kind can stand and what it is. The locations
are drawn at random from all that match, by the seed, and each is judged by the programs of PROGRAMS, in a debug build:

    invariant        an invariant() says what is wrong            this is what we want
    leak assertion   memory is left at the end of the program
    crash, hang      a signal, more than SECONDS
    wrong output     standard output or the exit status differ from those of the build without a fault

The first program, in their order, that does not end as it should decides. A location that was drawn is drawn again where

    the line is executed by no program (gcov knows that beforehand: such locations are not drawn at all),
    the changed file does not compile, or
    no program notices anything: then it is no fault, as far as 300 programs can tell. These are listed as well.

The exit status is 0 where invariants notice at least WANTED of the faults first.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

WANTED = 16
EACH = 2
SECONDS = 120
PROGRAMS = ["tests/scripts/*/*.mpy", "tests/guards/*.mpy", "tests/cache/*.mpy"]
INCLUDED_AT_MOST = 6  # headers that more files include would have to be rebuilt for too long

# ---- where a fault can stand: (files, pattern, what stands there instead). EXPR is an expression with its parentheses.
# A fault of a kind leaves that kind of state wrong: cells are those of frames, `used` is that of a table (an iterator has
# a field of that name too), and of the collector's flags those count that say in which list an object is.

EXPR = r"((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))+?)"
FIELD = r"((?:\w+(?:\[\w+\])?(?:->|\.))+"
START = r"(?<![\w>.&*-])"
NOTHING = "(void)0;"

KINDS = {
    "count too low": [
        (r".*\.c", r"\bretain(?:ed)?\(" + EXPR + r"\)(?=[;,)])", r"from_bits(bits_of(\1))"),
    ],
    "count too high": [
        (r".*\.c", START + r"(?:drop|DROP)\(" + EXPR + r"\);", r"(void)(\1);"),
        (r".*\.c", r"\bretain\(" + EXPR + r"\)(?=[;,)])", r"retain(retain(\1))"),
    ],
    "collector's list": [
        (r".*\.c", START + r"(?:gc_(?:link|unlink|track|untrack)|ring_(?:move|merge|init)|track_again)\(" + EXPR + r"\);",
         NOTHING),
        (r"objects/(.*/)?gc\.c", START + r"head->(?:flags [&|]= ~?GC_(?:COLL|TENT)|refs = )[^;]*;", NOTHING),
    ],
    "used and filled": [
        (r".*/(dict|set|collections_dict)\.c", START + FIELD + r"(?:used|filled|fill|usable))(?:\+\+|--);", NOTHING),
        (r".*/(dict|set|collections_dict)\.c", START + FIELD + r"(?:used|filled|fill|usable)) = ([^;=]+);",
         r"\1 = \2 + 1;"),
    ],
    "stack pointer": [
        (r"(frames|vm)/.*\.c", START + r"(?:frame->)?sp(?:\+\+|--);", NOTHING),
        (r"(frames|vm)/.*\.c", START + r"sp ([+-])= ([^;]+);", r"sp \1= (\2) - 1;"),
        (r"(frames|vm)/.*\.c", START + r"(frame->sp|kept->sp) = ([^;=]+);", r"\1 = (\2) + 1;"),
        (r"vm/.*\.c", START + r"PUSH\(" + EXPR + r"\);", r"*sp = \1;"),
    ],
    "block stack": [
        (r"(frames|vm)/.*\.[ch]", r"\bblock_count(?:\+\+|--)", r"block_count"),
        (r"(frames|vm)/.*\.[ch]", r"\bblock_count = 0;", r"block_count = 1;"),
        (r"(frames|vm)/.*\.[ch]", START + r"(block->(?:level|handler)) = ([^;]+);", r"\1 = \2 + 1;"),
        (r"(frames|vm)/.*\.[ch]", r"\bblock_push\((\w+), (\w+), ([^;()]+)\)", r"block_push(\1, \2, \3 - 1)"),
    ],
    "string kind": [
        (r"objects/(.*/)?(str|text|codecs|utf8)\w*\.c", r"\bstr_alloc\(([^,()]+(?:\([^()]*\))?[^,()]*), [^;?]+?\);",
         r"str_alloc(\1, 0x10FFFF);"),
        (r"objects/(.*/)?(str|text|codecs|utf8)\w*\.c", r"->ascii = ([^;]+);", r"->ascii = !(\1);"),
        (r"objects/(.*/)?(str|text|codecs|utf8)\w*\.c", r"->length (\+?)= ([^;]+);", r"->length \1= \2 + 1;"),
        (r"objects/(.*/)?(str|text|codecs|utf8)\w*\.c", START + r"point_put\([^;]*, 0\);", NOTHING),
        (r"objects/(.*/)?(str|text|codecs|utf8)\w*\.c", r"->kind = [^;]+;", r"->kind = 2;"),
        (r"objects/(.*/)?(str|text|codecs|utf8)\w*\.c", START + r"\w+->hash = -1;", NOTHING),
        (r"objects/(.*/)?(str|text|codecs|utf8)\w*\.c", r"\bkind_of_point\(" + EXPR + r"\)", r"4"),
    ],
    "cell": [
        (r"(frames|vm)/.*\.c", r"\bcell_new\(" + EXPR + r"\)(?=;)", r"retain(\1)"),
        (r"(frames|vm)/.*\.c", r"\bretain(?:ed)?\(as_tuple\(([\w>-]*closure)\)->items\[(\w+)\]\)",
         r"retain(as_cell(as_tuple(\1)->items[\2])->contents)"),
        (r"(frames|vm)/.*\.c", r"\bas_cell\(" + EXPR + r"\)->contents(?! = )", r"from_bits(bits_of(\1))"),
        (r"(frames|vm)/.*\.c", START + r"(quick->(?:cells|linked)) = ([^;]+);", r"\1 = \2 + 1;"),
        (r"(frames|vm)/.*\.c", r"->slot = ([^;]*nlocals[^;]*);", r"->slot = \1 + 1;"),
        (r"(frames|vm)/.*\.c", START + r"cells\[i\] = cell;", NOTHING),
        (r"(frames|vm)/.*\.c", r"(\bfree_?\w*|\bcells?) = (frame->localsplus [^;]+);", r"\1 = \2 + 1;"),
    ],
    "frame ownership": [
        (r"(frames|vm)/.*\.c", START + r"(?:\w+->)*(?:frame\.)?previous = [^;]+;", NOTHING),
        (r"(frames|vm)/.*\.c", START + r"(?:thread_state\.|thread->)(?:frame|top) = [^;]+;", NOTHING),
        (r"(frames|vm)/.*\.c", START + r"(?:\w+->)*(?:frame\.)?flags (?:\||&)= [^;]*FRAME_[^;]+;", NOTHING),
        (r"(frames|vm)/.*\.c", START + r"generator->state = [^;]+;", NOTHING),
        (r"(frames|vm)/.*\.c", START + r"(?:frame|next|object|kept)->(?:holder|object|frame|back) = [^;]+;", NOTHING),
        (r"(frames|vm)/.*\.c", START + r"(?:generator_(?:enter|leave|finish)|frame_(?:pop|finish))\([^;{}]*\);", NOTHING),
    ],
    "cache entry": [
        (r"frames/(.*/)?(cache\w*|custom_code)\.c", START + r"(?:entry|extra|state|tried)->(?:\w+->)?\w+(?:\+\+|--);",
         NOTHING),
        (r"frames/(.*/)?(cache\w*|custom_code)\.c", START + r"(?:\*link|(?:entry|extra|state)->[\w>-]+) = [^;]+;", NOTHING),
        (r"frames/(.*/)?(cache\w*|custom_code)\.c", START + r"(?:push_entry|extra_state_\w+|retire_entry)\(" + EXPR +
         r"\);", NOTHING),
        (r"frames/(.*/)?(cache\w*|custom_code)\.c", r"frame->(code|localsplus\[index\]) = retain\(" + EXPR + r"\);",
         r"frame->\1 = from_bits(bits_of(\2));"),
    ],
}


class Location:
    def __init__(self, path, line, text, changed):
        self.path, self.line, self.text, self.changed = path, line, text, changed

    def __str__(self):
        return f"{self.path}:{self.line}"


def is_code(text):
    stripped = text.strip()
    return not (stripped.startswith("//") or stripped.startswith('"') or "invariant(" in text or text.endswith("\\"))


def places_in(path, lines, executed, rows):
    for pattern, replaced_by in rows:
        for number, text in enumerate(lines, 1):
            if number not in executed or not is_code(text):
                continue
            for match in re.finditer(pattern, text.split(" // ")[0]):
                changed = text[:match.start()] + match.expand(replaced_by) + text[match.end():]
                if changed != text:
                    yield Location(path, number, text, changed)


class Copy:
    """A copy of the sources, with a debug build and a build that counts how often each line is executed."""

    def __init__(self, root, folder, compiler):
        self.root, self.folder, self.compiler = root, folder, compiler
        files = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, stdout=subprocess.PIPE).stdout
        self.files = [name for name in files.decode().split("\0") if name]
        for name in self.files:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists() or target.read_bytes() != (root / name).read_bytes():
                shutil.copyfile(root / name, target)
        self.programs = [path.relative_to(folder) for pattern in PROGRAMS for path in sorted(folder.glob(pattern))]

    def make(self, build, extra):
        command = ["make", "-j%d" % (os.cpu_count() or 1), "MODE=debug", f"BUILD={build}", f"CC={self.compiler}",
                   f"EXTRA={extra}", f"{build}/minivm"]
        return subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=dict(os.environ, CCACHE_NOHASHDIR="1"))

    def run(self, build, program):
        folder = self.folder / program.parent
        command = [str(self.folder / build / "minivm"), program.name]
        try:
            done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=SECONDS, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
        except subprocess.TimeoutExpired:
            return None
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")

    def run_all(self, build):
        """Yields (program, how it ended) in the order of the programs; stops running them when its caller has seen enough."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            waiting, programs = [], iter(self.programs)
            for program in programs:
                waiting.append((program, pool.submit(self.run, build, program)))
                if len(waiting) > 4:
                    first, result = waiting.pop(0)
                    yield first, result.result()
            for first, result in waiting:
                yield first, result.result()

    def executed_lines(self):
        """{file: lines that some program executes}."""
        built = self.make("build/coverage", "--coverage -w")
        if built.returncode:
            sys.exit("plant_faults: " + built.stdout)
        known = self.folder / "build/coverage/executed.json"
        if known.exists() and known.stat().st_mtime > (self.folder / "build/coverage/minivm").stat().st_mtime:
            return {name: set(lines) for name, lines in json.loads(known.read_text()).items()}
        for _ in self.run_all("build/coverage"):
            pass
        executed = {}
        for data in (self.folder / "build/coverage").rglob("*.gcda"):
            told = subprocess.run(["gcov", "--json-format", "--stdout", data], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, check=True).stdout
            for line in told.decode().splitlines():
                for file in json.loads(line)["files"]:
                    lines = executed.setdefault(os.path.normpath(file["file"]), set())
                    lines.update(row["line_number"] for row in file["lines"] if row["count"])
        known.write_text(json.dumps({name: sorted(lines) for name, lines in executed.items()}))
        return executed

    def includers(self, header):
        wanted = f'#include "{header}"'
        return sum(wanted in (self.folder / name).read_text() for name in self.files if name.endswith((".c", ".h")))

    def candidates(self, kind, executed):
        found = []
        for name in self.files:
            rows = [row[1:] for row in KINDS[kind] if re.fullmatch(row[0], name)]
            if not rows or name not in executed or name.startswith("tests/"):
                continue
            if name.endswith(".h") and self.includers(name) > INCLUDED_AT_MOST:
                continue
            found += places_in(name, (self.folder / name).read_text().split("\n"), executed[name], rows)
        return found


def judge(ended, right):
    """What has noticed the fault in one program: None = it ended as it should."""
    if ended is None:
        return "hang"
    status, output, errors = ended
    if ": invariant: " in errors:
        return "invariant"
    if re.search(r"memory: \d+ blocks, \d+ bytes are left", errors):
        return "leak assertion"
    if status < 0:
        return "crash"
    return None if (status, output) == right[:2] else "wrong output"


class Planter:
    def __init__(self, copy):
        self.copy = copy
        built = copy.make("build/debug", "-w")
        if built.returncode:
            sys.exit("plant_faults: " + built.stdout)
        self.right = dict(copy.run_all("build/debug"))
        for program, ended in self.right.items():
            if ended is None or ended[0] < 0:
                sys.exit(f"plant_faults: {program} does not end well without any fault: {ended}")

    def plant(self, location):
        """(what noticed it, in which program, what it said)"""
        path = self.copy.folder / location.path
        before = path.read_text()
        lines = before.split("\n")
        lines[location.line - 1] = location.changed
        path.write_text("\n".join(lines))
        try:
            if self.copy.make("build/debug", "-w").returncode:
                return "does not compile", "", ""
            for program, ended in self.copy.run_all("build/debug"):
                noticed = judge(ended, self.right[program])
                if noticed:
                    said = [line for line in (ended[2] if ended else "").splitlines() if ": invariant: " in line]
                    return noticed, str(program), said[0] if said else ""
            return "nothing", "", ""
        finally:
            path.write_text(before)


def plant_kind(planter, kind, locations):
    faults, passed_over = [], []
    for location in locations:
        if len(faults) == EACH:
            break
        if any(location.path == other.path and location.line == other.line for other, _ in faults):
            continue
        result = planter.plant(location)
        good = result[0] not in ("does not compile", "nothing")
        (faults if good else passed_over).append((location, result))
        show(kind, location, result)
    return faults, passed_over


def show(kind, location, result):
    print(f"{kind:17} {result[0]:17} {str(location):30} {location.text.strip()}")
    print(f"{'':35} now: {location.changed.strip()}")
    if result[1]:
        print(f"{'':35} {result[1]}: {result[2]}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--scratch", type=Path, default=Path("build/faults"))
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--kind", nargs="*", choices=KINDS, default=list(KINDS))
    arguments = parser.parse_args()
    root = Path(__file__).resolve().parents[2]
    copy = Copy(root, arguments.scratch.resolve(), arguments.compiler)
    executed = copy.executed_lines()
    planter = Planter(copy)
    faults, passed_over = [], []
    for kind in arguments.kind:
        locations = copy.candidates(kind, executed)
        print(f"{kind}: {len(locations)} locations")
        random.Random(f"{arguments.seed} {kind}").shuffle(locations)
        some, others = plant_kind(planter, kind, locations)
        faults += some
        passed_over += others
    noticed = [result[0] for _, result in faults]
    print(f"seed {arguments.seed}: {len(faults)} faults: " +
          ", ".join(f"{noticed.count(how)} {how}" for how in sorted(set(noticed))) +
          f"; {len(passed_over)} locations drawn again")
    wanted = min(WANTED, len(faults)) if set(arguments.kind) == set(KINDS) else 0
    sys.exit(noticed.count("invariant") < wanted)


main()
