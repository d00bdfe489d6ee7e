from voluptuous import (
    All,
    Any,
    Coerce,
    In,
    Invalid,
    Length,
    Match,
    MultipleInvalid,
    Optional,
    Range,
    Required,
    Schema,
    ALLOW_EXTRA,
    Url,
    Exclusive,
    Inclusive,
    humanize,
)

s = Schema(
    {
        Required("name"): All(str, Length(min=1)),
        Optional("n", default=5): All(Coerce(int), Range(1, 10)),
        "tags": [Any("a", "b", None)],
        Exclusive("x", "one"): int,
        Exclusive("y", "one"): int,
    }
)
print(s({"name": "q", "n": "7", "tags": ["a", None]}), s({"name": "d"}))
for data in (
    {},
    {"name": "", "n": 11},
    {"name": "q", "tags": ["c"]},
    {"name": "q", "zz": 1},
    {"name": "q", "x": 1, "y": 2},
):
    try:
        s(data)
    except MultipleInvalid as error:
        print(sorted(str(e) for e in error.errors))
print(
    Schema({str: int}, extra=ALLOW_EXTRA)({"a": 1, 2: "x"}),
    Schema(Match(r"^\d+$"))("12"),
    s.extend({"more": bool}).schema.keys() >= {"more"},
    Schema(In([1, 2]))(2),
)
try:
    Schema(Url())("nope")
except Invalid as error:
    print(error)
