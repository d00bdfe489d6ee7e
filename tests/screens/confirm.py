"""Confirms the screens of tests/screens/ by CPython 3.9, which minivm has no part in.

    PYTHONHASHSEED=0 /path/to/python3.9 -B tests/screens/confirm.py [NNN_name.screen ...]

The keys up to a screen become a session at the prompt, with the commands that show what the panes do (w, locals, stack,
blocks, dis all, info ticks) at its end. tests/debugger/golden_steps.py answers such a session by what CPython does: its
tracing, its frame objects, its `dis`. Then each row of a pane must be said there, or stand in the program's text.
What it cannot tell, the texts over the whole screen, styles, hostile.mpy, and the names of a module with their values,
was read by a person.
"""
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../debugger"))
import golden_steps  # noqa: E402
import oracle_dialog  # noqa: E402

LINES = {"s": "s", "n": "n", "r": "r", "c": "c", "i": "si", "m": "ni", "S": "rs", "N": "rn", "R": "rr", "C": "rc",
         "I": "rsi", "M": "rni", "e": "so", "z": "undo", "u": "u", "d": "d"}
ASKED = ["info ticks", "w", "locals", "stack", "blocks", "dis all"]
REASONS = {"--Call--": "is called", "--Return--": "returns"}
VIEWED = ("help", "answer", "output")


class Screen:
    def __init__(self, session, size, rows, begins):
        columns, self.height = map(int, size.split("x"))
        left = columns * 58 // 100
        self.session, self.rows, self.begins = session, rows, begins
        self.bar = rows[0]
        self.is_view = self.bar.split(":")[0].strip() in VIEWED or not self.bar.startswith(" ")
        self.sides = [[row[:left] for row in rows[1:-1]], [row[left + 1:] for row in rows[1:-1]]]

    def asks(self):
        """Where the program has ended there is no frame to ask about."""
        return ASKED[:1] if self.bar.startswith(" tick ") else ASKED

    def panes(self):
        """title -> rows"""
        found = {}
        for side in self.sides:
            for row in side:
                if row.startswith("-- "):
                    title = row[3:].rstrip("-").strip()
                    found[title] = []
                elif row.strip():
                    found[title].append(row.rstrip())
        return found


def read_screens(path):
    """[Screen, ...] of a file, each with the lines that lead there."""
    lines, screens, size, program, typed = [], [], "80x24", None, None
    with open(path, encoding="utf-8") as file:
        rows = file.read().split("\n")
    for number, row in enumerate(rows):
        word, _, rest = row.partition(" ")
        if word == "program":
            program = rest
        elif word == "size":
            size = rest
        elif word == "keys":
            for key in rest.split():
                if typed is not None:
                    if key == "Enter":
                        lines.append(typed)
                        typed = None
                    else:
                        typed += key.replace("_", " ")
                elif key == ":":
                    typed = ""
                elif key in LINES and not (screens and screens[-1].is_view and key == "x"):
                    lines.append(LINES[key])
        elif word == "screen":
            shown = []
            while number + 1 < len(rows) and rows[number + 1].startswith("|"):
                number += 1
                shown.append(rows[number][1:])
            screens.append(Screen(list(lines), size, shown, number))
    return program, screens


def transcript_of(program, lines):
    """What the prompt answers, by CPython."""
    folder = "/tmp/minivm-screens"  # as check.mpy has it: it stands in the answers
    os.makedirs(folder, exist_ok=True)
    try:
        shutil.copy(os.path.join(HERE, program), folder)
        with open(os.path.join(folder, program[:-4] + ".in"), "w") as file:
            file.write("\n".join([*lines, "q", ""]))
        os.chdir(folder)
        return golden_steps.Session(program).transcript()
    finally:
        os.chdir(HERE)
        shutil.rmtree(folder)


def words(text):
    return " ".join(text.split())


class Pictures(dict):
    """Those of instructions are from compiler/opcodes.def, and not looked at here."""

    def __missing__(self, name):
        return ""


def is_said(row, said):
    """A row that is cut ends with ~."""
    row = re.sub(r"^(takes \d+, leaves \d+( or \d+)?).*", r"\1", words(row))
    if row.endswith("~"):
        return any(one.startswith(row[:-1].rstrip()) for one in said)
    return row in said


