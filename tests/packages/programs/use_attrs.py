import attr
from attr import define, field, validators, evolve, asdict


@define(order=True)
class Point:
    x: int = field(validator=validators.instance_of(int))
    y: int = field(default=0, converter=int)
    tags: list = field(factory=list, eq=False, order=False)


a, b = Point(1, "2"), Point(1, 3, ["far"])
print(a, b, a < b, a == Point(1, 2), asdict(b), evolve(a, y=9))
try:
    Point("no")
except TypeError as error:
    print(error.args[0])


@attr.s(frozen=True, slots=True, hash=True)
class Name:
    first = attr.ib()
    last = attr.ib(default=attr.Factory(lambda self: self.first.upper(), takes_self=True))


n = Name("ada")
print(n, hash(n) == hash(Name("ada")), [f.name for f in attr.fields(Name)])
try:
    n.first = 1
except attr.exceptions.FrozenInstanceError as error:
    print(type(error).__name__)
