"""Runs a program in CPython 3.9 and records its events, for golden_steps.py; frame objects as they are in memory.

    Recorder(name, edits, answers, reply, watches).go()      in a process of its own: in_fork(function)
"""
import builtins
import ctypes
import dis
import importlib.machinery
import importlib.util
import io
import os
import pdb
import pickle
import sys
import traceback
import types

# What the programs import: here once, so that it is not seen.
import collections, copy, functools, itertools, math, readline, weakref

HERE = os.path.dirname(os.path.abspath(__file__))
BUILTINS = dict(vars(builtins))
MISSING = object()
MODULES = dict(sys.modules)  # the program may forget them


def protect():
    """The program may break the built-ins: what is loaded now keeps its own."""
    MODULES.update(sys.modules)
    for module in list(MODULES.values()):
        if isinstance(getattr(module, "__builtins__", None), dict):
            module.__builtins__ = BUILTINS


class Done(BaseException):
    """The error has been shown."""


class Finder(importlib.machinery.SourceFileLoader):
    """Imports modules whose names end in .mpy."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        file = os.path.join(HERE, name + ".mpy")
        if os.path.isfile(file):
            return importlib.util.spec_from_file_location(name, file, loader=cls(name, file))


class Unsupported(Exception):
    """A command that CPython has no answer to."""


# ---- what a frame object of 3.9 has inside

class Block(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("handler", ctypes.c_int), ("level", ctypes.c_int)]


class FrameObject(ctypes.Structure):
    _fields_ = [("head", ctypes.c_void_p * 8), ("valuestack", ctypes.c_void_p), ("stacktop", ctypes.c_void_p),
                ("trace", ctypes.c_void_p), ("trace_lines", ctypes.c_char), ("trace_opcodes", ctypes.c_char),
                ("gen", ctypes.c_void_p), ("lasti", ctypes.c_int), ("lineno", ctypes.c_int), ("iblock", ctypes.c_int),
                ("executing", ctypes.c_char), ("blockstack", Block * 20), ("localsplus", ctypes.c_void_p * 1)]


assert ctypes.sizeof(FrameObject) == types.FrameType.__basicsize__ and sys.version_info[:2] == (3, 9)


def raw_frame(frame):
    return FrameObject.from_address(id(frame))


def object_at(address):
    """The object that a PyObject * in memory is about; MISSING for NULL."""
    value = ctypes.c_void_p.from_address(address).value
    return MISSING if value is None else ctypes.cast(value, ctypes.py_object).value


def slot(frame, index):
    return object_at(id(frame) + FrameObject.localsplus.offset + 8 * index)


def slots(code):
    """[(kind, name)] of f_localsplus."""
    return ([("fast", name) for name in code.co_varnames] + [("cell", name) for name in code.co_cellvars] +
            [("free", name) for name in code.co_freevars])


def cell_slots(code):
    return range(code.co_nlocals, code.co_nlocals + len(code.co_cellvars))


def prefixes(code, offset):
    """How many EXTENDED_ARG there are: each is an instruction, but CPython has one event for all, and what they belong
    to."""
    count = 0
    while code.co_code[offset + 2 * count] == dis.EXTENDED_ARG:
        count += 1
    return count


def locals_to_fast(frame):
    ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), 1)


EVENTS = "call", "exception", "line", "return", "c_call", "c_exception", "c_return", "opcode"
TraceFunction = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.py_object, ctypes.c_int, ctypes.c_void_p)
started = []  # trace functions must not go away


def set_trace(function):
    """sys.settrace() for a function that does not touch f_locals: Python's makes a dict of them at each event, which
    keeps objects alive."""
    def trace(_, frame, what, value):
        if not EVENTS[what].startswith("c_"):
            function(frame, EVENTS[what], ctypes.cast(value, ctypes.py_object).value if value else None)
        return 0
    started.append(TraceFunction(trace))
    ctypes.pythonapi.PyEval_SetTrace(started[-1], ctypes.py_object(None))


def jump(frame, line):
    frame.f_trace = jump
    try:
        frame.f_lineno = line
    finally:
        del frame.f_trace


def line_of(code, offset):
    found = code.co_firstlineno
    for start, line in dis.findlinestarts(code):
        if start > offset:
            break
        found = line
    return found


def current_line(frame):
    return line_of(frame.f_code, frame.f_lasti)


def takes(instruction):
    """How many values an instruction takes: from the descriptions of the module dis."""
    name, arg = instruction.opname, instruction.arg
    if name in ("CALL_FUNCTION", "CALL_FUNCTION_KW", "CALL_METHOD"):
        return arg + (1 if name == "CALL_FUNCTION" else 2)
    if name.startswith("BUILD_") and name not in ("BUILD_CONST_KEY_MAP", "BUILD_MAP"):
        return arg
    if name in ("BUILD_MAP", "BUILD_CONST_KEY_MAP"):
        return 2 * arg if name == "BUILD_MAP" else arg + 1
    if name == "MAKE_FUNCTION":
        return 2 + bin(arg).count("1")
    if name == "CALL_FUNCTION_EX":
        return 2 + (arg & 1)
    if name in ("LIST_EXTEND", "LIST_APPEND", "SET_UPDATE", "SET_ADD", "DICT_UPDATE", "DICT_MERGE", "LIST_TO_TUPLE",
                "GET_ITER", "FOR_ITER", "POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE", "JUMP_IF_FALSE_OR_POP",
                "JUMP_IF_TRUE_OR_POP", "FORMAT_VALUE", "GET_AWAITABLE", "UNPACK_SEQUENCE"):
        return 1
    if name in ("JUMP_FORWARD", "JUMP_ABSOLUTE", "NOP"):
        return 0
    if name in ("ROT_THREE", "ROT_FOUR", "YIELD_FROM", "MAP_ADD"):
        return {"ROT_THREE": 3, "ROT_FOUR": 4}.get(name, 2)
    if name.startswith(("BINARY_", "INPLACE_", "ROT_TWO")) or name in ("COMPARE_OP", "STORE_ATTR", "CONTAINS_OP",
                                                                       "IS_OP", "DELETE_SUBSCR"):
        return 2
    if name in ("STORE_SUBSCR",):
        return 3
    if name.startswith("LOAD_") and name not in ("LOAD_ATTR", "LOAD_METHOD") or name.startswith("DUP_"):
        return 0
    if name.startswith(("STORE_", "RETURN_", "POP_TOP", "YIELD_", "UNARY_")) or name in ("LOAD_ATTR", "LOAD_METHOD"):
        return 1
    raise Unsupported("what %s takes" % name)


# ---- short texts of values

def show(value, depth=0):
    """objects/looking/show.h in Python: repr() without running code, shortened."""
    if value is MISSING:
        return "NULL"
    kind = type(value)
    if kind is str:
        return quoted(value)
    if kind in (list, tuple, dict, set):
        return shown_container(value, kind, depth)
    if kind is types.CodeType:
        return "<code object %s>" % value.co_name
    if kind in (types.FunctionType, types.GeneratorType):
        return "<%s %s>" % (kind.__name__, value.__qualname__.rpartition("<locals>.")[2])
    if kind is types.BuiltinFunctionType:
        return "<built-in function %s>" % value.__name__
    if kind is types.CellType:
        return "<cell: %s>" % show(value.cell_contents) if filled(value) else "<cell: empty>"
    if isinstance(value, type):
        return "<class %s>" % value.__qualname__.rpartition("<locals>.")[2]
    if value is None or kind in (int, float, bool, complex, bytes):
        return repr(value)
    if isinstance(value, BaseException) and kind.__repr__ is BaseException.__repr__:
        return repr(value)
    return "<%s object>" % kind.__name__


def quoted(text):
    """At most 30 characters, of a longer one the first 22 and the last 5."""
    cut = text if len(text) <= 30 else text[:22] + "..." + text[-5:]
    return repr(cut)


def shown_container(value, kind, depth):
    opening, closing = {list: "[]", tuple: "()", dict: "{}", set: "{}"}[kind]
    if not value:
        return "set()" if kind is set else opening + closing
    if depth == 2:
        return opening + "..." + closing
    if kind is dict:
        items = ["%s: %s" % (show(k, depth + 1), show(v, depth + 1)) for k, v in value.items()]
    else:
        items = [show(item, depth + 1) for item in value]
    if len(items) > 5:
        items[5:] = ["..."]
    return opening + ", ".join(items) + ("," if kind is tuple and len(value) == 1 else "") + closing


def filled(cell):
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


# ---- a process for everything that runs the program

def in_fork(function):
    """What a function says by reply(), which ends the copy of this process that it runs in."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        def reply(answer, ok=True):
            with os.fdopen(writer, "wb") as pipe:
                pipe.write(pickle.dumps((ok, answer)))
            os._exit(0)
        try:
            function(reply)
        except Unsupported as error:
            reply(str(error), False)
        except BaseException:
            reply(traceback.format_exc(), False)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    ok, answer = pickle.loads(data)
    if not ok:
        raise Unsupported(answer)
    return answer