def faults_of(screen, program, text):
    """Rows that nobody says."""
    answers, asks = text.split("(Pdb) ")[1:], screen.asks()
    asked = dict(zip(ASKED, answers[-len(asks) - 1:] + [""] * len(ASKED)))
    printed = "".join(answers[:-len(asks) - 1])
    here, name = asked["w"].split("\n"), ""
    frames = [re.match(r"(>?) *(.*)\((\d+)\)(.*)\(\)", row) for row in here if not row.startswith("->")]
    frames = [found for found in frames if found]
    if frames:
        now = next(found for found in frames if found[1])
        name = "%s(%s)%s()" % (now[2].rpartition("/")[2], now[3], now[4])
    tick, last = re.match(r"tick (\d+); the run is known up to tick (\d+)", asked["info ticks"]).groups()
    if not screen.bar.startswith(" " + name) or not re.search(r"tick %s of %s\b" % (tick, last), screen.bar):
        yield screen.bar
    with open(os.path.join(HERE, program), encoding="utf-8") as file:
        source = ["%d %s" % (number, words(row)) for number, row in enumerate(file, 1)]
    dis = [words(re.sub("<code object (\\S+) at [^>]*>", r"<code object \1>", row.replace("--> >>", "-->")))
           for row in asked["dis all"].split("\n")]
    stack = [words(row) for row in asked["stack"].split("\n")]
    has_ended = asked["stack"].startswith("*** This frame has ended")
    variables = asked["locals"].replace("f_localsplus is empty", "").replace("<function ", "<function ")
    shared = re.findall(r"shared by (.*)", variables)
    owners = ", ".join(shared).split(", ")
    for title, rows in screen.panes().items():
        kind = title.split()[0]
        for row in rows:
            if kind.endswith(".mpy"):
                plain = re.sub(r"^( *\d+) ?[B ]?(->|>>)?\s*", r"\1 ", row)
                number = int(plain.split()[0])
                good = is_said(plain, [words(one) for one in source]) or not row.split()[1:]
                good = good and ("->" in row[:8]) == (number == int(now[3]))
            elif kind == "bytecode":
                good = is_said(row.replace("takes", "takes", 1), dis) or is_said(row, stack)
            elif kind == "frames:":
                found = re.match(r"(>?) +(.*)  (.*)\((\d+)\)$", row)
                good = any(found[2] == one[4] and found[3] == one[2].rpartition("/")[2] and found[4] == one[3] and
                           found[1] == one[1] for one in frames)
            elif kind == "variables":
                said = [words(one) for one in variables.split("\n")]
                good = is_said(row, said) or is_said(row, owners) or row.strip() == "..." or \
                    any(words(row) == words(re.sub("^(fast|cell|free)", "", one)) for one in said)
            elif kind == "value":
                good = is_said(row, stack) or "block" in row or row.strip() == "..."
            elif kind.startswith("output"):
                good = row.strip() in text
            else:
                continue
            if has_ended and row.strip() in ("it has ended", "the frame has ended"):
                good = True
            if not good:
                yield "%s: %s" % (title, row)
        if kind == "value" and asked["stack"] and not has_ended and not is_said(title.replace(" of ", " of co_stacksize "), stack):
            yield title
        if kind == "frames:" and title != "frames: %d" % len(frames):
            yield title
    answered = "".join(row for title, rows in screen.panes().items() if title == "answers" for row in rows)
    if words(answered).replace(" ", "") not in words(printed).replace(" ", ""):
        yield "answers: " + answered


def main():
    bad = 0
    names = sys.argv[1:] or sorted(name for name in os.listdir(HERE) if name.endswith(".screen"))
    for name in names:
        program, screens = read_screens(os.path.join(HERE, os.path.basename(name)))
        confirmed = 0
        for number, screen in enumerate(screens, 1):
            if screen.is_view or program == "hostile.mpy":
                continue
            try:
                text = golden_steps.result_of(lambda: transcript_of(program, screen.session + screen.asks()))
            except golden_steps.Unsupported as error:
                print("%s, screen %d: not from here: %s" % (name, number, str(error).strip().split("\n")[-1]), screen.session)
                continue
            faults = list(faults_of(screen, program, text))
            confirmed += not faults
            for fault in faults:
                bad += 1
                print("%s, screen %d: %s" % (name, number, fault))
        print("%s: %d screens, %d confirmed" % (name, len(screens), confirmed))
    return bad > 0


if __name__ == "__main__":
    golden_steps.protect()
    oracle_dialog.PICTURES = Pictures()
    sys.exit(main())
