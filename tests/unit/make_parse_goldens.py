# Writes parse_goldens.def: what CPython 3.9 makes of the texts below.
#
#     PYTHONHASHSEED=0 python3.9 make_parse_goldens.py > parse_goldens.def
import ast

from golden_texts import quoted

TREES = [
    "x = 1",
    "a, *b = c = d",
    "x: int = 5\n(y): str\na.b: c",
    "a += b ** -c\nd //= yield",
    "def f(a, b=1, /, c: int = 2, *d, e, f=3, **g) -> h: pass",
    "async def f():\n    async for x in y: await z\n    async with a as b: return [i async for i in j]",
    "@d.e(1)\nclass A(B, *c, k=1, **d):\n    'doc'",
    "lambda a, b=1, *c, d, **e: (yield)",
    "if a: b\nelif c: d\nelse: e",
    "while a: break\nelse: continue",
    "for a, (b, *c) in d, e: f\nelse: g",
    "try: a\nexcept B as c: d\nexcept: e\nelse: f\nfinally: g",
    "with a as b, c(d) as e.f: g\nwith (a, b): c\nwith (a as b, c): d",
    "from ..a.b import c as d, e\nfrom . import *\nimport a.b.c as d, e",
    "global a, b\ndel a, b.c, d[0], (e, [f])\nassert a, b\nraise a from b",
    "f(a, *b, c=d, *e, **g)(x for x in y)[1:2:3, ::4, ...]",
    "[a for b in c if d if e for f in g]\n{a: b for a in c}\n{a for a in b}\n(a for a in b)",
    "{a: b, **c}\n{a, *b}\n[a, *b]\n(a,)\n()\n{}",
    "a if b else c or d and not e < f <= g != h is not i not in j",
    "a | b ^ c & d << e + f * g @ -h ** ~i",
    "(a := 1)\nawait b\nprint(a, end='')",
    "f'a{b!r:>{c}}d{{' 'e' f'{f=}'",
    "u'a' 'b'\nb'\\x41' b'c'\nr'\\n'\n'\\N{DASH}'[0:0] if 0 else '\\u00e9\\101'".replace(
        "\\N{DASH}", "\\N{EM DASH}"),
    "0x_ff + 0o17 + 0b1 + 1_000 + 1.5e-3 + 2j + 10**30",
    "x = '''\né''' + f'''{\na}{b}'''; é = ﬁ",
]

ERRORS = [
    "1 = x", "f() = 1", "(a, 1) = c", "None = 1", "a + b = c", "x = 1 = 2", "f'{a}' = 1",
    "[a, b()] += 1", "a, b += 1", "del f()", "del (a, 1)", "for 1 in x: pass", "with a as 1: pass",
    "[x for 1 in y]", "(a.b := 1)", "x := 1", "a, b: int", "[a]: int", "f(): int", "x = yield = 1",
    "def f(a=1, b): pass", "def f(*): pass", "def f(*, **k): pass", "lambda a=1, b: 0",
    "f(a for a in b, c)", "f(c, a for a in b)", "f(**a, *b)", "f(a=1, b)", "f(**a, b)",
    "f(a.b=1)", "f(True=1)", "(*a)", "[*a for a in b]", "{**a for a in b}",
    "from a import b,", "from a import (b, c", "x = (1 2)", "print a", "a b", "x = ", "if x", "if x:\ny",
    "  x", "x\n  y", "if x:\n    a\n  b", "if x:\n\ta\n        b", "def f(:", "class", "else: x", "try: a\nb",
    "'abc", "'''abc", "x = 'a\\", "x \\ y", "x \\", "(", ")", "(]", "(\n]", "0777", "1_", "0xg", "0b2", "0o8", "1__0",
    "1e+", "x = “a”", "a\u00a0b", "$", "a ? b", "a <> b", "b'é'", "b'a' 'b'", "'\\x1'", "'\\N{foo}'", "b'\\x'", "'\\u12'",
    "f'{'", "f'{}'", "f'}'", "f'{a!x}'", "f'{a b}'", "f'{a[}'", "f'{#}'", "f'{a:{b:{c}}}'", "f'{\\n}'", "f'{*a}'",
    "f'''\n{a b}'''", "f'{a'", "(" * 201, "-" * 7000 + "1", "x = {a b}", "import a.b as", "f(a, b=1, c for c in d)",
    "".join(" " * i + "if x:\n" for i in range(101)),
]


def error_of(source):
    try:
        compile(source, "<s>", "exec", ast.PyCF_ONLY_AST)
    except SyntaxError as e:
        return "%s|%s|%s|%s|%r" % (type(e).__name__, e.msg, e.lineno, e.offset, e.text)
    except MemoryError:
        return "MemoryError"
    raise AssertionError(source)


print("// Written by make_parse_goldens.py under CPython 3.9: do not edit.")
print("// TREE(source, ast.dump with attributes), ERROR(source, type|message|line|offset|text)")
for source in TREES:
    tree = ast.dump(ast.parse(source), include_attributes=True)
    print("TREE(%s,\n     %s)" % (quoted(source), quoted(tree)))
print("INDENTED(%s,\n         %s)" % (quoted(TREES[4]), quoted(ast.dump(ast.parse(TREES[4]), indent=3))))
for source in ERRORS:
    print("ERROR(%s,\n      %s)" % (quoted(source), quoted(error_of(source))))
