"""Writes vm/modules/torch/ops/overloads.def: what PyTorch lists where no signature of a name accepts the arguments.

    overloads.py FOLDER > overloads.def        FOLDER has the operators' rows (vm/modules/torch/ops)

PyTorch is asked itself: each name that has a row is called with more arguments than anything takes. The message has no
type's length and does not say where None is allowed: these are those of the schema with the same parameters."""
import os
import re
import sys

import torch

TYPES = {"tuple of ints": "int[]", "tuple of names": "Dimname[]", "tuple of Tensors": "Tensor[]", "tuple of floats": "float[]",
         "tuple of Scalars": "Scalar[]", "Number": "Scalar", "name": "Dimname", "torch.dtype": "ScalarType", "torch.layout": "Layout",
         "torch.device": "Device", "torch.Generator": "Generator", "torch.memory_format": "MemoryFormat"}
SPACES = [("FUNCTION", torch._C._VariableFunctions), ("METHOD", torch.ones(2, 2, dtype=torch.complex64)), ("NN", torch._C._nn), ("LINALG", torch._C._linalg),
          ("SPECIAL", torch._C._special), ("FFT", torch._C._fft)]
HEAD = """// The signatures of the names that have several, as PyTorch's messages list them, in its order:
//
//     OVERLOAD(name, places, signature)
//
// A name of which one signature stands here has old ones as well, which are not listed. The names
// of dimensions (Dimname) are listed, and never taken: no dimension has a name here. A function's
// `self` is `input`; a method has no self and no out=.
// Written by tests/torch/names/overloads.py, which asks PyTorch."""


def rows(folder):
    """The names of the operators that minivm has."""
    with open(os.path.join(folder, "ops.def")) as file:
        parts = re.findall(r'#include "\S+/(\w+\.def)"', file.read())
    text = "".join(open(os.path.join(folder, part)).read() for part in parts)
    return set(re.findall(r"^[A-Z_]+\((\w+),", text, re.M))


class A:
    """A short name: PyTorch cuts a message off after 1,023 characters."""


def listed(function):
    """The signatures in the message, or nothing where the message has no list."""
    best = []
    for arguments in [A()] * 31, []:
        try:
            function(*arguments)
        except Exception as error:
            found = str(error).partition("), but expected ")[2]
            best = max(best, re.findall(r"^(?: \* )?(\(.*\))$", found, re.M), key=len)
    return best


def parameters(signature):
    """(type, name, default or None) of each, and "*"."""
    for text in filter(None, signature[1:-1].split(", ")):
        text, _, default = text.partition(" = ")
        yield (*text.rsplit(" ", 1), default or None) if text != "*" else text


def schema_of(name, names):
    for schema in torch._C._jit_get_schemas_for_operator("aten::" + name):
        found = {"self" if a.name == "input" else a.name: a for a in schema.arguments}
        if [n for n in found if n not in OPTIONS] == [n for n in names if n not in OPTIONS]:
            return found
    return {}


OPTIONS_TEXT = ("ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False, "
                "bool requires_grad=False")
OPTIONS = {"out", "dtype", "layout", "device", "pin_memory", "requires_grad"}


def row_text(name, signature, place):
    """The signature with the types of a schema."""
    found = list(parameters(signature))
    names = ["self" if p[1] == "input" else p[1] for p in found if p != "*"]
    if place == "METHOD":
        names.insert(0, "self")
    schema, parts = schema_of(name, names), ["Tensor self"] if place == "METHOD" else []
    for part in found:
        if part == "*":
            parts.append(part)
            continue
        kind, parameter, default = part
        parameter = "self" if parameter == "input" and place == "FUNCTION" else parameter
        kind = TYPES.get(kind, kind)
        argument = schema.get(parameter)
        if argument is not None and argument.N and kind in ("int[]", "Dimname[]"):
            kind = kind.replace("[]", f"[{argument.N}]")
        if default == "None" or argument is not None and str(argument.type).startswith("Optional"):
            kind += "?"
        parts.append(f"{kind} {parameter}" + (f"={default}" if default else ""))
    return "(" + ", ".join(parts).replace('"', "'") + ")"


def as_method(text):
    """A function's signature as that of the method: without out=."""
    text = re.sub(r", Tensor(\[\])?\? out=None", "", text)
    return re.sub(r", \*(?=\))", "", text)


def row(name, kinds, text):
    """In lines of at most 100 columns."""
    start = f"OVERLOAD({name}, {' | '.join(kinds)},"
    words = re.split("(?<=,) ", f'"{text}")'.replace(OPTIONS_TEXT, '" OPTIONS "'))
    lines, indent = [start], " " * len("OVERLOAD(")
    for word in words:
        if len(lines[-1]) + len(word) + 3 <= 98:
            lines[-1] += " " + word
        else:
            inside = "".join(lines).count('"') % 2
            lines[-1] += ' "' if inside else ""
            lines.append(indent + ('"' if inside else "") + word)
    return "\n".join(lines).replace(' "" ', " ")


def main(folder):
    print(HEAD)
    for name in sorted(rows(folder)):
        lists = {}
        for place, space in SPACES:
            for suffix, kind in ("", place), ("_", "INPLACE" if place == "METHOD" else "INPLACE_" + place):
                signatures = listed(getattr(space, name + suffix, None))
                if signatures:
                    lists[kind] = [row_text(name, s, place) for s in signatures]
        function = lists.get("FUNCTION", [])
        groups = []
        for kind, texts in lists.items():
            for group in groups:
                same = group[1] == texts or (kind in ("METHOD", "INPLACE", "INPLACE_FUNCTION") and group[1] == function
                                             and [as_method(t) for t in function] == texts)
                if same:
                    group[0].append(kind)
                    break
            else:
                groups.append(([kind], texts))
        for kinds, texts in groups:
            for text in texts:
                print(row(name, kinds, text))


main(sys.argv[1])
