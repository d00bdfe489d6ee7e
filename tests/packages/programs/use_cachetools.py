from cachetools import LFUCache, LRUCache, TTLCache, cached, cachedmethod, FIFOCache, keys

c = LRUCache(maxsize=2)
c["a"], c["b"] = 1, 2
c["a"]
c["c"] = 3
print(c, c.currsize, sorted(c))
f = LFUCache(2)
f[1] = f[2] = 0
f[1], f[1]
f[3] = 0
print(sorted(f), FIFOCache(1, getsizeof=lambda v: 1).maxsize)
now = [0]
t = TTLCache(maxsize=10, ttl=5, timer=lambda: now[0])
t["x"] = 1
now[0] = 4
print("x" in t, len(t))
now[0] = 6
print("x" in t, len(t), t.get("x"))
calls = []


@cached(cache={}, key=lambda n, **k: keys.hashkey(n % 3))
def g(n, **k):
    calls.append(n)
    return n


print([g(n) for n in range(6)], calls)


class K:
    def __init__(self):
        self.cache = LRUCache(8)

    @cachedmethod(lambda self: self.cache)
    def m(self, n):
        calls.append(n)
        return n * 2


k = K()
print(k.m(4), k.m(4), calls)
try:
    LRUCache(1, getsizeof=len)["k"] = "long"
except ValueError as error:
    print(error)
