from lark import Lark, Transformer, Tree, UnexpectedInput, v_args

calculator = Lark(
    r"""
    ?start: sum | NAME "=" sum -> assign
    ?sum: product | sum "+" product -> add | sum "-" product -> sub
    ?product: atom | product "*" atom -> mul | product "/" atom -> div
    ?atom: NUMBER -> number | "-" atom -> neg | NAME -> var | "(" sum ")"
    %import common.CNAME -> NAME
    %import common.NUMBER
    %import common.WS_INLINE
    %ignore WS_INLINE
""",
    parser="lalr",
)


@v_args(inline=True)
class Calculate(Transformer):
    from operator import add, sub, mul, truediv as div, neg

    number = float

    def __init__(self):
        self.vars = {}

    def assign(self, name, value):
        self.vars[name] = value
        return value

    def var(self, name):
        return self.vars[name]


c = Calculate()
for line in "a = 1 + 2*3", "a*-4", "(a - 1)/2":
    print(c.transform(calculator.parse(line)))
print(calculator.parse("1+b*2").pretty())
try:
    calculator.parse("1 + * 2")
except UnexpectedInput as error:
    print(type(error).__name__, error.line, error.column)
early = Lark('start: word+\nword: /[a-z]+/ | "x" word\n%ignore " "', parser="earley", ambiguity="explicit")
tree = early.parse("x a b")
print(sorted({t.data for t in tree.iter_subtrees()}), len(list(tree.find_data("word"))) > 2)
