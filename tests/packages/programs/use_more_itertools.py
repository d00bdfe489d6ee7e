import more_itertools as mi

print(
    list(mi.chunked(range(7), 3)),
    list(mi.windowed([1, 2, 3], 2)),
    mi.first([], "none"),
    list(mi.collapse([1, [2, [3]]])),
)
p = mi.peekable(range(4))
print(p.peek(), next(p), p.peek(), list(p), list(mi.split_at("abcdc", lambda c: c == "c")), mi.ilen(iter("abc")))
print(
    [list(g) for g in mi.consecutive_groups([1, 2, 4, 5, 7])],
    list(mi.interleave_longest([1, 2], [3])),
    mi.all_equal([1, 1]),
)
print(
    list(mi.distinct_permutations([1, 0, 1])),
    mi.numeric_range(0, 1, 0.25)[2],
    list(mi.roundrobin("AB", "C")),
    dict(mi.map_reduce("aAb", str.lower)),
)
b = mi.bucket(["a1", "b1", "a2"], key=lambda s: s[0])
print(sorted(b), list(b["a"]), list(mi.stagger([0, 1])), mi.nth_product(5, "ab", "cde"))
s = mi.seekable(iter("abc"))
print(
    next(s), next(s), s.seek(0), list(s), list(mi.set_partitions([1, 2, 3], 2)), list(mi.sort_together([(2, 1), "ab"]))
)
