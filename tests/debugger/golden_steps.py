"""Writes the answers of the sessions about step commands, ticks, watches and frames, from what CPython 3.9 does.

    PYTHONHASHSEED=0 /path/to/python3.9 -B tests/debugger/golden_steps.py [--compare] [NNN_name.mpy ...]

Without names: all sessions whose header says that their answer is from here. --compare writes nothing and shows what
differs. It is no part of `make check`, which has to do without CPython.

minivm has no part in it. The program runs under sys.settrace with f_trace_opcodes, from the beginning to its end, and
its events are the record. On that record the commands are what they are by definition:
  - a tick is the number of opcode events before; a line event and the opcode event after it are one moment;
  - s n r c until and breakpoints: bdb.Bdb is given the events of the record, and stops where it stops;
  - si, ni: the next opcode event, of the frame or of any;
  - rs: the last event at which bdb stops for `s`; rsi: the last opcode event; rn, rni: the last line or opcode event of
    the frames that are under way; rr: the last line event of those below; rc: the last line with a breakpoint whose
    condition holds, or opcode event that changes a watched value; all of them before the stop;
  - a change is another object in a variable, attribute or item, read after every event without running code; a
    variable is that of one activation, or a cell, and `c` stops where it ends, rc where it begins;
  - rc stops as well where the program has stopped itself, by breakpoint().

At a stop the program runs once more, in a process of its own, up to that event, and pdb.Pdb itself does the commands
that it knows (p pp w u d l ll a b tbreak cl ...) in the frame. What is below the line is read from CPython's own frame
objects: f_localsplus, the value stack up to f_stacktop, f_blockstack (ctypes, by the layout of 3.9), instructions by
the module dis. A statement is done again in every run from its event on, and events behind it are recorded anew.

Where `so` stops is from here; the two lines of its picture are by hand, and taken from the present answer in their
order. The texts of `h` and `?` are those in the source of vm/lib/debugger. Not from here: info hook, cache and
snapshots, programs with torch, and programs that trace themselves or come to the limit of recursion: such sessions say
in their last line what their answers are from. The script is tested on the sessions that are pdb's own: it comes to
pdb's answers for all but 005, where `source` looks for the file of a class in another way.

oracle_run.py runs and records, oracle_dialog.py is the prompt.

Where the rules differ from pdb's, golden_pdb.py lists how, and so does a comment here.
"""
import bdb
import ctypes
import difflib
import itertools
import dis
import os
import pdb
import re
import sys
import types
from oracle_dialog import GENERATOR, PICTURE, Visit
from oracle_run import HERE, OUTSIDE, Recorder, Unsupported, Watch, in_fork, protect, result_of, takes

MARK = "The answer is golden_steps.py's, by CPython 3.9."
OUTSIDE.append(__file__)


# ---- the rules of bdb, on the record

class StandIn:
    """What bdb wants to know of a frame."""

    def __init__(self, row):
        self.f_code = types.SimpleNamespace(co_filename=row.code[0], co_name=row.code[1], co_firstlineno=row.code[2],
                                            co_flags=row.code[3])
        self.f_trace = self.f_back = None
        self.f_globals = self.f_locals = None
        self.number = row.frame


