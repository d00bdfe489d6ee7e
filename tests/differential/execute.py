"""Compiles and runs programs, and prints what came of each: execute.py FILE, which generate.py has written.

Prints for each program its line "#### NUMBER", its code objects, its output and how it ended. Addresses of objects in
memory are left out.
"""
import io
import re
import sys
import types
import warnings

PRELUDE = '''
class Manager:
    def __init__(self, value=None): self.value = value
    def __enter__(self): print("enter"); return self.value
    def __exit__(self, kind, value, trace): print("exit", kind and kind.__name__); return kind is KeyError
    async def __aenter__(self): print("aenter"); return self.value
    async def __aexit__(self, kind, value, trace): print("aexit", kind and kind.__name__)
class Ready:
    def __init__(self, value): self.value = value
    def __await__(self):
        yield self.value
        return self.value
def run(coroutine):
    for _ in range(50):
        try: print("awaits", coroutine.send(None))
        except StopIteration as stop: return stop.value
    coroutine.close()
def drain(generator):
    async def collect(): return [item async for item in generator]
    return run(collect())
def decorate(function): return function
'''
LIMIT = 4000  # characters of output that are looked at


def describe(value):
    """A constant, with its type; sets in the order of their texts."""
    if isinstance(value, types.CodeType):
        return "code"
    if isinstance(value, tuple):
        return "(" + ", ".join([describe(item) for item in value]) + ")"
    if isinstance(value, frozenset):
        return "frozenset " + " ".join(sorted([describe(item) for item in value]))
    return type(value).__name__ + " " + repr(value)


def show_code(code, path):
    print("code", path, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_nlocals,
          code.co_stacksize, hex(code.co_flags), code.co_firstlineno, code.co_code.hex(), code.co_lnotab.hex(),
          code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    print("    ", ascii(describe(code.co_consts)))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            show_code(constant, path + "." + constant.co_name)


def lines_of(traceback):
    lines = []
    while traceback:
        if traceback.tb_frame.f_code.co_filename == "program":
            lines.append(traceback.tb_lineno)
        traceback = traceback.tb_next
    return lines


def shown(error):
    """How a program ended. What it raised may itself fail to be shown."""
    try:
        return f"{type(error).__name__}: {error} {lines_of(error.__traceback__)} {error.__context__!r}"
    except Exception as other:
        return f"{type(error).__name__} that is not shown: {type(other).__name__}: {other}"


def run(code, namespace):
    """The output of a program and how it ended."""
    output, real = io.StringIO(), sys.stdout
    sys.stdout = output
    try:
        exec(code, namespace)
        end = "ended"
    except BaseException as error:
        end = shown(error)
    finally:
        sys.stdout = real
    return output.getvalue()[:LIMIT] + end


def main():
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(300)
    prelude = compile(PRELUDE, "prelude", "exec")
    with open(sys.argv[1], encoding="utf-8") as file:
        programs = file.read().split("#### ")[1:]
    for text in programs:
        number, _, source = text.partition("\n")
        print("####", number, flush=True)
        namespace = {"__name__": "program"}
        exec(prelude, namespace)
        code = compile(source, "program", "exec")
        show_code(code, "module")
        text = re.sub("0x[0-9a-f]{6,}", "0x", run(code, namespace))
        print(text.encode("ascii", "backslashreplace").decode(), flush=True)


if __name__ == "__main__":
    main()