def result_of(function):
    return in_fork(lambda reply: reply(function()))


class Event:
    """kind: op call return exception end; raw: which one of the events of sys.settrace, the line event where one
    comes with the op."""

    def __init__(self, kind, frame, back, code, tick, raw, lasti):
        self.kind, self.frame, self.back, self.code, self.tick, self.raw = kind, frame, back, code, tick, raw
        self.lasti, self.is_line, self.output = lasti, False, 0
        self.exception = None  # (name of its type, has it a traceback?)
        self.line = 0


class Edit:
    def __init__(self, raw, depth, text, line):
        self.raw, self.depth, self.text, self.line = raw, depth, text, line


class Input(io.StringIO):
    """What the program reads; it ends with None where the input is at its end."""

    def __init__(self, run, answers):
        super().__init__("".join(line for line in answers if line))
        self.run, self.at_end = run, None in answers

    def readline(self, *sizes):
        line = super().readline(*sizes)
        if not line and not self.at_end:
            self.run.waits()
        return line


class Output(io.StringIO):
    """What cannot be written as UTF-8 is not written."""

    def write(self, text):
        text.encode("utf-8")
        return super().write(text)


# Frames that are no part of the program: of this script, and of the import, which is written in C in minivm.
OUTSIDE = ["<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>", __file__]