class Stopper(bdb.Bdb):
    def __init__(self, state, record):
        super().__init__()
        self.state, self.record = state, record
        self.breaks = state.breaks
        self.below = types.SimpleNamespace(f_code=types.SimpleNamespace(co_flags=0), f_trace=None, f_back=None)
        self.frames = {0: self.below}
        self.botframe, self.quitting, self.temporary = self.below, False, None
        self.currentbp = 0

    def stand_in(self, row, index):
        frame = self.frames.get(row.frame) or self.frames.setdefault(row.frame, StandIn(row))
        frame.f_back = self.frames.get(row.back, self.below)
        frame.f_lineno, frame.f_lasti = row.line, row.lasti
        frame.f_globals = frame.f_locals = index
        return frame

    def user_line(self, frame):
        self.stopped = True

    def user_return(self, frame, value):
        self.stopped = True

    def user_exception(self, frame, value):
        self.stopped = True

    def user_call(self, frame, value):
        self.stopped = self.stop_here(frame)  # pdb's

    def do_clear(self, number):
        self.temporary = int(number)

    def stops(self, row, index):
        frame = self.stand_in(row, index)
        self.stopped = False
        self.currentbp = 0
        if row.is_line:
            self.dispatch_line(frame)
        elif row.kind == "call":
            self.dispatch_call(frame, None)
        elif row.kind == "return":
            self.dispatch_return(frame, None)
        elif row.kind == "exception":
            kind = {"StopIteration": StopIteration, "GeneratorExit": GeneratorExit}.get(row.exception[0], Exception)
            self.dispatch_exception(frame, (kind, None, row.exception[1] or None))
        return self.stopped

    def begin(self, index, kind, number, line):
        rows = self.record.events
        for earlier in range(index + 1):
            if rows[earlier].frame:
                self.stand_in(rows[earlier], earlier)
        frame = self.frames[number]
        returning = rows[index].kind == "return" and rows[index].frame == number
        if kind == "next":
            self.set_next(frame)
        elif kind == "return":
            self.set_return(frame)
        elif kind == "until":
            self.set_until(frame, line)
        elif kind in ("continue", "ni", "so"):
            self._set_stopinfo(self.below, None, -1)
        else:
            self._set_stopinfo(None, None)
        if returning and kind in ("next", "until"):  # the end of dispatch_return()
            self._set_stopinfo(None, None)
        return returning


class Record:
    def __init__(self, state):
        self.state = state
        self.events, self.output, _ = in_fork(
            lambda reply: Recorder(state.name, state.edits, state.answers, reply).go())

    def place_of(self, raw):
        return next(i for i, row in enumerate(self.events) if row.raw >= raw)

    def changes(self, watch):
        """The watch with all that has happened to it."""
        copy = Watch(watch.number, watch.text, watch.root, watch.steps)
        state = self.state
        return in_fork(lambda reply: Recorder(state.name, state.edits, state.answers, reply, [copy]).go())[2][0]

    def has_ended(self, index, number):
        """Is the frame none of those that run or wait at an event?"""
        row = self.events[index]
        return row.exception is not None if row.kind == "end" else number not in self.chain(index, row.frame)

    def last_call(self, number):
        return max(index for index, row in enumerate(self.events) if row.kind == "call" and row.frame == number)

    def chain(self, index, number):
        """The frames under way at an event: from that one on to the callers."""
        backs = {}
        for row in self.events[:index + 1]:
            if row.frame:
                backs[row.frame] = row.back
        chain = []
        while number:
            chain.append(number)
            number = backs[number]
        return chain or [1]


# What computes a part of an expression: by the names in the module dis.
COMPUTING = re.compile("(UNARY|BINARY|INPLACE|BUILD)_|CALL_|LOAD_ATTR$|COMPARE_OP|IS_OP|CONTAINS_OP|FORMAT_VALUE|"
                       "LIST_TO_TUPLE|YIELD_")


# What makes a list, set or dict, and what adds to one: how many values, from above it on the stack.
MAKING = ("BUILD_LIST", "BUILD_SET", "BUILD_MAP", "BUILD_CONST_KEY_MAP")
ADDING = {"LIST_EXTEND": 1, "LIST_APPEND": 1, "SET_UPDATE": 1, "SET_ADD": 1, "DICT_UPDATE": 1, "DICT_MERGE": 1, "MAP_ADD": 2}


def instructions(code):
    """[(offset, name, operand)], without EXTENDED_ARG; an offset may be that of a prefix."""
    rows, start = [], None
    for offset, opcode, operand in dis._unpack_opargs(code):
        start = offset if start is None else start
        if opcode != dis.EXTENDED_ARG:
            rows.append((start, dis.opname[opcode], operand))
            start = None
    return rows


def is_whole(rows, index):
    """Is nothing added any more to the collection on top of the stack before rows[index]?"""
    above = 0
    while index < len(rows):
        offset, name, operand = rows[index]
        if name in ADDING and operand == above + 1 - ADDING[name] or name == "LIST_TO_TUPLE" and not above:
            return False
        opcode = dis.opmap[name]
        operand = operand if opcode >= dis.HAVE_ARGUMENT else None
        if takes(types.SimpleNamespace(opname=name, arg=operand)) > above or name == "JUMP_ABSOLUTE":
            return True
        above += dis.stack_effect(opcode, operand, jump=name == "JUMP_FORWARD")
        index += 1
        if name == "JUMP_FORWARD":
            index = next(i for i, row in enumerate(rows) if row[0] == offset + 2 + operand)
    return True


