from jsonpath_ng import jsonpath, parse
from jsonpath_ng.ext import parse as parse_more

data = {"store": {"book": [{"t": "A", "p": 8}, {"t": "B", "p": 12, "i": "x"}, {"t": "C", "p": 22}], "car": {"p": 100}}}
for text in (
    "$.store.book[*].t",
    "$..p",
    "store.book[1:3].p",
    "$.store.*.p",
    "$.store.book[0].`parent`.book[2].t",
    "store.(book|car)",
):
    print(text, [(str(m.full_path), m.value) for m in parse(text).find(data)])
for text in (
    "$.store.book[?(@.p > 10)].t",
    "$.store.book[?(@.i)].p",
    "$.store.book[\\p].t",
    "$.store.book.`len`",
    "$.store.book[0].p + 2",
):
    print(text, [m.value for m in parse_more(text).find(data)])
print(
    parse("store.car.p").update({"store": {"car": {"p": 1}}}, 5),
    jsonpath.Root().child(jsonpath.Fields("a")).child(jsonpath.Slice("*")),
    repr(parse("a.b[0]")),
    parse("$.a") == parse("$.a"),
)
try:
    parse("$.[")
except Exception as error:
    print(type(error).__name__)