class Run:
    """The program, once. `at(frame, event, value)` is called at every event, `finish(exception)` behind the last."""

    def __init__(self, name, edits, answers):
        self.name, self.edits = name, edits
        self.stdin, self.stdout = Input(self, answers), io.StringIO()
        self.raw = self.tick = -1
        self.headers = []  # of each breakpoint() up to now
        self.activations = 0
        self.numbers = {}  # id of a frame that is not over -> its number, counted by calls
        self.cells = {}  # id of a cell -> the number of the frame that it was made for, and the index there

    def breakpoint(self, header=None):
        self.headers.append(header + "\n" if header else "")

    def go(self):
        sys.breakpointhook = pdb.set_trace = self.breakpoint
        main = types.ModuleType("__main__")
        main.__dict__.update(__file__=self.name, __builtins__=builtins)
        sys.modules["__main__"] = main
        sys.meta_path.append(Finder)
        self.names = main.__dict__
        with open(self.name) as file:
            code = compile(file.read(), self.name, "exec")
        streams = sys.stdin, sys.stdout
        sys.stdin, sys.stdout, sys.argv, sys.path[0] = self.stdin, self.stdout, [self.name], HERE
        error = None
        try:
            set_trace(self.trace)
            try:
                exec(code, main.__dict__)
            finally:
                sys.settrace(None)
        except BaseException as raised:
            error = raised
            error.__traceback__ = raised.__traceback__.tb_next
        sys.stdin, sys.stdout = streams
        return self.finish(error)

    def trace(self, frame, event, value):
        try:
            self.trace_event(frame, event, value)
        except BaseException:
            self.reply(traceback.format_exc(), False)

    def trace_event(self, frame, event, value):
        if frame.f_code.co_filename in OUTSIDE:
            self.numbers.pop(id(frame), None)
            return
        self.raw += 1
        if event == "call":
            frame.f_trace_opcodes = True
            if frame.f_lasti < 0:
                self.activations += 1
                self.numbers[id(frame)] = self.activations
                for index in cell_slots(frame.f_code):
                    self.cells[id(slot(frame, index))] = self.activations, index
        for edit in self.edits:
            if edit.raw == self.raw:
                do_edit(frame, edit)
        self.tick += 1 + prefixes(frame.f_code, frame.f_lasti) if event == "opcode" else 0
        self.at(frame, event, value)

    def number(self, frame):
        return self.numbers.get(id(frame), 0)


