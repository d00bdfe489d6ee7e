#!/usr/bin/env python3.9
"""Makes vm/import/cpython_imports.def from the library of the CPython 3.9 that runs it.

    /path/to/python3.9 -I vm/import/make_imports_table.py > vm/import/cpython_imports.def

vm/import/own_modules.h says what the table is for. Run it again when vm/lib gets a module that CPython has too.
"""
import ast
import os
import sys

LIBRARY, CPYTHON = "vm/lib", os.path.dirname(os.__file__)
IN_C = {"datetime"}  # what its file imports serves the version in Python, which is not used
COLUMNS = 98


def counterpart(file):
    """The module of CPython, without its ending, that a file of vm/lib is or is a part of; None where there is none."""
    first = file.partition("/")[0]
    names = [file] + ([first] if "/" in file else [])
    return next((name for name in names if name not in IN_C and os.path.isfile(f"{CPYTHON}/{name}.py")), None)


def can_do_without(node):
    """Is this a `try` that goes on where a module is missing?"""
    return isinstance(node, ast.Try) and any("ImportError" in ast.dump(handler) for handler in node.handlers)


def imported(tree):
    """The top-level modules that the statements in a tree import, and cannot do without."""
    names = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module.partition(".")[0])
        elif not can_do_without(node):
            names |= imported(node)
    return names


def write_row(name, names):
    lines, line = [], f'IMPORTED_BY("{name}", "'
    for word in sorted(names):
        if len(line) + len(word) > COLUMNS - 3:
            lines.append(line + '"')
            line = '            "'
        line += word + " "
    print("\n".join(lines + [line + '")']))


files = (os.path.relpath(os.path.join(folder, name), LIBRARY)[:-len(".mpy")]
         for folder, _, names in os.walk(LIBRARY) for name in names if name.endswith(".mpy"))
print('// IMPORTED_BY(module, "names "): what the statements of a module of CPython 3.9 import, in the order of the\n'
      "// modules' names. A package's own file is called name/__init__. Made by make_imports_table.py.")
for module in sorted(set(filter(None, map(counterpart, files)))):
    with open(f"{CPYTHON}/{module}.py", encoding="utf-8") as source:
        found = imported(ast.parse(source.read())) - {"sys", "builtins"}
    if found:
        write_row(module, found)
