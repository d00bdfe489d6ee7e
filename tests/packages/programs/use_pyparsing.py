import pyparsing as pp

integer = pp.Word(pp.nums).set_parse_action(lambda t: int(t[0]))
expr = pp.infix_notation(
    integer,
    [("-", 1, pp.OpAssoc.RIGHT), (pp.one_of("* /"), 2, pp.OpAssoc.LEFT), (pp.one_of("+ -"), 2, pp.OpAssoc.LEFT)],
)
print(expr.parse_string("1 + 2*3 - -4").as_list())
key = (
    pp.Word(pp.alphas)("key")
    + pp.Suppress(":")
    + pp.delimited_list(integer | pp.quoted_string.set_parse_action(pp.remove_quotes))("values")
)
r = key.parse_string('abc: 1, "two", 3')
print(r.key, list(r["values"]), r.as_dict(), r.dump())
nested = pp.nested_expr("(", ")")
print(nested.parse_string("(a (b c) ((d)))").as_list())
try:
    (pp.Literal("a") + integer).parse_string("a b")
except pp.ParseException as error:
    print(error, error.loc)
print([t.as_list() for t in integer.search_string("a1b22c333")], pp.Regex(r"(?P<y>\d{4})").parse_string("2024").y)
print(
    pp.Combine(integer + "." + integer).transform_string("v 1.2 and 3.4"),
    pp.OneOrMore(pp.common.identifier).parse_string("ab _c d1").as_list(),
)