def do_edit(frame, edit):
    """Repeated without a word: what it prints was seen when it was typed."""
    if edit.line:
        jump(frame, edit.line)
        return
    for _ in range(edit.depth):
        frame = frame.f_back
    streams = [(name, getattr(sys, name)) for name in ("stdin", "stdout", "displayhook") if hasattr(sys, name)]
    sys.stdin, sys.stdout, sys.displayhook = io.StringIO(), io.StringIO(), lambda value: None
    try:
        exec(compile(edit.text + "\n", "<stdin>", "single"), frame.f_globals, frame.f_locals)
    except BaseException:
        pass
    locals_to_fast(frame)
    for name in "stdin", "stdout", "displayhook":
        delattr(sys, name)
    for name, value in streams:
        setattr(sys, name, value)


class Recorder(Run):
    """The events, and for each watch its changes: [(event, before, after)]."""

    def __init__(self, name, edits, answers, reply, watches=()):
        super().__init__(name, edits, answers)
        self.reply = reply
        self.events, self.watches = [], watches
        self.line_began = False

    def at(self, frame, event, value):
        if event == "line":
            self.line_began = True
            return
        back = self.number_behind(frame)
        begins = self.line_began
        self.line_began = False
        code = frame.f_code
        row = Event("op" if event == "opcode" else event, self.number(frame), back,
                    (code.co_filename, code.co_name, code.co_firstlineno, code.co_flags, code.co_code),
                    self.tick + (event != "opcode"), self.raw - begins, frame.f_lasti)
        row.headers = list(self.headers)
        row.is_line, row.line, row.output = begins, current_line(frame), self.stdout_size()
        if event == "exception":
            row.exception = value[0].__name__, value[2] is not None
        self.events.append(row)
        for watch in self.watches:
            watch.look(self, len(self.events) - 1, frame, event)

    def number_behind(self, frame):
        while frame.f_back is not None and frame.f_back.f_code.co_filename in OUTSIDE:
            frame = frame.f_back
        return self.number(frame.f_back)

    def stdout_size(self):
        return len(self.stdout.getvalue())

    def finish(self, error, kind="end"):
        sys.modules.update(MODULES)
        row = Event(kind, 0, 0, None, self.tick + 1, self.raw + 1, 0)
        row.output = self.stdout_size()
        row.exception = error and (type(error).__name__, True)
        self.events.append(row)
        row.headers = list(self.headers)
        for watch in self.watches:
            watch.forget()
        self.reply((self.events, self.stdout.getvalue(), self.watches))

    def waits(self):
        self.finish(None, "wait")


# ---- watches

