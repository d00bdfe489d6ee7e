from bitstring import BitArray, Bits, BitStream, ConstBitStream, CreationError, ReadError, pack

a = BitArray("0xff, 0b001, uint:5=3, int:6=-2")
print(a, a.bin, len(a), a[3:7], a.find("0b001"), a.count(1), a.uint, BitArray(float=1.5, length=32).hex, ~a[:8])
a.append("0o7")
a.invert(0)
a.reverse()
a.rol(3)
print(a, list(a.cut(8))[1], a.startswith("0b1"), a * 2 == a + a, a ^ a == BitArray(len(a)), a.tobytes())
s = BitStream("0x47000100")
print(s.read("hex:8"), s.read("uint:4"), s.pos, s.peek("bits:5"), s.readlist("uint:3, bin"), s.bitpos)
print(
    pack("<h, uint:4=n, hex:8", -2, "a5", n=9),
    ConstBitStream("0b00101").read("ue"),
    Bits(se=-4).bin,
    Bits(bytes=b"ab", offset=4).hex,
    Bits("0b1010").unpack("2*uint:2"),
    BitArray(intle=-3, length=16).hex,
)
for f in lambda: BitArray("0b102"), lambda: Bits(uint=4, length=2), lambda: BitStream("0b1").read(2):
    try:
        f()
    except (CreationError, ReadError, ValueError) as error:
        print(type(error).__name__, error)
