import typing
import typing_extensions as te
from typing_extensions import (
    Annotated,
    Literal,
    Protocol,
    TypedDict,
    runtime_checkable,
    get_type_hints,
    ParamSpec,
    NotRequired,
    Self,
    override,
    dataclass_transform,
)


class Movie(TypedDict, total=False):
    title: te.Required[str]
    year: int


print(Movie.__required_keys__, Movie.__optional_keys__, Movie(title="x"), get_type_hints(Movie))


@runtime_checkable
class Sized(Protocol):
    size: int

    def grow(self) -> int: ...


class Box:
    size = 1

    def grow(self):
        return 2


print(
    isinstance(Box(), Sized),
    isinstance(3, Sized),
    Literal[1, "a"].__args__,
    Annotated[int, 5].__metadata__,
    ParamSpec("P"),
)


class Base:
    def f(self) -> Self:
        return self


class Derived(Base):
    @override
    def f(self):
        return self


print(
    Derived.f.__override__, te.get_origin(typing.List[int]), te.get_args(typing.Dict[str, int]), te.is_typeddict(Movie)
)


@te.deprecated("old")
def old():
    return 1


import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(old(), [str(w.message) for w in caught])
print(te.NamedTuple("N", [("a", int)])(1), te.assert_type(3, int))
