from arpeggio import (
    EOF,
    NoMatch,
    OneOrMore,
    Optional,
    ParserPython,
    PTNodeVisitor,
    RegExMatch as _,
    ZeroOrMore,
    visit_parse_tree,
)
from arpeggio.cleanpeg import ParserPEG


def number():
    return _(r"\d*\.\d*|\d+")


def factor():
    return Optional(["+", "-"]), [number, ("(", expression, ")")]


def term():
    return factor, ZeroOrMore(["*", "/"], factor)


def expression():
    return term, ZeroOrMore(["+", "-"], term)


def calc():
    return OneOrMore(expression), EOF


class Visitor(PTNodeVisitor):
    def visit_number(self, node, children):
        return float(node.value)

    def visit_factor(self, node, children):
        if len(children) == 1:
            return children[0]
        return -children[1] if children[0] == "-" else children[1]

    def visit_term(self, node, children):
        value = children[0]
        for i in range(2, len(children), 2):
            value = value * children[i] if children[i - 1] == "*" else value / children[i]
        return value

    def visit_expression(self, node, children):
        value = children[0]
        for i in range(2, len(children), 2):
            value += children[i] if children[i - 1] == "+" else -children[i]
        return value


parser = ParserPython(calc)
tree = parser.parse("-(4-1)*5+(2+4.67)+5.89/(.2+7)")
print(visit_parse_tree(tree, Visitor()), tree.tree_str()[:200], str(parser.parse("1 + 2")))
try:
    parser.parse("1 + * 3")
except NoMatch as error:
    print(error)
peg = ParserPEG("name = r'[a-z]+'\nlist = name (',' name)* EOF\n", "list")
print([str(n) for n in peg.parse("a, b ,c")], peg.parse("x").rule_name)
