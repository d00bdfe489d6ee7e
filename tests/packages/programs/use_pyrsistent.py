from pyrsistent import (
    PClass,
    PRecord,
    field,
    freeze,
    m,
    pbag,
    pdeque,
    pmap,
    pset,
    pvector,
    s,
    thaw,
    v,
    plist,
    inc,
    discard,
    ny,
)

a = v(1, 2, 3)
b = a.append(4).set(0, 9)
print(a, b, b[1:3], a + [5], b.delete(1), sum(pvector(range(2000))), a.evolver().set(1, 7).persistent())
x = m(a=1, b=m(c=2))
print(
    x.set("d", 4)["d"],
    sorted(x.transform(["b", "c"], inc).items(), key=str),
    sorted(x.update({"z": 1})),
    len(pmap({n: n for n in range(500)}).remove(250)),
)
print(
    sorted(s(1, 2) | s(3)),
    sorted(pset("hello")),
    pbag([1, 1, 2]).count(1),
    pdeque([1, 2, 3], maxlen=3).append(4).rotate(1),
    plist([1, 2]).cons(0),
    freeze({"a": [1, {2}]}),
    thaw(freeze({"a": [1]})),
)


class Point(PRecord):
    x = field(type=int, mandatory=True)
    y = field(initial=0, invariant=lambda y: (y >= 0, "negative"))


class Box(PClass):
    size = field(type=int, factory=int)


p = Point(x=1)
print(
    sorted(p.items()),
    p.set(y=5).y,
    Box(size="3"),
    Box(size=3) == Box(size="3"),
    freeze({"a": [1, 2, 3]}).transform(["a", ny], lambda n: n * 2),
)
for f in lambda: Point(), lambda: p.set(y=-1), lambda: p.set(z=1), lambda: p.set(x="q"):
    try:
        f()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