def computes(row, previous):
    """Displays count when they are whole; what a statement calls or waits for by itself does not count. (Pieces of
    {**a, 'b': 1} only the positions know: these are by hand.)"""
    if previous is None:
        return False
    rows = instructions(previous.code[4])
    index = next(i for i, row in enumerate(rows) if row[0] == previous.lasti)
    name, operand = rows[index][1:]
    before = [row[1] for row in rows[:index]][-6:][::-1] + [""] * 6
    if name in MAKING or name in ADDING and name != "DICT_MERGE" and operand == 1:
        return is_whole(rows, index + 1)
    if name == "CALL_FUNCTION" and before[0] == "DUP_TOP":
        return False
    if name == "YIELD_FROM":
        waits = before[2] in ("BEFORE_ASYNC_WITH", "WITH_EXCEPT_START") or before[2:4] == ["CALL_FUNCTION", "DUP_TOP"]
        return not (before[1] == "GET_ANEXT" or before[1] == "GET_AWAITABLE" and waits)
    return COMPUTING.match(name) is not None


# ---- from one stop to the next

class State:
    def __init__(self, name):
        self.name, self.event, self.text, self.printed = name, 1, "", 0
        with open(name[:-4] + ".in") as file:
            self.lines = file.read().split("\n")
        if self.lines[-1] == "":
            self.lines.pop()
        self.edits, self.answers, self.breaks, self.breakpoints = [], [], {}, (1, {}, [None])
        self.visited, self.watches, self.next_watch, self.displays = [], {}, 1, {}
        self.commands, self.silent, self.prompts = {}, {}, {}
        self.aliases, self.queue, self.last_line, self.yielded = {}, [], "", {}
        self.announced, self.motion, self.frontier, self.over, self.status = "", None, 0, False, 0
        self.breakpoint, self.stderr = 0, ""
        self.again, self.selected, self.missing = False, 0, None

