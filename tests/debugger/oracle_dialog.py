"""The dialogue at a stop, for golden_steps.py: pdb.Pdb in the frame of a run, and the commands that pdb has not."""
import ast
import bdb
import dis
import gc
import io
import os
import pdb
import re
import reprlib
import sys
import textwrap
import traceback
import types
from oracle_run import (BUILTINS, Done, Edit, HERE, MISSING, MODULES, OUTSIDE, Output, Run, Unsupported, Watch, current_line,
                        filled, jump, line_of, locals_to_fast, object_at, raw_frame, result_of, show, slot, slots,
                        takes)

OUTSIDE.append(__file__)
GENERATOR = bdb.GENERATOR_AND_COROUTINE_FLAGS
ENDED = "*** The program has ended, there is no frame: rs, rc, goto and undo go back\n"
PICTURE = "   (picture)\n"  # of `so`


# ---- the dialogue

MOVES = ("si", "ni", "so", "rs", "rn", "rr", "rc", "rsi", "rni", "goto", "undo", "who")
LISTS = ("l", "list")
FORWARDS = ("s", "step", "n", "next", "r", "return", "c", "cont", "continue", "unt", "until")
REPEATED = MOVES[:-3] + LISTS + FORWARDS
LOOKING = ("p", "pp", "a", "args", "rv", "retval", "whatis", "source", "ll", "longlist", "w", "where", "bt")
NEW = MOVES + ("stack", "blocks", "locals", "dis", "info", "watch", "unwatch", "display", "undisplay", "run", "restart",
               "commands")
FRAMELESS = ("p", "pp", "whatis", "q", "quit", "b", "break", "tbreak", "cl", "clear", "disable", "enable", "condition",
             "ignore", "EOF")
OPERATORS = tuple("=.([,+*/%|&^<>")
ACTING = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


def last_line(error):
    return without_depth(traceback.format_exception_only(type(error), error)[-1].strip())


def without_depth(text):
    """What C code was doing when it found that the recursion is too deep depends on the depth where it begins."""
    return re.sub("(recursion depth exceeded) (in comparison|while .*)", r"\1", text)


