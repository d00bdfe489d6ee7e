from boltons.cacheutils import LRU
from boltons.dictutils import OneToOne, OrderedMultiDict
from boltons.iterutils import chunked, get_path, remap, research, split, windowed, bucketize, backoff
from boltons.setutils import IndexedSet
from boltons.statsutils import Stats
from boltons.strutils import camel2under, ordinalize, slugify, bytes2human, pluralize, parse_int_list, format_int_list
from boltons.tableutils import Table
from boltons.timeutils import daterange, relative_time, parse_timedelta
from boltons.urlutils import URL
import datetime

print(
    chunked(range(5), 2),
    windowed("abc", 2),
    split("a b  c".split(" ")),
    bucketize(range(5), lambda n: n % 2),
    list(backoff(1, 10)),
)
print(
    remap({"a": [1, None, {"b": None}]}, lambda p, k, v: v is not None),
    get_path({"a": [{"b": 3}]}, ("a", 0, "b")),
    research({"x": {"y": 1}}, lambda p, k, v: v == 1),
)
m = OrderedMultiDict([("a", 1), ("a", 2), ("b", 3)])
print(m.getlist("a"), m, OneToOne({1: "x"}).inv, IndexedSet([3, 1, 3])[1], LRU(max_size=2, values=[(1, 2)]))
s = Stats([1, 2, 3, 10])
print(
    s.mean,
    s.median,
    round(s.std_dev, 6),
    s.describe(format="dict")["count"],
    camel2under("BasicParseTest"),
    slugify("First post! Hi!"),
    ordinalize(22),
    bytes2human(2048),
    pluralize("fox"),
)
print(
    parse_int_list("1,3,5-8"),
    format_int_list([1, 3, 5, 6, 7, 8]),
    Table.from_dict([{"a": 1, "b": 2}]).to_text(),
    parse_timedelta("2h 3m"),
)
u = URL("http://user:pw@example.com:8080/p/a?q=1&q=2#f")
print(
    u.host,
    u.port,
    u.query_params.getlist("q"),
    u.path_parts,
    u.to_text(),
    [str(d) for d in daterange(datetime.date(2024, 2, 27), datetime.date(2024, 3, 2))],
)