class Session:
    def __init__(self, name):
        self.state = State(name)
        self.record = Record(self.state)
        self.recorded = 0
        self.changed = {}
        self.conditions = {}
        bdb.eval = self.condition

    def condition(self, text, index, _):
        """For bdb.effective(): the names of a stand-in are the event that it is at."""
        if (text, index) not in self.conditions:
            self.conditions[text, index] = in_fork(
                lambda reply: Visit(self.state, self.record, index, reply, text).go())
        if self.conditions[text, index] == "raised":
            raise ValueError
        return self.conditions[text, index]

    def transcript(self):
        state = self.state
        state.visited = [1]
        while True:
            state = self.state = in_fork(self.visit)
            if state.moved[0] == "quit":
                break
            if len(state.edits) != self.recorded or state.edits:
                self.record, self.recorded = Record(state), len(state.edits)
                self.conditions = {}
            self.changed = {}
            kind, number, detail = state.moved
            state.motion, state.breakpoint = kind, 0
            self.move(kind, number, detail)
            row = self.record.events[state.event]
            state.frontier = max(state.frontier, row.tick)
            state.printed = self.print_up_to(row.output)
        text = state.text + ("[stderr]\n" + state.stderr if state.stderr else "")
        return text + ("[exit status %d]\n" % state.status if state.status else "")

    def visit(self, reply):
        bdb.Breakpoint.next, bdb.Breakpoint.bplist, bdb.Breakpoint.bpbynumber = self.state.breakpoints
        Visit(self.state, self.record, self.state.event, reply).go()

    def print_up_to(self, size):
        """Each character of the output is printed once."""
        state = self.state
        state.text += self.record.output[state.printed:size]
        return max(state.printed, size)

    def arrive(self, index, announced=""):
        self.state.event, self.state.again = index, False
        self.state.visited.append(index)
        self.state.announced = announced

    def move(self, kind, number, detail):
        state = self.state
        state.again = False
        bdb.Breakpoint.next, bdb.Breakpoint.bplist, bdb.Breakpoint.bpbynumber = state.breakpoints
        if kind == "undo":
            if len(state.visited) < 2:
                state.announced, state.again = "There is nothing to undo.\n", True
            else:
                del state.visited[-1]
                state.event = state.visited[-1]
        elif kind == "who":
            self.who(number)
        elif kind == "rc":
            self.back_to_break()
        elif kind in ("rs", "rn", "rr", "rsi", "rni"):
            self.back(kind, number)
        elif kind == "goto":
            self.arrive(next(i for i, row in enumerate(self.record.events)
                             if i > 0 and (row.kind == "op" and row.tick >= detail or row.kind == "end")))
        else:
            self.forward(kind, number, detail)

    def changes_at(self):
        """event -> what the watches say, of changes, of what begins there, and of what ends"""
        changes, begins, ends = {}, {}, {}
        for watch in self.state.watches.values():
            seen = self.record.changes(watch)
            for index, before, after in seen.changes:
                said(changes, index, watch, before + " -> " + after if after else before)
            for index, text in seen.begins:
                said(begins, index, watch, text)
            for index, text in seen.ends:
                said(ends, index, watch, text)
        return changes, begins, ends

    def forward(self, kind, number, detail):
        state = self.state
        stopper = Stopper(state, self.record)
        ending = stopper.begin(state.event, kind, number, detail)
        changes, _, ends = self.changes_at()
        index, header = state.event, ""
        earlier = self.record.events[index::-1]
        previous = next((row for row in earlier if row.kind == "op" and row.frame == number), None)
        if self.record.events[index].kind != "op" and self.record.events[index].frame == number:
            previous = None  # a call, a return, an exception: no instruction has begun
        while True:
            index += 1
            row = self.record.events[index]
            if row.kind == "wait":
                row = self.answer_input(index)
            if row.kind == "end":
                self.arrive(index)
                return
            if len(row.headers) > len(self.record.events[index - 1].headers):  # breakpoint() begins to step
                stopper._set_stopinfo(None, None)
                header, kind = row.headers[-1], "step"
            stops = stopper.stops(row, index) if kind != "si" else row.kind == "op"
            if kind in ("ni", "so"):
                here = row.kind == "op" and (ending or row.frame == number)
                stops = stops or here and (kind == "ni" or ending or computes(row, previous))
                previous = row if here else previous
                ending = ending or row.frame == number and row.kind == "return" and not row.code[3] & GENERATOR
            if stops or index in changes or index in ends:
                break
        announced = self.deleted(stopper) + header
        announced = announced_by(changes, index) + announced_by(ends, index) + announced
        state.breakpoint = stopper.currentbp
        state.breakpoints = bdb.Breakpoint.next, bdb.Breakpoint.bplist, bdb.Breakpoint.bpbynumber
        self.arrive(index, announced)

    def answer_input(self, index):
        """The program reads the line that is typed next."""
        state = self.state
        state.printed = self.print_up_to(self.record.events[index].output)
        state.answers.append(state.lines.pop(0) + "\n" if state.lines else None)
        self.record = Record(state)
        row = self.record.events[index]
        return self.answer_input(index) if row.kind == "wait" else row

    def deleted(self, stopper):
        if not stopper.temporary:
            return ""
        point = bdb.Breakpoint.bpbynumber[stopper.temporary]
        stopper.clear_bpbynumber(stopper.temporary)
        return "Deleted breakpoint %d at %s:%d\n" % (point.number, point.file, point.line)

    def back(self, kind, number):
        rows, now = self.record.events, self.state.event
        stopper = Stopper(self.state, self.record)
        stopper._set_stopinfo(None, None)
        stopper.break_here = lambda frame: False
        chain = self.record.chain(now, number)
        if number and self.record.has_ended(now, number):
            if kind == "rr":
                now = self.record.last_call(number)
            else:
                chain = [number]
        for index in range(now - 1, 0, -1):
            row = rows[index]
            if (kind == "rs" and stopper.stops(row, index) or kind == "rsi" and row.kind == "op" or
                    kind == "rni" and row.kind == "op" and row.frame in chain or
                    kind == "rn" and row.is_line and row.frame in chain or
                    kind == "rr" and row.is_line and row.frame in chain[1:]):
                self.arrive(index)
                return
        self.begins()

    def begins(self):
        self.arrive(1, "The run begins here.\n")

    def back_to_break(self):
        rows, now = self.record.events, self.state.event
        stopper, asked = Stopper(self.state, self.record), self.asked()
        changes, begins, _ = self.changes_at()
        for index in range(now, 0, -1):
            row = rows[index]
            if index < now and index in begins:
                self.arrive(index, announced_by(begins, index))
                return
            if index < now and row.is_line and self.breaks_at(stopper, row, index):
                self.arrive(index)
                return
            if index < now and index in asked:
                self.arrive(index, asked[index])
                return
            if index in changes:  # by the instruction before
                self.arrive(self.op_before(index), announced_by(changes, index))
                return
        self.begins()

    def asked(self):
        """event -> header, where breakpoint() has stopped: where `s` would have."""
        rows, found, header = self.record.events, {}, None
        stopper = Stopper(self.state, self.record)
        stopper._set_stopinfo(None, None)
        stopper.break_here = lambda frame: False
        for index in range(1, len(rows) - 1):
            stops = stopper.stops(rows[index], index)
            if len(rows[index].headers) > len(rows[index - 1].headers):
                header = rows[index].headers[-1]
            if stops and header is not None:
                found[index], header = header, None
        return found

    def breaks_at(self, stopper, row, index):
        """Looked at without being counted."""
        points = [point for point in bdb.Breakpoint.bpbynumber if point]
        kept = [(point.hits, point.ignore) for point in points]
        found = stopper.break_here(stopper.stand_in(row, index))
        for point, (hits, ignore) in zip(points, kept):
            point.hits, point.ignore = hits, ignore
        self.state.breakpoint = stopper.currentbp if found else 0
        return found

    def op_before(self, index):
        return next(i for i in range(index - 1, -1, -1) if self.record.events[i].kind == "op")

    def who(self, watch):
        now = self.state.event
        seen = self.record.changes(watch)
        for index, before, after in reversed(seen.changes):
            if index <= now:
                self.arrive(self.op_before(index), "%s: %s -> %s\n" % (watch.text, before, after))
                return
        text = "It has not changed since %s." % ("the function was called" if seen.begins else "the run began")
        missing = self.state.missing
        if missing:
            text = missing if "built-in" in missing else text.replace("It has not changed since", missing)
        self.state.announced, self.state.again = text + "\n", True


