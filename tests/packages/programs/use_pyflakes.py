import ast
from pyflakes import checker, messages
from pyflakes.api import check
from pyflakes.reporter import Reporter
import io

source = "import os, sys\nfrom math import *\ndef f(a, a2):\n    x = 1\n    return undefined + os.name\ndef f(): pass\nprint('%s %s' % (1,))\nassert (1, 'x')\nif x is 'a': pass\ntry: pass\nexcept: pass\nexcept E: pass\n"
try:
    tree = ast.parse(source)
    found = checker.Checker(tree, "x.py").messages
except SyntaxError as error:
    found = []
for m in sorted(found, key=lambda m: (m.lineno, m.col)):
    print(m.lineno, type(m).__name__, m.message % m.message_args)
out, err = io.StringIO(), io.StringIO()
print(check("def f(:\n  pass\n", "bad.py", Reporter(out, err)), repr(out.getvalue()), err.getvalue().splitlines()[0])
print(check("from os import path\nimport re\ndel q\n", "y.py", Reporter(out, err)), out.getvalue())
