import tinycss2
from tinycss2 import color3, nth

css = "@charset 'x'; @media (max-width: 10px) { a > b:hover, #id.c[d='e'] { color: rgba(1, 2, 3, .5) !important; margin: -1.5em 0 50% calc(1px + 2vw); background: url(x y) } } /* c */ p::before { content: '\\201C' \"\\\n\"; }"
rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
for rule in rules:
    print(rule.type, tinycss2.serialize(rule.prelude), rule.source_line, rule.source_column)
inner = tinycss2.parse_rule_list(rules[-2].content if rules[-2].content else rules[-1].content, skip_whitespace=True)
for rule in inner:
    print(rule, rule.serialize() if rule.type != "error" else rule.message)
for declaration in tinycss2.parse_declaration_list(
    "color: RED; --x: {a:b}; width: 10px !important; bad; border: 1px solid #0f08", skip_whitespace=True
):
    print(
        declaration.type,
        getattr(declaration, "name", None),
        [(t.type, getattr(t, "value", None)) for t in getattr(declaration, "value", [])],
        getattr(declaration, "important", None),
    )
print(
    [
        color3.parse_color(c)
        for c in ("red", "#0af", "rgb(10%, 20%, 300%)", "hsl(120, 100%, 50%)", "currentColor", "nope")
    ]
)
print(
    [nth.parse_nth(c) for c in ("odd", "2n+1", "-n + 3", "5", "even")],
    tinycss2.parse_component_value_list("u+26?? 1e3 <!-- f(x, [y]) @k")[0].type,
    tinycss2.parse_one_component_value("a b").message,
)