def only_looks(line):
    try:
        tree = ast.parse(line.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return False
    return not any(isinstance(node, ACTING) for node in ast.walk(tree))


class Dialog(pdb.Pdb):
    """pdb in the frame of a stop, and what pdb has not."""

    def __init__(self, state, record, run, frame, value, reason):
        self.output = Output()
        super().__init__(stdin=io.StringIO(), stdout=self.output, nosigint=True, readrc=False)
        self.state, self.record, self.run, self.value, self.reason = state, record, run, value, reason
        self.breaks, self.aliases = state.breaks, state.aliases
        self.row = record.events[state.event]
        self.stopped_in, self.moved = frame, None
        self.prompt = "(Pdb) "
        raised = reason in ("exception", "postmortem") or reason == "end" and value is not None
        trace = value.__traceback__ if raised else None
        if frame is not None or trace is not None:
            self.setup(frame, trace)
        else:
            self.stack, self.curindex, self.curframe, self.curframe_locals = [], 0, None, run.names
        if state.again and state.selected < len(self.stack):
            self.curindex = state.selected
            self.curframe = self.stack[self.curindex][0]
            self.curframe_locals = self.curframe.f_locals
        self.lineno = None

    # -- where it is: from the program's first frame on, lines by the next instruction (golden_pdb.py)

    def get_stack(self, frame, trace):
        if trace and trace.tb_frame is frame:
            trace = trace.tb_next
        stack = []
        while frame:
            if frame.f_code.co_filename not in OUTSIDE and self.run.number(frame):
                stack.append((frame, current_line(frame)))
            frame = frame.f_back
        stack.reverse()
        index = max(0, len(stack) - 1)
        ends = not stack
        while trace:
            stack.append((trace.tb_frame, trace.tb_lineno))
            trace = trace.tb_next
        return stack, len(stack) - 1 if ends else index

    # -- talking

    def talk(self):
        self.announce()
        if self.state.breakpoint in self.state.commands and self.run_commands():
            return
        if self.reason != "end":
            self.show_place()
        self.show_displays()
        self.read_commands()

    def read_commands(self):
        while self.moved is None:
            self.do(self.next_line())

    def next_line(self, prompt="(Pdb) "):
        if self.state.queue:
            return self.state.queue.pop(0)
        self.output.write(prompt)
        return self.state.lines.pop(0) if self.state.lines else "EOF"

    def do(self, line):
        line = self.precmd(line)
        self.state.queue += self.cmdqueue
        self.cmdqueue = []
        line = line.strip() or self.state.last_line
        if not line:
            return
        name = re.match(r"\w*", line, re.ASCII).group()
        argument = line[len(name):].strip()
        self.state.last_line = line if name in REPEATED else ""
        if name in LISTS:
            self.state.last_line = "list"
        is_command = name in NEW or hasattr(pdb.Pdb, "do_" + name) or name == "bt"
        if line.startswith("?"):
            self.help(line[1:].strip())
        elif not is_command or (name in MOVES + NEW and argument.startswith(OPERATORS) and
                                name not in ("run", "commands")):
            self.state.last_line = ""
            self.statement(line)
        elif name in ("help", "h"):
            self.help(argument)
        elif name in ("interact", "debug"):
            raise Unsupported(name)
        elif name in FORWARDS and self.reason in ("end", "postmortem"):
            self.begin_again()
        elif self.curframe is None and name not in FRAMELESS + MOVES + NEW:
            self.output.write({"w": "", "u": "*** Oldest frame\n", "d": "*** Newest frame\n"}.get(name, ENDED))
        elif name in NEW:
            getattr(self, "new_" + name)(argument)
        elif name in LOOKING:
            self.look(lambda: self.onecmd("w" if name == "bt" else line))
        else:
            pdb.cmd.Cmd.onecmd(self, line)

    def help(self, argument):
        """h and ?: what the library has to say, read from its source, in 80 columns, the prompt included."""
        def fill(text, later="", first=""):
            return textwrap.fill(text, 74, initial_indent=first, subsequent_indent=later, break_long_words=False,
                                 break_on_hyphens=False)

        def page(text):
            summary, *paragraphs = text.split("\n\n")
            return "\n\n".join([fill(summary, "    "), *map(fill, paragraphs)])
        commands, sections, others = help_texts()
        if not argument:
            for heading, summaries in sections:
                self.message("\n" + heading)
                for summary in summaries:
                    self.message(fill(summary, "      ", "  "))
            self.message("\n" + fill(others["_OTHERS"]))
        elif argument in ("!", "exec"):
            self.message(page(others["_STATEMENTS"]))
        elif argument in commands:
            self.message(page(commands[argument]))
        elif argument.upper() in others["opcodes"]:
            picture, text = others["opcodes"][argument.upper()]
            self.message("%s   %s\n%s" % (argument.upper(), picture, fill(text, "    ", "    ")))
        elif argument in others["fields"]:
            self.message(fill("%s: %s" % (argument, others["fields"][argument]), "    "))
        else:
            self.error("No help for %r" % argument)

    def look(self, function):
        """Does it in a copy; its output is all that is left."""
        def looked():
            start = self.output.tell()
            sys.stdout = self.output
            try:
                function()
            except Done:
                pass
            except BaseException as error:
                self.error(last_line(error))
            return self.output.getvalue()[start:]
        self.output.write(result_of(looked))

    def _getval(self, text):
        try:
            names = self.curframe.f_globals if self.curframe is not None else self.run.names
            return eval(text, names, self.curframe_locals)
        except:
            self.error(last_line(sys.exc_info()[1]))
            raise Done

    def statement(self, line):
        line = line[1:].lstrip() if line.startswith("!") else line
        if only_looks(line):
            self.look(lambda: self.displayhook(self._getval(line)))
            return
        try:
            compile(line + "\n", "<stdin>", "single")
        except (SyntaxError, ValueError):
            self.default(line)
            return
        if self.curframe is None:
            self.output.write(ENDED)
            return
        depth = [frame for frame, _ in self.stack].index(self.stopped_in) - self.curindex if self.stopped_in else -1
        if depth < 0:
            self.error("This frame has ended: nothing can be changed in it")
            return
        sys.stdin, sys.stdout = self.stdin, self.output  # as pdb; the program may have none
        self.default(line)
        locals_to_fast(self.curframe)
        self.add_edit(Edit(self.row.raw, depth, line, 0))

    def forget_names(self):
        """The end of the program, behind the last prompt."""
        sys.stdout, start = self.run.stdout, self.run.stdout.tell()
        self.curframe_locals = None
        for name in list(self.run.names):
            if name != "__builtins__":
                del self.run.names[name]
        gc.collect()
        self.output.write(self.run.stdout.getvalue()[start:])

    def add_edit(self, edit):
        """What was recorded behind it is dropped, and its output can be printed again."""
        state = self.state
        state.edits = [old for old in state.edits if old.raw <= edit.raw] + [edit]
        state.printed = min(state.printed, self.row.output)
        state.frontier = self.row.tick

    def do_jump(self, argument):
        self.curframe.f_trace = jump
        before = self.stack[self.curindex]
        super().do_jump(argument)
        del self.curframe.f_trace
        if self.stack[self.curindex] is not before:
            self.add_edit(Edit(self.row.raw, 0, "", int(argument)))
    do_j = do_jump

    # -- at the beginning of a stop

    def error(self, text):
        super().error(without_depth(str(text)))

    def announce(self):
        try:
            self.note_value()
        except Exception as error:
            self.error(last_line(error))
        if not self.state.again:
            self.announce_reason()
        self.output.write(self.state.announced)
        self.state.announced = ""

    def announce_reason(self):
        title = {"call": "--Call--", "return": "--Return--"}.get(self.reason)
        if title:
            self.message(title)
        elif self.reason == "exception":
            self.message(last_line(self.value))
        elif self.reason == "postmortem":
            self.message("Uncaught exception. Entering post mortem debugging")
            self.message("Running 'cont' or 'step' will restart the program")
        elif self.reason == "end" and isinstance(self.value, SystemExit):
            self.message("The program exited via sys.exit(). Exit status: %s" % self.value)
        elif self.reason == "end" and not self.state.announced:
            self.message("The program finished. Running 'cont' or 'step' will restart it")

    def note_value(self):
        """pdb's __return__ and __exception__; that of a generator stays."""
        if self.curframe is None or self.stopped_in is None:
            return
        number = self.run.number(self.stopped_in)
        if self.reason == "return":
            self.curframe_locals["__return__"] = self.value
            if self.stopped_in.f_code.co_flags & GENERATOR:
                self.state.yielded[number] = reprlib.repr(self.value), self.row.tick
        elif number in self.state.yielded and self.state.yielded[number][1] <= self.row.tick:  # or it has gone back
            self.curframe_locals["__return__"] = Shown(self.state.yielded[number][0])
        if self.reason == "exception":
            self.curframe_locals["__exception__"] = type(self.value), self.value

    def run_commands(self):
        """As pdb's bp_commands(). True: it goes on."""
        number = self.state.breakpoint
        last_line = self.state.last_line
        for line in self.state.commands[number]:
            self.do(line)
        self.state.last_line = last_line
        if not self.state.silent[number]:
            self.show_place()
        if self.moved is None and not self.state.prompts[number]:
            self.moved = "continue", 1, 0
        if self.moved is None:
            self.read_commands()
        return True

    def show_place(self):
        if not self.stack:
            return
        self.look(self.print_place)
        if self.state.motion == "so" and pdb.linecache.getline(self.curframe.f_code.co_filename, 1):
            self.output.write(PICTURE)
            return
        by_instruction = self.state.motion in ("so", "si", "ni", "rsi", "rni") or self.reason == "instruction"
        if by_instruction and self.reason in ("instruction", "line"):
            self.message(instruction_at(self.stopped_in)._disassemble(3, True, 4))

    def print_place(self):
        try:
            "__return__" in self.curframe.f_locals
        except Exception as error:
            self.error(last_line(error))
            self.message("> %s(%d)%s()\n-> %s" % (
                self.canonic(self.curframe.f_code.co_filename), current_line(self.curframe),
                self.curframe.f_code.co_name,
                pdb.linecache.getline(self.curframe.f_code.co_filename, current_line(self.curframe)).strip()))
        else:
            self.print_stack_entry(self.stack[self.curindex])

    def do_where(self, argument):
        index, frame = self.curindex, self.curframe
        for index, (entry, _) in enumerate(self.stack):
            is_current = entry is frame
            self.curindex, self.curframe = index, entry
            start = self.output.tell()
            self.print_place()
            text = self.output.getvalue()[start:]
            if not is_current:
                self.output.seek(start)
                self.output.truncate()
                self.output.write(text.replace("> ", "  ", 1) if text.startswith("> ") else text)
        self.curindex, self.curframe = index, frame
    do_w = do_where

    def show_displays(self):
        shown = self.state.displays.get(self.display_key(), {})
        for text, before in shown.items():
            shown[text] = self.displayed(text)
            if shown[text] != before:
                self.message("display %s: %s  [old: %s]" % (text, shown[text], before))

    def display_key(self):
        return self.run.number(self.curframe) if self.curframe is not None else 0

    def displayed(self, text):
        names = self.curframe.f_globals if self.curframe is not None else self.run.names

        def look():
            sys.stdout = printed = Output()
            try:
                return repr(eval(text, names, self.curframe_locals)), printed.getvalue()
            except BaseException as error:
                return "** raised %s **" % last_line(error), printed.getvalue()
        value, printed = result_of(look)
        self.output.write(printed)
        return value

    def new_display(self, argument):
        shown = self.state.displays.setdefault(self.display_key(), {})
        if not argument:
            self.message("Currently displaying:")
            for text, value in shown.items():
                self.message("%s: %s" % (text, value))
            return
        shown[argument] = self.displayed(argument)
        self.message("display %s: %s" % (argument, shown[argument]))

    def new_undisplay(self, argument):
        shown = self.state.displays.get(self.display_key(), {})
        if not argument:
            shown.clear()
        elif argument in shown:
            del shown[argument]
        else:
            self.error("not displaying %s" % argument)

    # -- breakpoints: pdb's, but only where there is code, and for functions of any depth (golden_pdb.py)

    def checkline(self, filename, lineno):
        text = pdb.linecache.getline(filename, lineno)
        found = super().checkline(filename, lineno)
        lines, functions = code_lines(filename)
        if not text or lineno in lines and found or lineno in functions.values():
            return found
        text = text.strip()
        what = "is blank" if not text else "is a comment" if text[0] == "#" else "has no code of its own"
        after = min((line for line in lines if line > lineno), default=None)
        where = "the next line with code is %d" % after if after else "no line after it has code"
        self.error("Line %d %s; %s" % (lineno, what, where))
        return 0

    def lineinfo(self, text):
        found = super().lineinfo(text)
        filename = self.defaultFile()
        line = code_lines(filename)[1].get(text)
        return found if found[0] or line is None else (text.rpartition(".")[2], filename, line)

    def lookupmodule(self, name):
        """A module of the program, or minivm's own."""
        for folder in HERE, os.path.join(HERE, "../../vm/lib"):
            for ending in "", ".mpy":
                if os.path.isfile(os.path.join(folder, name + ending)):
                    return os.path.normpath(os.path.join(folder, name + ending))
        return None

    def do_clear(self, argument):
        """The question is asked in the transcript."""
        if argument:
            super().do_clear(argument)
        elif self.next_line("Clear all breaks? ").strip().lower() in ("y", "yes"):
            for point in [point for point in bdb.Breakpoint.bpbynumber if point]:
                self.message("Deleted %s" % point)
            self.clear_all_breaks()
    do_cl = do_clear

    def new_commands(self, argument):
        number = int(argument) if argument.isdigit() else len(bdb.Breakpoint.bpbynumber) - 1
        if argument and not argument.isdigit():
            self.error("Usage: commands [bnum]\n        ...\n        end")
            return
        lines, silent, prompts = [], False, True
        while True:
            line = self.next_line("(com) ").strip()
            name = line.split(" ")[0]
            if name in ("end", "EOF"):
                break
            if name == "silent":
                silent = True
            elif line:
                lines.append(line)
                if name in MOVES + FORWARDS[:-2] + ("q", "quit", "exit", "j", "jump", "run", "restart"):
                    prompts = False
                    break
        self.state.commands[number], self.state.silent[number], self.state.prompts[number] = lines, silent, prompts

    # -- motions; those of pdb end in bdb's set_

    def set_step(self):
        self.moved = "step", 1, 0

    def set_next(self, frame):
        self.moved = "next", self.run.number(frame), 0

    def set_return(self, frame):
        self.moved = "return", self.run.number(frame), 0

    def set_until(self, frame, lineno=None):
        self.moved = "until", self.run.number(frame), current_line(frame) + 1 if lineno is None else lineno

    def set_continue(self):
        self.moved = "continue", 1, 0

    def set_quit(self):
        self.moved = "quit", 0, 0

    def do_EOF(self, argument):
        self.message("")
        self.set_quit()

    def begin_again(self):
        if self.reason == "postmortem":
            self.message("Post mortem debugger finished. The %s will be restarted" % os.path.abspath(self.state.name))
        self.moved = "goto", 0, 0

    def new_run(self, argument):
        if argument:
            self.error("Cannot run %s: the arguments are those that minivm was called with" % argument)
            return
        self.message("Restarting %s with arguments:\n\t" % os.path.abspath(self.state.name))
        self.moved = "goto", 0, 0
    new_restart = new_run

    def new_goto(self, argument):
        try:
            tick = int(argument)
        except ValueError:
            self.error("The 'goto' command requires a tick, a number: see info ticks")
            return
        if tick < 0:
            self.error("The first tick is 0")
            return
        self.moved = "goto", 0, tick

    def moving(kind):
        def move(self, argument):
            if kind in ("si", "ni", "so") and self.reason in ("end", "postmortem"):
                self.begin_again()
            else:
                self.moved = kind, self.run.number(self.curframe), 0
        return move

    for name in MOVES[:9] + ("undo",):
        locals()["new_" + name] = moving(name)

    # -- watches

    def new_watch(self, argument):
        if not argument:
            if not self.state.watches:
                self.message("no watches")
            for number, watch in self.state.watches.items():
                self.message("%-4dwatch        %s" % (number, watch.text))
            return
        watch = self.watch_for(argument)
        if watch:
            self.state.watches[watch.number] = watch
            self.message("Watch %d: %s" % (watch.number, argument))

    def new_unwatch(self, argument):
        for text in argument.split() or [str(number) for number in self.state.watches]:
            watch = self.state.watches.pop(int(text) if text.isdigit() else 0, None)
            if watch is None:
                self.error("There is no watch %s" % text)
            else:
                self.message("Deleted watch %d: %s" % (watch.number, watch.text))

    def new_who(self, argument):
        if not argument:
            self.error("who needs an expression: who x, who obj.attr, who d['key']")
            return
        watch = self.watch_for(argument)
        if watch:
            self.state.missing = self.missing(re.match(r"\w+", argument).group())
            self.moved = "who", watch, 0

    def missing(self, name):
        """What there is to say of a name that has no value here."""
        frame = self.curframe
        names = [slot_name for _, slot_name in slots(frame.f_code)] if frame is not None else []
        if name in (self.curframe_locals if name in names else {**self.run.names, **self.curframe_locals}):
            return None
        return "%s is a built-in name." % name if name in BUILTINS else "%s is not defined. It was not set since" % name

    def watch_for(self, text):
        try:
            root, steps = self.resolve(text)
        except ValueError as error:
            self.error(error)
            return None
        self.state.next_watch += 1
        return Watch(self.state.next_watch - 1, text, root, steps)

    def resolve(self, text):
        try:
            node = ast.parse(text.strip(), mode="eval").body
        except SyntaxError:
            raise ValueError("%s is not an expression" % text)
        steps = []
        while not isinstance(node, ast.Name):
            steps.append(watch_step(node))
            node = node.value
        root = self.watch_root(node.id)
        return (self.oldest_holder(node.id, root) if steps else root), steps[::-1]

    def watch_root(self, name):
        frame = self.curframe
        names = [slot_name for _, slot_name in slots(frame.f_code)] if frame is not None else []
        if name in names:
            number, index = self.run.number(frame), names.index(name)
            is_cell = index >= frame.f_code.co_nlocals
            return ("cell", *self.run.cells[id(slot(frame, index))]) if is_cell else ("local", number, index)
        if frame is not None and not frame.f_code.co_flags & 2 and frame.f_locals is not frame.f_globals:
            if type(frame.f_locals) is not dict:
                raise ValueError("%s: the names here are in a %s, which would have to be asked" % (
                    name, type(frame.f_locals).__name__))
            if name in frame.f_locals:
                return "name", self.run.number(frame), name
        return "global", "__main__", name

    def oldest_holder(self, name, root):
        """What is reached from a variable belongs to an object: of the variables on the stack that have it, the one
        of the oldest frame, which is there longest."""
        if root[0] not in ("local", "cell"):
            return root
        frame = self.curframe
        owner = frame.f_locals.get(name, MISSING)
        while frame.f_back is not None and self.run.number(frame.f_back):
            frame = frame.f_back
            for index, (kind, name) in enumerate(slots(frame.f_code)):
                if frame.f_locals.get(name) is owner:
                    number = self.run.number(frame)
                    root = ("local", number, index) if kind == "fast" else ("cell", *self.run.cells[id(slot(frame, index))])
            for name, value in frame.f_globals.items():
                if value is owner:
                    root = "global", frame.f_globals["__name__"], name
        return root

    def new_info(self, argument):
        if argument == "ticks":
            self.message("tick %d; the run is known up to tick %d" % (self.row.tick, self.state.frontier))
        elif argument == "watches":
            self.new_watch("")
        elif argument == "breakpoints":
            self.do_break("")
        elif argument in UNHOOKED and "torch" not in open(self.state.name).read():
            self.message(UNHOOKED[argument] % self.canonic(self.state.name))
        elif argument in ("", "zork"):
            self.error("info what? hook, cache, breakpoints, ticks, state, snapshots, watches")
        else:
            raise Unsupported("info " + argument)

    # -- below the line

    def new_dis(self, argument):
        if argument not in ("", "all"):
            self.error("dis shows this function; for another: !import dis; dis.dis(...)")
            return
        listed = list(dis.get_instructions(self.curframe.f_code))
        current = max(self.curframe.f_lasti, 0) // 2
        first, end = (0, len(listed)) if argument else (max(0, current - 6), current + 7)
        for number, instruction in enumerate(listed[:end]):
            if number >= first:
                if instruction.starts_line is not None and number > first:
                    self.message("")
                self.message(instruction._disassemble(3, number == current, 4))

    def new_stack(self, argument):
        if self.curframe is None:
            self.output.write(ENDED)
            return
        if self.stopped_in is None:
            self.error("This frame has ended: it has no value stack any more")
            return
        frame, code, instruction = self.curframe, self.curframe.f_code, instruction_at(self.curframe)
        newest = frame is self.stopped_in
        values = stack_values(frame, newest)
        self.message("value stack: %d of co_stacksize %d" % (len(values), code.co_stacksize))
        taken = takes(instruction) if newest and self.reason not in ("return", "call") else 0
        for index in range(len(values) - 1, -1, -1):
            self.message("%4d %s %s" % (index, "<" if index >= len(values) - taken else " ", show(values[index])))
        text = " ".join(instruction._disassemble(0, False, 0).split())
        if not newest:
            self.message("it waits for the call by " + text)
        elif self.reason == "return":
            self.message("it returns " + show(self.value))
        else:
            effects = [taken + dis.stack_effect(instruction.opcode, instruction.arg, jump=jump)
                       for jump in (False, True)]
            leaves = " or ".join(str(effect) for effect in dict.fromkeys(effects))
            self.message("next: " + text)
            self.message("      takes %d, leaves %s   %s" % (taken, leaves, PICTURES[instruction.opname]))

    def new_blocks(self, argument):
        if self.curframe is None:
            self.output.write(ENDED)
            return
        raw = raw_frame(self.curframe)
        if not raw.iblock:
            self.message("no blocks: an exception leaves the frame")
        for number in range(raw.iblock - 1, -1, -1):
            block = raw.blockstack[number]
            meaning = "a handler runs; POP_EXCEPT ends it"
            if block.type != EXCEPT_HANDLER:
                meaning = "an exception goes on at offset %d, line %d" % (
                    block.handler, line_of(self.curframe.f_code, block.handler))
            kind = "EXCEPT_HANDLER" if block.type == EXCEPT_HANDLER else dis.opname[block.type]
            self.message("%4d   %-15s level %d   %s" % (number, kind, block.level, meaning))

    def new_locals(self, argument):
        if self.curframe is None:
            self.output.write(ENDED)
            return
        frame, code = self.curframe, self.curframe.f_code
        rows, cells, last = slots(code), [], None
        if not rows:
            where = "f_globals" if frame.f_locals is frame.f_globals else "f_locals"
            self.message("f_localsplus is empty: names are in " + where)
        for index, (kind, name) in enumerate(rows):
            value = slot(frame, index)
            text = "<unbound>" if value is MISSING else show(value)
            if kind != "fast":
                if not any(value is cell for cell in cells):
                    cells.append(value)
                text = "-> cell %d" % (1 + [value is cell for cell in cells].index(True))
            self.message("%-5s%4d   %-15s %s" % (kind if kind != last else "", index, name, text))
            last = kind
        for number, cell in enumerate(cells, 1):
            self.message("cell %d: %s" % (number, show(cell.cell_contents) if filled(cell) else "<empty>"))
            self.message("        shared by " + ", ".join(self.sharers(cell)))

    def sharers(self, cell):
        found, others = [], []
        for frame, _ in self.stack:
            for index, (kind, name) in enumerate(slots(frame.f_code)):
                if slot(frame, index) is cell:
                    found.append("%s.%s (%s)" % (frame.f_code.co_name, name, kind))
        for thing in gc.get_objects():
            if isinstance(thing, types.FunctionType):
                others += ["%s.__closure__[%d]" % (thing.__name__, index)
                           for index, held in enumerate(thing.__closure__ or ()) if held is cell]
            elif isinstance(thing, types.GeneratorType) and thing.gi_frame is not None:
                rows = slots(thing.gi_frame.f_code)
                if thing.gi_frame not in [frame for frame, _ in self.stack] and any(
                        slot(thing.gi_frame, index) is cell for index in range(len(rows))):
                    others.append("the generator " + thing.__name__)
        return found + sorted(others) or ["nothing else"]


# By hand, for programs that know nothing of the hook: no evaluator, no callback, no cache entries (FACTS.md 2.2).
UNHOOKED = {"hook": "frames are evaluated by the default evaluator: no hook is in place\ncallback: None: off%.0s",
            "cache": "<module> (%s:2): nothing is cached", "cache x": "*** x is not a function%.0s"}
EXCEPT_HANDLER = 257  # b_type of a handler that runs, in Include/opcode.h

# What an instruction does to the stack, as the module dis describes it.
PICTURES = {
    "LOAD_CLOSURE": "-> cell", "BUILD_TUPLE": "... -> tuple", "LOAD_CONST": "-> const", "BINARY_ADD": "a b -> a + b",
    "MAKE_FUNCTION": "... code name -> function", "STORE_FAST": "value ->", "LOAD_DEREF": "-> value",
    "LOAD_FAST": "-> value", "LOAD_GLOBAL": "-> value", "LOAD_NAME": "-> value", "DUP_TOP": "a -> a a",
    "CALL_METHOD": "method a ... -> result", "YIELD_VALUE": "a -> sent", "STORE_ATTR": "value a ->",
}


class Shown:
    """A value of which only the text is left."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def watch_step(node):
    if isinstance(node, ast.Attribute):
        return "attr", node.attr
    if isinstance(node, ast.Subscript):
        try:
            key = ast.literal_eval(node.slice)
        except ValueError:
            key = None
        if isinstance(key, (int, str)):
            return "item", key
        raise ValueError("%s: the key must be a number or a text that stands there" % ast.unparse(node))
    raise ValueError("%s cannot be watched: a variable can, x, and what is reached from it by attributes and items, "
                     "x.a, x['key'], x[0]" % ast.unparse(node))


def instruction_at(frame):
    """With the short text of a code object."""
    for instruction in dis.get_instructions(frame.f_code):
        if instruction.offset == max(frame.f_lasti, 0):
            if isinstance(instruction.argval, types.CodeType):
                return instruction._replace(argrepr=show(instruction.argval))
            return instruction


def stack_values(frame, newest):
    raw = raw_frame(frame)
    if newest:
        count = (raw.stacktop - raw.valuestack) // 8 if raw.stacktop else 0
    else:
        count = waiting_depth(frame)
    values = [object_at(raw.valuestack + 8 * index) for index in range(count)]
    for block in raw.blockstack[:raw.iblock]:
        if block.type == EXCEPT_HANDLER:  # what was handled before: NULL where CPython has nothing, None in minivm
            values[block.level:block.level + 3] = [None if value is MISSING else value
                                                   for value in values[block.level:block.level + 3]]
    return values


def waiting_depth(frame):
    """Of a frame that waits for a call, without the function and the arguments: by dis.stack_effect along the code."""
    depths = {0: 0}
    for instruction in dis.get_instructions(frame.f_code):
        depth = depths.get(instruction.offset)
        if instruction.offset == frame.f_lasti:
            return depth - takes(instruction)
        if depth is None:
            continue
        if instruction.opcode in dis.hasjabs + dis.hasjrel:
            effect = dis.stack_effect(instruction.opcode, instruction.arg, jump=True)
            depths.setdefault(instruction.argval, depth + effect)
        if instruction.opname not in ("JUMP_ABSOLUTE", "JUMP_FORWARD", "RETURN_VALUE", "RAISE_VARARGS", "RERAISE"):
            effect = dis.stack_effect(instruction.opcode, instruction.arg, jump=False)
            depths.setdefault(instruction.offset + 2, depth + effect)


def code_lines(filename):
    """The lines of a file that have code, and the lines of its functions by their names."""
    lines, functions = set(), {}

    def add(code, prefix):
        lines.update(line for _, line in dis.findlinestarts(code))
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                if constant.co_flags & 1:
                    functions.setdefault(constant.co_name, constant.co_firstlineno)
                    functions.setdefault(prefix + constant.co_name, constant.co_firstlineno)
                add(constant, prefix + constant.co_name + ".")
    add(compile("".join(pdb.linecache.getlines(filename)), filename, "exec"), "")
    return lines, functions


LIBRARY = os.path.join(HERE, "../../vm/lib/debugger/")
MODULES_OF_COMMANDS = "moving", "looking", "breaking", "watching", "machine", "hook", "helping"


def help_texts():
    """{name: text}, [(heading, summaries)], and the texts that are not a command's: from the library's source."""
    commands, sections, others = {}, [], {}
    for module in MODULES_OF_COMMANDS:
        with open(LIBRARY + module + ".mpy") as file:
            tree = ast.parse(file.read())
        for node in tree.body:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.value.func.id == "section":
                sections.append((node.value.args[0].value, []))
            for call in getattr(node, "decorator_list", ()):
                names = [word.value for word in call.args] or [node.name.rstrip("_")]
                text = ast.get_docstring(node)
                commands.update((name, text) for name in names)
                sections[-1][1].append(text.split("\n")[0])
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("_STATEMENTS", "_OTHERS"):
                others[ast.unparse(node.targets[0])] = node.value.value
    with open(LIBRARY + "words.mpy") as file:
        fields = next(node.value for node in ast.parse(file.read()).body
                      if isinstance(node, ast.Assign) and node.targets[0].id == "FIELDS")
    others.update(opcodes=opcode_words(), fields=ast.literal_eval(fields))
    return commands, sections, others


def opcode_words():
    """name -> (picture, meaning) by compiler/opcodes.def"""
    with open(os.path.join(LIBRARY, "../../../compiler/opcodes.def")) as file:
        rows = re.findall(r'^OPCODE\((\w+), .*?"(.*)",\n *"(.*)"\)$', file.read(), re.M)
    return {name: (picture, meaning) for name, picture, meaning in rows}


# ---- a stop

class Visit(Run):
    """The program up to an event, and the dialogue there, or one question."""

    def __init__(self, state, record, index, reply, question=None):
        super().__init__(state.name, state.edits, state.answers)
        self.state, self.record, self.reply, self.question = state, record, reply, question
        self.target = record.events[index]

    def at(self, frame, event, value):
        if self.raw != self.target.raw:
            return
        sys.settrace(None)
        if self.question:
            self.reply(is_true(self.question, frame))
        reason = {"opcode": "instruction"}.get(event, event)
        self.stop(frame, value[1].with_traceback(value[2]) if event == "exception" else value, reason)

    def finish(self, error):
        is_clean = error is None or isinstance(error, SystemExit)
        self.stop(None, error, "end" if is_clean else "postmortem")

    def stop(self, frame, value, reason):
        sys.modules.update(MODULES)
        dialog = Dialog(self.state, self.record, self, frame, value, reason)
        dialog.talk()
        if reason == "end" and dialog.moved[0] == "quit":
            dialog.forget_names()
        state = self.state
        state.text += dialog.output.getvalue()
        state.moved, state.selected = dialog.moved, dialog.curindex
        state.status = 0
        if reason == "postmortem":
            state.status = 1
            state.stderr = "".join(traceback.format_exception(type(value), value, value.__traceback__))
        elif reason == "end" and value is not None:
            state.status = value.code
        state.breakpoints = bdb.Breakpoint.next, bdb.Breakpoint.bplist, bdb.Breakpoint.bpbynumber
        self.reply(state)


def is_true(text, frame):
    """"raised", or whether a condition holds."""
    try:
        return bool(eval(text, frame.f_globals, frame.f_locals))
    except BaseException:
        return "raised"


