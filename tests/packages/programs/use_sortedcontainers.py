from sortedcontainers import SortedDict, SortedKeyList, SortedList, SortedSet

l = SortedList([5, 1, 4])
l.update([3, 3, 9])
print(l, l.bisect_left(3), l.count(3), list(l.irange(2, 4)), l.pop(), l.index(4), l[1:3])
d = SortedDict({"b": 1, "a": 2})
d["c"] = 0
print(d, d.peekitem(), d.keys()[0], list(d.irange("b")), d.setdefault("z", 5), d.popitem(0))
s = SortedSet("hello")
print(s, s & set("lo"), s[0], s ^ {"h"}, SortedKeyList([3, -5, 1], key=abs))
big = SortedList(n * 7919 % 10007 for n in range(5000))
for n in range(0, 4000, 3):
    big.discard(n)
print(len(big), sum(big), big[1234], repr(big[:3]))
try:
    l.append
    l[0] = 1
except NotImplementedError as error:
    print(error)
