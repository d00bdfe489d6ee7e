from toolz import (
    compose,
    curry,
    groupby,
    itertoolz,
    merge_with,
    partition_all,
    pipe,
    sliding_window,
    valmap,
    frequencies,
    unique,
    interleave,
    reduceby,
    update_in,
    get_in,
    memoize,
    juxt,
)

print(groupby(len, ["a", "bb", "cc", "d"]), frequencies("mississippi"), list(unique([3, 1, 3, 2])))
add = curry(lambda x, y, z: x + y + z)
print(add(1)(2)(3), add(1, 2)(3), pipe(5, add(1, 1), str, len), compose(str, abs)(-3), juxt(min, max)([3, 1, 2]))
print(list(sliding_window(2, range(4))), list(partition_all(3, range(7))), list(interleave(["abc", "12"])))
print(
    merge_with(sum, {"a": 1}, {"a": 2, "b": 3}),
    valmap(str, {"x": 1}),
    reduceby(lambda n: n % 2, lambda a, b: a * b, range(1, 6)),
)
print(
    update_in({"a": {"b": 1}}, ["a", "b"], lambda n: n + 1),
    get_in(["a", 1], {"a": [1, 2]}),
    list(itertoolz.accumulate(max, [1, 3, 2])),
)


@memoize
def slow(n):
    print("called", n)
    return n * n


print(slow(3), slow(3))
