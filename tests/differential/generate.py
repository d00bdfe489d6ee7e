"""Small valid programs from a seed: generate.py SEED COUNT prints them, each after a line "#### NUMBER".

A program defines functions, classes and generators that use every statement and operator of the language, and calls
them. It always ends: loops run over short ranges, and a function calls only those that stand above it. It may well
raise, inside a try or out of the program.
"""
import random
import sys
import warnings

NAMES = ["a", "b", "c", "d", "x", "y", "z", "total", "item"]
OPERATORS = ["+", "-", "*", "//", "%", "/", "&", "|", "^", "<<", ">>", "**", "@"]
AUGMENTED = ["+=", "-=", "*=", "//=", "%=", "&=", "|=", "^=", "/="]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!=", "in", "not in", "is", "is not"]
EXCEPTIONS = ["ValueError", "KeyError", "TypeError", "ZeroDivisionError", "IndexError", "Exception", "LookupError"]
CONSTANTS = ["0", "1", "2", "3", "-1", "7", "10", "255", "1 << 70", "0.5", "-2.25", "1e3", "2j", "'ab'", "''", "'x y'",
             "b'q'", "None", "True", "False", "...", "()", "(1, 2)", "[]", "{}", "'%s-%r'", "'\\u20ac'", "1_000", "0x1f"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.functions = []   # (name, a call's arguments)
        self.names = []       # variables that the scope has
        self.level = 0
        self.in_loop = self.in_function = self.in_async = self.is_generator = self.in_finally = False
        self.counter = 0

    def pick(self, items):
        return self.random.choice(items)

    def one_in(self, n):
        return self.random.randrange(n) == 0

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def add(self, text):
        self.lines.append("    " * self.level + text)

    # ---- expressions

    def name(self):
        return self.pick(self.names) if self.names and not self.one_in(40) else self.pick(NAMES)

    def atom(self, depth=0):
        kind = self.random.randrange(10)
        if kind < 5:
            return self.name()
        if kind < 9:
            return f"({self.pick(CONSTANTS)})" if self.one_in(3) else self.pick(CONSTANTS)
        return self.pick(["len", "str", "repr", "list", "tuple", "sorted", "sum", "bool", "set"]) + f"({self.name()})"

    def expression(self, depth=3):
        if depth <= 0:
            return self.atom()
        makers = [self.atom, self.binary, self.binary, self.unary, self.comparison, self.boolean, self.conditional,
                  self.call, self.display, self.subscript, self.attribute, self.lambda_, self.comprehension, self.string,
                  self.walrus, self.unpacking]
        return self.pick(makers)(depth - 1)

    def binary(self, depth):
        return f"({self.expression(depth)} {self.pick(OPERATORS[:10])} {self.expression(depth)})"

    def unary(self, depth):
        return self.pick(["-", "+", "~", "not "]) + self.atom()

    def comparison(self, depth):
        text = self.atom()
        for _ in range(1 + self.one_in(3)):
            sign = self.pick(COMPARISONS)
            if sign.startswith("is"):  # which equal values are one object is not the language's
                text += f" {sign} {self.pick(['None', 'True', '...', 'int'])}"
            else:
                text += f" {sign} {self.name() if self.one_in(2) else '(' + self.atom() + ',)'}"
        return f"({text})"

    def boolean(self, depth):
        word = self.pick([" and ", " or "])
        return "(" + word.join([self.expression(depth) for _ in range(2 + self.one_in(3))]) + ")"

    def conditional(self, depth):
        return f"({self.expression(depth)} if {self.expression(depth)} else {self.expression(depth)})"

    def call(self, depth):
        if not self.functions or self.one_in(4):
            return f"{self.pick(['max', 'min', 'dict', 'print', 'zip', 'enumerate', 'abs'])}({self.expression(depth)})"
        name, arguments = self.pick(self.functions)
        if self.one_in(8):
            return f"{name}(*{self.name()}, **{{}})"
        texts = [self.expression(depth) for _ in range(arguments)]
        if self.one_in(8):
            texts.append(self.pick(["key=1", "*()", "**{}", "*(1,)"]))
        return f"{name}({', '.join(texts)})"

    def display(self, depth):
        items = [self.expression(depth) for _ in range(self.random.randrange(4))]
        kind = self.random.randrange(5)
        if kind == 0:
            return "[" + ", ".join(items) + "]"
        if kind == 1:
            return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"
        if kind == 2 and items:
            return "{" + ", ".join([self.pick(CONSTANTS[:16]) for _ in items]) + "}"
        if kind == 3:
            return "{" + ", ".join([f"{self.pick(CONSTANTS[:17])}: {item}" for item in items]) + "}"
        return "[*" + self.name() + "".join([", " + item for item in items]) + "]"

    def subscript(self, depth):
        index = self.pick([self.atom(), "0", "-1", "1:", ":2", "::-1", "1:3", "::2", "'a'", "..., 0"])
        return f"{self.name()}[{index}]"

    def attribute(self, depth):
        return f"{self.name()}.{self.pick(['real', 'value', 'upper', 'imag', 'append', 'missing', 'keys'])}"

    def lambda_(self, depth):
        parameters = self.pick(["", "p", "p=1", "*p", "p, *, q=2", "p, /", "**p"])
        inner = self.names
        self.names = inner + (["p"] if "p" in parameters else [])
        text = f"(lambda {parameters}: {self.expression(min(depth, 1))})"
        self.names = inner
        return text + self.pick(["()", "(1)", "(p=3)", ""])

    def comprehension(self, depth):
        variable = self.pick(["i", "j", "k"])
        source = self.pick([f"range({self.random.randrange(5)})", self.name(), "(1, 2, 3)", "'abc'"])
        outer = self.names
        self.names = outer + [variable]
        element = self.expression(min(depth, 1))
        condition = f" if {self.expression(0)}" if self.one_in(3) else ""
        second = f" for m in ({variable}, 0)" if self.one_in(4) else ""
        self.names = outer
        clause = f" for {variable} in {source}{second}{condition}"
        kind = self.random.randrange(4)
        if kind == 0:
            return f"[{element}{clause}]"
        if kind == 1:
            return "{" + f"str({element}){clause}" + "}"
        if kind == 2:
            return "{" + f"{variable}: {element}{clause}" + "}"
        return f"list({element}{clause})"

    def string(self, depth):
        kind = self.random.randrange(4)
        if kind == 0:
            spec = self.pick(["", "!r", "!s", "!a", ":>5", ":<4", ":^6", ":{2}", "!r:>8", ":x", ":.2f", "="])
            return "f'" + self.pick(["", "a{{b}}", "-"]) + "{" + self.name() + spec + "}'"
        if kind == 1:
            return f"('%s %r' % ({self.name()}, {self.name()}))"
        if kind == 2:
            return "'{} {!r:>4}'.format(" + self.name() + ", " + self.name() + ")"
        return f"str({self.expression(depth)})"

    def walrus(self, depth):
        if not self.in_function:
            return self.atom()
        name = self.pick(NAMES)
        return f"({name} := {self.expression(depth)})"

    def unpacking(self, depth):
        return self.pick([f"[*{self.name()}, *{self.display(depth)}]", f"{{**{{}}, 'k': {self.atom()}}}",
                          f"(*{self.name()}, 1)", f"{{*{self.name()}, 2}}"])

    # ---- statements

    def bind(self, name):
        if name not in self.names:
            self.names.append(name)
        return name

    def target(self):
        return self.bind(self.pick(NAMES))

    def statement(self, depth):
        simple = [self.assign, self.assign, self.assign, self.augment, self.print_, self.print_, self.unpack, self.delete,
                  self.assert_, self.store, self.annotate, self.expression_statement, self.raise_, self.chain]
        compound = [self.if_, self.for_, self.while_, self.try_, self.try_finally, self.with_, self.function, self.class_]
        if self.in_loop:
            simple.append(self.leave_loop)
        if self.in_function:
            simple += [self.return_, self.scope_statement]
        if self.is_generator:
            simple += [self.yield_, self.yield_]
        if self.in_async:
            simple.append(self.await_)
        self.pick(compound if depth > 0 and self.one_in(3) else simple)(depth - 1)

    def body(self, depth, least=1):
        self.level += 1
        for _ in range(least + self.random.randrange(3)):
            self.statement(depth)
        self.level -= 1

    def assign(self, depth):
        value = self.expression()
        self.add(f"{self.target()} = {value}")

    def chain(self, depth):
        value = self.expression(2)
        self.add(f"{self.target()} = {self.target()} = {value}")

    def augment(self, depth):
        self.add(f"{self.name()} {self.pick(AUGMENTED)} {self.expression(2)}")

    def print_(self, depth):
        self.add(f"print({self.expression()}, {self.name()})")

    def expression_statement(self, depth):
        self.add(self.expression())

    def unpack(self, depth):
        value = self.pick([self.expression(2), "(1, 2, 3)", "'xyz'", f"[{self.atom()}, {self.atom()}, 5]"])
        pattern = self.pick(["{}, {}, {}", "{}, *{}", "*{}, {}", "[{}, ({}, {})]", "({}, {})", "{}, {}, *{}"])
        self.add(pattern.format(*[self.target() for _ in range(pattern.count("{}"))]) + " = " + value)

    def delete(self, depth):
        name = self.name()
        self.add(f"del {name}" if self.one_in(2) else f"del {name}[{self.pick(['0', '1:', chr(39) + 'k' + chr(39)])}]")

    def assert_(self, depth):
        self.add(f"assert {self.expression(2)}" + (f", {self.atom()}" if self.one_in(2) else ""))

    def store(self, depth):
        self.add(f"{self.name()}{self.pick(['[0]', '[1:2]', '.value', '[' + self.atom() + ']'])} = {self.expression(2)}")

    def annotate(self, depth):
        self.add(f"{self.target()}: {self.pick(['int', 'str', 'list'])} = {self.expression(2)}")

    def raise_(self, depth):
        kind = self.pick(EXCEPTIONS)
        self.add(f"if {self.comparison(0)}: raise {kind}({self.atom()})" + self.pick(["", " from None", ""]))

    def leave_loop(self, depth):
        self.add(f"if {self.expression(1)}: {self.pick(['break', 'continue'])}")

    def return_(self, depth):
        self.add(f"if {self.expression(1)}: return" + ("" if self.one_in(4) or self.in_async and self.is_generator
                                                        else f" {self.expression(2)}"))

    def scope_statement(self, depth):
        self.add(f"{self.name()} = globals().get({self.pick(NAMES)!r})")

    def yield_(self, depth):
        if self.in_async:
            self.add(f"yield {self.expression(1)}")
        else:
            self.add(self.pick([f"{self.target()} = yield {self.atom()}", f"yield from {self.display(1)}", "yield",
                                f"print((yield {self.atom()}))"]))

    def await_(self, depth):
        self.add(f"{self.target()} = await Ready({self.expression(1)})")

    def if_(self, depth):
        self.add(f"if {self.expression(2)}:")
        self.body(depth)
        if self.one_in(3):
            self.add(f"elif {self.expression(1)}:")
            self.body(depth)
        if self.one_in(2):
            self.add("else:")
            self.body(depth)

    def loop(self, head, depth):
        outer, self.in_loop = self.in_loop, True
        self.add(head)
        self.body(depth)
        self.in_loop = outer
        if self.one_in(3):
            self.add("else:")
            self.body(depth)

    def for_(self, depth):
        source = self.pick([f"range({self.random.randrange(5)})", self.name(), "'ab'", "[(1, 2), (3, 4)]",
                            "{'k': 1}.items()", f"enumerate({self.name()})"])
        target = self.pick(["{}", "{}", "{}, {}", "{}, *{}"])
        self.loop(f"for {target.format(self.target(), self.target())} in {source}:", depth)

    def while_(self, depth):
        counter = self.fresh("n")
        self.add(f"{counter} = {self.random.randrange(1, 5)}")
        self.loop(f"while ({counter} := {counter} - 1) >= 0" + (f" and {self.expression(1)}" if self.one_in(3) else "") + ":",
                  depth)

    def try_(self, depth):
        self.add("try:")
        self.body(depth)
        for _ in range(1 + self.one_in(3)):
            kind = self.pick(EXCEPTIONS[:5] + ["(KeyError, TypeError)"])
            self.add(f"except {kind} as e:" if self.one_in(2) else f"except {kind}:")
            self.level += 1
            self.add("print('caught')")
            self.level -= 1
            self.body(depth)
        if self.one_in(3):
            self.add("except Exception as e:")
            self.level += 1
            self.add("print(type(e).__name__, e)")
            self.level -= 1
        if self.one_in(4):
            self.add("else:")
            self.body(depth)
        if self.one_in(4):
            self.finally_(depth)

    def try_finally(self, depth):
        self.add("try:")
        self.body(depth)
        self.finally_(depth)

    def finally_(self, depth):
        self.add("finally:")
        self.body(depth)

    def with_(self, depth):
        word = "async with" if self.in_async and self.one_in(2) else "with"
        items = [f"Manager({self.atom()})" + (f" as {self.target()}" if self.one_in(2) else "")
                 for _ in range(1 + self.one_in(3))]
        self.add(f"{word} {', '.join(items)}:")
        self.body(depth)

    # ---- definitions

    def parameters(self):
        """The list of them, their names, and how many arguments a call has to give."""
        names = self.random.sample(NAMES, self.random.randrange(4))
        texts, required, has_default = [], 0, False
        for name in names:
            has_default = has_default or self.one_in(3)
            texts.append(f"{name}={self.pick(CONSTANTS)}" if has_default else name)
            required += not has_default
        if texts and self.one_in(5):
            texts.insert(1, "/")
        if self.one_in(4):
            texts.append(self.pick(["*args", "*args, key=None", "*, key=2"]))
            names = names + (["args"] if "args" in texts[-1] else [])
        if self.one_in(5):
            texts.append("**options")
            names = names + ["options"]
        return ", ".join(texts), names, required

    def function(self, depth, method=False):
        name = self.fresh("f")
        parameters, names, required = self.parameters()
        is_async, is_generator = self.one_in(8), self.one_in(4)
        if self.one_in(8) and not method:
            self.add("@decorate")
        if method:
            parameters = "self, " + parameters if parameters else "self"
        self.add(f"{'async ' if is_async else ''}def {name}({parameters}):")
        self.scoped(lambda: self.function_body(depth, is_async, is_generator), names + (["self"] if method else []),
                    in_function=True, in_async=is_async, is_generator=is_generator, in_loop=False)
        if not method:
            call = {(True, True): "drain", (True, False): "run", (False, True): "list"}.get((is_async, is_generator))
            if call:
                wrapper = self.fresh("g")
                self.add(f"def {wrapper}(*args, **options): return {call}({name}(*args, **options))")
                name = wrapper
            self.functions.append((name, required))
        return name, required

    def function_body(self, depth, is_async, is_generator):
        if self.one_in(5):
            self.level += 1
            self.add("'''Documentation.'''")
            self.level -= 1
        if is_generator:
            self.level += 1
            self.add("yield 0")
            self.level -= 1
        self.body(depth, 2)
        if not (is_async and is_generator):
            self.level += 1
            self.add(f"return {self.expression(2)}")
            self.level -= 1

    def scoped(self, make, names, **state):
        saved = {key: getattr(self, key) for key in ("names", "functions", *state)}
        self.functions = list(self.functions)
        self.names = (self.names if self.one_in(2) else []) + names
        for key, value in state.items():
            setattr(self, key, value)
        make()
        for key, value in saved.items():
            setattr(self, key, value)

    def class_(self, depth):
        name = self.fresh("C")
        bases = self.pick(["", "", "(Manager)", "(dict)", "(Exception)", "(int)"])
        self.add(f"class {name}{bases}:")
        self.level += 1
        self.add(f"value = {self.atom()}")
        methods = []
        for _ in range(1 + self.one_in(2)):
            found = []
            self.scoped(lambda: found.append(self.function(depth, method=True)), [], in_loop=False, in_function=False,
                        in_async=False, is_generator=False)
            methods += found
        if self.one_in(3):
            self.add("def __init__(self, *args, **options):")
            self.add("    super().__init__()")
            self.add(f"    self.value = {self.pick(['args', 'options', '__class__.__name__', 'len(args)'])}")
        if self.one_in(3):
            self.add(f"def {self.pick(['__repr__', '__str__', '__bool__', '__len__'])}(self): return {self.pick(CONSTANTS)}")
        self.level -= 1
        instance = self.fresh("o")
        self.add(f"{instance} = {name}()")
        self.bind(instance)
        for method, required in methods[:2]:
            self.add(f"print({instance}.{method}({', '.join([self.atom() for _ in range(required)])}))")

    def guarded(self, make):
        """Statements whose exceptions are printed, so that the program goes on."""
        self.add("try:")
        make()
        self.add("except Exception as error: print(type(error).__name__, error)")

    def program(self):
        for name in NAMES[:4]:
            self.add(f"{self.bind(name)} = {self.pick(CONSTANTS + ['[1, 2, 3]', '{1: 2}', '[3, 1]'])}")
        for _ in range(self.random.randrange(1, 4)):
            self.function(2)
        for _ in range(self.random.randrange(2, 6)):
            self.guarded(lambda: self.body(2))
        for name, required in self.functions * 2:
            self.guarded(lambda: self.add(f"    print({name}({', '.join([self.atom() for _ in range(required)])}))"))
        if self.one_in(3):
            self.statement(1)
        return "\n".join(self.lines) + "\n"


def main():
    warnings.simplefilter("ignore")
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    made = number = 0
    while made < count:
        text = Maker(seed * 1000003 + number).program()
        number += 1
        try:
            compile(text, "program", "exec")
        except SyntaxError:
            continue  # a name that is used before its `:=` made it local elsewhere, and the like
        print(f"#### {number - 1}\n{text}", end="")
        made += 1


if __name__ == "__main__":
    main()
