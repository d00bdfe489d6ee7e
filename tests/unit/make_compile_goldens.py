# Writes compile_goldens.def: what CPython 3.9 makes of the texts below.
#
#     PYTHONHASHSEED=0 python3.9 make_compile_goldens.py > compile_goldens.def
import dis
import io
import re
import symtable
import warnings

CODES = [
    "", "pass", "'doc'\nx = 1", "x: int = 5\n(y): str\na.b: c", "a = b = c, *d = e",
    "a, b = b, a\na, b, c = c, b, a\n[a, b, c, d] = d", "a.b += 1\na[b] -= 1\na @= b",
    "(\n o.\n  a\n) += (\n v\n)",
    "x = 1, 1.0, True, 0.0, -0.0, 0j, -0j, (1, 1.0), (1.0, 1)", "x = 2 ** 127, 2 ** 128, 1 << 127, 'a' * 4097",
    "x = -1, ~5, not 'a', 'abc'[1], (1, 2)[5], 1 / 0", "not (a is b), not (a in b), not (a == b)",
    "x in [1, 2], x in {1}, x in [a], x not in {a}", "for x in [1, 2]: a\nfor x in {1}: b\nfor x in [a, b]: c",
    "[1, 2, 3], {1, 2, 3}, [1, 2], {*a, 1}, (*a, 1), [*a, *b]", "{1: 2, 3: 4}, {1: 2}, {**a, 'b': 1, **c, 'd': 2, 'e': 3}",
    "f(1, x=2), f(*a), f(1, *a, x=1, **b, y=2, z=3), a.f(1), a.f(x=1), f(1, 2, 3, **b)",
    "a < b < c\nnot a < b < c\nif a < b < c: d", "a and b or c and d\nif a and (b or c): d\nwhile not (a or b): c",
    "x = a if b else c\nif (a if b else c): d", "while 1:\n  a\n  if b: break\n  continue\nelse: c",
    "while 0: a\nelse: b", "if 0:\n  def f(): return x.y\n  z\nelif 1: a\nelse: b",
    "f'{a!r:>{w}} {b} {{}}', f'{a}', f''", "x[1:2, ::3]\ndel x, y.z, y[1]",
    "f(a,\n  b,\n  c)", "try:\n  a\nexcept B as e:\n  c\nexcept (D, E):\n  d\nelse:\n  f\nfinally:\n  g",
    "def f():\n for i in x:\n  with a as b, c:\n   try:\n    return g()\n   except E as e:\n    return a\n   finally:\n    z",
    "for i in x:\n try:\n  continue\n finally:\n  break", "def f():\n try:\n  return 1\n except:\n  return 2",
    "async def f():\n async with a as b:\n  async for c in d:\n   return await e\n  else:\n   g\n return [x async for x in y if await z]",
    "async def f():\n yield 1\n x = (i async for i in y)", "import a.b.c as d, e.f\nfrom . import a\nfrom ..b import c as d\nfrom e import *",
    "@a\n@b.c\ndef f(a: int, b: str = 1, /, c: x = 2, *d: y, e: z = 3, **g: w) -> v: return b",
    "@a\nclass A(B, *c, k=1, **d):\n  'doc'\n  __x = 1\n  def f(self): return super().f, self.__x",
    "def f(x):\n  def g(y):\n    nonlocal x\n    x = y\n    return lambda: x\n  return g",
    "def f():\n  x = 1\n  class B:\n    x = x\n    def g(self): return x, __class__",
    "[y for x in a for y in [x] if y], {x: y for x, y in z}, {x for x in y}, (x for x in y)",
    "def f():\n  global x\n  def g(): return x\n  x = (yield), (yield from a)",
    "x = lambda: 1, lambda: 1\ny = lambda a=1, *, b=2: (yield)",
    "assert a, b\nassert not a\nraise\nraise a\nraise a from b", "if not __debug__: a\nelse: b",
    "from __future__ import annotations\nx: a[1:2, ...] | -b ** c\ndef f(x: 'y', z: lambda a, *b: (a, b)): pass",
    "x = 1\n" + "\n" * 300 + "y = 2\n" + "\n" * 127 + "z = 3\nf(\n" + "\n" * 140 + "a)",
    "while a:\n" + " x = y\n" * 70 + " if b: break\n", "\n".join("x%d = %d" % (i, i) for i in range(260)),
]

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


def quoted(text):
    out = []
    for byte in text.encode():
        char = chr(byte)
        if char in '"\\':
            out.append("\\" + char)
        elif char == "\n":
            out.append("\\n")
        elif char == "?":
            out.append("\\?")
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append("\\%03o" % byte)
    return '"%s"' % "".join(out)


def constant(value):
    return "<code>" if hasattr(value, "co_code") else repr(value)


def dump(code):
    numbers = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_nlocals,
               code.co_stacksize, code.co_flags, code.co_firstlineno)
    text = "%s %s\n%s\n%s\n%r %r %r %r\n[%s]\n" % (
        code.co_name, " ".join(map(str, numbers)), code.co_code.hex(), code.co_lnotab.hex(), code.co_names,
        code.co_varnames, code.co_freevars, code.co_cellvars, ", ".join(map(constant, code.co_consts)))
    return text + "".join(dump(value) for value in code.co_consts if hasattr(value, "co_code"))


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
print("// CODE(source, fields of its code objects), COMPILE_ERROR(source, message|line|offset),")
print("// LISTING(source, what dis prints), SYMBOLS(source, names with their flags, for each scope)")
for source in CODES:
    print("CODE(%s,\n     %s)" % (quoted(source), quoted(dump(compile(source, "<s>", "exec")))))
for source in ERRORS:
    print("COMPILE_ERROR(%s,\n              %s)" % (quoted(source), quoted(error_of(source))))
for source in LISTINGS:
    print("LISTING(%s,\n        %s)" % (quoted(source), quoted(listing(source))))
for source in SYMBOLS:
    table = symtable.symtable(source, "<s>", "exec")._table
    print("SYMBOLS(%s,\n        %s)" % (quoted(source), quoted(symbols(table))))
