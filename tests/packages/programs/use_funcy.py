from funcy import (
    chunks,
    compact,
    compose,
    curry,
    distinct,
    flatten,
    group_by,
    ldistinct,
    lflatten,
    lmap,
    memoize,
    merge,
    omit,
    partial,
    pluck,
    project,
    rpartial,
    select,
    walk,
    walk_keys,
    zipdict,
    re_find,
    re_all,
    retry,
    ignore,
    once,
    lpluck,
    lcat,
    pairwise,
    suppress,
    set_in,
    get_in,
)

print(
    lmap(r"(\d)", ["a1", "b2"]),
    lflatten([1, [2, [3]]]),
    group_by(len, ["a", "bb", "c"]),
    ldistinct("abcab"),
    list(chunks(2, range(5))),
)
print(
    merge({1: 2}, {3: 4}),
    project({"a": 1, "b": 2}, "a"),
    omit({"a": 1, "b": 2}, "a"),
    walk(str, [1, 2]),
    walk_keys(str.upper, {"a": 1}),
    select(lambda n: n > 1, {1, 2, 3}),
)
print(
    re_find(r"\w(\d+)", "x12 y3"),
    re_all(r"\d+", "1 a 22"),
    compact([0, 1, None, 2]),
    zipdict("ab", [1, 2]),
    lpluck("k", [{"k": 1}, {"k": 2}]),
    list(pairwise(range(3))),
)
tries = []


@retry(3, errors=ValueError)
def unsure():
    tries.append(1)
    if len(tries) < 3:
        raise ValueError
    return "ok"


print(
    unsure(),
    ignore(ZeroDivisionError, "none")(lambda: 1 // 0)(),
    curry(lambda a, b: a - b)(5)(3),
    compose(str, len)("abc"),
    rpartial(pow, 2)(5),
)
with suppress(KeyError):
    {}["x"]
print(set_in({"a": {"b": 1}}, ["a", "c"], 2), get_in({"a": [1, 2]}, ["a", 1]), once(lambda: "once")())
