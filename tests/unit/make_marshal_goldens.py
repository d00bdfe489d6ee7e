# Writes marshal_goldens.def: what CPython 3.9's marshal makes of the bytes below.
#
#     PYTHONHASHSEED=0 python3.9 make_marshal_goldens.py > marshal_goldens.def
import marshal
import random
import sys

VALUES = [
    None, True, False, ..., StopIteration, 0, -1, 2**31 - 1, -2**31, 2**31, 2**100, -2**100, 32767, 10**30,
    1.5, -0.0, float("inf"), 1e300, 2j, -1.5 + 3j, "", "a", "name", "é", "ﬁ\U0001f600", "\ud800", "x" * 300, b"", b"\x00\xff",
    (), (1,), (1, "a", (2, b"b")), [], [1, [2]], {}, {"a": 1, 2: "b"}, set(), {1}, frozenset(), frozenset({"a"}),
    ("twice", "twice", ("twice",)), tuple(range(260)),
]
SOURCES = ["x = 1", "def f(a, b=2, *c, d, **e):\n  x = a\n  return lambda: (x, 'abc', 1.5, f)\n"]
# A letter and what follows, whole or broken.
RAW = [
    "", "?", "i", "i0100", "i01000000", "ie9ffffff", "l", "l00000000", "l0100000001", "l010000000180", "l0300000001000000",
    "l02000000ff7f0100", "lfeffffffff7f0100", "l00000080", "l0200000001000000", "f03312e35", "f01", "f0178", "x03312e3501 32",
    "f0531653430300a", "g00", "y00", "s05000000", "s010000006162", "sffffffff", "u02000000c3a9", "u01000000ff", "t01000000 61", "a00000080",
    "z0161", "z02", "Z0161", "A0100000061", "(01000000", "(01000000N", "(ffffffff", ")02N", ")02NT", "[01000000N", "[000000ff", "<01000000N",
    "<01000000[00000000", ">01000000N", "{0", "{N", "{NT0", "{[000000000", "0", "(010000000", "[010000000", "<010000000", "r00000000",
    "rffffffff", "\xceTr", "\xa9\x02\xda\x01ar\x01", "\xa9\x01r\x00", "c", "c00", "TT", "\xd4", "S", ".",
]


def raw_bytes(text):
    out, digits = bytearray(), ""
    if not text:
        return b""
    out.append(ord(text[0]))
    for char in text[1:]:
        if char in "0123456789abcdef" and ord(text[0]) < 128:
            digits += char
            if len(digits) == 2:
                out.append(int(digits, 16))
                digits = ""
        elif char != " ":
            out.append(ord(char))
    return bytes(out) + digits.encode()


def shown(value):
    if hasattr(value, "co_code"):
        return "code(%s)" % ", ".join([value.co_name, str(value.co_argcount), str(value.co_flags), value.co_code.hex(),
                                       shown(value.co_consts), repr(value.co_names), repr(value.co_varnames),
                                       repr(value.co_freevars), repr(value.co_cellvars), value.co_lnotab.hex()])
    if type(value) is tuple:
        return "(%s)" % ", ".join(map(shown, value))
    return repr(value)


def outcome(data):
    try:
        return shown(marshal.loads(data))
    except Exception as e:
        return "%s: %s" % (type(e).__name__, e)


def mutated(data):
    data = bytearray(data)
    for _ in range(random.randrange(1, 3)):
        at = random.randrange(len(data))
        choice = random.randrange(4)
        if choice == 0:
            data[at] = random.randrange(256)
        elif choice == 1:
            del data[at:]
        elif choice == 2:
            data[at] = random.choice(b"NTFil(){[<>rszaAcgyu0")
        else:
            data[at:at] = bytes([random.randrange(256)])
        if not data:
            return b""
    return bytes(data)


def quoted(data):
    return '"%s"' % "".join("\\%03o" % byte for byte in data)


def literal(text):
    return '"%s"' % "".join(
        "\\" + char if char in '"\\' else char if 32 <= ord(char) < 127 and char != "?" else
        "".join("\\%03o" % byte for byte in char.encode()) for char in text)


def is_deterministic(value):
    return not isinstance(value, (set, frozenset)) or len(value) < 2


cases = [marshal.dumps(value, version) for value in VALUES for version in (4, 2)]
cases += [marshal.dumps(compile(source, "<s>", "exec")) for source in SOURCES]
cases += [raw_bytes(text) for text in RAW]
random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
small = [case for case in cases if 0 < len(case) < 60]
cases += [mutated(random.choice(small)) for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 120)]
print("// Written by make_marshal_goldens.py under CPython 3.9: do not edit.")
print("// MARSHAL(bytes, their number, repr of the value or the error)")
for data in dict.fromkeys(cases):
    print("MARSHAL(%s, %d,\n        %s)" % (quoted(data), len(data), literal(outcome(data))))
