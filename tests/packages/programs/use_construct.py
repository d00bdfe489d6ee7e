from construct import (
    Adapter,
    Array,
    Bitwise,
    BitsInteger,
    Bytes,
    Checksum,
    Computed,
    Const,
    ConstructError,
    CString,
    Enum,
    Flag,
    FlagsEnum,
    GreedyRange,
    IfThenElse,
    Int8ub,
    Int16ub,
    Int32ul,
    Padding,
    Pointer,
    PascalString,
    Prefixed,
    Struct,
    Switch,
    this,
    VarInt,
    Float32b,
    GreedyBytes,
    Padded,
)

header = Struct(
    "magic" / Const(b"MZ"),
    "n" / Int8ub,
    "items"
    / Array(
        this.n,
        Struct(
            "kind" / Enum(Int8ub, a=1, b=2),
            "value" / Switch(this.kind, {"a": Int16ub, "b": CString("utf8")}, default=Bytes(1)),
        ),
    ),
    "twice" / Computed(this.n * 2),
    "tail" / GreedyRange(VarInt),
)
data = b"MZ\x03\x01\x00\x07\x02hi\x00\x09z\x81\x01\x05"
c = header.parse(data)
print(c, header.build(c) == data, c["items"][1].value, c.twice)
bits = Bitwise(Struct("f" / Flag, "n" / BitsInteger(3), Padding(4)))
print(
    bits.parse(b"\xd0"),
    bits.build(dict(f=False, n=5)),
    FlagsEnum(Int8ub, r=1, w=2).parse(b"\x03"),
    PascalString(Int8ub, "ascii").build("abc"),
    Prefixed(Int8ub, GreedyBytes).parse(b"\x02abc"),
    Int32ul.sizeof(),
)


class Upper(Adapter):
    def _decode(self, obj, context, path):
        return obj.decode().upper()

    def _encode(self, obj, context, path):
        return obj.lower().encode()


print(
    Upper(Bytes(3)).parse(b"abc"),
    Upper(Bytes(3)).build("XYZ"),
    Float32b.build(1.5),
    Padded(4, Int8ub).build(1),
    Pointer(2, Int8ub).parse(b"\x00\x01\x02"),
    IfThenElse(True, Int8ub, Int16ub).parse(b"\x01"),
)
for f in lambda: header.parse(b"XX"), lambda: Int16ub.parse(b"\x01"), lambda: Int8ub.build(300):
    try:
        f()
    except ConstructError as error:
        print(type(error).__name__, str(error).splitlines()[0])