class Watch:
    """A variable, and the way from there. Its root is one of

        ("local", frame, index)    a variable of an activation
        ("name", frame, name)      a name in the f_locals of one, of a class body
        ("cell", frame, index)     a cell, by the activation that it was made for
        ("global", module, name)

    changes: [(event, before, after)]; begins, ends: [(event, text)] of the activation or the cell."""

    def __init__(self, number, text, root, steps):
        self.number, self.text, self.root, self.steps = number, text, root, steps
        self.changes, self.begins, self.ends = [], [], []
        self.forget()

    def forget(self):
        self.frame = self.cell = self.last = self.shown = self.contents = None
        self.raised = False  # was the frame's last event an exception?

    def value(self, run):
        kind, _, key = self.root
        if kind == "global":
            module = sys.modules.get(self.root[1])
            value = vars(module).get(key, MISSING) if module is not None else MISSING
        elif kind == "name":
            value = self.frame.f_locals.get(key, MISSING)
        elif kind == "cell":
            value = self.cell.cell_contents if filled(self.cell) else MISSING
        else:
            value = slot(self.frame, key)
        for kind, key in self.steps:
            value = part(value, kind, key)
        return value

    def see(self, run):
        self.last = self.value(run)
        self.contents = contents(self.last)
        self.shown = "(unbound)" if self.last is MISSING else show(self.last)

    def begin(self, run, event, frame):
        if self.root[0] == "cell":
            self.cell = slot(frame, self.root[2])
        else:
            self.frame = frame
        self.begins.append((event, "%s() begins here: there is nothing to see before it" % frame.f_code.co_name))
        self.see(run)

    def end(self, run, event, frame, kind):
        """Behind a look at the frame's last event; one that yields only waits."""
        yields = dis.opname[frame.f_code.co_code[frame.f_lasti]] in ("YIELD_VALUE", "YIELD_FROM")
        if frame is self.frame and kind == "return" and (self.raised or not yields):
            self.frame = None
            self.ends.append((event, "%s() ends here: there is nothing to see after it" % frame.f_code.co_name))
        if frame is self.frame:
            self.raised = kind == "exception"

    def look(self, run, event, frame, kind):
        root, number, _ = self.root
        if root != "global" and kind == "call" and frame.f_lasti < 0 and run.number(frame) == number:
            self.begin(run, event, frame)
        elif root == "global" and event == 0:
            self.see(run)
        if root != "global" and self.frame is self.cell is None:
            return
        if self.cell is not None and sys.getrefcount(self.cell) == 2:
            self.cell = None
            self.changes.append((event, "its cell is gone: nothing refers to it any more", None))
            return
        if self.value(run) is not self.last or contents(self.last) != self.contents:
            before = self.shown
            self.see(run)
            waited = root != "global" and self.cell is None and kind == "call" and frame is self.frame
            after = "changed where it is not shown" if before == self.shown else self.shown
            self.changes.append((event, before, after + " (while the generator waited)" * waited))
        self.end(run, event, frame, kind)


CONTAINERS = list, tuple, dict, set, frozenset, collections.deque, bytearray


def contents(value, around=()):
    """What is in a container, and of an instance that is watched itself its attributes: numbers, identities, and what
    is in the containers among them."""
    if any(value is one for one in around):
        return id(value)
    inside, around = (), (*around, value)
    if isinstance(value, bytearray):
        inside = bytes(value)
    elif isinstance(value, dict):
        inside = [(of_item(key, around), of_item(item, around)) for key, item in dict.items(value)]
    elif isinstance(value, CONTAINERS):
        inside = [of_item(item, around) for item in value]
    if type(value).__flags__ & 1 << 9 and not isinstance(value, type) and len(around) == 1:
        inside = inside, [(key, of_item(item, around)) for key, item in getattr(value, "__dict__", {}).items()]
    return id(value), inside


def of_item(item, around):
    if type(item) in (int, float):
        return item
    return contents(item, around) if isinstance(item, CONTAINERS) else id(item)


def part(value, kind, key):
    if value is MISSING:
        return value
    if kind == "attr":
        names = getattr(value, "__dict__", {})
        if key in names:
            return names[key]
        for base in type(value).__mro__:
            if key in vars(base):
                found = vars(base)[key]
                try:
                    return found.__get__(value) if isinstance(found, types.MemberDescriptorType) else found
                except AttributeError:
                    return MISSING
        return MISSING
    try:
        return value[key]
    except (LookupError, TypeError):
        return MISSING