def said(found, index, watch, text):
    found.setdefault(index, []).append("Watch %d: %s: %s\n" % (watch.number, watch.text, text))


def announced_by(found, index):
    return "".join(found.get(index, ()))


def answer(name):
    text = Session(name).transcript()
    pictures = iter(re.findall(r"^   .*\n    *\^~*.*\n", expected(name), re.M))
    text = re.sub(re.escape(PICTURE), lambda _: next(pictures, "(no picture)\n"), text)
    return re.sub("0x[0-9a-f]{12}", "0xPLACE", text.replace(HERE + "/", ""))


def expected(name):
    with open(name[:-4] + ".expected") as file:
        return file.read()


def is_from_here(name):
    """Does a comment at the top or in the last line say so?"""
    with open(name) as file:
        lines = file.readlines()
    head = itertools.takewhile(lambda line: line.startswith("#"), lines)
    return MARK in " ".join(line[1:].strip() for line in [*head, lines[-1]])


def main():
    os.chdir(HERE)
    compares = "--compare" in sys.argv
    names = [os.path.basename(name) for name in sys.argv[1:] if name != "--compare"]
    names = names or [name for name in sorted(os.listdir(HERE)) if name.endswith(".mpy") and is_from_here(name)]
    for name in names:
        try:
            text = result_of(lambda: answer(name))
        except Unsupported as error:
            print("%s: not from here: %s" % (name, str(error).strip().split("\n")[-1]))
            continue
        path = name[:-4] + ".expected"
        with open(path) as file:
            same = file.read() == text
        print("%s: %s" % (name, "the same" if same else "another answer"))
        if compares and not same:
            with open(path) as file:
                sys.stdout.writelines(difflib.unified_diff(file.readlines(), text.splitlines(True), path, "CPython"))
        elif not compares:
            with open(path, "w") as file:
                file.write(text)


if __name__ == "__main__":  # the program of a session is __main__ as well
    import golden_steps
    golden_steps.protect()
    golden_steps.main()
