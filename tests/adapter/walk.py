"""Random walks through programs by --dap, against a recording of the same program by CPython's sys.settrace.

    python3.9 tests/adapter/walk.py MINIVM [SEED] [STEPS]      exit status 1 where a stop is another one

The recording is a list of moments: the beginning of each line, and the end of each function, where the program is in
the caller's line again.  From a moment the model below says where `next`, `stepBack` and so on have to stop; the stack
with its lines, and the variables that are numbers, texts and containers of them, are compared at each stop.
"""
import inspect
import os
import random
import sys
from importlib.machinery import SourceFileLoader

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "programs")
Editor = SourceFileLoader("client", os.path.join(HERE, "client.mpy")).load_module().Editor
PROGRAMS = ("sums.py", "shapes.py", "search.py")
PLAIN = (int, str, float, bool, type(None))


# ---- the recording

class Moment:
    def __init__(self, kind, frame, stack, values):
        self.kind, self.frame, self.stack, self.values = kind, frame, stack, values


def is_plain(value):
    if type(value) in (list, tuple):
        return len(value) < 6 and all(map(is_plain, value))
    return type(value) in PLAIN and not (type(value) is str and len(value) > 20)


def recording(path):
    """Runs the program here; what it prints is dropped."""
    moments, numbers, generators = [], {}, set()
    code = compile(open(path).read(), path, "exec")

    def stack_of(frame):
        found = []
        while frame is not None and frame.f_code.co_filename == path:
            found.append(f"{frame.f_code.co_name}:{frame.f_lineno}")
            frame = frame.f_back
        return found

    def number_of(frame):
        """Frames stay alive, so that no other one gets their identity."""
        number = numbers.setdefault(id(frame), (len(numbers), frame))[0]
        if frame.f_code.co_flags & inspect.CO_GENERATOR:
            generators.add(number)
        return number

    def trace(frame, event, argument):
        if frame.f_code.co_filename != path:
            return None
        if event == "line":
            values = {name: repr(value) for name, value in frame.f_locals.items() if is_plain(value)}
            moments.append(Moment("line", number_of(frame), stack_of(frame), values))
        elif event == "return":
            caller = frame.f_back
            is_own = caller is not None and caller.f_code.co_filename == path
            moments.append(Moment("end", number_of(frame), stack_of(caller) if is_own else [], None))
            moments[-1].caller = number_of(caller) if is_own else None
        return trace

    kept, nowhere = (sys.stdout, sys.stderr), open(os.devnull, "w")
    sys.stdout = sys.stderr = nowhere
    sys.settrace(trace)
    try:
        exec(code, {"__name__": "__main__"})
    except SystemExit:
        pass
    finally:
        sys.settrace(None)
        sys.stdout, sys.stderr = kept
        nowhere.close()
    return moments, generators


# ---- the model

class Model:
    """`at` is the index of a moment, `frame` the number of the function that the program is in then."""

    def __init__(self, moments, generators):
        self.moments, self.generators, self.at, self.lines = moments, generators, 0, set()

    @property
    def frame(self):
        moment = self.moments[self.at]
        return moment.frame if moment.kind == "line" else moment.caller

    def _hits(self, moment):
        return moment.kind == "line" and int(moment.stack[0].partition(":")[2]) in self.lines

    def _forwards(self, stops):
        """The index of the next moment that stops; None = the end."""
        for index in range(self.at + 1, len(self.moments)):
            moment = self.moments[index]
            if stops(moment) or self._hits(moment):
                return index if moment.stack else None
        return None

    def continue_(self):
        return self._forwards(lambda moment: False)

    def next(self):
        frame = self.frame
        return self._forwards(lambda moment: moment.frame == frame)

    def step_in(self):
        return self._forwards(lambda moment: True)

    def step_out(self):
        frame = self.frame
        return self._forwards(lambda moment: moment.kind == "end" and moment.frame == frame)

    def _under_way(self):
        """The frames that had begun and had not ended at this moment."""
        found, frame = {self.frame}, self.frame
        depth = len(self.moments[self.at].stack)
        for moment in reversed(self.moments[:self.at]):
            if moment.kind == "line" and len(moment.stack) < depth:
                depth = len(moment.stack)
                found.add(moment.frame)
        return found

    def step_back(self):
        frames = self._under_way()
        for index in range(self.at - 1, -1, -1):
            if self.moments[index].kind == "line" and self.moments[index].frame in frames:
                return index
        return 0

    def reverse_continue(self):
        for index in range(self.at - 1, -1, -1):
            if self._hits(self.moments[index]):
                return index
        return 0


# ---- the editor

def begun(minivm, program):
    """An editor whose program stands before its first line."""
    editor = Editor(program, minivm)
    editor.start(stopOnEntry=True)
    editor.event("stopped")
    return editor


def values(editor, depth):
    """The variables of the innermost frame, of which there are so many."""
    found = {}
    for name, reference in editor.scopes(depth).items():
        if name in ("Fast locals", "Cells", "Free variables", "Names", "Globals"):
            shown, _ = editor.variables(reference)
            found.update((name, value) for name, value in shown.items() if value != "<unbound>")
    return found


MOTIONS = {"next": Model.next, "stepIn": Model.step_in, "stepOut": Model.step_out, "continue": Model.continue_,
           "stepBack": Model.step_back, "reverseContinue": Model.reverse_continue}
WEIGHTS = (6, 6, 2, 2, 6, 2)


def walk(minivm, program, choices, steps):
    """The number of stops that were right; prints the first one that is not."""
    path = os.path.join(FOLDER, program)
    model, editor, done = Model(*recording(path)), begun(minivm, program), []
    every_line = sorted({int(moment.stack[0].partition(":")[2]) for moment in model.moments if moment.kind == "line"})
    for step in range(steps):
        if choices.random() < 0.1:
            model.lines = set(choices.sample(every_line, choices.randrange(3)))
            editor.set_breakpoints(*model.lines)
        motion = choices.choices(list(MOTIONS), WEIGHTS)[0]
        if motion in ("next", "stepOut", "stepIn") and model.frame in model.generators:
            continue  # two pass over a `yield`, as pdb does; the third depends on who has asked for the value
        wanted = MOTIONS[motion](model)
        if wanted is None:  # that would be the end
            continue
        done.append((motion, sorted(model.lines)))
        refused = editor.ask(motion, threadId=1)
        if isinstance(refused, str):
            sys.exit(f"{motion}: {refused}")
        model.at = wanted
        moment, (came, _) = model.moments[wanted], editor.first_event("stopped", "terminated")
        stack = editor.stack() if came == "stopped" else [came]
        shown = values(editor, len(stack)) if came == "stopped" and moment.kind == "line" else {}
        wrong = {name: (value, shown.get(name)) for name, value in (moment.values or {}).items()
                 if shown.get(name) != value and not name.startswith(("__", "."))}
        if stack != moment.stack or wrong:
            print(f"{program}: {done[-6:]}\n  expected {moment.stack}\n  have     {stack}\n  values   {wrong}")
            editor.process.kill()
            return None
    editor.end()
    return len(done)


def main(minivm, seed="1", steps="150"):
    right, failed = 0, False
    for program in PROGRAMS:
        count = walk(minivm, program, random.Random(f"{seed} {program}"), int(steps))
        failed = failed or count is None
        right += count or 0
    print(f"adapter walks: {right} stops as in CPython's recording")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
