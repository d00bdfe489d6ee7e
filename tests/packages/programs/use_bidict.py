from bidict import (
    DROP_OLD,
    RAISE,
    DuplicationError,
    OnDup,
    OrderedBidict,
    ValueDuplicationError,
    bidict,
    frozenbidict,
    inverted,
)

b = bidict({"H": "hydrogen", "He": "helium"})
b["Li"] = "lithium"
print(b, b.inverse["helium"], b.inv.inv is b, list(inverted(b)), len(b), "H" in b, b.values(), b.pop("H"), b.inverse)
for f in (
    lambda: b.put("X", "helium"),
    lambda: b.__setitem__("Y", "lithium"),
    lambda: b.putall([("A", 1), ("B", 1)]),
    lambda: bidict({1: 1, 2: 1}),
):
    try:
        f()
    except (DuplicationError, ValueDuplicationError) as error:
        print(type(error).__name__, error, len(b))
b.forceput("X", "helium")
b.putall([("q", 1), ("r", 2)], OnDup(key=DROP_OLD, val=RAISE))
print(
    b,
    b == dict(b),
    b.copy() == b,
    b | {"z": 26},
    frozenbidict({1: 2}).inverse,
    hash(frozenbidict({1: 2})) == hash(frozenbidict({1: 2})),
)
o = OrderedBidict([("one", 1), ("two", 2), ("three", 3)])
o.move_to_end("one")
print(
    o,
    list(reversed(o)),
    o.popitem(last=False),
    o.equals_order_sensitive({"three": 3, "one": 1}),
    list(o.inverse.items()),
)


class Loud(bidict):
    on_dup = OnDup(key=RAISE, val=RAISE)


try:
    Loud(a=1).update(a=2)
except DuplicationError as error:
    print(error)
