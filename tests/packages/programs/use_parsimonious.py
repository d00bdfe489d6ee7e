from parsimonious import Grammar, NodeVisitor, ParseError, VisitationError
from parsimonious.exceptions import IncompleteParseError

grammar = Grammar(
    r"""
    expr = term (("+" / "-") term)*
    term = factor (("*" / "/") factor)*
    factor = number / group
    group = "(" expr ")"
    number = ~"[0-9]+(\.[0-9]+)?"
"""
)


class Calculate(NodeVisitor):
    def visit_expr(self, node, children):
        value = children[0]
        for (sign,), right in children[1] if isinstance(children[1], list) else []:
            value = value + right if sign == "+" else value - right
        return value

    def visit_term(self, node, children):
        value = children[0]
        for (sign,), right in children[1] if isinstance(children[1], list) else []:
            value = value * right if sign == "*" else value / right
        return value

    def visit_factor(self, node, children):
        return children[0]

    def visit_group(self, node, children):
        return children[1]

    def visit_number(self, node, children):
        return float(node.text)

    def generic_visit(self, node, children):
        return children or node.text


print(Calculate().visit(grammar.parse("2*(3+4)-10/4")), grammar["number"].match("12ab").text)
print(grammar.parse("1+2"), grammar)
for text in "1+", "(1", "":
    try:
        grammar.parse(text)
    except (ParseError, IncompleteParseError) as error:
        print(type(error).__name__, error)
