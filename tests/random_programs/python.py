"""Plain Python: classes and descriptors, generators, `finally`, unpacking, scopes."""

imports = []

HEAD = '''
log = []


class Noted:
    def __set_name__(self, owner, name):
        self.name = name
        log.append(("set_name", owner.__name__, name))

    def __get__(self, instance, owner):
        log.append(("get", self.name, instance is None))
        return self if instance is None else instance.__dict__.get("_" + self.name, 0)

    def __set__(self, instance, value):
        log.append(("set", self.name))
        instance.__dict__["_" + self.name] = value

    def __delete__(self, instance):
        del instance.__dict__["_" + self.name]


class Base:
    a = Noted()
    count = 0

    def __init_subclass__(cls, tag=None, **rest):
        log.append((cls.__name__, tag))
        super().__init_subclass__(**rest)

    def __init__(self, *values, **named):
        self.values, self.named = values, named

    def __getattr__(self, name):
        if name.startswith("x"):
            return name * 2
        raise AttributeError(name)

    def __enter__(self):
        log.append("enter")
        return self

    def __exit__(self, kind, error, where):
        log.append(("exit", kind and kind.__name__))
        return self.count > 2

    def __iter__(self):
        yield from self.values

    def __bool__(self):
        return bool(self.values)


class Left(Base, tag=1):
    def who(self):
        return "left"


class Right(Base):
    def who(self):
        return "right " + str(getattr(super(), "count", None))


class Both(Left, Right, tag=2):
    def who(self):
        return super().who() + "!"


def numbers(n, tell=log.append):
    got = None
    try:
        for i in range(n):
            try:
                got = yield i if got is None else (i, got)
            except ValueError as error:
                tell(("caught", str(error)))
                got = "v"
        return n * 10
    finally:
        tell(("closed", n))


def chained(n):
    first = yield from numbers(n)
    second = yield from numbers(first // 20)
    return first, second


def step(name, function):
    try:
        value = function()
    except RecursionError:
        print(name, "RecursionError")  # how deep is too deep differs
    except BaseException as error:
        print(name, type(error).__name__, error, type(error.__context__).__name__, log)
    else:
        print(name, value, log)
    log.clear()


KINDS = [Base, Left, Right, Both]
'''


class Writer:
    def __init__(self, r):
        self.r = r

    def number(self):
        return self.r.choice(["0", "1", "2", "-1", "7"])

    def value(self):
        return self.r.choice([self.number(), "None", "[1, 2]", "(3,)", "'ab'", "{'k': 1}", "k(1, 2, *[3], z=4)", "k()",
                              "numbers(2)", "[*range(3)]", "{**{'k': 2}}", "n"])

    def simple(self):
        r = self.r
        return r.choice([
            f"n = {self.value()}", f"n += {self.number()}", f"a, *b = {self.value()}",
            f"(a, b), c = {self.value()}, {self.value()}", f"*a, b = {self.value()}", f"log.append({self.value()})",
            f"del {r.choice(['a', 'n', 'b'])}",
            f"raise {r.choice(['ValueError(n)', 'KeyError', 'StopIteration(1)', 'TypeError from ValueError(2)'])}",
            f"return {self.value()}", "n = a", "n = next(g)", "n = g.send(5)", "n = g.throw(ValueError('t'))",
            "g.close()", "g = chained(2)", "n = list(g)", "o.a = n", "n = o.a", "del o.a",
            "n = o.xy, k.a is k.__dict__.get('a')", "n = o.who()", "n = o.missing",
            "k.count += 1", "o.count = 3", "n = [c.__name__ for c in k.__mro__]",
            "n = [i * j for i in range(3) if i for j in range(i)]", "n = {i: (lambda: i)() for i in o}",
            "n = [f() for f in [lambda: j for j in range(3)]]", "assert n, 'empty'", "n = (m := 3) + m",
            "n = f'{n!r:>6}{o.values}'", "n = 'yes' if o else 'no'", "n = 1 < (log.append(2) or 2) < 3",
            "n = sorted(o, key=lambda e: -e)", "n = dict(zip('abc', o))", "n = inner()", "x = x + 1",
            "n = locals().keys() >= {'g'}", "n = sum(e for e in o)", "n = max(*o, default=4)", "n, g = g, n",
            "n = n[1:]", "n = n['k']", "n[0] = 9", "n = -n", "n = not n",
        ])

    def block(self, depth, loop):
        lines = []
        for _ in range(self.r.randrange(1, 4)):
            lines += self.statement(depth, loop)
        return ["    " + line for line in lines]

    def statement(self, depth, loop):
        r = self.r
        if depth == 0 or r.random() < 0.5:
            return [r.choice(["break", "continue"]) if loop and r.random() < 0.15 else self.simple()]
        body = lambda inside=loop: self.block(depth - 1, inside)
        kind = r.randrange(6)
        if kind == 0:
            return [f"if {self.value()}:", *body(), "else:", *body()]
        if kind == 1:
            return [f"for e in {r.choice(['range(3)', 'o', 'numbers(3)', 'n'])}:", *body(True), "else:", *body()]
        if kind == 2:
            return ["try:", *body(), "finally:", *body()]
        if kind == 3:
            handlers = r.choice(["(ValueError, KeyError) as e", "TypeError", "Exception as e", "AttributeError as n"])
            return ["try:", *body(), f"except {handlers}:", *body(), "else:", *body(), "finally:", *body()]
        if kind == 4:
            return [f"with {r.choice(['o', 'k(1) as n', 'o, k() as c'])}:", *body()]
        return ["def inner(p=n, *q):", f"    {r.choice(['nonlocal x', 'global n2', 'pass'])}", *self.block(0, False)]

    def function(self, index):
        return "\n".join([f"def f{index}(k, n=2, *rest, x=5, **more):", "    o, g = k(2, 1, 3), numbers(3)",
                          *self.block(3, False), *self.block(2, False), "    return n, x, o.values", ""])


def program(r):
    writer, statements = Writer(r), []
    while len(statements) < 6:
        text = writer.function(len(statements))
        try:
            compile(text, "program", "exec")
        except SyntaxError:
            continue
        call = f"step({len(statements)}, lambda: f{len(statements)}(KINDS[{r.randrange(4)}], {writer.number()}))\n"
        statements.append(text + call)
    return HEAD, statements
