from pyasn1.codec.ber import decoder as ber_decoder
from pyasn1.codec.der import decoder, encoder
from pyasn1.codec.native import encoder as native
from pyasn1.error import PyAsn1Error
from pyasn1.type import char, constraint, namedtype, namedval, tag, univ, useful


class Record(univ.Sequence):
    componentType = namedtype.NamedTypes(
        namedtype.NamedType("id", univ.Integer()),
        namedtype.OptionalNamedType(
            "room", univ.Integer().subtype(implicitTag=tag.Tag(tag.tagClassContext, tag.tagFormatSimple, 0))
        ),
        namedtype.DefaultedNamedType(
            "house", univ.Integer(0).subtype(implicitTag=tag.Tag(tag.tagClassContext, tag.tagFormatSimple, 1))
        ),
        namedtype.NamedType("name", char.UTF8String()),
    )


r = Record()
r["id"], r["room"], r["name"] = 123, 321, "né"
data = encoder.encode(r)
got, rest = decoder.decode(data + b"\x05\x00", asn1Spec=Record())
print(data.hex(), encoder.encode(got) == data, rest, r.prettyPrint(), native.encode(got))
print(
    encoder.encode(univ.ObjectIdentifier("1.2.840.113549")).hex(),
    encoder.encode(univ.BitString("1011")).hex(),
    encoder.encode(univ.Null("")).hex(),
    encoder.encode(useful.UTCTime("240102030405Z")).hex(),
    encoder.encode(univ.Real((123, 10, -2))).hex(),
)
print(
    ber_decoder.decode(bytes.fromhex("248004036162630401640000"))[0],
    univ.OctetString(hexValue="dead"),
    univ.Integer(-129) + 1,
    univ.Boolean(True).prettyPrint(),
)


class Kind(univ.Enumerated):
    namedValues = namedval.NamedValues(("a", 1), ("b", 2))


class Small(univ.Integer):
    subtypeSpec = constraint.ValueRangeConstraint(0, 9)


print(Kind("b").prettyPrint(), int(Kind("a")))
for f in (
    lambda: Small(10),
    lambda: decoder.decode(b"\x30\x05\x02"),
    lambda: encoder.encode(Record()),
    lambda: decoder.decode(b"\x02\x01\x05", asn1Spec=univ.OctetString()),
):
    try:
        f()
    except PyAsn1Error as error:
        print(type(error).__name__, str(error)[:60])
