import inspect
import wrapt


@wrapt.decorator
def trace(wrapped, instance, args, kwargs):
    print(wrapped.__name__, type(instance).__name__, args, kwargs)
    return wrapped(*args, **kwargs)


@trace
def add(a, b=2):
    """Adds."""
    return a + b


class K:
    @trace
    def m(self, x):
        return x

    @trace
    @classmethod
    def c(cls, x):
        return x

    @trace
    @staticmethod
    def s(x):
        return x


print(add(1), add(1, b=5), add.__doc__, inspect.signature(add), K().m(1), K.c(2), K().s(3))
p = wrapt.ObjectProxy([1, 2, 3])
p.append(4)
print(
    p,
    len(p),
    p == [1, 2, 3, 4],
    isinstance(p, list),
    p[1:],
    type(p).__name__,
    p + [5],
    hash(wrapt.ObjectProxy("a")) == hash("a"),
)


class Doubled(wrapt.ObjectProxy):
    def __getitem__(self, index):
        return self.__wrapped__[index] * 2


print(Doubled([4])[0], wrapt.CallableObjectProxy(len)("abc"), wrapt.PartialCallableObjectProxy(pow, 2)(5))


@wrapt.decorator
def other(wrapped, instance, args, kwargs):
    return ["other", wrapped(*args, **kwargs)]


wrapt.wrap_function_wrapper(K, "m", lambda w, i, a, k: ("wrapped", w(*a, **k)))
print(K().m(7), other(len)("ab"))
