# Writes compile_goldens.def: what CPython 3.9 makes of the texts below.
#
#     PYTHONHASHSEED=0 python3.9 make_compile_goldens.py > compile_goldens.def
import dis
import io
import re
import symtable
import warnings

from golden_texts import quoted

ERRORS = [
    "return", "def f():\n  break", "continue", "yield", "await a", "def f(): await a", "async def f(): yield from a",
    "async def f():\n  yield\n  return 1", "class A: return", "*a", "*a = b", "*a, *b = c", "try: a\nexcept: b\nexcept C: d",
    "def f(__debug__): pass", "__debug__ = 1", "x.__debug__ = 1", "f(a=1, a=2)", "f(__debug__=1)", "def f(a, a): pass",
    "def f():\n  x = 1\n  global x", "def f():\n  x\n  nonlocal x", "def f(x):\n  global x", "nonlocal x",
    "def f():\n  nonlocal x", "def f():\n  nonlocal x\n  global x", "def f():\n  global x\n  x: int", "def f():\n  from a import *",
    "[x := 1 for x in y]", "[1 for x in (y := 1)]", "class A: [(j := 0) for i in x]", "[[(j := 0) for j in k] for i in x]",
    "[i for i in x if (j := i) for j in y]", "[(yield) for i in x]", "async for a in b: c", "def f():\n  async with a: b",
    "def f():\n  return [x async for x in y]", "x = 1\nfrom __future__ import division", "from __future__ import nothing",
    "from __future__ import braces", "x; from __future__ import division", "if 0:\n  return",
    "def f():\n" + "".join(" " * (i + 1) + "with a:\n" for i in range(21)) + " " * 23 + "b", "+".join("x" * 3500),
]

LISTINGS = [
    "def f(n):\n  'doc'\n  for i in range(n):\n    if i: print(f'{i!r:>3}')\n  return lambda: n\n",
    "x = 1\n" + "\n" * 1200 + "def f(a=1, *, b: int = 2): return a\n",
    "from . import a\n" + "f()\n" * 70 + "while a: b\n",
]

SYMBOLS = [
    "x = 1\ndef f(a, *b, c=x, **d):\n  global y\n  import e.f\n  y = a\n  z: int = 1\n",
    "def f():\n  x = y = 1\n  def g():\n    nonlocal y\n    y += x\n    class C:\n      x = x\n      def h(self): return x, super\n",
    "[a for a in b if (c := a) for d in e]\nlambda x: (yield x)\n",
    "class _A:\n  __x: int\n  def f(self): self.__y = __z\n  global g\n",
    "async def f():\n  await x\n  return {k: v async for k, v in y}\n",
    "def f():\n  def g():\n    def h(): return a\n  a = 1\n",
]


def error_of(source):
    try:
        compile(source, "<s>", "exec")
    except SyntaxError as e:
        return "%s|%s|%s" % (e.msg, e.lineno, e.offset)
    except RecursionError as e:
        return str(e)
    raise AssertionError(source)


def listing(source):
    out = io.StringIO()
    dis.dis(compile(source, "<s>", "exec"), file=out)
    return re.sub("0x[0-9a-f]+", "0x", out.getvalue())


def symbols(table):
    rows = ["%s=%d" % (name, flags) for name, flags in sorted(table.symbols.items())]
    text = "%s %d: %s\n" % (table.name, table.lineno, " ".join(rows))
    return text + "".join(symbols(inner) for inner in table.children)


warnings.simplefilter("ignore")
print("// Written by make_compile_goldens.py under CPython 3.9: do not edit.")
print("// COMPILE_ERROR(source, message|line|offset),")
print("// LISTING(source, what dis prints), SYMBOLS(source, names with their flags, for each scope)")
for source in ERRORS:
    print("COMPILE_ERROR(%s,\n              %s)" % (quoted(source), quoted(error_of(source))))
for source in LISTINGS:
    print("LISTING(%s,\n        %s)" % (quoted(source), quoted(listing(source))))
for source in SYMBOLS:
    table = symtable.symtable(source, "<s>", "exec")._table
    print("SYMBOLS(%s,\n        %s)" % (quoted(source), quoted(symbols(table))))
