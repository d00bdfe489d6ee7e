import decimal
from collections import namedtuple, OrderedDict
import simplejson as json

P = namedtuple("P", "x y")
print(
    json.dumps({"b": P(1, 2), "a": decimal.Decimal("1.10"), "n": None}, sort_keys=True),
    json.dumps(P(1, 2), namedtuple_as_object=False),
    json.dumps([1, [2]], indent="  "),
)
print(
    json.loads('[1.1, 1e5, -0, "\\u00e9\\ud83d\\ude00"]', use_decimal=True),
    json.loads('{"a": 1, "a": 2}', object_pairs_hook=list),
    json.dumps("\u2028é</", ensure_ascii=False),
)
print(
    json.dumps(float("nan"), ignore_nan=True),
    json.dumps({1: 2, None: 3, True: 4}),
    json.dumps(2**60, bigint_as_string=True),
    json.dumps({"k": (1,)}, tuple_as_array=True),
)


class Encoder(json.JSONEncoder):
    def default(self, o):
        return sorted(o) if isinstance(o, set) else super().default(o)


print(
    Encoder(separators=(",", ":")).encode([{3, 1}]),
    "".join(Encoder().iterencode({"a": [1, {2}]})),
    json.dumps({"x": OrderedDict(a=1)}, item_sort_key=lambda kv: kv[0]),
)
for bad in "[1,", '{"a" 1}', "nope", '"\\x"', "[1] 2", "":
    try:
        json.loads(bad)
    except json.JSONDecodeError as error:
        print(error, error.pos, error.lineno, error.colno)
